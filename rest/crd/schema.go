package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
)

// exporter exports one version of a kind. It collects the losses and the errors.
type exporter struct {
	version string
	losses  []Loss
	errs    []error
	inside  []*schema.Object // the types that enclose the current place
}

func (e *exporter) lose(part, reason string) {
	e.losses = append(e.losses, Loss{Version: e.version, Part: part, Reason: reason})
}

func (e *exporter) fail(path, text string) { e.errs = append(e.errs, errors.New(path+": "+text)) }

// deriveSchema returns the schema of the objects in one version.
func deriveSchema(v rest.Description) (*schema.Schema, error) {
	r := v.Resource
	if v.GoType == reflect.TypeFor[apimeta.Document]() {
		s, err := schema.ReadOpenAPI(r.Schema.OpenAPI)
		if err == nil && r.Description != "" {
			s.Description = r.Description
		}
		return s, err
	}
	options := schema.Options{Overlay: r.Overlay, Description: r.Description}
	if set := rules.SetOf(r.Rules); set != nil {
		options.Rules = set.Declared()
	}
	return schema.Derive(v.GoType, options)
}

// root returns the schema of the whole object. A manifest must not describe metadata, because every cluster has its
// schema.
func (e *exporter) root(s *schema.Schema) object {
	e.inside = []*schema.Object{s.Object}
	out := e.constraints(s)
	properties := object{}
	for i := range s.Object.Properties {
		switch p := &s.Object.Properties[i]; p.Name {
		case "metadata":
			properties[p.Name] = object{"type": "object"}
		default:
			properties[p.Name] = e.place(p.Schema, p.Name)
		}
	}
	out["properties"] = properties
	e.structRules(out, s.Object, "")
	return out
}

// place returns the schema of one place of a document.
func (e *exporter) place(s *schema.Schema, path string) object {
	out := e.constraints(s)
	if len(s.OneOf) > 0 {
		e.fail(path, fmt.Sprintf("it has several types, %v, but a cluster allows only one type, or an integer or a string",
			s.OneOf))
	}
	if s.Items != nil {
		out["items"] = e.place(s.Items, path+"[]")
		e.fixed(s.Items, out["items"].(object), s.ListType == schema.MapList)
	}
	if s.Additional != nil && !(s.PreserveUnknown && s.Additional.Anything()) { // preserveUnknown already allows any value
		out["additionalProperties"] = e.place(s.Additional, path+"{}")
		e.fixed(s.Additional, out["additionalProperties"].(object), true)
	}
	if s.Object != nil {
		e.object(out, s.Object, path)
	}
	return out
}

// object writes the members of a struct.
func (e *exporter) object(out object, o *schema.Object, path string) {
	if slices.Contains(e.inside, o) {
		e.fail(path, fmt.Sprintf("the type %s contains itself, but a cluster does not support recursive schemas", o.Name))
		return
	}
	e.inside = append(e.inside, o)
	defer func() { e.inside = e.inside[:len(e.inside)-1] }()
	if len(o.Properties) > 0 {
		properties := object{}
		for i := range o.Properties {
			p := &o.Properties[i]
			properties[p.Name] = e.place(p.Schema, path+"."+p.Name)
		}
		out["properties"] = properties
	}
	e.structRules(out, o, path)
}

// structRules writes the rules of a struct about its members.
func (e *exporter) structRules(out object, o *schema.Object, path string) {
	if required := o.RequiredNames(); required != nil {
		out["required"] = required
	}
	for _, u := range o.Unions() {
		e.union(out, u, path)
	}
	for i := range o.Properties {
		if p := &o.Properties[i]; p.Schema.Immutable {
			e.immutable(out, p, path)
		}
	}
}

// constraints returns the constraints on one value, without those of its members and elements.
func (e *exporter) constraints(s *schema.Schema) object {
	c := s.Constraints()
	out := object{}
	set := func(key string, value any) {
		if v := reflect.ValueOf(value); v.IsValid() && !v.IsZero() {
			out[key] = value
		}
	}
	set("description", s.Description)
	set("type", s.Type)
	set("format", s.Format)
	set("nullable", s.Nullable)
	set("x-kubernetes-preserve-unknown-fields", s.PreserveUnknown)
	set("x-kubernetes-int-or-string", s.IntOrString)
	set("x-kubernetes-list-type", s.ListType)
	set("x-kubernetes-list-map-keys", s.ListMapKeys)
	set("x-kubernetes-map-type", s.MapType)
	set("exclusiveMinimum", c.ExclusiveMinimum)
	set("exclusiveMaximum", c.ExclusiveMaximum)
	for key, v := range map[string]doc.Value{"default": s.DefaultValue, "minimum": c.Minimum, "maximum": c.Maximum,
		"multipleOf": c.MultipleOf} {
		if !v.IsAbsent() {
			out[key] = plain(v)
		}
	}
	for key, n := range map[string]*int64{"minLength": c.MinLength, "maxLength": c.MaxLength, "minItems": c.MinItems,
		"maxItems":      c.MaxItems,
		"minProperties": c.MinProperties, "maxProperties": c.MaxProperties} {
		if n != nil {
			out[key] = *n
		}
	}
	if c.Pattern != nil {
		out["pattern"] = c.Pattern.String()
	}
	var enum, rules []any
	for _, v := range c.Enum {
		enum = append(enum, plain(v))
	}
	set("enum", enum)
	for _, r := range c.Rules {
		rules = append(rules, rule(r))
	}
	set("x-kubernetes-validations", rules)
	return out
}

// plain returns a value of the schema as JSON.
func plain(v doc.Value) json.RawMessage { return codec.AppendJSON(nil, v) }

// sameFields reports whether two schemas have the same fields. It ignores the constraints on their values.
func sameFields(a, b object) bool {
	for _, key := range []string{"type", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"} {
		if a[key] != b[key] {
			return false
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		below, other := child(a, key), child(b, key)
		if (below == nil) != (other == nil) || below != nil && !sameFields(below, other) {
			return false
		}
	}
	ours, theirs := child(a, "properties"), child(b, "properties")
	if len(ours) != len(theirs) {
		return false
	}
	for name := range ours {
		if other := child(theirs, name); other == nil || !sameFields(child(ours, name), other) {
			return false
		}
	}
	return true
}

func child(o object, key string) object {
	below, _ := o[key].(object)
	return below
}
