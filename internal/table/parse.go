package table

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// maxPathLength bounds the text of a path, in bytes.
const maxPathLength = 4096

// ParsePath reads a path. A path begins with a dot or a bracket; a single dot is the object itself. The error names the
// fault.
func ParsePath(text string) (Path, error) {
	p := parser{rest: text}
	steps, err := p.path()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("unexpected %q", p.rest)
	}
	switch {
	case text == "":
		err = errors.New("the path is empty")
	case len(text) > maxPathLength:
		text, err = text[:32]+"...", fmt.Errorf("the path is longer than %d bytes", maxPathLength)
	}
	if err != nil {
		return Path{}, fmt.Errorf("table: path %q: %w", text, err)
	}
	return Path{text: text, steps: steps}, nil
}

type parser struct{ rest string }

// path reads steps until the text no longer continues the path.
func (p *parser) path() ([]step, error) {
	if p.rest == "." {
		p.rest = ""
		return nil, nil
	}
	var steps []step
	for {
		var s step
		var err error
		switch {
		case strings.HasPrefix(p.rest, "."):
			p.rest = p.rest[1:]
			s, err = p.member()
		case strings.HasPrefix(p.rest, "[?("):
			p.rest = p.rest[3:]
			s, err = p.matching()
		case strings.HasPrefix(p.rest, "["):
			p.rest = p.rest[1:]
			s, err = p.bracket()
		case len(steps) == 0:
			return nil, errors.New("a path begins with a dot")
		default:
			return steps, nil
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
}

// member reads the text after a dot: *, or a name in which a backslash escapes the next character.
func (p *parser) member() (step, error) {
	var name strings.Builder
	i := 0
	for ; i < len(p.rest); i++ {
		c := p.rest[i]
		if c == '\\' && i+1 < len(p.rest) {
			i++
			name.WriteByte(p.rest[i])
			continue
		}
		if strings.IndexByte(".[](){}=!<>,@$ \t\n", c) >= 0 {
			break
		}
		name.WriteByte(c)
	}
	text := p.rest[:i]
	p.rest = p.rest[i:]
	switch text {
	case "":
		return step{}, errors.New("a name is missing after a dot")
	case "*":
		return step{kind: toAll}, nil
	}
	return step{kind: toMember, key: name.String()}, nil
}

// bracket reads the text after an opening bracket: a quoted name, an index or *.
func (p *parser) bracket() (step, error) {
	var s step
	if p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		name, err := p.quoted()
		if err != nil {
			return step{}, err
		}
		s = step{kind: toMember, key: name}
	} else {
		end := strings.IndexByte(p.rest, ']')
		if end < 0 {
			return step{}, errors.New("a bracket is not closed")
		}
		inside := strings.TrimSpace(p.rest[:end])
		p.rest = p.rest[end:]
		if inside == "*" {
			s = step{kind: toAll}
		} else {
			i, err := strconv.Atoi(inside)
			if err != nil {
				return step{}, fmt.Errorf("%q is neither an index nor a quoted name", inside)
			}
			s = step{kind: toElement, index: i}
		}
	}
	return s, p.expect("]")
}

// matching reads a filter. The parser has already read "[?(".
func (p *parser) matching() (step, error) {
	p.blanks()
	if err := p.expect("@"); err != nil {
		return step{}, err
	}
	f := &filter{}
	var err error
	if strings.HasPrefix(p.rest, ".") || strings.HasPrefix(p.rest, "[") {
		if f.left, err = p.path(); err != nil {
			return step{}, err
		}
	}
	p.blanks()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if strings.HasPrefix(p.rest, operator) {
			p.rest = p.rest[len(operator):]
			f.operator = operator
			p.blanks()
			if f.right, err = p.literal(); err != nil {
				return step{}, err
			}
			p.blanks()
			break
		}
	}
	return step{kind: toMatching, filter: f}, p.expect(")]")
}

// literal reads the right side of a comparison: quoted text, a number, true or false.
func (p *parser) literal() (doc.Value, error) {
	if p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		text, err := p.quoted()
		return doc.Of(text), err
	}
	end := strings.IndexAny(p.rest, ") \t\n")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	switch word {
	case "true", "false":
		return doc.OfBool(word == "true"), nil
	}
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return doc.OfInt(i), nil
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && f-f == 0 { // neither infinite nor NaN
		return doc.OfNumber(strconv.FormatFloat(f, 'g', -1, 64)), nil
	}
	return doc.Value{}, fmt.Errorf("%q is not a number, a boolean or quoted text", word)
}

// quoted reads text in single or double quotes, in which a backslash escapes the next character.
func (p *parser) quoted() (string, error) {
	quote := p.rest[0]
	var text strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\\' && i+1 < len(p.rest):
			i++
			text.WriteByte(p.rest[i])
		case c == quote:
			p.rest = p.rest[i+1:]
			return text.String(), nil
		default:
			text.WriteByte(c)
		}
	}
	return "", errors.New("a quote is not closed")
}

func (p *parser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

func (p *parser) expect(text string) error {
	if !strings.HasPrefix(p.rest, text) {
		return fmt.Errorf("expected %q before %q", text, p.rest)
	}
	p.rest = p.rest[len(text):]
	return nil
}

// compare returns the order of two numbers or two texts. Other values are not ordered.
func compare(a, b doc.Value) (order int, ordered bool) {
	if a.Kind() == doc.String && b.Kind() == doc.String {
		return strings.Compare(a.Text(), b.Text()), true
	}
	i, okI := a.Int()
	j, okJ := b.Int()
	if okI && okJ {
		return cmp.Compare(i, j), true
	}
	f, okF := a.Float()
	g, okG := b.Float()
	return cmp.Compare(f, g), okF && okG
}
