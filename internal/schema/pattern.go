package schema

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// Pattern is a regular expression (RE2) that is compiled when a value is first checked, because most patterns of a
// large schema are never used. Any goroutine may use it.
type Pattern struct {
	text    string
	states  int
	compile func() *regexp.Regexp
}

// NewPattern checks the syntax of a pattern. A pattern whose repetitions would make the compiled form too large is a
// syntax error, too.
func NewPattern(text string) (*Pattern, error) {
	p, _, err := newPattern(text)
	return p, err
}

func newPattern(text string) (p *Pattern, size int, err error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	states, size := measure(parsed)
	return &Pattern{text: text, states: states,
		compile: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}, size, nil
}

// String returns the text of the pattern.
func (p *Pattern) String() string { return p.text }

// Regexp returns the compiled pattern.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compile() }

// Steps returns how many steps a search for the pattern in a text could take: the states of the pattern times the bytes
// of the text.
func (p *Pattern) Steps(text string) int64 { return int64(p.states) * int64(len(text)+1) }

// maxPatterns bounds the instructions of all patterns of one schema together. It is the bound that package regexp has
// for one pattern: 128 MiB of 40 bytes each. Without it, a schema of 3 MiB could need a hundred gigabytes once its
// patterns are compiled, because a few bytes of text can stand for a thousand repetitions of a group.
const maxPatterns = 128 << 20 / 40

// Patterns makes the patterns of one schema. The zero value is ready to use.
type Patterns struct{ size int }

// New is [NewPattern], but returns the error of too large an expression, [syntax.ErrLarge], if the patterns that it has
// made become too large together.
func (all *Patterns) New(text string) (*Pattern, error) {
	large := &syntax.Error{Code: syntax.ErrLarge, Expr: text}
	if all.size > maxPatterns {
		return nil, large
	}
	p, size, err := newPattern(text)
	if err != nil {
		return nil, err
	}
	if all.size += size; all.size > maxPatterns {
		return nil, large
	}
	return p, nil
}

// runesPerInstruction is how many runes of a character class take as much memory as an instruction.
const runesPerInstruction = 10

// measure estimates the number of states of a parsed pattern, and its size in instructions. They differ in character
// classes, which are one state of any size.
func measure(re *syntax.Regexp) (states, size int) {
	switch re.Op {
	case syntax.OpLiteral:
		states = len(re.Rune)
	case syntax.OpCapture:
		states = 2
	default:
		states = 1
	}
	if size = states; re.Op == syntax.OpCharClass {
		size += len(re.Rune) / runesPerInstruction
	}
	for _, below := range re.Sub {
		more, larger := measure(below)
		states, size = states+more, size+larger
	}
	if re.Op == syntax.OpRepeat {
		times := max(1, re.Min, re.Max)
		states, size = states*times, size*times
	}
	return states, size
}
