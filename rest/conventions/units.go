package conventions

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// unitRules returns the rules about times, durations and amounts.
func unitRules() []rule {
	const at = pageUnits
	return []rule{
		{name: RuleTimeFormat, severity: Must, section: sectionFormat, page: at, place: onField(timeFormat)},
		{name: RuleDuration, severity: Must, section: sectionUnits, page: at, place: onPlace(duration)},
		{name: RuleUnit, severity: Must, section: sectionUnits, page: at, place: onField(unit)},
		{name: RuleUnit, severity: Should, section: sectionNames, page: at, place: onField(ambiguous)},
		{name: RulePeriodSeconds, severity: Should, section: sectionNames, page: at, place: onField(periodSeconds)},
	}
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

// timeFormat finds times and dates in a form of their own. A pattern that allows the form of RFC 3339 is as good as a
// format, and a time of the day has no date.
func timeFormat(p *place) string {
	isDate := isDate(p.name())
	if words := lowerWords(p.name()); !isDate &&
		(words[len(words)-1] != "time" || len(words) == 1 || isDuration(p.name())) {
		return ""
	}
	if isTime(p) || !isNumber(p) && !isText(p) || isText(p) && p.schema.Format != "" {
		return ""
	}
	if hasPattern(p) && (!isDate || allows(p.schema, "2026-01-02") || allows(p.schema, "2026-01-02T03:04:05Z")) {
		return ""
	}
	return "a time is a string in the form of RFC 3339: use " + p.words("apimeta.Time", "the format date-time") +
		", or the format date for a day"
}

// isDate reports whether a name means a day, or a moment on a day.
func isDate(name string) bool {
	words := lowerWords(name)
	switch words[len(words)-1] {
	case "date", "birthday", "timestamp", "expiry", "expiration", "until", "since":
		return true
	case "before", "after":
		return words[0] == "not"
	}
	return len(words) > 2 && words[0] == "date" && words[1] == "of"
}

func hasPattern(p *place) bool { return p.schema.Constraints().Pattern != nil }

// durations are nouns for a stretch of time.
var durations = setOf(`
	backoff cooldown deadline delay downtime duration elapsed every grace interval latency lifespan lifetime period
	retention timeout ttl uptime validity wait`)

// isOfTime reports whether a word names a stretch of time.
func isOfTime(word string) bool { return durations.has(word) }

// isDuration reports whether a name means a stretch of time. Age means one if another word says of what; alone, it may
// be that of a person.
func isDuration(name string) bool {
	words := lowerWords(name)
	last := len(words) - 1
	switch {
	case isOfTime(words[last]):
		return true
	case last == 0:
		return false
	case words[last] == "time":
		return isOfTime(words[last-1]) || words[last-1] == "idle" || words[last-1] == "response"
	}
	return words[last] == "age" || words[last] == "life"
}

var unitsOfTime = setOf(`nanoseconds microseconds milliseconds seconds minutes hours days weeks months years`)

// isUnitOfTime reports whether a word is a unit of time.
func isUnitOfTime(word string) bool { return unitsOfTime.has(word) }

// shortUnits are abbreviations of units of time.
func shortUnits() map[string]string {
	return map[string]string{"ns": "Nanoseconds", "us": "Microseconds", "ms": "Milliseconds", "msec": "Milliseconds",
		"msecs": "Milliseconds", "millis": "Milliseconds", "s": "Seconds", "sec": "Seconds", "secs": "Seconds",
		"mins": "Minutes", "hrs": "Hours"}
}

// inWords matches a duration as programs write it, such as 1h30m.
var inWords = regexp.MustCompile(`^([0-9]+(ns|us|ms|s|m|h|d|w))+$`)

// takesDuration reports whether a text is written like 30s: its default is, or its pattern allows that and no words.
func takesDuration(p *place) bool {
	if !isText(p) || p.schema.Format != "" {
		return false
	}
	if d := p.schema.DefaultValue; d.Kind() == doc.String && inWords.MatchString(d.Text()) {
		return true
	}
	return hasPattern(p) && (allows(p.schema, "30s") || allows(p.schema, "12h")) && !allows(p.schema, "abc") &&
		!allows(p.schema, "30") && !allows(p.schema, "3x")
}

func duration(p *place) string {
	const say = "a duration is an integer with its unit in the name, like fooSeconds: "
	switch {
	case p.typeName() == "Duration" && p.typ.PkgPath() != "" && (p.typ.PkgPath() == "time" || isForeign(p.typ)):
		return say + fmt.Sprintf("clients in other languages cannot read %s", p.typ)
	case p.schema.Format == "duration":
		return say + "clients would have to parse this text"
	case isDuration(p.name()) && isText(p) && p.schema.Format == "", takesDuration(p):
		return say + "this is a string"
	case p.field != nil && (isFloat(p) || isText(p)) && isInUnitOfTime(p):
		return say + "this is not an integer"
	}
	return ""
}

// isInUnitOfTime reports whether the last word of a name is the unit of a number. Text may hold hours and days of
// another kind: those of an office, or of a week.
func isInUnitOfTime(p *place) bool {
	last := lastWord(p.name())
	return strings.HasSuffix(last, "seconds") || isUnitOfTime(last) && isFloat(p) ||
		(isUnitOfTime(last) || shortUnits()[last] != "") && isDurationWithUnit(p.name())
}

// isDurationWithUnit reports whether the last word of a name is the unit of a duration.
func isDurationWithUnit(name string) bool {
	words := words(name)
	return len(words) > 1 && isDuration(strings.Join(words[:len(words)-1], ""))
}

// unit finds durations and amounts of data without their unit.
func unit(p *place) string {
	if !isNumber(p) && !isFreeText(p) || p.typeName() == "Duration" {
		return ""
	}
	name := p.name()
	switch last := lastWord(name); {
	case isDuration(name) && isNumber(p):
		return fmt.Sprintf("the unit is missing: name it %sSeconds", name)
	case shortUnits()[last] != "" && isInteger(p) && (last == "ms" || isDurationWithUnit(name)):
		words := words(name)
		return fmt.Sprintf("the unit is an abbreviation: name it %s%s", strings.Join(words[:len(words)-1], ""),
			shortUnits()[last])
	case isData(name):
		return fmt.Sprintf("the unit is missing: put it into the name, like %sMiB, or use a quantity", name)
	}
	return ""
}

// isFreeText reports whether a field takes any text. A pattern or a format may demand a unit, as that of a quantity
// does.
func isFreeText(p *place) bool { return isText(p) && p.schema.Format == "" && !hasPattern(p) }

// dataNouns are what has a size in bytes, bits, or bytes in a second.
var dataNouns = setOf(`
	attachment bandwidth block blob body buffer cache chunk disk document download drive file frame header heap
	image log media memory message object packet payload photo picture ram request response segment space stack
	storage swap throughput traffic upload video volume`)

// isData reports whether a name means an amount of data: memory, or the size of something that has bytes.
func isData(name string) bool {
	words := lowerWords(name)
	last := len(words) - 1
	switch words[last] {
	case "size", "capacity", "quota":
		return last > 0 && dataNouns.has(words[last-1])
	case "limit", "request", "space", "usage":
		return last > 0 && isMemory(words[last-1])
	}
	return isMemory(words[last])
}

// isMemory reports whether a word means nothing but an amount of data.
func isMemory(word string) bool {
	switch word {
	case "memory", "storage", "disk", "bandwidth", "ram", "swap":
		return true
	}
	return false
}

// measures are quantities of everyday life, whose number means nothing without a unit.
var measures = setOf(`
	altitude bitrate brightness cost current diameter displacement distance elevation energy fee height humidity
	income length mass mileage power pressure price radius rainfall rent salary speed temperature thickness
	throughput torque velocity voltage volume wage wattage weight width`)

// ambiguous finds other numbers that need a unit, in names that say what is measured. A name of one word, such as
// weight, may be a plain number that only orders things.
func ambiguous(p *place) string {
	words := lowerWords(p.name())
	last := words[len(words)-1]
	switch {
	case !isInteger(p), !measures.has(last), isData(p.name()), len(words) == 1 && isOrdinal(last):
		return ""
	case last == "length" && isCounted(words[len(words)-2]), last == "weight" && isShare(p):
		return ""
	}
	return "the unit is missing: name what the number counts, as in lengthMillimeters and priceCents, or use a quantity"
}

// isOrdinal reports whether a measure is also a plain number: a relative weight, a length in elements.
func isOrdinal(word string) bool {
	return word == "weight" || word == "length" || word == "current" || word == "cost"
}

// isShare reports whether a number is at most a hundred, as a relative weight is.
func isShare(p *place) bool {
	most, ok := p.schema.Constraints().Maximum.Int()
	return ok && most <= 100
}

// isCounted reports whether the length of something is a number of elements or characters.
func isCounted(word string) bool {
	switch word {
	case "key", "name", "list", "queue", "password", "text", "line", "max", "min", "prefix", "subnet", "mask", "array",
		"path", "content", "title", "token", "code", "history", "word", "string", "sequence":
		return true
	}
	return false
}

// periodSeconds finds intervals that are named so, in any unit.
func periodSeconds(p *place) string {
	words := words(p.name())
	last := len(words) - 1
	if last < 1 || !isInteger(p) || strings.ToLower(words[last-1]) != "interval" {
		return ""
	}
	if unit := strings.ToLower(words[last]); !isUnitOfTime(unit) && shortUnits()[unit] == "" {
		return ""
	}
	stem := strings.Join(words[:last-1], "")
	if stem == "" {
		return "an interval is named a period: period" + words[last]
	}
	return fmt.Sprintf("an interval is named a period: %sPeriod%s", stem, words[last])
}
