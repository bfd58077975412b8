package resource

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/decorum-go/decorum/internal/codec"
)

// maxFieldProblems is how many unknown and duplicate fields are named at most, as far as a decoder finds them.
const maxFieldProblems = 100

// problems are what the decoder has found in what the steps work on.
func (w *Write) problems() []string {
	if w.translated {
		return nil
	}
	return w.Body.Problems
}

// Report warns of unknown fields and of what the decoder has found, or returns the text to refuse them with.
func (w *Write) Report(unknown []string) (refused string) {
	if len(unknown)+len(w.problems()) == 0 || w.Asked.Validation == ValidationIgnore {
		return ""
	}
	problems := w.problemsWith(unknown)
	if w.Asked.Validation == ValidationStrict {
		return "strict decoding error: " + strings.Join(problems, ", ")
	}
	for _, p := range problems {
		if !strings.ContainsFunc(p, unicode.IsControl) { // upstream does not warn of such names at all
			w.Warnings.addAlways(p)
		}
	}
	return ""
}

// problemsWith puts what the decoder has found and the unknown fields into upstream's order: for built-in kinds that of
// the body, where what is within an unknown field is not looked at; else the decoder's findings come first, then unknown
// fields of the metadata, then all others by their paths.
func (w *Write) problemsWith(unknown []string) []string {
	found, body := w.problems(), w.Body
	if w.translated {
		body = Body{}
	}
	if body.Text != nil && !slices.ContainsFunc(slices.Concat(unknown, found), isLong) {
		return problemsInOrder(body.Text, unknown)
	}
	problems := slices.Concat(found, body.patched.repeated(found))
	problems = problems[:min(len(problems), maxFieldProblems)]
	sorted := slices.Clone(unknown)
	slices.SortStableFunc(sorted, func(a, b string) int {
		if inA, inB := inMetadata(a), inMetadata(b); inA || inB {
			return boolOrder(inB, inA)
		}
		return strings.Compare(a, b)
	})
	ofView := w.throughOwnKind() && !w.translated && w.form != applied
	if body.inDocument || w.res.Dialect.UnknownVerbatim && !ofView {
		for _, path := range sorted {
			problems = append(problems, `unknown field "`+path+`"`)
		}
		return problems
	}
	for _, path := range sorted[:min(len(sorted), maxFieldProblems-len(problems))] {
		problems = append(problems, unknownField(path))
	}
	return problems
}

func inMetadata(path string) bool { return strings.HasPrefix(path, "metadata.") }

// boolOrder compares two conditions; what is false comes first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// maxOrdered is how long the paths may be that are put in order, in bytes. The path of every member of the text is compared
// with them, and each may be as long as the text.
const maxOrdered = 4 << 10

func isLong(text string) bool { return len(text) > maxOrdered }

func problemsInOrder(text []byte, unknown []string) []string {
	isUnknown := make(map[string]bool, len(unknown))
	for _, path := range unknown {
		isUnknown[path] = true
	}
	named := map[string]bool{}
	var problems []string
	name := func(problem string) {
		if !named[problem] && len(problems) < maxFieldProblems {
			named[problem] = true
			problems = append(problems, problem)
		}
	}
	codec.VisitMembers(text, func(path []byte, again bool) bool {
		switch {
		case len(path) > maxOrdered:
		case isUnknown[string(path)]:
			name(unknownField(string(path)))
			return false
		case again:
			name(DuplicateField(string(path)))
		}
		return true
	})
	return problems
}

func unknownField(path string) string { return fmt.Sprintf("unknown field %q", path) }

func DuplicateField(path string) string { return fmt.Sprintf("duplicate field %q", path) }
