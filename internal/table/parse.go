package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// maxPathLength bounds the text of a path, in bytes, and maxRoutes the choices of the members of its unions.
const (
	maxPathLength = 4096
	maxRoutes     = 64
)

// ParsePath reads a path. A path begins with a dot or a bracket, and a $ or @ may stand before it; a single dot is the
// object itself. The error names the fault.
func ParsePath(text string) (Path, error) {
	p := parser{rest: strings.TrimLeft(text, "$@")}
	path, err := p.path()
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
	path.text = text
	return path, nil
}

type parser struct{ rest string }

// path reads steps until the text no longer continues the path.
func (p *parser) path() (Path, error) {
	if p.rest == "." {
		p.rest = ""
		return Path{}, nil
	}
	var parts [][]step // each a choice of steps
	for {
		var choice []step
		var err error
		switch {
		case strings.HasPrefix(p.rest, ".."):
			choice, err = p.anyDepth(parts)
		case strings.HasPrefix(p.rest, "."):
			p.rest = p.rest[1:]
			choice, err = p.member()
		case strings.HasPrefix(p.rest, "[?("):
			p.rest = p.rest[3:]
			choice, err = p.matching()
		case strings.HasPrefix(p.rest, "["):
			p.rest = p.rest[1:]
			choice, err = p.bracket()
		case len(parts) == 0:
			return Path{}, errors.New("a path begins with a dot")
		default:
			return routesOf(parts)
		}
		if err != nil {
			return Path{}, err
		}
		parts = append(parts, choice)
	}
}

// routesOf returns the path with these parts. Its routes are in the order of upstream, which follows the first member
// of a union from all values, and then the next: the last union changes last.
func routesOf(parts [][]step) (Path, error) {
	routes := [][]step{nil}
	for _, choice := range parts {
		if len(routes)*len(choice) > maxRoutes {
			return Path{}, fmt.Errorf("the unions have more than %d combinations", maxRoutes)
		}
		var longer [][]step
		for _, s := range choice {
			for _, route := range routes {
				longer = append(longer, append(slices.Clip(route), s))
			}
		}
		routes = longer
	}
	return Path{routes: routes}, nil
}

// anyDepth reads two dots. A name may follow without a further dot.
func (p *parser) anyDepth(before [][]step) ([]step, error) {
	if n := len(before); n > 0 && before[n-1][0].kind == toAnyDepth {
		return nil, errors.New("four dots in a row")
	}
	if p.rest = p.rest[2:]; p.rest != "" && p.rest[0] != '.' && p.rest[0] != '[' {
		p.rest = "." + p.rest // member expects a dot before the name
	}
	return []step{{kind: toAnyDepth}}, nil
}

// member reads the text after a dot: *, or a name in which a backslash escapes the next character.
func (p *parser) member() ([]step, error) {
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
		return nil, errors.New("a name is missing after a dot")
	case "*":
		return []step{{kind: toAll}}, nil
	}
	return []step{{kind: toMember, key: name.String()}}, nil
}

// bracket reads the text after an opening bracket: quoted names, indexes, slices or *, separated by commas.
func (p *parser) bracket() (union []step, err error) {
	for {
		p.blanks()
		s, err := p.selector()
		if err != nil {
			return nil, err
		}
		union = append(union, s)
		p.blanks()
		if !strings.HasPrefix(p.rest, ",") {
			return union, p.expect("]")
		}
		p.rest = p.rest[1:]
	}
}

// selector reads one member of a union.
func (p *parser) selector() (step, error) {
	if p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		name, err := p.quoted()
		return step{kind: toMember, key: name}, err
	}
	end := strings.IndexAny(p.rest, ",]")
	if end < 0 {
		return step{}, errors.New("a bracket is not closed")
	}
	inside := strings.TrimSpace(p.rest[:end])
	p.rest = p.rest[end:]
	if inside == "*" {
		return step{kind: toAll}, nil
	}
	if inside == "" { // the first element, as upstream
		return step{kind: toElement}, nil
	}
	bounds := strings.Split(inside, ":")
	var numbers [3]int
	for i, bound := range bounds {
		if bound == "" && len(bounds) > 1 {
			continue
		}
		n, err := strconv.Atoi(bound)
		if i == len(numbers) || err != nil {
			return step{}, fmt.Errorf("%q is neither an index nor a quoted name", inside)
		}
		numbers[i] = n
	}
	if len(bounds) == 1 {
		return step{kind: toElement, index: numbers[0]}, nil
	}
	by := 1
	if len(bounds) > 2 && bounds[2] != "" {
		if by = numbers[2]; by <= 0 {
			return step{}, fmt.Errorf("the step of %q is not positive", inside)
		}
	}
	return step{kind: toSlice, slice: slice{from: numbers[0], to: numbers[1], by: by, toEnd: bounds[1] == ""}}, nil
}

// matching reads a filter. The parser has already read "[?(".
func (p *parser) matching() (_ []step, err error) {
	f := &filter{}
	p.blanks()
	if f.left, err = p.current(); err != nil {
		return nil, err
	}
	p.blanks()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if strings.HasPrefix(p.rest, operator) {
			p.rest = p.rest[len(operator):]
			f.operator = operator
			p.blanks()
			if f.path = strings.HasPrefix(p.rest, "@"); f.path {
				f.rightPath, err = p.current()
			} else {
				f.right, err = p.literal()
			}
			if err != nil {
				return nil, err
			}
			p.blanks()
			break
		}
	}
	return []step{{kind: toMatching, filter: f}}, p.expect(")]")
}

// current reads @, the element that a filter looks at, and a path from there.
func (p *parser) current() (Path, error) {
	if err := p.expect("@"); err != nil {
		return Path{}, err
	}
	if strings.HasPrefix(p.rest, ".") || strings.HasPrefix(p.rest, "[") {
		return p.path()
	}
	return Path{}, nil
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
