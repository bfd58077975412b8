package conventions

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// optionalRules returns the rules about optional fields, and how Go writes them. They follow the conventions for custom
// resources: a field needs a pointer only if its zero value is valid and differs in meaning from unset.
func optionalRules() []rule {
	const section, at = sectionSerialization, pageOptional
	return []rule{
		{name: RuleDefaultOfRequired, severity: Must, section: sectionOptional, page: pageDefaults,
			place: onField(defaultOfRequired)},
		{name: RuleOptionalPointer, severity: Should, section: section, page: at, place: onField(optionalPointer)},
		{name: RuleOptionalOmitted, severity: Should, section: section, page: at, place: onField(optionalOmitted)},
		{name: RuleRequiredZero, severity: Must, section: section, page: at, place: onField(requiredZero)},
		{name: RuleRequiredPointer, severity: Should, section: section, page: at, place: onField(requiredPointer)},
		{name: RuleRequiredNull, severity: Must, section: section, page: at, place: onField(requiredNull)},
		{name: RuleRequiredNull, severity: Should, section: section, page: at, place: onField(requiredEmpty)},
		{name: RuleNullable, severity: Should, section: sectionNullable, page: at, place: onPlace(nullable)},
		{name: RuleDefaultOverrides, severity: Must, section: sectionDefaulted, page: pageDefaults,
			place: onField(defaultOverrides)},
	}
}

func hasDefault(p *place) bool { return !p.schema.DefaultValue.IsAbsent() }

func omits(p *place) bool { return p.field.OmitEmpty || p.field.OmitZero }

// zeroOf returns the zero value of a scalar. It is absent for other types.
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

// defaultsToZero reports whether an unset field means the same as its zero value.
func defaultsToZero(p *place) bool {
	return hasDefault(p) && doc.Equal(p.schema.DefaultValue, zeroOf(p.schema))
}

// zeroIsChoice reports whether the zero value of a scalar is valid and differs in meaning from unset.
func zeroIsChoice(p *place) bool {
	s := p.schema
	zero := zeroOf(s)
	switch {
	case zero.IsAbsent(), defaultsToZero(p), isObservedGeneration(p), isConditionMessage(p):
		return false
	case s.Format != "" && s.Format != "byte" && s.Type == schema.StringType:
		return false // the empty text is valid only without a format
	}
	return len(s.Validate(status.NewPath("zero"), zero)) == 0
}

// hasNil reports whether Go can express that the field is unset.
func hasNil(p *place) bool {
	return p.pointer || slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.Interface}, p.goKind())
}

// hidesZero reports whether Go omits a zero that differs from the default.
func hidesZero(p *place) bool {
	return p.hasGo() && hasDefault(p) && omits(p) && !hasNil(p) && zeroIsChoice(p)
}

func defaultOfRequired(p *place) string {
	if p.field.Required && hasDefault(p) {
		return "is required and has a default: only an optional field can have a default"
	}
	return ""
}

func optionalPointer(p *place) string {
	if !p.hasGo() || p.field.Required || hasNil(p) || hidesZero(p) || !zeroIsChoice(p) {
		return ""
	}
	return "is optional, and its zero value is valid too: to distinguish zero from unset, make it a pointer with " +
		"omitempty, or forbid the zero value"
}

func optionalOmitted(p *place) string {
	isStruct := p.goKind() == reflect.Struct && !p.pointer
	switch {
	case !p.hasGo(), p.field.Required, p.isTop() && p.kind.builtin: // Kubernetes' own kinds always write spec and status
	case isStruct && !p.field.OmitZero:
		return "is optional, but omitempty never omits a struct: tag it omitzero, or make it a pointer"
	case !omits(p) && (hasNil(p) || !zeroIsChoice(p) && !defaultsToZero(p)):
		return "is optional, but Go writes it even if it is unset: tag it omitempty"
	}
	return ""
}

func requiredZero(p *place) string {
	if !p.hasGo() || !p.field.Required || hasNil(p) || !zeroIsChoice(p) {
		return ""
	}
	return "is required, but a Go client that leaves it unset sends its zero value, which is valid: make it a pointer " +
		"with omitempty and the option required, or forbid the zero value"
}

// requiredPointer finds pointers that a reader must check for nil, although the field is never absent.
func requiredPointer(p *place) string {
	if !p.field.Required || !p.pointer || zeroOf(p.schema).IsAbsent() || zeroIsChoice(p) {
		return ""
	}
	return "is required, and its zero value is invalid, so a pointer tells nothing more: make it a plain value"
}

// mayBeNull reports whether Go writes a required field as null if it is unset. The server then says that the field is
// missing, although the client has sent it.
func mayBeNull(p *place) bool {
	return p.field.Required && hasNil(p) && !omits(p) && !p.schema.Nullable
}

func requiredNull(p *place) string {
	if mayBeNull(p) && (p.pointer || p.goKind() == reflect.Interface) {
		return "is required, but Go writes null if it is unset: tag it omitempty, and required in the tag api"
	}
	return ""
}

func requiredEmpty(p *place) string {
	c := p.schema.Constraints()
	if mayBeNull(p) && !p.pointer && (p.schema.Items != nil && c.MinItems == nil ||
		p.schema.Additional != nil && c.MinProperties == nil) {
		return "is required, but Go writes null for an empty one: make it optional, or demand at least one element"
	}
	return ""
}

func nullable(p *place) string {
	if p.schema.Nullable && (p.schema.Type != schema.AnyType || p.schema.IntOrString) {
		return "distinguishes null from absence: merge patch and apply cannot"
	}
	return ""
}

func defaultOverrides(p *place) string {
	if hidesZero(p) {
		return "has a default and omitempty: Go omits a zero that a user has set, and the default replaces it; make it a " +
			"pointer"
	}
	return ""
}
