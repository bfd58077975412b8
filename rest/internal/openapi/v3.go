package openapi

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// V3 returns the OpenAPI 3.0 document, as JSON, of the kinds that are served in a group and version; kinds of others
// are left out. It fails where two operations would have one name: then two kinds are called the same.
func V3(gv apimeta.GroupVersion, kinds []*kind.Kind) ([]byte, error) {
	var served []*kind.Kind
	for _, k := range sorted(kinds) {
		if k.GroupVersion() == gv {
			served = append(served, k)
		}
	}
	d := newDefinitions(form{prefix: "#/components/schemas/", v3: true})
	routes, err := d.routes(served)
	if err != nil {
		return nil, err
	}
	return codec.AppendJSON(nil, d.documentV3(gv.String(), gv.Version, routes)), nil
}

// documentV3 returns the document with the routes and with the schemas that they refer to.
func (d *definitions) documentV3(title, version string, routes []route) doc.Value {
	paths := make(object, 0, len(routes))
	for _, r := range routes {
		var o object
		o.list("parameters", parametersV3(r.parameters))
		for _, op := range r.operations {
			o.set(op.method, d.operationV3(op))
		}
		paths.set(r.path, o.value())
	}
	var document object
	document.text("openapi", "3.0.0")
	document.set("info", info(title, version))
	document.set("paths", paths.value())
	document.set("components", doc.MapOf(doc.Member{Key: "schemas", Value: d.value()}))
	return document.value()
}

func info(title, version string) doc.Value {
	var o object
	o.text("title", title)
	o.text("version", version)
	return o.value()
}

func (d *definitions) operationV3(op *operation) doc.Value {
	o := op.common()
	o.list("parameters", parametersV3(op.parameters))
	if op.takes != "" {
		var body object
		body.set("content", d.contentV3(op.takes, op.takesMedia))
		body.flag("required", !op.optional)
		o.set("requestBody", body.value())
	}
	o.set("responses", op.responses(func(answer *object) {
		answer.set("content", d.contentV3(op.gives, op.givesMedia))
	}))
	return o.value()
}

func (d *definitions) contentV3(name string, media []string) doc.Value {
	var content object
	for _, m := range media {
		content.set(m, doc.MapOf(doc.Member{Key: "schema", Value: d.answer(name)}))
	}
	return content.value()
}

func parametersV3(parameters []parameter) []doc.Value {
	var all []doc.Value
	for _, p := range parameters {
		o := p.common()
		o.set("schema", doc.MapOf(doc.Member{Key: "type", Value: doc.Of(p.typ)}))
		all = append(all, o.value())
	}
	return all
}

// common writes what both forms say of a parameter alike.
func (p parameter) common() object {
	var o object
	o.text("name", p.name)
	o.text("in", p.in)
	o.text("description", p.description)
	o.flag("required", p.in == "path")
	return o
}

// common writes what both forms say of an operation alike.
func (op *operation) common() object {
	var o object
	o.text("operationId", op.id)
	o.text("description", op.description)
	o.texts("tags", []string{op.tag})
	o.text("x-kubernetes-action", op.action)
	if op.kind != (apimeta.GroupVersionKind{}) {
		o.set("x-kubernetes-group-version-kind", kindValue(op.kind))
	}
	return o
}

// responses writes the answers of an operation, each with the content that write adds.
func (op *operation) responses(write func(*object)) doc.Value {
	var all object
	for _, code := range op.statuses {
		var answer object
		answer.text("description", map[string]string{"200": "OK", "201": "Created", "202": "Accepted"}[code])
		write(&answer)
		all.set(code, answer.value())
	}
	all.set("401", doc.MapOf(doc.Member{Key: "description", Value: doc.Of("Unauthorized")}))
	return all.value()
}
