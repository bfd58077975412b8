package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// limits returns the options for the constraints of a place.
func (k *kind) limits(p *props, at string) (options []string) {
	add := func(name, value string) { options = append(options, option(name, value)) }
	flag := func(name string, set bool) {
		if set {
			options = append(options, name)
		}
	}
	for _, bound := range []struct {
		name  string
		value *float64
	}{{"min", p.Minimum}, {"max", p.Maximum}, {"multipleOf", p.MultipleOf}} {
		if bound.value != nil {
			add(bound.name, strconv.FormatFloat(*bound.value, 'f', -1, 64))
		}
	}
	flag("exclusiveMin", p.ExclusiveMinimum)
	flag("exclusiveMax", p.ExclusiveMaximum)
	for _, count := range []struct {
		name  string
		value *int64
	}{{"minLength", p.MinLength}, {"maxLength", p.MaxLength}, {"minItems", p.MinItems}, {"maxItems", p.MaxItems},
		{"minProperties", p.MinProperties}, {"maxProperties", p.MaxProperties}} {
		if count.value != nil {
			add(count.name, strconv.FormatInt(*count.value, 10))
		}
	}
	if p.Pattern != "" {
		add("pattern", p.Pattern)
	}
	if len(p.Enum) > 0 {
		if text, ok := k.enum(p); ok {
			add("enum", text)
		} else {
			k.lose(at, "enum")
		}
	}
	flag("nullable", p.Nullable)
	if p.XListType != nil {
		add("list", *p.XListType)
	}
	for _, key := range p.XListMapKeys {
		add("key", key)
	}
	if p.XMapType != nil {
		add("map", *p.XMapType)
	}
	return options
}

// enum returns the values of an enumeration in the form of the option enum, and whether the option can express them.
func (k *kind) enum(p *props) (string, bool) {
	var values []string
	for _, v := range p.Enum {
		text, ok := k.literal(p, v.Raw)
		if !ok || strings.Contains(text, "|") {
			return "", false
		}
		values = append(values, text)
	}
	return strings.Join(values, "|"), true
}

// literal returns a value in the form of a tag: the bare text for a string, and JSON for other values. A place for
// integers and strings takes JSON for both.
func (k *kind) literal(p *props, value []byte) (string, bool) {
	if p.Type != "string" {
		return string(value), true
	}
	var text string
	if string(value) == "null" || json.Unmarshal(value, &text) != nil {
		return "", false
	}
	if strings.HasPrefix(text, `"`) {
		return string(value), true
	}
	return text, true
}

// option returns an option with a value. The value is quoted if it contains a character that ends an option.
func option(name, value string) string {
	if value == "" || strings.ContainsAny(value, " ,'=") || strings.TrimSpace(value) != value {
		value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return name + "=" + value
}

// inCode returns a tag as Go code.
func inCode(tag string) string {
	if strconv.CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}

// loseRest reports the keywords of a place that neither a Go type nor an option expresses.
func (k *kind) loseRest(p *props, at string) {
	at = or(at, "the object")
	for _, r := range p.XValidations {
		k.lose(at, "rule: "+r.Rule)
	}
	for _, list := range []struct {
		name    string
		schemas []props
	}{{"allOf", p.AllOf}, {"anyOf", p.AnyOf}, {"oneOf", p.OneOf}} {
		if len(list.schemas) > 0 && !(p.XIntOrString && list.name == "anyOf" && saysIntOrString(list.schemas)) {
			k.lose(at, list.name)
		}
	}
	if p.Not != nil {
		k.lose(at, "not")
	}
	if p.XEmbeddedResource {
		k.lose(at, "x-kubernetes-embedded-resource")
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema == nil {
		k.lose(at, fmt.Sprintf("additionalProperties: %t", p.AdditionalProperties.Allows))
	}
	if p.Title != "" || p.Example != nil || p.ExternalDocs != nil {
		k.lose(at, "title, example and externalDocs")
	}
}

// saysIntOrString reports whether schemas mean the same as x-kubernetes-int-or-string.
func saysIntOrString(all []props) bool {
	return len(all) == 2 && reflect.DeepEqual(all[0], props{Type: "integer"}) &&
		reflect.DeepEqual(all[1], props{Type: "string"})
}

// isCondition reports whether a schema describes a condition, regardless of its documentation.
func isCondition(p *props) bool {
	list, err := schema.Derive(reflect.TypeFor[[]apimeta.Condition](), schema.Options{})
	if err != nil || p.Type != "object" || len(p.Properties) != len(list.Items.Object.Properties) {
		return false
	}
	for i := range list.Items.Object.Properties {
		property := &list.Items.Object.Properties[i]
		theirs, has := p.Properties[property.Name]
		if !has || slices.Contains(p.Required, property.Name) != property.Required ||
			!sameLimits(property.Schema, &theirs) {
			return false
		}
	}
	return true
}

// sameLimits reports whether a text or a number has the same rules in the schema of a Go type and in a definition.
func sameLimits(s *schema.Schema, p *props) bool {
	c := s.Constraints()
	pattern := ""
	if c.Pattern != nil {
		pattern = c.Pattern.String()
	}
	var enum []string
	for _, v := range c.Enum {
		enum = append(enum, v.Text())
	}
	var theirs []string
	for _, v := range p.Enum {
		var text string
		_ = json.Unmarshal(v.Raw, &text)
		theirs = append(theirs, text)
	}
	slices.Sort(enum)
	slices.Sort(theirs)
	low, _ := c.Minimum.Float()
	return s.Type == p.Type && s.Format == p.Format && pattern == p.Pattern && slices.Equal(enum, theirs) &&
		reflect.DeepEqual(c.MinLength, p.MinLength) && reflect.DeepEqual(c.MaxLength, p.MaxLength) &&
		c.Minimum.IsAbsent() == (p.Minimum == nil) && (p.Minimum == nil || *p.Minimum == low) && p.Maximum == nil
}

func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}
