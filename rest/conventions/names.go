package conventions

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// nameRules returns the rules about the names of fields.
func nameRules() []rule {
	const at, section = pageNames, sectionNames
	return []rule{
		{name: RuleJSONName, severity: Must, section: section, page: at, place: onField(jsonName)},
		{name: RuleJSONName, severity: Should, section: section, page: at, place: onField(runTogether)},
		{name: RuleGoName, severity: Should, section: section, page: at, place: onField(goName)},
		{name: RuleDeclarative, severity: Should, section: section, page: at, kind: onKind(declarativeKind)},
		{name: RuleDeclarative, severity: Should, section: section, page: at, place: onField(declarative)},
		{name: RuleTimeName, severity: Should, section: section, page: pageUnits, place: onField(timeName)},
		{name: RuleAbbreviation, severity: Should, section: section, page: at, place: onField(abbreviation)},
		{name: RuleAcronym, severity: Should, section: section, page: at, kind: onKind(acronymKind)},
		{name: RuleAcronym, severity: Should, section: section, page: at, place: onField(acronym)},
		{name: RuleIsBool, severity: Should, section: section, page: at, place: onField(isBool)},
	}
}

func jsonName(p *place) string {
	name := p.name()
	for i, r := range name {
		lower, upper, digit := 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9'
		if i == 0 && !lower || !lower && !upper && !digit {
			return "field names are camelCase in JSON: a lower-case first letter, then letters and digits only"
		}
	}
	return ""
}

func runTogether(p *place) string {
	if len(words(p.name())) > 1 {
		return ""
	}
	if whole := compound(p.name()); whole != "" {
		return fmt.Sprintf("runs two words together: write %s", whole)
	}
	return ""
}

func goName(p *place) string {
	if p.hasGo() && !strings.EqualFold(p.goField.Name, p.name()) {
		return fmt.Sprintf("is named %s in Go: both names should be equal apart from letter case", p.goField.Name)
	}
	return ""
}

func timeName(p *place) string {
	words := words(p.name())
	last := strings.ToLower(words[len(words)-1])
	switch {
	case last == "timestamp":
		return fmt.Sprintf("is named a stamp: name the time of something somethingTime, like %sTime",
			strings.Join(words[:len(words)-1], ""))
	case isTime(p) && last != "time":
		return fmt.Sprintf("is a time: name it somethingTime, not %s", p.name())
	}
	return ""
}

func abbreviation(p *place) string {
	for _, w := range words(p.name()) {
		if whole := wholeWord(w); whole != "" {
			return fmt.Sprintf("%q is an abbreviation: write out %s", w, whole)
		}
	}
	return ""
}

func acronym(p *place) string { return wrongCapitals(p.name()) }

func acronymKind(k *kind) (string, string) {
	reason := wrongCapitals(k.kind)
	if reason != "" {
		reason = fmt.Sprintf("the kind %q: ", k.kind) + reason
	}
	return "", reason
}

// wrongCapitals returns what is wrong with the capitals of a name. An acronym has letters of one case, and no other
// word consists of capitals.
func wrongCapitals(name string) string {
	if w := mixedAcronym(name); w != "" {
		return fmt.Sprintf("%q is an acronym: all its letters must have the same case", w)
	}
	for _, w := range words(name) {
		if isShouted(w) {
			return fmt.Sprintf("%q is no acronym that readers know: write it with one capital", w)
		}
	}
	return ""
}

// isShouted reports whether a word in capitals is an ordinary word rather than an acronym: it has a vowel and more than
// three letters.
func isShouted(word string) bool {
	w := lettersOf(word)
	return len(w) > 3 && w == strings.ToUpper(w) && hasVowel(w) && !isAcronym(w) && !units.has(strings.ToLower(w))
}

func isBool(p *place) string {
	words := words(p.name())
	if p.schema.Type != schema.BooleanType || len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "is", "are", "can", "did", "does", "should", "was", "will":
		plain := strings.TrimPrefix(p.name(), words[0])
		return fmt.Sprintf("a boolean is named after its property alone, and asks no question: %s",
			strings.ToLower(plain[:1])+plain[1:])
	}
	return ""
}
