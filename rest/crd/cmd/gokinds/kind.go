package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// props is the schema of one field, element or value of the objects.
type props = apiextensions.JSONSchemaProps

// kind is one version of a kind that is being written to a file.
type kind struct {
	file    *file
	spec    *apiextensions.CustomResourceDefinitionSpec
	version *apiextensions.CustomResourceDefinitionVersion
	schema  *schema.Schema // the schema as the library reads it
	root    *props
	name    string   // the name of the Go type
	later   []func() // write structs that earlier ones use
}

// add adds one version of a kind to a file.
func (f *file) add(spec *apiextensions.CustomResourceDefinitionSpec,
	v *apiextensions.CustomResourceDefinitionVersion) error {
	if !isExported(spec.Names.Kind) {
		return fmt.Errorf("the kind %q cannot be the name of an exported Go type", spec.Names.Kind)
	}
	text := v.Schema.Text()
	if text == nil {
		return fmt.Errorf("version %s has no schema", v.Name)
	}
	whole, err := schema.ReadOpenAPI(text)
	if err != nil {
		return err
	}
	var root props
	if err := json.Unmarshal(text, &root); err != nil {
		return err
	}
	k := &kind{file: f, spec: spec, version: v, schema: whole, root: &root, name: f.name(spec.Names.Kind)}
	k.others()
	k.object()
	for len(k.later) > 0 {
		next := k.later[0]
		k.later = k.later[1:]
		next()
	}
	k.resource()
	return nil
}

// object writes the struct of a whole object.
func (k *kind) object() {
	whole := *k.root
	delete(whole.Properties, "apiVersion")
	delete(whole.Properties, "kind")
	if metadata, ok := whole.Properties["metadata"]; ok && len(metadata.Properties) > 0 {
		k.lose("metadata", "its rules")
	}
	delete(whole.Properties, "metadata")
	if slices.Contains(whole.Required, "status") {
		k.lose("status", "required: a status may always be absent")
		whole.Required = slices.DeleteFunc(whole.Required, func(name string) bool { return name == "status" })
	}
	k.loseRest(&whole, "")
	for _, option := range k.limits(&whole, "") {
		k.lose("the object", option)
	}
	if whole.XIntOrString {
		k.lose("the object", "x-kubernetes-int-or-string")
	}
	head := "apimeta.TypeMeta `json:\",inline\"`\napimeta.ObjectMeta `json:\"metadata,omitempty\"`\n\n"
	k.writeStruct(k.name, "an object of the kind "+k.spec.Names.Kind, head, &whole, "")
}

// writeStruct writes a struct with the properties of a schema. at is the path of the objects that it describes, and
// head the text before the fields.
func (k *kind) writeStruct(name, what, head string, p *props, at string) {
	var fields strings.Builder
	taken := map[string]bool{"TypeMeta": head != "", "ObjectMeta": head != ""}
	for _, property := range slices.Sorted(maps.Keys(p.Properties)) {
		of, place := p.Properties[property], strings.TrimPrefix(at+"."+property, ".")
		if !isJSONName(property) {
			k.lose(place, "encoding/json does not accept the name")
			continue
		}
		field := goName(property)
		for i := 2; taken[field]; i++ {
			field = fmt.Sprintf("%s%d", goName(property), i)
		}
		taken[field] = true
		fields.WriteString(k.field(name, field, property, &of, slices.Contains(p.Required, property), place))
	}
	for _, required := range p.Required {
		if _, ok := p.Properties[required]; !ok && (head == "" || !isHead(required)) {
			k.lose(at, fmt.Sprintf("required: %s, which is not a property", required))
		}
	}
	fmt.Fprintf(&k.file.body, "\n// %s is %s.\ntype %s struct {\n%s%s}\n", name, what, name, head, &fields)
}

// isHead reports whether objects of any kind have a field.
func isHead(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// field returns the line of a field.
func (k *kind) field(parent, name, property string, p *props, required bool, at string) string {
	typ, options := k.place(parent+name, p, at)
	omit := ",omitempty"
	switch {
	case at == "status" && k.isStruct(typ):
		omit = ",omitzero"
	case required:
		omit = ""
		if p.Default != nil {
			options = append([]string{"required"}, options...)
		}
	case typ == "bool", typ == "int32", typ == "int64", typ == "float64", typ == "apimeta.Time", k.isStruct(typ):
		typ = "*" + typ
	}
	if property == "-" && omit == "" {
		omit = "," // encoding/json leaves out a field with the tag "-"
	}
	tag := fmt.Sprintf("json:%q", property+omit)
	if len(options) > 0 {
		tag += fmt.Sprintf(" api:%q", strings.Join(options, ","))
	}
	return fmt.Sprintf("%s %s %s\n", name, typ, inCode(tag))
}

func (k *kind) isStruct(typ string) bool { return k.file.taken[typ] }

// place returns the Go type of a place of the objects, and the options of its api tag. wanted is the name of the type
// if it needs one.
func (k *kind) place(wanted string, p *props, at string) (typ string, options []string) {
	k.loseRest(p, at)
	typ, options = k.typeOf(wanted, p, at)
	options = append(options, k.limits(p, at)...)
	if p.Default != nil {
		if text, ok := k.literal(p, p.Default.Raw); ok {
			options = append(options, option("default", text))
		} else {
			k.lose(at, "default")
		}
	}
	if p.Description != "" {
		options = append(options, option("doc", p.Description))
	}
	return typ, options
}

// typeOf returns the Go type of a place, and the options that describe its values.
func (k *kind) typeOf(wanted string, p *props, at string) (typ string, options []string) {
	preserves := p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields
	switch {
	case p.XIntOrString:
		k.file.rawJSON = true
		return "json.RawMessage", []string{"intOrString"}
	case p.Type == "string":
		return k.text(p)
	case p.Type == "integer":
		if p.Format == "int32" {
			return "int32", nil
		}
		return "int64", formatOption(p, "int64")
	case p.Type == "number":
		return "float64", formatOption(p, "")
	case p.Type == "boolean":
		if p.Format != "" {
			k.lose(at, "format: "+p.Format)
		}
		return "bool", nil
	case p.Type == "array":
		return k.list(wanted, p, at)
	case p.Type == "object" && p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		if preserves {
			k.lose(at, "x-kubernetes-preserve-unknown-fields")
		}
		values, below := k.place(wanted, p.AdditionalProperties.Schema, at+"{}")
		if values == "json.RawMessage" { // the library keeps no schema for the values of such a map
			k.lose(at+"{}", "rules of the values: "+or(strings.Join(below, ","), "any"))
			below = nil
		}
		return "map[string]" + values, prefixed("values.", below)
	case p.Type == "object" && (len(p.Properties) > 0 || !preserves && p.AdditionalProperties == nil && !p.XEmbeddedResource):
		if preserves {
			k.lose(at, "x-kubernetes-preserve-unknown-fields: the Go struct has only the declared fields")
		}
		name, of := k.file.name(wanted), *p
		k.later = append(k.later, func() {
			k.writeStruct(name, fmt.Sprintf("the type of %s of the kind %s", at, k.spec.Names.Kind), "", &of, at)
		})
		return name, nil
	case p.Type == "object":
		if !preserves {
			k.lose(at, "pruning of unknown fields: the Go type keeps them")
		}
		return "map[string]any", nil
	}
	k.file.rawJSON = true
	return "json.RawMessage", nil
}

// text returns the Go type of a string. Bytes and times with rules of their own stay strings.
func (k *kind) text(p *props) (typ string, options []string) {
	plain := len(p.Enum) == 0 && p.Pattern == "" && p.MinLength == nil && p.MaxLength == nil && p.Default == nil
	switch {
	case p.Format == "byte" && plain:
		return "[]byte", nil
	case p.Format == "date-time" && plain:
		return "apimeta.Time", nil
	}
	return "string", formatOption(p, "")
}

// list returns the Go type of a list. Conditions have the type that the functions of package apimeta take.
func (k *kind) list(wanted string, p *props, at string) (typ string, options []string) {
	if p.Items == nil || p.Items.Schema == nil {
		k.lose(at, "a list without items")
		k.file.rawJSON = true
		return "json.RawMessage", []string{"type=array"}
	}
	if isCondition(p.Items.Schema) {
		return "[]apimeta.Condition", nil
	}
	element, below := k.place(singular(wanted), p.Items.Schema, at+"[]")
	return "[]" + element, prefixed("items.", below)
}

// formatOption returns the option for the format of a place, unless it is the usual one of its Go type.
func formatOption(p *props, usual string) []string {
	if p.Format == "" || p.Format == usual {
		return nil
	}
	return []string{option("format", p.Format)}
}

// prefixed returns options for the elements of a list, or for the values of a map.
func prefixed(prefix string, options []string) []string {
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = prefix + o
	}
	return out
}

// lose reports a part of a definition that the code does not express.
func (k *kind) lose(part, reason string) {
	text := fmt.Sprintf("%s: %s: %s", k.spec.Names.Kind, part, reason)
	k.file.losses = append(k.file.losses, strings.Join(strings.Fields(text), " ")) // a comment has one line for each
}
