package openapi

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// openKind returns the schema of a kind without a Go struct. OpenAPI 3.0 gets the schema as the kind was declared, and
// Swagger 2.0 what kubectl can read of it. Both get the members that every object has.
func (d *definitions) openKind(s *schema.Schema, description string) doc.Value {
	source, _, err := codec.DecodeJSON(s.Source())
	if err != nil || !d.form.v3 && s.PreserveUnknown { // a property would make kubectl refuse all others
		return doc.MapOf(doc.Member{Key: "type", Value: doc.Of(schema.ObjectType)})
	}
	v := d.openPlace(source)
	if v.Get("description").IsAbsent() && description != "" {
		v = v.With("description", doc.Of(description))
	}
	return d.withHead(v)
}

// withHead adds apiVersion, kind and metadata to the properties of a schema.
func (d *definitions) withHead(v doc.Value) doc.Value {
	properties := v.Get("properties")
	head, err := schema.Derive(reflect.TypeFor[apimeta.PartialObjectMetadata](), schema.Options{})
	if err != nil {
		return v
	}
	for i := range head.Object.Properties {
		p := &head.Object.Properties[i]
		properties = properties.With(p.Name, d.place(p.Schema, p.Schema.Description))
	}
	return v.With("properties", properties)
}

// openPlace returns the schema of one place. In OpenAPI 3.0 it spells out the types of an int-or-string. In Swagger 2.0
// it leaves out alternatives and null, which Swagger does not have, defaults, and the members and elements of values
// that kubectl would otherwise check too strictly.
func (d *definitions) openPlace(v doc.Value) doc.Value {
	if d.form.v3 {
		v = withTypesOfIntOrString(v)
	} else {
		v = forSwagger(v)
	}
	v = v.Rewrite(func(_ int, keyword string, below doc.Value) doc.Value {
		switch {
		case below.Kind() != doc.Map:
		case keyword == "items", keyword == "additionalProperties":
			return d.openPlace(below)
		case keyword == "properties":
			return below.Rewrite(func(_ int, _ string, property doc.Value) doc.Value { return d.openPlace(property) })
		}
		return below
	})
	if !v.Get("x-kubernetes-embedded-resource").Bool() ||
		!d.form.v3 && v.Get("x-kubernetes-preserve-unknown-fields").Bool() {
		return v
	}
	required := slices.Clone(elements(v.Get("required")))
	for _, name := range []string{"kind", "apiVersion"} {
		if !slices.ContainsFunc(required, func(r doc.Value) bool { return r.Text() == name }) {
			required = append(required, doc.Of(name))
		}
	}
	return d.withHead(v).With("required", doc.ListOf(required...))
}

// integerOrString are the alternatives that say in OpenAPI what x-kubernetes-int-or-string says.
var integerOrString = doc.ListOf(
	doc.MapOf(doc.Member{Key: "type", Value: doc.Of("integer")}),
	doc.MapOf(doc.Member{Key: "type", Value: doc.Of("string")}))

// withTypesOfIntOrString adds the types of an int-or-string to its schema, as upstream does, unless the definition
// states them in one of the two places where it may.
func withTypesOfIntOrString(v doc.Value) doc.Value {
	if !v.Get("x-kubernetes-int-or-string").Bool() {
		return v
	}
	anyOf, allOf := v.Get("anyOf"), elements(v.Get("allOf"))
	switch {
	case doc.Equal(anyOf, integerOrString) || len(allOf) > 0 && doc.Equal(allOf[0].Get("anyOf"), integerOrString):
		return v
	case anyOf.Len() == 0:
		return v.With("anyOf", integerOrString)
	}
	types := doc.MapOf(doc.Member{Key: "anyOf", Value: integerOrString})
	return v.With("allOf", doc.ListOf(append([]doc.Value{types}, allOf...)...))
}

// forSwagger drops what Swagger 2.0 or kubectl's reading of it does not support at one place.
func forSwagger(v doc.Value) doc.Value {
	isNullable, preserves := v.Get("nullable").Bool(), v.Get("x-kubernetes-preserve-unknown-fields").Bool()
	required := slices.DeleteFunc(slices.Clone(elements(v.Get("required"))), func(name doc.Value) bool {
		return v.Get("properties").Get(name.Text()).Get("nullable").Bool()
	})
	if v.Get("additionalProperties").Get("nullable").Bool() {
		required = nil
	}
	v = v.Without("allOf", "oneOf", "anyOf", "not", "nullable", "required", "default")
	if len(required) > 0 {
		v = v.With("required", doc.ListOf(required...))
	}
	if isNullable || preserves {
		v = v.Without("items", "properties")
	}
	isArray := v.Get("type").Text() == schema.ArrayType && !v.Has("items")
	if isNullable || isArray || preserves && v.Get("type").Text() == schema.ObjectType {
		v = v.Without("type")
	}
	return v
}

func elements(list doc.Value) (all []doc.Value) {
	for _, e := range list.Elements() {
		all = append(all, e)
	}
	return all
}
