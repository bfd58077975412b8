package openapi

import (
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// Path describes a path of an extension that is not below a group. In OpenAPI 3.0 it has a document of its own, whose
// name is the path. It has one operation.
type Path struct {
	Path string // such as /extensions/transactions
	// Method is the HTTP method in lower case, and ID names the operation.
	Method, ID, Description string
	// Parameters are those of the query.
	Parameters []Parameter
	// Body describes the JSON body of the request. It is empty if the operation takes no body.
	Body string
	// Takes and Gives are the media types of the body and of the answer.
	Takes, Gives []string
}

// Parameter is a parameter of a query. Type is a type of OpenAPI, such as "string".
type Parameter struct{ Name, Type, Description string }

// Described is the handler of a path outside of all groups that the documents describe.
type Described interface{ OpenAPI() Path }

// Name is the name of the document about the path.
func (p Path) Name() string { return strings.TrimPrefix(p.Path, "/") }

// V3OfPath returns the OpenAPI 3.0 document, as JSON, of a path outside of all groups.
func V3OfPath(p Path) []byte {
	d := newDefinitions(form{prefix: "#/components/schemas/", v3: true})
	return codec.AppendJSON(nil, d.documentV3(p.Path, "v1", []route{d.outside(p)}))
}

// outside returns the route of a path outside of all groups.
func (d *definitions) outside(p Path) route {
	o := &operation{method: p.Method, id: p.ID, tag: "extensions", description: p.Description, takesMedia: p.Takes,
		givesMedia: p.Gives, statuses: done}
	for _, q := range p.Parameters {
		o.parameters = append(o.parameters, query(q.Name, q.Type, q.Description))
	}
	if p.Body != "" {
		o.takes = "io.github.decorum-go." + p.ID + ".Body"
		d.schema[o.takes] = doc.MapOf(doc.Member{Key: "type", Value: doc.Of(schema.ObjectType)},
			doc.Member{Key: "description", Value: doc.Of(p.Body)})
	}
	return route{path: p.Path, operations: []*operation{o}}
}

// past returns the route of the subresource history or undo.
func (w *routeWriter) past(d *definitions, sub kind.Subresource) route {
	k := w.kind
	object := kindName(k.GroupVersionKind)
	own := d.addKind(sub.GroupVersionKind, sub.Schema, sub.Kind+" is what the subresource "+sub.Name+" holds.")
	r := route{path: w.base() + "/{name}/" + sub.Name, parameters: pathParameters(k.Namespaced, true, k.Kind)}
	if sub.Undo {
		r.operations = []*operation{{method: "post", id: w.id("create", "", camel(sub.Name)), action: "post",
			description: "An extension: give the specified " + k.Kind + " the content of an earlier version, or restore it",
			parameters:  writeParameters, takes: own, gives: object, statuses: doneOrCreated}}
		return w.common(r, sub.GroupVersionKind)
	}
	r.operations = []*operation{
		{method: "get", id: w.id("read", "", camel(sub.Name)), action: "get", gives: own, statuses: done,
			description: "An extension: read the versions of the specified " + k.Kind +
				". With revision, the answer is the " + k.Kind + " itself, and with from it is a Difference.",
			parameters: []parameter{
				query("from", "string",
					"Answers with what differs between the versions at two resourceVersions: this one, and that in to."),
				query("revision", "string", "Answers with the object as it was at this resourceVersion."),
				query("to", "string", "The second version of a difference. Default: the present state."),
			}},
		{method: "delete", id: w.id("delete", "", camel(sub.Name)), action: "delete", gives: w.own.status,
			description: "An extension: erase the former versions of the specified " + k.Kind, takes: w.own.deleteOptions,
			optional: true, parameters: writeParameters[:1:1], statuses: done},
	}
	return w.common(r, sub.GroupVersionKind)
}
