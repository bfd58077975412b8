package crd

import (
	"time"

	"github.com/decorum-go/decorum/rest/internal/backoff"
)

// The time between two attempts doubles from firstDelay to lastDelay.
const (
	firstDelay = 20 * time.Millisecond
	lastDelay  = 30 * time.Second
)

// delayAfter returns how long to wait after a number of failures.
func delayAfter(failures int) time.Duration { return backoff.Delay(failures, firstDelay, lastDelay) }

// retries remembers when to apply which definition again.
type retries map[string]retry

type retry struct {
	failures int
	due      time.Time // zero while the definition is being applied
	err      string
}

// fail plans the next attempt. It reports whether the error is a new one, so that a log need not repeat it.
func (r retries) fail(definition string, err error) (isNew bool) {
	old := r[definition]
	r[definition] = retry{failures: old.failures + 1, due: time.Now().Add(delayAfter(old.failures + 1)), err: err.Error()}
	return old.err != err.Error()
}

// plan plans a first attempt.
func (r retries) plan(definition string, due time.Time) {
	planned := r[definition]
	if planned.due.IsZero() || due.Before(planned.due) {
		planned.due = due
		r[definition] = planned
	}
}

func (r retries) forget(definition string) { delete(r, definition) }

// next returns a channel that receives at the time of the next attempt. It is nil if none is planned.
func (r retries) next() <-chan time.Time {
	var first time.Time
	for _, retry := range r {
		if !retry.due.IsZero() && (first.IsZero() || retry.due.Before(first)) {
			first = retry.due
		}
	}
	if first.IsZero() {
		return nil
	}
	return time.After(time.Until(first))
}

// take returns the definitions that are due, and plans nothing more for them.
func (r retries) take() (due []string) {
	now := time.Now()
	for name, retry := range r {
		if !retry.due.IsZero() && !retry.due.After(now) {
			retry.due = time.Time{}
			r[name] = retry
			due = append(due, name)
		}
	}
	return due
}
