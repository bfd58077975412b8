package conventions

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// primitiveRules returns the rules about numbers, enumerations and unions.
func primitiveRules() []rule {
	return []rule{
		{name: RuleFloat, section: sectionPrimitives, place: onPlace(float)},
		{name: RuleUnsigned, section: sectionPrimitives, place: onPlace(unsigned)},
		{name: RuleIntSize, section: sectionPrimitives, place: onPlace(intSize)},
		{name: RuleInt64Range, section: sectionPrimitives, place: onPlace(int64Range)},
		{name: RuleNumericEnum, section: sectionPrimitives, place: onPlace(numericEnum)},
		{name: RuleConstants, section: sectionConstants, place: onPlace(constants)},
		{name: RuleUnion, section: sectionUnions, place: onField(union)},
	}
}

func float(p *place) string {
	switch {
	case p.schema.Type != schema.NumberType:
		return ""
	case p.inStatus:
		return "clients do not preserve floating-point numbers exactly: use an integer of a smaller unit, such as " +
			"thousandths, or a quantity"
	}
	return "clients do not preserve floating-point numbers exactly, so a spec must not have them: use an integer of a " +
		"smaller unit, or a quantity"
}

func unsigned(p *place) string {
	switch p.typ.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if isInteger(p) {
			return fmt.Sprintf("%s is unsigned, which not every language supports: use int32 or int64 with min=0", p.typ)
		}
	}
	return ""
}

func intSize(p *place) string {
	switch p.typ.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16:
		if isInteger(p) {
			return fmt.Sprintf("is of Go's type %s: integers of an API are int32 or int64", p.typ.Kind())
		}
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
	for _, bound := range []doc.Value{c.Minimum, c.Maximum} {
		if i, ok := bound.Int(); !bound.IsAbsent() && (!ok || i > maxSafe || i < -maxSafe) {
			return fmt.Sprintf("the bound %s needs more than 53 bits, which JavaScript clients cannot represent: bound it by "+
				"±%d, or use a string", bound.Literal(), int64(maxSafe))
		}
	}
	return ""
}

// isObservedGeneration reports whether a field is the observedGeneration of a status, whose form is the same in all
// kinds.
func isObservedGeneration(p *place) bool { return p.inStatus && p.name() == "observedGeneration" }

func numericEnum(p *place) string {
	for _, value := range p.schema.Constraints().Enum {
		if value.Kind() != doc.String && value.Kind() != doc.Null {
			return fmt.Sprintf("enumerates values of type %s, which tell a reader nothing: enumerate CamelCase strings",
				value.Kind())
		}
	}
	return ""
}

func constants(p *place) string {
	var wrong []string
	for _, value := range p.schema.Constraints().Enum {
		text := value.Text()
		if value.Kind() == doc.String && text != "" && (!isUpperCamel(text) || mixedAcronym(text) != "") {
			wrong = append(wrong, strconv.Quote(text))
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return "constants are CamelCase with an upper-case first letter, and acronyms in capitals, unless they are proper " +
		"names: " + strings.Join(wrong, ", ")
}

// union checks the members of a struct with a discriminator: a field "type" whose values are the names of other
// fields.
func union(p *place) string {
	kind := p.siblings.Property("type")
	if kind == nil || p.schema.Object == nil {
		return ""
	}
	for _, value := range kind.Schema.Constraints().Enum {
		if !strings.EqualFold(value.Text(), p.name()) {
			continue
		}
		switch {
		case p.field.Required || !p.pointer:
			return "is a member of a union, which has only one member set: make it an optional pointer"
		case !p.schema.DefaultValue.IsAbsent():
			return "is a member of a union and has a default, so it is set even if another member is set"
		}
	}
	return ""
}
