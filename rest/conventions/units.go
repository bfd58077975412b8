package conventions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// unitRules returns the rules about times, durations and amounts.
func unitRules() []rule {
	return []rule{
		{name: RuleTimeFormat, section: sectionFormat, place: onField(timeFormat)},
		{name: RuleDuration, section: sectionUnits, place: onPlace(duration)},
		{name: RuleUnit, section: sectionUnits, place: onField(unit)},
		{name: RulePeriodSeconds, section: sectionNames, place: onField(periodSeconds)},
	}
}

// lastWord returns the last word of a name in lower case.
func lastWord(name string) string {
	words := words(name)
	if len(words) == 0 {
		return ""
	}
	return strings.ToLower(words[len(words)-1])
}

func isTime(p *place) bool {
	return p.schema.Type == schema.StringType && p.schema.Format == "date-time"
}

func isNumber(p *place) bool {
	return p.schema.Type == schema.IntegerType || p.schema.Type == schema.NumberType
}

func isText(p *place) bool {
	return p.schema.Type == schema.StringType && len(p.schema.Constraints().Enum) == 0
}

func timeFormat(p *place) string {
	if words := words(p.name()); len(words) > 1 && words[len(words)-1] == "Time" && !isTime(p) &&
		(isNumber(p) || isText(p)) {
		return "a time is a string in the form of RFC 3339: use apimeta.Time"
	}
	return ""
}

// isOfTime reports whether a word names a stretch of time.
func isOfTime(word string) bool {
	return slices.Contains([]string{"timeout", "duration", "interval", "period", "delay", "ttl", "deadline", "backoff",
		"lifetime"}, word)
}

// isUnitOfTime reports whether a word is a unit of time.
func isUnitOfTime(word string) bool {
	return slices.Contains([]string{"nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours", "days"},
		word)
}

func duration(p *place) string {
	const say = "a duration is an integer with its unit in the name, like fooSeconds: "
	last := lastWord(p.name())
	switch {
	case p.typ.Name() == "Duration" && p.typ.PkgPath() != "" && (p.typ.PkgPath() == "time" || isForeign(p.typ)):
		return say + fmt.Sprintf("clients in other languages cannot read %s", p.typ)
	case p.schema.Format == "duration":
		return say + "clients would have to parse this text"
	case isOfTime(last) && isText(p) && p.schema.Format == "":
		return say + "this is a string"
	case isUnitOfTime(last) && p.field != nil && !isInteger(p) && p.schema.Object == nil:
		return say + "this is not an integer"
	}
	return ""
}

func unit(p *place) string {
	if !isNumber(p) || p.typ.Name() == "Duration" {
		return ""
	}
	switch last := lastWord(p.name()); {
	case isOfTime(last):
		return fmt.Sprintf("the unit is missing: name it %sSeconds", p.name())
	case slices.Contains([]string{"memory", "storage", "disk", "bandwidth"}, last):
		return fmt.Sprintf("the unit is missing: put it into the name, like %sMiB, or use a quantity", p.name())
	}
	return ""
}

func periodSeconds(p *place) string {
	if stem, ok := strings.CutSuffix(p.name(), "IntervalSeconds"); ok {
		return fmt.Sprintf("an interval is named a period: %sPeriodSeconds", stem)
	}
	if p.name() == "intervalSeconds" {
		return "an interval is named a period: periodSeconds"
	}
	return ""
}
