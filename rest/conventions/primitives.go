package conventions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// primitiveRules returns the rules about numbers and enumerations.
func primitiveRules() []rule {
	const section, at = sectionPrimitives, pageNumbers
	return []rule{
		{name: RuleFloat, severity: Must, section: section, page: at, place: onPlace(floatInSpec)},
		{name: RuleFloat, severity: Should, section: section, page: at, place: onPlace(floatInStatus)},
		{name: RuleUnsigned, severity: Must, section: section, page: at, place: onPlace(unsigned)},
		{name: RuleIntSize, severity: Must, section: section, page: at, place: onPlace(intSize)},
		{name: RuleInt64Range, severity: Must, section: section, page: at, place: onPlace(int64Range)},
		{name: RuleNumericEnum, severity: Must, section: section, page: pageConstants, place: onPlace(numericEnum)},
		{name: RuleConstants, severity: Must, section: sectionConstants, page: pageConstants, place: onPlace(constants)},
	}
}

func isFloat(p *place) bool { return p.schema.Type == schema.NumberType }

func floatInSpec(p *place) string {
	if !isFloat(p) || p.inStatus {
		return ""
	}
	return "clients do not preserve floating-point numbers exactly, so a spec must not have them: use an integer of a " +
		"smaller unit, or a quantity"
}

func floatInStatus(p *place) string {
	if !isFloat(p) || !p.inStatus {
		return ""
	}
	return "clients do not preserve floating-point numbers exactly: use an integer of a smaller unit, such as " +
		"thousandths, or a quantity"
}

func unsigned(p *place) string {
	name := p.schema.Format
	switch p.goKind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		name = p.typ.String()
	}
	if isInteger(p) && strings.HasPrefix(name, "uint") {
		return fmt.Sprintf("%s is unsigned, which not every language supports: use int32 or int64 with min=0", name)
	}
	return ""
}

func intSize(p *place) string {
	name := p.schema.Format
	switch p.goKind() {
	case reflect.Int, reflect.Int8, reflect.Int16:
		name = p.typ.Kind().String()
	}
	if isInteger(p) && slices.Contains([]string{"int", "int8", "int16"}, name) {
		return fmt.Sprintf("is of the type %s: integers of an API are int32 or int64", name)
	}
	return ""
}

func isInteger(p *place) bool { return p.schema.Type == schema.IntegerType }

// maxSafe is the largest integer that all clients represent exactly.
const maxSafe = 1<<53 - 1

func int64Range(p *place) string {
	if !isInteger(p) || isObservedGeneration(p) {
		return ""
	}
	c := p.schema.Constraints()
	for _, bound := range []struct {
		value    doc.Value
		excluded bool
	}{{c.Minimum, c.ExclusiveMinimum}, {c.Maximum, c.ExclusiveMaximum}} {
		limit := int64(maxSafe)
		if bound.excluded {
			limit++
		}
		if i, ok := bound.value.Int(); !bound.value.IsAbsent() && (!ok || i > limit || i < -limit) {
			return fmt.Sprintf("the bound %s needs more than 53 bits, which JavaScript clients cannot represent: bound it by "+
				"±%d, or use a string", bound.value.Literal(), int64(maxSafe))
		}
	}
	return ""
}

// isObservedGeneration reports whether a field is the observedGeneration of a status or a condition, whose form is the
// same in all kinds.
func isObservedGeneration(p *place) bool {
	return p.name() == "observedGeneration" && (p.inStatus || isOfCondition(p))
}

func numericEnum(p *place) string {
	for _, value := range p.schema.Constraints().Enum {
		if value.Kind() != doc.String && value.Kind() != doc.Null {
			return fmt.Sprintf("enumerates values of type %s, which tell a reader nothing: enumerate CamelCase strings",
				value.Kind())
		}
	}
	return ""
}
