package schema

import (
	"fmt"

	"github.com/decorum-go/decorum/status"
)

// MaxSteps bounds the steps that the patterns of one object may take. Package regexp visits each state of a pattern at
// most once for each byte of a text, in 3 to 10 ns, and cannot be interrupted. So patterns take at most 1 to 2 seconds
// of processor time. A text of 3 MB may still have a pattern of 60 states, and 10,000 texts of 20 bytes patterns of
// 1,000 states.
const MaxSteps = 200_000_000

// Matching counts the steps of the patterns that the walks of one object match. The zero value is ready to use.
type Matching struct {
	steps int64
	fault *status.FieldError // the fault of the first text that this walk did not match
}

// matches reports whether a text matches a pattern. Beyond MaxSteps it matches nothing more, and records a fault of the
// whole object, because neither answer would be right: a pattern may be below a not.
func (w *validator) matches(p *Pattern, text string, at *trail) bool {
	m := &w.matching
	if m.steps += p.Steps(text); m.steps <= MaxSteps {
		return p.Regexp().MatchString(text)
	}
	if m.fault == nil {
		m.fault = status.InvalidField(at.below(w.root), text,
			fmt.Sprintf("%s in body is too long for the pattern '%s': the patterns of the object could take more than %d steps",
				at.text(), p, MaxSteps))
	}
	return true
}

// result returns the errors of a walk, including that of a text that was not matched.
func (w *validator) result() status.FieldErrors {
	if w.matching.fault != nil {
		w.add(w.matching.fault)
	}
	return w.errs
}
