package conventions

import (
	"slices"

	"github.com/decorum-go/decorum/internal/schema"
)

// boundRules returns the rules about the sizes of values.
func boundRules() []rule {
	return []rule{
		{name: RuleStringBounds, severity: Should, page: pageBounds, section: sectionStrings, place: onPlace(stringBounds)},
		{name: RuleNumberBounds, severity: Should, page: pageBounds, section: sectionNumbers, place: onPlace(numberBounds)},
		{name: RuleListBounds, severity: Should, page: pageBounds, section: sectionListFields, place: onPlace(listBounds)},
		{name: RuleListType, severity: Should, page: pageBounds, section: sectionListFields, place: onPlace(listType)},
		{name: RuleMapBounds, severity: Should, page: pageBounds, section: sectionMapFields, place: onPlace(mapBounds)},
	}
}

// isBounded reports whether a format bounds the length of a string.
func isBounded(format string) bool {
	return slices.Contains([]string{"date", "date-time", "uuid", "ipv4", "ipv6", "cidr", "mac"}, format)
}

func stringBounds(p *place) string {
	s := p.schema
	c := s.Constraints()
	if s.Type != schema.StringType || c.MaxLength != nil || len(c.Enum) > 0 || isBounded(s.Format) {
		return ""
	}
	return "a string has a maximum length: set " + option(p) + "maxLength"
}

func numberBounds(p *place) string {
	c := p.schema.Constraints()
	if !isNumber(p) || len(c.Enum) > 0 || isObservedGeneration(p) {
		return ""
	}
	switch low, high := c.Minimum.IsAbsent(), c.Maximum.IsAbsent(); {
	case low && high:
		return "a number has bounds: set " + option(p) + "min and " + option(p) + "max"
	case low:
		return "a number has a lower bound too: set " + option(p) + "min"
	case high:
		return "a number has an upper bound too: set " + option(p) + "max"
	}
	return ""
}

// option returns the prefix of an option of the api tag, for an element or a value. An element in a definition has a
// line of its own, so it needs none.
func option(p *place) string {
	switch {
	case p.field != nil || p.parent == nil || !p.hasGo():
		return ""
	case p.parent.schema.Items == p.schema:
		return option(p.parent) + "items."
	}
	return option(p.parent) + "values."
}

func listBounds(p *place) string {
	s := p.schema
	if s.Items == nil || s.Constraints().MaxItems != nil || isConditions(p) ||
		s.ListType == schema.SetList && len(s.Items.Constraints().Enum) > 0 {
		return ""
	}
	return "a list has a maximum size: set " + option(p) + "maxItems"
}

func listType(p *place) string {
	s := p.schema
	switch {
	case s.Items == nil || isConditions(p):
	case s.ListType == schema.SetList && s.Items.Object != nil:
		return "a set can hold only scalars: make a list of objects a map with a key, or atomic"
	case s.ListType == "":
		return "does not say how the writes of several clients merge: set " +
			p.words("list=map with key=, list=set or list=atomic", "x-kubernetes-list-type to map, set or atomic")
	}
	return ""
}

func mapBounds(p *place) string {
	if p.schema.Additional == nil || p.schema.Constraints().MaxProperties != nil {
		return ""
	}
	return "a map has a maximum size: set " + option(p) + "maxProperties"
}
