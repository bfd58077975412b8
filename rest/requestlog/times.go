package requestlog

import (
	"context"
	"log/slog"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/observe"
)

// maxSteps is how many steps are timed apart: each admission hook and each webhook adds one.
const maxSteps = 64

// times are the times of the steps of a request, without those of kind [observe.StepPipeline], in the order in which they
// began. A step that happens several times is one entry: a write repeats its steps if another write commits first, and
// a deletion of a collection has those of each object.
type times []stepTime

type stepTime struct {
	name     string
	kind     observe.StepKind
	mutating bool // the hooks of the admission mutate
	open     int  // how many of them run
	took     time.Duration
	since    time.Time // if some run
}

// begin implements the function Step of [observe.Observation].
func (t *times) begin(_ context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
	i := t.entry(s)
	entry := &(*t)[i]
	if entry.open == 0 {
		entry.since = time.Now()
	}
	entry.open++
	return nil, func(observe.StepResult) { t.end(i) }
}

// end ends a step.
func (t *times) end(i int) {
	entry := &(*t)[i]
	if entry.open--; entry.open == 0 {
		entry.took += time.Since(entry.since)
	}
}

// entry returns the index of the entry of a step.
func (t *times) entry(s observe.Step) int {
	mutating := s.Mutating && s.Kind == observe.StepAdmission
	for i := range *t {
		if have := &(*t)[i]; have.name == s.Name && have.kind == s.Kind && have.mutating == mutating {
			return i
		}
	}
	switch len(*t) {
	case maxSteps:
		return maxSteps - 1
	case maxSteps - 1:
		s = observe.Step{Name: "others"}
	}
	*t = append(*t, stepTime{name: s.Name, kind: s.Kind, mutating: mutating})
	return len(*t) - 1
}

// attributes returns the times as attributes, after those of the pipeline. A step that a hook still holds has the time
// until now.
func (t *times) attributes(pipeline []observe.StepTime) []slog.Attr {
	attrs := make([]slog.Attr, 0, len(pipeline)+len(*t))
	for _, s := range pipeline {
		attrs = append(attrs, slog.Duration(s.Name, s.Took))
	}
	for _, entry := range *t {
		if entry.open > 0 {
			entry.took += time.Since(entry.since)
		}
		attrs = append(attrs, slog.Duration(errorlog.Safe(entry.label(), errorlog.MaxText), entry.took))
	}
	return attrs
}

// label returns the name of a step in a line.
func (s *stepTime) label() string {
	switch s.kind {
	case observe.StepAdmission:
		if s.mutating {
			return "mutating admission"
		}
		return "validating admission"
	case observe.StepHook, observe.StepWebhook:
		return string(s.kind) + " " + s.name
	case observe.StepConversion:
		return "conversion to " + s.name
	case observe.StepCommit, observe.StepRules:
		return string(s.kind)
	}
	return s.name
}
