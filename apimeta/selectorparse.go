package apimeta

import (
	"errors"
	"fmt"
	"strings"
)

// ParseLabelSelector reads a label selector:
//
//	selector    = [ requirement { "," requirement } ]
//	requirement = key | "!" key | key compare value | key set "(" [ value { "," value } ] ")"
//	compare     = "=" | "==" | "!=" | ">" | "<"
//	set         = "in" | "notin"
//
// Blanks may surround every part. A missing value is the empty string, and the
// empty selector matches everything. Keys and values follow [ValidateLabelKey]
// and [ValidateLabelValue]. Errors have the text of upstream servers, which
// answer 400.
func ParseLabelSelector(s string) (LabelMatcher, error) {
	if s == "" {
		return LabelMatcher{}, nil
	}
	if len(s) > MaxSelectorLength {
		return LabelMatcher{}, fmt.Errorf("label selector is too long: may not be more than %d bytes", MaxSelectorLength)
	}
	p := selectorParser{rest: s}
	p.advance()
	return p.selector()
}

// token is a lexical element: a word or a symbol. An operator spelled in
// letters, such as notin, is a word.
type token struct {
	kind tokenKind
	text string
}

type tokenKind byte

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenSymbol
)

// selectorParser is a recursive descent parser with one token of lookahead.
type selectorParser struct {
	rest string
	next token
}

// take returns the next token and moves on.
func (p *selectorParser) take() token {
	t := p.next
	p.advance()
	return t
}

func (p *selectorParser) advance() {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" {
		p.next = token{}
		return
	}
	length, kind := 1, tokenSymbol
	switch {
	case strings.HasPrefix(p.rest, "==") || strings.HasPrefix(p.rest, "!="):
		length = 2
	case strings.IndexByte("=!(),><", p.rest[0]) < 0:
		kind = tokenWord
		if length = strings.IndexAny(p.rest, "=!(),>< \t\r\n"); length < 0 {
			length = len(p.rest)
		}
	}
	p.next = token{kind: kind, text: p.rest[:length]}
	p.rest = p.rest[length:]
}

func (t token) is(symbol string) bool { return t.kind == tokenSymbol && t.text == symbol }

// endsTerm reports whether the current requirement ends here.
func (t token) endsTerm() bool { return t.kind == tokenEnd || t.is(",") }

func (p *selectorParser) selector() (LabelMatcher, error) {
	var requirements []LabelRequirement
	if p.next.kind == tokenSymbol && p.next.text != "!" {
		return LabelMatcher{}, fmt.Errorf("found '%s', expected: !, identifier, or 'end of string'", p.next.text)
	}
	for p.next.kind != tokenEnd {
		r, err := p.requirement()
		if err != nil {
			return LabelMatcher{}, fmt.Errorf("unable to parse requirement: %w", err)
		}
		if len(requirements) == MaxSelectorRequirements {
			return LabelMatcher{}, fmt.Errorf("label selector has too many requirements: may not have more than %d",
				MaxSelectorRequirements)
		}
		requirements = append(requirements, r)
		switch t := p.take(); {
		case t.kind == tokenEnd:
		case !t.is(","):
			return LabelMatcher{}, fmt.Errorf("found '%s', expected: ',' or 'end of string'", t.text)
		case p.next.kind != tokenWord && !p.next.is("!"):
			return LabelMatcher{}, fmt.Errorf("found '%s', expected: identifier after ','", p.next.text)
		}
	}
	return newSelector(requirements), nil
}

func (p *selectorParser) requirement() (LabelRequirement, error) {
	negated := p.next.is("!")
	if negated {
		p.advance()
	}
	key := p.take()
	if key.kind != tokenWord {
		return LabelRequirement{}, fmt.Errorf("found '%s', expected: identifier", key.text)
	}
	// Upstream checks the key before what follows it, and its error does not name
	// the field path of a key.
	if msgs := ValidateLabelKey(key.text); len(msgs) > 0 {
		return LabelRequirement{}, errors.New("<nil>: " + invalidValue(key.text, msgs))
	}
	if negated {
		// "!key" takes no operator. If one follows, the caller reports a missing
		// comma.
		return newRequirement(key.text, DoesNotExist, nil)
	}
	if p.next.endsTerm() {
		return newRequirement(key.text, Exists, nil)
	}
	op, err := p.operator()
	if err != nil {
		return LabelRequirement{}, err
	}
	var values []string
	if op == In || op == NotIn {
		values, err = p.set()
	} else {
		values, err = p.value()
	}
	if err != nil {
		return LabelRequirement{}, err
	}
	return newRequirement(key.text, op, values)
}

func (p *selectorParser) operator() (Operator, error) {
	t := p.take()
	switch t.text {
	case "=", "==":
		return Equals, nil
	case "!=":
		return NotEquals, nil
	case ">":
		return GreaterThan, nil
	case "<":
		return LessThan, nil
	case "in":
		return In, nil
	case "notin":
		return NotIn, nil
	}
	return "", fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", t.text)
}

func (p *selectorParser) value() ([]string, error) {
	if p.next.endsTerm() {
		return []string{""}, nil
	}
	t := p.take()
	if t.kind != tokenWord {
		return nil, fmt.Errorf("found '%s', expected: identifier", t.text)
	}
	return []string{t.text}, nil
}

// set reads a parenthesized list of values. A missing value is the empty string,
// so "()" is the set that holds only the empty string.
func (p *selectorParser) set() ([]string, error) {
	open := p.take()
	if !open.is("(") {
		return nil, fmt.Errorf("found '%s' expected: '('", open.text)
	}
	if p.next.kind != tokenWord && !p.next.is(",") && !p.next.is(")") {
		return nil, fmt.Errorf("found '%s', expected: ',', ')' or identifier", p.next.text)
	}
	var values []string
	for {
		value, expected := "", "',', or identifier"
		if p.next.kind == tokenWord {
			value, expected = p.take().text, "',' or ')'"
		}
		values = append(values, value)
		switch t := p.take(); {
		case t.is(")"):
			return values, nil
		case !t.is(","):
			return nil, fmt.Errorf("found '%s', expected: %s", t.text, expected)
		}
	}
}
