package apiextensions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// A schema is structural if it states the type of every value outside of allOf, anyOf, oneOf and not, and these contain
// only further restrictions. Pruning and defaulting then need not look into them.

// unsupported returns why a schema cannot be structural at all, or "".
func unsupported(s *JSONSchemaProps) (fault string) {
	s.any(func(s *JSONSchemaProps) bool {
		switch {
		case s.ID != "":
			fault = "OpenAPIV3Schema 'id' is not supported"
		case s.Schema != "":
			fault = "OpenAPIV3Schema 'schema' is not supported"
		case s.Ref != nil && *s.Ref != "":
			fault = "OpenAPIV3Schema '$ref' is not supported"
		case len(s.PatternProperties) > 0:
			fault = "OpenAPIV3Schema 'patternProperties' is not supported"
		case len(s.Dependencies) > 0:
			fault = "OpenAPIV3Schema 'dependencies' is not supported"
		case s.AdditionalItems != nil:
			fault = "OpenAPIV3Schema 'additionalItems' is not supported"
		case len(s.Definitions) > 0:
			fault = "OpenAPIV3Schema 'definitions' is not supported"
		case s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields:
			fault = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
		case s.Items != nil && len(s.Items.JSONSchemas) > 0:
			fault = "OpenAPIV3Schema 'items' must be a schema, but is an array"
		}
		return fault != ""
	})
	return fault
}

func structural(s *JSONSchemaProps) bool {
	return unsupported(s) == "" && len(structuralFaults(s, nil)) == 0
}

// structuralFaults returns what keeps a schema from being structural, in alphabetical order.
func structuralFaults(s *JSONSchemaProps, at *status.Path) status.FieldErrors {
	c := &structuralChecker{}
	c.place(s, atRoot, at)
	c.complete(s, s, at, at)
	slices.SortStableFunc(c.errs, func(a, b *status.FieldError) int { return strings.Compare(a.Error(), b.Error()) })
	return c.errs
}

type structuralChecker struct {
	faults
	patterns schema.Patterns
}

// level says what kind of value a schema describes.
type level int

const (
	atRoot level = iota
	ofItems
	ofField
)

func (s *JSONSchemaProps) items() *JSONSchemaProps {
	if s == nil || s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// additional returns the schema of the values of a map, or nil.
func (s *JSONSchemaProps) additional() *JSONSchemaProps {
	if s == nil || s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

func (s *JSONSchemaProps) preserves() bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// place checks a schema outside of allOf, anyOf, oneOf and not.
func (c *structuralChecker) place(s *JSONSchemaProps, l level, at *status.Path) {
	if s == nil || c.full() {
		return
	}
	if s.Type == "array" && s.items() == nil {
		c.fail(status.RequiredField(at.Child("items"), "must be specified"))
	}
	c.place(s.items(), ofItems, at.Child("items"))
	for _, name := range names(s.Properties) {
		below := s.Properties[name]
		c.place(&below, ofField, at.Child("properties").Key(name))
	}
	if s.AdditionalProperties != nil {
		if l == atRoot {
			c.fail(status.ForbiddenField(at.Child("additionalProperties"), "must not be used at the root"))
		}
		c.place(s.additional(), ofField, at.Child("additionalProperties"))
	}
	if s.XIntOrString && s.preserves() {
		c.fail(status.InvalidField(at.Child("x-kubernetes-preserve-unknown-fields"), true,
			"must be false if x-kubernetes-int-or-string is true"))
	}
	if s.XIntOrString && s.XEmbeddedResource {
		c.fail(status.InvalidField(at.Child("x-kubernetes-embedded-resource"), true,
			"must be false if x-kubernetes-int-or-string is true"))
	}
	inAllOf := len(s.AllOf) > 0 && isIntOrString(s.AllOf[0].AnyOf)
	c.restrictions(s, exempt{anyOf: isIntOrString(s.AnyOf), anyOfInAllOf: inAllOf}, at)
	c.types(s, l, at)
	c.metadata(s, l, at)
	if s.XEmbeddedResource && !s.preserves() && len(s.Properties) == 0 {
		c.fail(status.RequiredField(at.Child("properties"),
			"must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"))
	}
}

// types checks that the type is stated.
func (c *structuralChecker) types(s *JSONSchemaProps, l level, at *status.Path) {
	place := at.Child("type")
	switch {
	case s.XEmbeddedResource && s.Type == "":
		c.fail(status.RequiredField(place, "must be object if x-kubernetes-embedded-resource is true"))
	case s.XEmbeddedResource && s.Type != "object":
		c.fail(status.InvalidField(place, s.Type, "must be object if x-kubernetes-embedded-resource is true"))
	case s.XEmbeddedResource || s.Type != "" || s.XIntOrString || s.preserves():
	default:
		detail := map[level]string{atRoot: "at the root", ofItems: "for specified array items",
			ofField: "for specified object fields"}[l]
		c.fail(status.RequiredField(place, "must not be empty "+detail))
	}
	if s.XEmbeddedResource && s.AdditionalProperties != nil {
		c.fail(status.ForbiddenField(at.Child("additionalProperties"),
			"must not be used if x-kubernetes-embedded-resource is set"))
	}
	if l == atRoot && s.Type != "" && s.Type != "object" {
		c.fail(status.InvalidField(place, s.Type, "must be object at the root"))
	}
}

// metadata checks the properties kind, apiVersion and metadata of an object.
func (c *structuralChecker) metadata(s *JSONSchemaProps, l level, at *status.Path) {
	isObject := l == atRoot || s.XEmbeddedResource
	require := func(name, typ string) {
		if p, ok := s.Properties[name]; ok && isObject && p.Type != typ {
			c.fail(status.InvalidField(at.Child("properties").Key(name).Child("type"), p.Type, "must be "+typ))
		}
	}
	require("kind", "string")
	require("apiVersion", "string")
	require("metadata", "object")
	if m, ok := s.Properties["metadata"]; ok && l == atRoot && !onlyNames(m) {
		c.fail(status.ForbiddenField(at.Child("properties").Key("metadata"),
			"must not specify anything other than name and generateName, but metadata is implicitly specified"))
	}
}

// onlyNames reports whether the schema of the root's metadata restricts at most name and generateName.
func onlyNames(m JSONSchemaProps) bool {
	for name := range m.Properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	m.Type, m.Default, m.Properties = "", nil, nil
	return reflect.DeepEqual(withoutEmpty(m), JSONSchemaProps{})
}

// withoutEmpty clears what means nothing in a structural schema: empty lists and maps that kube-apiserver does not
// keep.
func withoutEmpty(s JSONSchemaProps) JSONSchemaProps {
	s.Ref, s.PatternProperties, s.Dependencies, s.Definitions = nil, nil, nil, nil
	if len(s.Enum) == 0 {
		s.Enum = nil
	}
	if len(s.AllOf) == 0 {
		s.AllOf = nil
	}
	if len(s.AnyOf) == 0 {
		s.AnyOf = nil
	}
	if len(s.OneOf) == 0 {
		s.OneOf = nil
	}
	if s.items() == nil {
		s.Items = nil
	}
	return s
}

// isIntOrString reports whether the alternatives are exactly an integer and a string, the one place where they may have
// types.
func isIntOrString(anyOf []JSONSchemaProps) bool {
	return len(anyOf) == 2 && onlyType(anyOf[0], "integer") && onlyType(anyOf[1], "string")
}

func onlyType(s JSONSchemaProps, typ string) bool {
	s = withoutEmpty(s)
	if a := s.AdditionalProperties; a != nil && a.Schema == nil && !a.Allows {
		s.AdditionalProperties = nil
	}
	return reflect.DeepEqual(s, JSONSchemaProps{Type: typ})
}

// exempt says which alternatives may have types.
type exempt struct{ anyOf, anyOfInAllOf bool }

// restrictions checks allOf, anyOf, oneOf, not and the pattern of a schema.
func (c *structuralChecker) restrictions(s *JSONSchemaProps, x exempt, at *status.Path) {
	if !x.anyOf {
		for i := range s.AnyOf {
			c.restriction(&s.AnyOf[i], exempt{}, at.Child("anyOf").Index(i))
		}
	}
	for i := range s.AllOf {
		c.restriction(&s.AllOf[i], exempt{anyOf: x.anyOfInAllOf && i == 0}, at.Child("allOf").Index(i))
	}
	for i := range s.OneOf {
		c.restriction(&s.OneOf[i], exempt{}, at.Child("oneOf").Index(i))
	}
	c.restriction(s.Not, exempt{}, at.Child("not"))
	if s.Pattern != "" {
		if _, err := c.patterns.New(s.Pattern); err != nil {
			c.fail(status.InvalidField(at.Child("pattern"), s.Pattern,
				fmt.Sprintf("must be a valid regular expression, but isn't: %v", err)))
		}
	}
}

// restriction checks a schema inside of allOf, anyOf, oneOf or not.
func (c *structuralChecker) restriction(s *JSONSchemaProps, x exempt, at *status.Path) {
	if s == nil || c.full() {
		return
	}
	c.restrictions(s, x, at)
	c.restriction(s.items(), exempt{}, at.Child("items"))
	for _, name := range names(s.Properties) {
		below := s.Properties[name]
		c.restriction(&below, exempt{}, at.Child("properties").Key(name))
	}
	hasMetadata := false
	if s.Properties != nil {
		_, hasMetadata = s.Properties["metadata"]
	}
	for _, f := range []struct {
		field, must string
		set         bool
	}{
		{"type", "must be empty", s.Type != ""},
		{"additionalProperties", "must be undefined",
			s.AdditionalProperties != nil && (s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Allows)},
		{"default", "must be undefined", s.Default != nil && len(s.Default.Raw) > 0},
		{"title", "must be empty", s.Title != ""},
		{"description", "must be empty", s.Description != ""},
		{"nullable", "must be false", s.Nullable},
		{"x-kubernetes-preserve-unknown-fields", "must be false", s.preserves()},
		{"x-kubernetes-embedded-resource", "must be false", s.XEmbeddedResource},
		{"x-kubernetes-int-or-string", "must be false", s.XIntOrString},
		{"x-kubernetes-list-map-keys", "must be empty", len(s.XListMapKeys) > 0},
		{"x-kubernetes-list-type", "must be undefined", s.XListType != nil},
		{"x-kubernetes-map-type", "must be undefined", s.XMapType != nil},
		{"x-kubernetes-validations", "must be empty", len(s.XValidations) > 0},
	} {
		if f.set {
			c.fail(status.ForbiddenField(at.Child(f.field), f.must+" to be structural"))
		}
	}
	if hasMetadata {
		c.fail(status.ForbiddenField(at.Child("properties").Key("metadata"), "must not be specified in a nested context"))
	}
}

// complete checks that the schema s states what restrictions refer to. As in kube-apiserver, it looks at the
// restrictions of the root only. v is the schema with restrictions, and via its path.
func (c *structuralChecker) complete(v, s *JSONSchemaProps, at, via *status.Path) {
	c.completeBelow(v.Not, s, at, via.Child("not"))
	for i := range v.AllOf {
		c.completeBelow(&v.AllOf[i], s, at, via.Child("allOf").Index(i))
	}
	for i := range v.AnyOf {
		c.completeBelow(&v.AnyOf[i], s, at, via.Child("anyOf").Index(i))
	}
	for i := range v.OneOf {
		c.completeBelow(&v.OneOf[i], s, at, via.Child("oneOf").Index(i))
	}
}

func (c *structuralChecker) completeBelow(v, s *JSONSchemaProps, at, via *status.Path) {
	if v == nil || c.full() {
		return
	}
	if s == nil {
		c.fail(status.RequiredField(at, "because it is defined in "+via.String()))
		return
	}
	c.complete(v, s, at, via)
	c.completeBelow(v.items(), s.items(), at.Child("items"), via.Child("items"))
	for _, name := range names(v.Properties) {
		place, from := at.Child("properties").Key(name), via.Child("properties").Key(name)
		below := v.Properties[name]
		if stated, ok := s.Properties[name]; ok {
			c.completeBelow(&below, &stated, place, from)
		} else {
			c.fail(status.RequiredField(place, "because it is defined in "+from.String()))
		}
	}
}
