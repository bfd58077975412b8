package query

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// These bounds limit the work that one request can cause.
const (
	// MaxLength is the greatest length of a parameter, in bytes.
	MaxLength = 64 << 10
	// MaxConditions is the greatest number of conditions, and MaxValues that of their values together.
	MaxConditions, MaxValues = 20, 100
	// MaxOrders is the greatest number of fields in sortBy, and MaxFacets that in facets.
	MaxOrders, MaxFacets = 4, 8
)

// Order is one field of sortBy.
type Order struct {
	Field      string
	Descending bool
}

// Parse reads the parameter fieldQuery. Its error is for the client.
func Parse(text string) ([]Condition, error) {
	p := parser{parameter: "fieldQuery", text: text}
	var all []Condition
	values := 0
	for p.begin(); p.more(len(all)); {
		c := p.condition()
		if values += len(c.Values); values > MaxValues {
			p.fail("it has more than %d values", MaxValues)
		}
		if all = append(all, c); len(all) > MaxConditions {
			p.fail("it has more than %d conditions", MaxConditions)
		}
	}
	return all, p.err
}

// ParseOrder reads the parameter sortBy. Its error is for the client.
func ParseOrder(text string) ([]Order, error) {
	p := parser{parameter: "sortBy", text: text}
	var all []Order
	for p.begin(); p.more(len(all)); {
		o := Order{Descending: p.take("-")}
		o.Field = p.field()
		if slices.ContainsFunc(all, func(other Order) bool { return other.Field == o.Field }) {
			p.fail("it names the field %q twice", o.Field)
		}
		if all = append(all, o); len(all) > MaxOrders {
			p.fail("it has more than %d fields", MaxOrders)
		}
	}
	return all, p.err
}

// ParseFacets reads the parameter facets. Its error is for the client.
func ParseFacets(text string) ([]string, error) {
	p := parser{parameter: "facets", text: text}
	var all []string
	for p.begin(); p.more(len(all)); {
		field := p.field()
		if slices.Contains(all, field) {
			p.fail("it names the field %q twice", field)
		}
		if all = append(all, field); len(all) > MaxFacets {
			p.fail("it has more than %d fields", MaxFacets)
		}
	}
	return all, p.err
}

// parser reads one parameter from left to right. After its first error it reads nothing.
type parser struct {
	parameter string
	text      string
	at        int
	err       error
}

// fail notes the first error.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("invalid %s: %s", p.parameter, fmt.Sprintf(format, args...))
	}
}

// failHere notes that the text at the present place is not what must stand there.
func (p *parser) failHere(wanted string) {
	if p.at == len(p.text) {
		p.fail("%s is missing at the end", wanted)
		return
	}
	c, _ := utf8.DecodeRuneInString(p.text[p.at:])
	p.fail("%s is missing before %q, at byte %d", wanted, c, p.at)
}

// begin checks the text as a whole.
func (p *parser) begin() {
	switch {
	case len(p.text) > MaxLength:
		p.fail("it is longer than %d bytes", MaxLength)
	case !utf8.ValidString(p.text):
		p.fail("it is not valid UTF-8")
	}
	p.skipSpace()
}

// more moves to the next one of the elements that commas separate. count elements have been read. At the end, it returns
// false.
func (p *parser) more(count int) bool {
	p.skipSpace()
	switch {
	case p.err != nil:
	case p.at == len(p.text):
		return false
	case count == 0 || p.take(","):
		return true
	default:
		p.failHere("a comma")
	}
	return false
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// take skips a text and the white space around it, or returns false.
func (p *parser) take(text string) bool {
	p.skipSpace()
	if p.err != nil || !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	p.skipSpace()
	return true
}

// word reads what reaches to white space or to a character with a meaning.
func (p *parser) word() string {
	p.skipSpace()
	if p.err != nil {
		return ""
	}
	rest := p.text[p.at:]
	end := strings.IndexAny(rest, " \t\n\r,()=!<>^\"")
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end]
}

func (p *parser) field() string {
	name := p.word()
	if name == "" {
		p.failHere("the name of a field")
	}
	return name
}

// operators are those that stand between a field and one value. No one is a prefix of a later one.
var operators = []struct {
	text string
	Operator
}{
	{"==", In}, {"=", In}, {"!=", NotIn}, {"<=", AtMost}, {"<", Less}, {">=", AtLeast}, {">", Greater}, {"^=", HasPrefix},
}

func (p *parser) condition() Condition {
	c := Condition{Field: p.field()}
	for _, o := range operators {
		if p.take(o.text) {
			c.Operator, c.Values = o.Operator, []string{p.value()}
			return c
		}
	}
	switch word := p.word(); word {
	case string(In), string(NotIn):
		c.Operator, c.Values = Operator(word), p.set()
	default:
		p.at -= len(word)
		p.failHere("an operator (=, !=, <, <=, >, >=, ^=, in or notin)")
	}
	return c
}

// set reads values in parentheses.
func (p *parser) set() (values []string) {
	if !p.take("(") {
		p.failHere("an opening parenthesis")
	}
	for p.err == nil {
		if values = append(values, p.value()); len(values) > MaxValues {
			p.fail("it has more than %d values", MaxValues)
		}
		switch {
		case p.take(")"):
			return values
		case !p.take(","):
			p.failHere("a comma or a closing parenthesis")
		}
	}
	return nil
}

// value reads a text or a JSON string.
func (p *parser) value() string {
	p.skipSpace()
	if p.err != nil || p.at == len(p.text) || p.text[p.at] != '"' {
		value := p.word()
		if p.skipSpace(); p.at < len(p.text) && !strings.ContainsRune(",)", rune(p.text[p.at])) {
			p.fail("put the value before byte %d in quotes if it contains white space or one of =!<>^()\",", p.at)
		}
		return value
	}
	end := p.at + 1
	for end < len(p.text) && p.text[end] != '"' {
		if p.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.text) {
		p.fail("the quotes at byte %d are not closed", p.at)
		return ""
	}
	var value string
	if err := json.Unmarshal([]byte(p.text[p.at:end+1]), &value); err != nil {
		p.fail("the value at byte %d is not a JSON string", p.at)
	}
	p.at = end + 1
	return value
}
