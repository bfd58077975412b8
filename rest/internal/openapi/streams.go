package openapi

import (
	"slices"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// stream is the route of a subresource of bytes, and that of what is below it.
func (w *routeWriter) stream(sub kind.Subresource) []route {
	k := w.kind
	gvk := sub.GroupVersionKind
	r := route{path: w.base() + "/{name}/" + sub.Name,
		parameters: append(pathParameters(k.Namespaced, true, k.Kind), optionParameters(sub.Stream.Options)...)}
	if sub.Stream.Media != "" {
		r.operations = []*operation{{method: "get", id: w.id("read", "", camel(sub.Name)), action: "get",
			description: "read " + sub.Name + " of the specified " + k.Kind, givesMedia: []string{sub.Stream.Media},
			statuses: done}}
		return []route{w.common(r, gvk)}
	}
	r.operations = w.connections(sub, "")
	all := []route{w.common(r, gvk)}
	if sub.Stream.Below {
		below := route{path: r.path + "/{path}", operations: w.connections(sub, "WithPath"),
			parameters: append(slices.Clone(r.parameters),
				parameter{"path", "path", "string", "The path below " + sub.Name + "."})}
		all = append(all, w.common(below, gvk))
	}
	return all
}

// connections are the operations of a subresource by its verbs: what they do is up to the host.
func (w *routeWriter) connections(sub kind.Subresource, suffix string) []*operation {
	methods := []struct{ verb, method, name string }{
		{"get", "get", "Get"}, {"update", "put", "Put"}, {"create", "post", "Post"}, {"delete", "delete", "Delete"},
		{"patch", "patch", "Patch"}}
	var all []*operation
	for _, m := range methods {
		if slices.Contains(sub.Verbs, m.verb) {
			all = append(all, &operation{method: m.method, id: w.id("connect", m.name, camel(sub.Name)+suffix), action: "connect",
				description: "connect " + m.name + " requests to " + sub.Name + " of " + w.kind.Kind, givesMedia: []string{"*/*"},
				statuses: done})
		}
	}
	return all
}

// optionParameters are the fields of an options struct.
func optionParameters(options *schema.Schema) []parameter {
	var all []parameter
	for _, p := range options.Object.Properties {
		s := p.Schema
		if s.Type == schema.ArrayType {
			s = s.Items // as often as there are elements
		}
		if p.Name != "kind" && p.Name != "apiVersion" {
			all = append(all, query(p.Name, s.Type, p.Schema.Description))
		}
	}
	return all
}
