package rest

import (
	"fmt"
	"slices"
	"strings"
)

// fieldValidation says what happens to fields that the schema does not know and to keys that stand twice (API
// concepts, Validation for unrecognized or duplicate fields).
type fieldValidation string

const (
	validationIgnore fieldValidation = "Ignore"
	validationWarn   fieldValidation = "Warn"
	validationStrict fieldValidation = "Strict"
)

// writeOptions are what a client asked for beside the object itself.
type writeOptions struct {
	dryRun     bool
	manager    string          // the field manager; "" is the user
	validation fieldValidation // "" is Warn
	// fromPatch: the object is the result of a patch. It needs no resourceVersion, and what is wrong with it is 422.
	fromPatch bool
	// unconditional: a write without a resourceVersion is let through in every dialect.
	unconditional bool
	// part is what of the object is written.
	part part
	// admitted: the admission hooks have had their say, or have none.
	admitted bool
	// problems are what the decoder found in the body beside its content: keys that stand twice.
	problems []string
	// warnings collects what the answer's Warning headers say. nil: nobody listens.
	warnings *[]string
}

// maxFieldProblems is how many unknown and duplicate fields are named at most.
const maxFieldProblems = 100

func (o *writeOptions) warn(text string) {
	if o.warnings != nil {
		*o.warnings = append(*o.warnings, text)
	}
}

// reset forgets the warnings of an attempt that runs again.
func (o *writeOptions) reset() {
	if o.warnings != nil {
		*o.warnings = (*o.warnings)[:0]
	}
}

// report warns of unknown fields and other problems, or returns the text to refuse them with.
func (o *writeOptions) report(unknown []string) (refused string) {
	if len(unknown)+len(o.problems) == 0 || o.validation == validationIgnore {
		return ""
	}
	problems := slices.Clone(o.problems)
	for _, path := range unknown {
		problems = append(problems, fmt.Sprintf("unknown field %q", path))
	}
	if len(problems) > maxFieldProblems {
		problems = problems[:maxFieldProblems]
	}
	if o.validation == validationStrict {
		return "strict decoding error: " + strings.Join(problems, ", ")
	}
	for _, p := range problems {
		o.warn(p)
	}
	return ""
}
