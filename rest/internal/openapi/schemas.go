package openapi

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// place returns the schema of one place: of a struct a reference to its name, with what only this place says around it,
// its documentation among that.
func (d *definitions) place(s *schema.Schema, description string) doc.Value {
	if s.Object == nil || s.Object.Name == "" {
		return d.members(s).value()
	}
	ref := d.reference(d.name(s.Object))
	var o object
	o.text("description", description)
	if !d.form.v3 { // Swagger 2.0 reads nothing beside a reference but its documentation
		o.set("$ref", ref.Get("$ref"))
		return o.value()
	}
	o.set("default", s.DefaultValue)
	o.flag("nullable", s.Nullable)
	c := s.Constraints()
	o.count("minProperties", c.MinProperties)
	o.count("maxProperties", c.MaxProperties)
	d.merging(&o, s)
	o.list("x-kubernetes-validations", validations(c.Rules))
	if len(o) == 0 {
		return ref
	}
	o.list("allOf", []doc.Value{ref})
	return o.value()
}

// members returns what a schema says, written out.
func (d *definitions) members(s *schema.Schema) object {
	c := s.Constraints()
	var o object
	o.text("description", s.Description)
	if d.form.v3 { // upstream's Swagger 2.0 has no defaults
		o.set("default", s.DefaultValue)
	}
	enum := c.Enum
	if len(enum) == 0 {
		enum = c.PublishedEnum
	}
	o.list("enum", enum)
	d.types(&o, s)
	o.set("minimum", c.Minimum)
	o.set("maximum", c.Maximum)
	o.flag("exclusiveMinimum", c.ExclusiveMinimum)
	o.flag("exclusiveMaximum", c.ExclusiveMaximum)
	o.set("multipleOf", c.MultipleOf)
	o.count("minLength", c.MinLength)
	o.count("maxLength", c.MaxLength)
	o.count("minItems", c.MinItems)
	o.count("maxItems", c.MaxItems)
	o.count("minProperties", c.MinProperties)
	o.count("maxProperties", c.MaxProperties)
	if c.Pattern != nil {
		o.text("pattern", c.Pattern.String())
	}
	d.merging(&o, s)
	o.list("x-kubernetes-validations", validations(c.Rules))
	if s.Items != nil {
		o.set("items", d.place(s.Items, ""))
	}
	if s.Additional != nil {
		o.set("additionalProperties", d.place(s.Additional, ""))
	}
	if s.Object != nil {
		properties := make(object, 0, len(s.Object.Properties))
		var required []string
		for i := range s.Object.Properties {
			p := &s.Object.Properties[i]
			properties.set(p.Name, d.place(p.Schema, p.Schema.Description)) // explain prints it beside the name
			if p.Required || p.PublishRequired {
				required = append(required, p.Name)
			}
		}
		o.object("properties", properties)
		o.texts("required", required)
	}
	return o
}

// types writes which JSON types a place may hold. Swagger 2.0 has no word for several, nor for null: there it says
// nothing, so that clients that check by it refuse nothing.
func (d *definitions) types(o *object, s *schema.Schema) {
	o.flag("x-kubernetes-int-or-string", s.IntOrString)
	o.flag("x-kubernetes-preserve-unknown-fields", s.PreserveUnknown)
	if d.form.v3 {
		o.flag("nullable", s.Nullable)
		o.text("format", s.Format)
		if len(s.Types()) == 1 {
			o.text("type", s.Type)
			return
		}
		var oneOf []doc.Value
		for _, t := range s.Types() {
			oneOf = append(oneOf, doc.MapOf(doc.Member{Key: "type", Value: doc.Of(t)}))
		}
		o.list("oneOf", oneOf)
		return
	}
	if len(s.Types()) == 1 && !s.Nullable {
		o.text("format", s.Format)
		o.text("type", s.Type)
	}
}

// merging writes how lists and maps merge in patches and apply.
func (d *definitions) merging(o *object, s *schema.Schema) {
	o.text("x-kubernetes-list-type", s.ListType)
	o.texts("x-kubernetes-list-map-keys", s.ListMapKeys)
	o.text("x-kubernetes-map-type", s.MapType)
	o.text("x-kubernetes-patch-strategy", s.PatchStrategy)
	o.text("x-kubernetes-patch-merge-key", s.PatchMergeKey)
}
