package openapi

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// V2 returns the Swagger 2.0 document, as JSON, of all kinds that a server serves and of the paths outside of all
// groups. It fails where two operations would have one name: then two kinds of one group and version are called the
// same.
func V2(kinds []*kind.Kind, outside ...Path) ([]byte, error) {
	document, err := swagger(kinds, outside)
	return codec.AppendJSON(nil, document), err
}

func swagger(kinds []*kind.Kind, outside []Path) (doc.Value, error) {
	d := newDefinitions(form{prefix: "#/definitions/"})
	routes, err := d.routes(sorted(kinds))
	if err != nil {
		return doc.Value{}, err
	}
	for _, p := range outside {
		routes = append(routes, d.outside(p))
	}
	paths := make(object, 0, len(routes))
	for _, r := range routes {
		var o object
		o.list("parameters", parametersV2(r.parameters))
		for _, op := range r.operations {
			o.set(op.method, d.operationV2(op))
		}
		paths.set(r.path, o.value())
	}
	var document object
	document.text("swagger", "2.0")
	document.set("info", info("APIs of this server", "v1"))
	document.set("paths", paths.value())
	document.set("definitions", d.value())
	return document.value(), nil
}

func (d *definitions) operationV2(op *operation) doc.Value {
	o := op.common()
	parameters := parametersV2(op.parameters)
	if op.takes != "" {
		var body object
		body.text("name", "body")
		body.text("in", "body")
		body.flag("required", !op.optional)
		body.set("schema", d.reference(op.takes))
		parameters = append(parameters, body.value())
		o.texts("consumes", op.takesMedia)
	}
	o.list("parameters", parameters)
	o.texts("produces", op.givesMedia)
	o.set("responses", op.responses(func(answer *object) { answer.set("schema", d.answer(op.gives)) }))
	return o.value()
}

func parametersV2(parameters []parameter) []doc.Value {
	var all []doc.Value
	for _, p := range parameters {
		o := p.common()
		o.text("type", p.typ)
		all = append(all, o.value())
	}
	return all
}
