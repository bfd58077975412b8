package apiextensions

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

var openAPITypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// validationAt says where a schema stands, and what is known about its version.
type validationAt struct {
	at        *status.Path
	hasStatus bool // the version has the subresource /status
	unchanged bool // the stored definition has the same schema
}

// validation checks the schema of a version.
func (c *checker) validation(v *CustomResourceValidation, where validationAt) {
	if v == nil || v.OpenAPIV3Schema == nil {
		return
	}
	s, at := v.OpenAPIV3Schema, where.at.Child("openAPIV3Schema")
	before := c.found
	if where.hasStatus {
		c.rootWithStatus(s, where.at)
	}
	if s.Nullable {
		c.fail(status.ForbiddenField(where.at.Child("openAPIV3Schema.nullable"), "nullable cannot be true at the root"))
	}
	fault := ""
	w := &schemaChecker{lenient: c.lenient, refused: c.checks.CEL == nil && !c.checks.IgnoreRules && !where.unchanged}
	place := schemaPlace{at: at, root: true, defaults: true, count: 1}
	if !c.lenient.notStructural {
		if fault = unsupported(s); fault == "" {
			place.compiled = c.structural(s, at)
		}
	}
	var err error
	if w.rules, err = c.rulesOf(s, place.compiled, where); err != nil {
		c.fail(status.InternalField(at, err))
	}
	w.place(s, place)
	c.fail(w.schema.errs...)
	c.fail(w.ofRules.errs...)
	if c.found == before && fault != "" {
		c.fail(status.InvalidField(at, "", fault))
	}
	c.fail(w.rules.tooCostly(at)...)
}

// structural checks that a schema is structural and that its defaults fit it. It returns the compiled schema, or nil
// after an error.
func (c *checker) structural(s *JSONSchemaProps, at *status.Path) *schema.Schema {
	before := c.found
	if c.fail(structuralFaults(s, at)...); c.found > before {
		return nil
	}
	compiled, err := compile(s)
	if err != nil {
		c.uncompiled = append(c.uncompiled, status.InvalidField(at, "", err.Error()))
		return nil
	}
	defaults := &defaultChecker{unpruned: c.lenient.unprunedDefaults}
	root := *compiled
	root.Type = s.Type // kube-apiserver does not know here that every object is an object
	byType := root
	byType.IntOrString = false
	defaults.place(s, &byType, at, true)
	if c.fail(defaults.errs...); c.found > before {
		return nil
	}
	return &root
}

// rootFields are the fields that the root of a schema may have beside the subresource /status. The schema of the status
// is cut out of the whole schema, and would lose other restrictions.
var rootFields = []string{"Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum",
	"ExclusiveMinimum", "MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf",
	"Required", "Items", "Properties", "ExternalDocs", "Example",
	"XPreserveUnknownFields", "XValidations"}

func (c *checker) rootWithStatus(s *JSONSchemaProps, at *status.Path) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case v.Field(i).IsZero():
		case name == "Type" && s.Type != "object":
			c.fail(status.InvalidField(at.Child("openAPIV3Schema.type"), s.Type,
				`only "object" is allowed as the type at the root of the schema if the status subresource is enabled`))
			return
		case !slices.Contains(rootFields, name):
			c.fail(status.InvalidField(at.Child("openAPIV3Schema"), shown{*s},
				fmt.Sprintf("only %v fields are allowed at the root of the schema if the status subresource is enabled",
					rootFields)))
			return
		}
	}
}

// schemaPlace is the place of a schema in the schema of an object.
type schemaPlace struct {
	at           *status.Path
	root         bool
	inMeta       bool         // inside of kind, apiVersion or metadata
	defaults     bool         // defaults are allowed
	noDefaults   string       // why they are not
	uncorrelated *status.Path // the list or map whose elements have no older value

	compiled  *schema.Schema // nil inside of allOf, anyOf, oneOf and not, and if the schema is wrong
	count     uint64         // how many values an object can have here
	unbounded bool           // only the size of a request bounds the number
}

// below returns the place of a schema below p.
func (p schemaPlace) below(at *status.Path, compiled *schema.Schema) schemaPlace {
	p.at, p.root, p.compiled = at, false, compiled
	return p
}

// times multiplies the number of values by the bound of a list or map.
func (p schemaPlace) times(most *int64) schemaPlace {
	if most == nil {
		p.unbounded = true
	} else {
		p.count = multiply(p.count, uint64(max(*most, 0)))
	}
	return p
}

func (p schemaPlace) withoutOlder(at *status.Path) schemaPlace {
	if p.uncorrelated == nil {
		p.uncorrelated = at
	}
	return p
}

func (p schemaPlace) withoutDefaults(why string) schemaPlace {
	p.defaults, p.noDefaults = false, why
	return p
}

// schemaChecker checks the parts of a schema that OpenAPI and the extensions of Kubernetes restrict.
type schemaChecker struct {
	lenient lenience
	rules   *ruleChecker // nil if rules are not compiled
	refused bool         // the host refuses rules, because it cannot evaluate them

	schema, ofRules faults // kube-apiserver reports the faults of rules last
}

func (c *schemaChecker) place(s *JSONSchemaProps, p schemaPlace) {
	if s == nil || c.schema.full() || c.ofRules.full() {
		return
	}
	before := c.schema.found
	c.forbidden(s, p)
	if s.UniqueItems {
		c.schema.fail(status.ForbiddenField(p.at.Child("uniqueItems"),
			"uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	c.members(s, p)
	c.junctors(s, p)
	c.elements(s, p)
	c.extensions(s, p.at)
	if len(s.XValidations) > 0 {
		c.ruleFaults(s, p.at.Child("x-kubernetes-validations"))
		if c.schema.found == before && c.rules != nil && p.compiled != nil {
			c.ofRules.fail(c.rules.at(s, p)...)
		}
		if c.refused {
			c.ofRules.fail(status.ForbiddenField(p.at.Child("x-kubernetes-validations"),
				"this server does not evaluate validation rules"))
		}
	}
}

// forbidden reports the parts of OpenAPI that no schema of an object may have.
func (c *schemaChecker) forbidden(s *JSONSchemaProps, p schemaPlace) {
	if !c.lenient.unknownTypes && s.Type != "" && !known(openAPITypes, s.Type) {
		c.schema.fail(status.NotSupportedField(p.at.Child("type"), s.Type, openAPITypes))
	}
	if s.Default != nil && !p.defaults {
		c.schema.fail(status.ForbiddenField(p.at.Child("default"), "must not be set "+p.noDefaults))
	}
	for _, f := range []struct {
		field string
		set   bool
	}{
		{"id", s.ID != ""}, {"additionalItems", s.AdditionalItems != nil},
		{"patternProperties", len(s.PatternProperties) > 0},
		{"definitions", len(s.Definitions) > 0}, {"dependencies", s.Dependencies != nil}, {"$ref", s.Ref != nil},
	} {
		if f.set {
			c.schema.fail(status.ForbiddenField(p.at.Child(f.field), f.field+" is not supported"))
		}
	}
	if s.Type == "null" {
		c.schema.fail(status.ForbiddenField(p.at.Child("type"), "type cannot be set to null, use nullable as an alternative"))
	}
	if s.Items != nil && len(s.Items.JSONSchemas) > 0 {
		c.schema.fail(status.ForbiddenField(p.at.Child("items"), "items must be a schema object and not an array"))
	}
	if p.inMeta && s.XEmbeddedResource {
		c.schema.fail(status.ForbiddenField(p.at.Child("x-kubernetes-embedded-resource"),
			"must not be used inside of resource meta"))
	}
}

// members checks the properties of an object and the values of a map.
func (c *schemaChecker) members(s *JSONSchemaProps, p schemaPlace) {
	if a := s.AdditionalProperties; a != nil {
		if len(s.Properties) > 0 && (!a.Allows || a.Schema != nil) {
			c.schema.fail(status.ForbiddenField(p.at.Child("additionalProperties"),
				"additionalProperties and properties are mutual exclusive"))
		}
		below := p.below(p.at.Child("additionalProperties"), valuesOf(p.compiled))
		if s.Type == "object" {
			below = below.times(s.MaxProperties)
		}
		if p.inMeta {
			below = below.withoutDefaults("inside additionalProperties applying to object metadata")
		}
		c.place(a.Schema, below)
	}
	for _, name := range names(s.Properties) {
		below := p.below(p.at.Child("properties").Key(name), memberOf(p.compiled, name))
		if s.Type == "object" && s.AdditionalProperties != nil {
			below = below.times(s.MaxProperties)
		}
		if s.XMapType != nil && !known(mapTypes, *s.XMapType) {
			below = below.withoutOlder(p.at)
		}
		if (p.root || s.XEmbeddedResource) && (name == "metadata" || name == "kind" || name == "apiVersion") {
			below.inMeta = true
			if p.root {
				below = below.withoutDefaults("in top-level " + name)
			}
		}
		member := s.Properties[name]
		c.place(&member, below)
	}
}

// junctors checks allOf, anyOf, oneOf, not and the schemas of definitions.
func (c *schemaChecker) junctors(s *JSONSchemaProps, p schemaPlace) {
	c.place(s.Not, p.below(p.at.Child("not"), nil))
	for _, j := range []struct {
		field string
		list  []JSONSchemaProps
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i := range j.list {
			c.place(&j.list[i], p.below(p.at.Child(j.field).Index(i), nil))
		}
	}
	for _, name := range names(s.Definitions) {
		below := s.Definitions[name]
		c.place(&below, p.below(p.at.Child("definitions").Key(name), nil))
	}
}

// elements checks the schema of the elements of a list.
func (c *schemaChecker) elements(s *JSONSchemaProps, p schemaPlace) {
	if s.Items == nil {
		return
	}
	below := p.below(p.at.Child("items"), elementsOf(p.compiled))
	if s.Type == "array" {
		below = below.times(s.MaxItems)
	}
	if s.XListType == nil || *s.XListType != "map" {
		below = below.withoutOlder(p.at)
	}
	c.place(s.Items.Schema, below)
	for i := range s.Items.JSONSchemas {
		c.place(&s.Items.JSONSchemas[i], below.below(below.at.Index(i), nil))
	}
}

func valuesOf(s *schema.Schema) *schema.Schema {
	if s == nil {
		return nil
	}
	return s.Additional
}

// memberOf returns the schema of a member as rules see it.
func memberOf(s *schema.Schema, name string) *schema.Schema {
	if s == nil {
		return nil
	}
	return s.Seen().Member(name)
}

func elementsOf(s *schema.Schema) *schema.Schema {
	if s == nil {
		return nil
	}
	return s.Items
}
