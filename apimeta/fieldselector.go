package apimeta

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// FieldRequirement is one term of a [FieldMatcher]. A program that translates selectors, for example to SQL, reads
// the terms.
type FieldRequirement struct {
	// Field is the name of a selectable field, such as "metadata.name".
	Field string
	// Operator is [Equals] or [NotEquals].
	Operator Operator
	// Value is what the field is compared with, unescaped.
	Value string
}

// FieldMatcher selects objects by the values of a few fields. An object must
// meet all of its requirements (API concepts, Field selectors). It is
// immutable, safe for concurrent use, and its zero value matches everything.
type FieldMatcher struct {
	requirements []FieldRequirement
}

// ParseFieldSelector reads a field selector:
//
//	selector    = [ requirement { "," requirement } ]
//	requirement = field ( "=" | "==" | "!=" ) value
//
// In a value, backslash escapes a comma, an equals sign and itself.
// ParseFieldSelector skips empty terms and terms that consist of an operator
// alone, and trims nothing. It does not know which fields a kind has; the caller
// checks that. Errors have the text of upstream servers, which answer 400.
func ParseFieldSelector(s string) (FieldMatcher, error) {
	if len(s) > MaxSelectorLength {
		return FieldMatcher{}, fmt.Errorf("field selector is too long: may not be more than %d bytes", MaxSelectorLength)
	}
	var requirements []FieldRequirement
	for rest := s; rest != ""; {
		var term string
		term, rest = cutFieldTerm(rest)
		if term == "" {
			continue
		}
		if len(requirements) == MaxSelectorRequirements {
			return FieldMatcher{}, fmt.Errorf("field selector has too many requirements: may not have more than %d",
				MaxSelectorRequirements)
		}
		field, op, escaped, ok := splitFieldTerm(term)
		if !ok {
			return FieldMatcher{}, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", s, term)
		}
		value, err := unescapeFieldValue(escaped)
		if err != nil {
			return FieldMatcher{}, err
		}
		if field == "" && value == "" {
			continue // "=" requires nothing
		}
		requirements = append(requirements, FieldRequirement{Field: field, Operator: op, Value: value})
	}
	sort.Slice(requirements, func(i, j int) bool {
		a, b := requirements[i], requirements[j]
		return cmp.Or(strings.Compare(a.Field, b.Field), cmp.Compare(a.Operator, b.Operator),
			strings.Compare(a.Value, b.Value)) < 0
	})
	return FieldMatcher{requirements: requirements}, nil
}

// Empty reports whether the selector matches everything because it requires
// nothing.
func (s FieldMatcher) Empty() bool { return len(s.requirements) == 0 }

// Requirements returns a copy of the requirements in canonical order.
func (s FieldMatcher) Requirements() []FieldRequirement { return slices.Clone(s.requirements) }

// Matches reports whether every requirement holds for the values that lookup
// returns. For a field that the object lacks, lookup returns the empty string.
func (s FieldMatcher) Matches(lookup func(field string) string) bool {
	for i := range s.requirements {
		r := &s.requirements[i]
		if (lookup(r.Field) == r.Value) != (r.Operator == Equals) {
			return false
		}
	}
	return true
}

// Exact returns the value that the selector requires of a field, and whether it
// requires one. A selector that requires two different values matches nothing,
// and Exact returns either value.
func (s FieldMatcher) Exact(field string) (value string, ok bool) {
	for i := range s.requirements {
		if r := &s.requirements[i]; r.Field == field && r.Operator == Equals {
			return r.Value, true
		}
	}
	return "", false
}

// String returns the canonical form: requirements are sorted, and parsing it
// gives an equal selector.
func (s FieldMatcher) String() string {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)
	for i, r := range s.requirements {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(r.Field)
		b.WriteString(string(r.Operator))
		b.WriteString(escape.Replace(r.Value))
	}
	return b.String()
}

// cutFieldTerm splits s at the first comma that is not escaped.
func cutFieldTerm(s string) (term, rest string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ',':
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// splitFieldTerm splits at the first operator. Escapes have no meaning in the
// name of a field, so there is nothing to skip.
func splitFieldTerm(term string) (field string, op Operator, value string, ok bool) {
	for i := range len(term) {
		rest := term[i:]
		switch {
		case strings.HasPrefix(rest, "!="):
			return term[:i], NotEquals, rest[2:], true
		case strings.HasPrefix(rest, "=="):
			return term[:i], Equals, rest[2:], true
		case rest[0] == '=':
			return term[:i], Equals, rest[1:], true
		}
	}
	return "", "", "", false
}

func unescapeFieldValue(s string) (string, error) {
	if !strings.ContainsAny(s, `\,=`) {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			if i == len(s) || strings.IndexByte(`\,=`, s[i]) < 0 {
				_, size := utf8.DecodeRuneInString(s[i:])
				return "", errors.New("invalid field selector: invalid escape sequence: " + s[i-1:i+size])
			}
			b = append(b, s[i])
		case ',', '=':
			return "", fmt.Errorf("invalid field selector: unescaped character in value: %d", c)
		default:
			b = append(b, c)
		}
	}
	return string(b), nil
}
