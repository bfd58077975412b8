package conventions

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/decorum-go/decorum/internal/schema"
)

// unionRules returns the rules about unions.
func unionRules() []rule {
	return []rule{
		{name: RuleUnion, severity: Must, section: sectionUnions, page: pageUnions, place: onField(union)},
		{name: RuleDiscriminator, severity: Should, section: sectionUnions, page: pageUnions, place: onField(discriminator)},
	}
}

// members returns the members that a field selects by its values: those that its tag declares, otherwise the fields
// whose names its values begin with. It returns nil for a field that is not a discriminator.
func members(o *schema.Object, p *schema.Property) map[string]bool {
	for _, u := range o.Unions() {
		if u.Discriminator == p.Name {
			out := map[string]bool{}
			for _, m := range u.Members {
				out[m.Field] = true
			}
			return out
		}
	}
	out := map[string]bool{}
	for _, value := range p.Schema.Constraints().Enum {
		for i := range o.Properties {
			if m := &o.Properties[i]; m.Name != p.Name && selects(value.Text(), m) {
				out[m.Name] = true
			}
		}
	}
	const enough = 2 // a single name may be the same by accident
	if len(out) == 0 || p.Name != "type" && len(out) < enough {
		return nil
	}
	return out
}

// selects reports whether a value of a discriminator means a member. The name of an object may say more than the value,
// as s3Bucket does of S3.
func selects(value string, m *schema.Property) bool {
	if value == "" || len(m.Name) < len(value) || !strings.EqualFold(m.Name[:len(value)], value) {
		return false
	}
	rest := m.Name[len(value):]
	isWhole := rest == ""
	if m.Schema.Object == nil {
		return isWhole && m.Schema.Type != schema.BooleanType
	}
	return isWhole || unicode.IsUpper(rune(rest[0]))
}

// union checks the members of a union.
func union(p *place) string {
	for i := range p.siblings.Properties {
		selector := &p.siblings.Properties[i]
		if selector.Name == p.name() || !members(p.siblings, selector)[p.name()] {
			continue
		}
		switch {
		case p.schema.Object == nil && selector.Name != "type":
		case p.field.Required, p.hasGo() && p.schema.Object != nil && !p.pointer:
			return fmt.Sprintf("is a member of the union that %s selects from, which has only one member set: make it an "+
				"optional pointer", selector.Name)
		case !p.schema.DefaultValue.IsAbsent():
			return "is a member of a union and has a default, so it is set even if another member is set"
		}
	}
	return ""
}

// discriminator finds discriminators with other names than type. A struct with several unions needs other names.
func discriminator(p *place) string {
	if p.name() == "type" || p.name() == "kind" || p.siblings.Property("type") != nil ||
		members(p.siblings, p.field) == nil || len(p.siblings.Unions()) > 1 {
		return ""
	}
	return "says which member of a union is set: name it type"
}
