package controller

import "time"

// Clock is the time of a [Queue]. A test that does not run in a bubble of testing/synctest may pass its own.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own when d has passed. stop keeps it from being called, if it is not yet.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is package time.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
