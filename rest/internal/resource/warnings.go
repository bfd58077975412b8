package resource

import "slices"

// FieldValidation says what happens to fields that the schema does not know and to keys that stand twice (API
// concepts, Validation for unrecognized or duplicate fields). The empty value is ValidationWarn.
type FieldValidation string

const (
	ValidationIgnore FieldValidation = "Ignore"
	ValidationWarn   FieldValidation = "Warn"
	ValidationStrict FieldValidation = "Strict"
)

// Warnings are what the Warning headers of an answer say. The first Always of them, about the body as it came and about
// rules that were broken before, go with an error as well. Nobody listens to a nil *Warnings.
type Warnings struct {
	Texts  []string
	Always int
}

func (w *Warnings) add(text string) {
	if w != nil {
		w.Texts = append(w.Texts, text)
	}
}

// addAlways warns of what a client is told whether the write succeeds or not, before anything else.
func (w *Warnings) addAlways(text string) {
	if w != nil {
		w.Texts = slices.Insert(w.Texts, w.Always, text)
		w.Always++
	}
}

// reset forgets the warnings of an attempt that runs again.
func (w *Warnings) reset() {
	if w != nil {
		w.Texts, w.Always = w.Texts[:0], 0
	}
}
