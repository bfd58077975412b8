package controller

import "time"

// clock is the source of time of a [Queue]. Tests count the timers of theirs.
type clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine after d. stop prevents the call, unless it has begun, and reports whether
	// it did.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is the clock of package time.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
