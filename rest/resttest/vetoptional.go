package resttest

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// optionalRules are about what may be left out, and how Go writes it then. They follow the conventions for custom
// resources: a pointer is needed only where the zero value is a choice of its own.
func optionalRules() []rule {
	return []rule{
		{name: RuleDefaultOfRequired, section: sectionOptional, place: onField(defaultOfRequired)},
		{name: RuleOptionalPointer, section: sectionSerialization, place: onField(optionalPointer)},
		{name: RuleOptionalOmitted, section: sectionSerialization, place: onField(optionalOmitted)},
		{name: RuleRequiredZero, section: sectionSerialization, place: onField(requiredZero)},
		{name: RuleNullable, section: sectionNullable, place: onPlace(nullable)},
		{name: RuleDefaultOverrides, section: sectionDefaulted, place: onField(defaultOverrides)},
	}
}

func hasDefault(p *place) bool { return !p.schema.DefaultValue.IsAbsent() }

func omits(p *place) bool { return p.field.OmitEmpty || p.field.OmitZero }

// zeroOf returns the zero value of a scalar; absent for what is none.
func zeroOf(s *schema.Schema) doc.Value {
	switch s.Type {
	case schema.BooleanType:
		return doc.OfBool(false)
	case schema.StringType:
		return doc.Of("")
	case schema.IntegerType, schema.NumberType:
		return doc.OfInt(0)
	}
	return doc.Value{}
}

// defaultsToZero reports whether not to set the field is the same as to set it to its zero value.
func defaultsToZero(p *place) bool {
	return hasDefault(p) && doc.Equal(p.schema.DefaultValue, zeroOf(p.schema))
}

// zeroIsChoice reports whether the zero value of a scalar is one that can be chosen, and means something else than to set
// nothing.
func zeroIsChoice(p *place) bool {
	s := p.schema
	zero := zeroOf(s)
	switch {
	case zero.IsAbsent(), defaultsToZero(p), isObservedGeneration(p):
		return false
	case s.Format != "" && s.Format != "byte" && s.Type == schema.StringType:
		return false // no format but this has an empty text
	}
	return len(s.Validate(status.Field("zero"), zero)) == 0
}

// hasNil reports whether Go can tell that the field is not set.
func hasNil(p *place) bool {
	return p.pointer || p.typ.Kind() == reflect.Slice || p.typ.Kind() == reflect.Map || p.typ.Kind() == reflect.Interface
}

// hidesZero reports whether Go leaves out a zero that differs from the default.
func hidesZero(p *place) bool { return hasDefault(p) && omits(p) && !hasNil(p) && zeroIsChoice(p) }

func defaultOfRequired(p *place) string {
	if p.field.Required && hasDefault(p) {
		return "is required and has a default: only what is optional can have one"
	}
	return ""
}

func optionalPointer(p *place) string {
	if p.field.Required || hasNil(p) || hidesZero(p) || !zeroIsChoice(p) {
		return ""
	}
	return "is optional, and its zero value can be chosen too: make it a pointer with omitempty, or forbid the zero value, so that both can be told apart"
}

func optionalOmitted(p *place) string {
	isStruct := p.typ.Kind() == reflect.Struct && !p.pointer
	switch {
	case p.field.Required, p.isTop() && p.kind.resource.Builtin: // spec and status of Kubernetes' own kinds are always written
	case isStruct && !p.field.OmitZero:
		return "is optional, and a struct is never empty in the sense of omitempty: tag it omitzero, or make it a pointer"
	case !omits(p) && (hasNil(p) || !zeroIsChoice(p) && !defaultsToZero(p)):
		return "is optional, and is written also where it is not set: tag it omitempty"
	}
	return ""
}

func requiredZero(p *place) string {
	if !p.field.Required || hasNil(p) || !zeroIsChoice(p) {
		return ""
	}
	return "is required, but a client in Go that says nothing sends its zero value, which can be chosen too: make it a pointer with omitempty and the option required, or forbid the zero value"
}

func nullable(p *place) string {
	if p.schema.Nullable {
		return "tells null from absence: merge patch and apply cannot"
	}
	return ""
}

// defaultOverrides is about kinds that pass through their Go type. A custom kind is stored as it was sent.
func defaultOverrides(p *place) string {
	if p.kind.resource.Builtin && hidesZero(p) {
		return "has a default and omitempty: a zero that somebody has chosen is left out when it is written, and the default comes in its place; make it a pointer"
	}
	return ""
}
