package schema

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// Pattern is a regular expression (RE2) that is compiled when a value is first checked, because most patterns of a large schema are never
// used. Any goroutine may use it.
type Pattern struct {
	text    string
	compile func() *regexp.Regexp
}

// NewPattern checks the syntax of a pattern. A pattern whose repetitions would make the compiled form too large is a syntax error, too.
func NewPattern(text string) (*Pattern, error) {
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return nil, err
	}
	return &Pattern{text: text, compile: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}, nil
}

// String returns the text of the pattern.
func (p *Pattern) String() string { return p.text }

// MatchString reports whether the pattern matches somewhere in text. Anchor a pattern to match the whole text.
func (p *Pattern) MatchString(text string) bool { return p.compile().MatchString(text) }
