package requestlog

import (
	"context"
	"log/slog"
	"time"

	"github.com/decorum-go/decorum/rest"
)

// maxSteps is how many steps of a request are timed apart. A write has about 20, and each admission hook and each webhook adds one.
const maxSteps = 64

// times are the times of the steps of a request, in the order in which the steps began. A step that happens several times is one entry: a
// write repeats its steps if another write commits first, and a deletion of a collection has those of each object.
type times []stepTime

type stepTime struct {
	step  rest.Step
	took  time.Duration
	open  int // how many of them run
	since time.Time
}

// begin implements the function Step of [rest.Observation].
func (t *times) begin(_ context.Context, s rest.Step) (context.Context, func(rest.StepResult)) {
	i := t.entry(s)
	now := time.Now()
	if (*t)[i].open == 0 {
		(*t)[i].since = now
	}
	(*t)[i].open++
	return nil, func(rest.StepResult) {
		entry := &(*t)[i]
		if entry.open--; entry.open == 0 {
			entry.took += time.Since(entry.since)
		}
	}
}

// entry returns the index of the entry of a step.
func (t *times) entry(s rest.Step) int {
	s.Operation, s.Mutating = "", s.Mutating && s.Kind == rest.StepAdmission
	for i := range *t {
		if (*t)[i].step == s {
			return i
		}
	}
	if len(*t) >= maxSteps {
		return maxSteps - 1
	}
	if len(*t) == maxSteps-1 {
		s = rest.Step{Name: "others"}
	}
	*t = append(*t, stepTime{step: s})
	return len(*t) - 1
}

// attributes returns the times as attributes. A step that a hook still holds has the time until now.
func (t *times) attributes() []slog.Attr {
	attrs := make([]slog.Attr, 0, len(*t))
	for _, entry := range *t {
		if entry.open > 0 {
			entry.took += time.Since(entry.since)
		}
		attrs = append(attrs, slog.Duration(safe(nameOf(entry.step)), entry.took))
	}
	return attrs
}

// nameOf returns the name of a step in a line.
func nameOf(s rest.Step) string {
	switch s.Kind {
	case rest.StepAdmission:
		if s.Mutating {
			return "mutating admission"
		}
		return "validating admission"
	case rest.StepHook, rest.StepWebhook:
		return string(s.Kind) + " " + s.Name
	case rest.StepConversion:
		return "conversion to " + s.Name
	case rest.StepCommit:
		return "commit"
	}
	return s.Name
}
