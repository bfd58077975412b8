package apitest

import (
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// Deadline is how long something may take that happens at once on an idle machine.
const Deadline = hangtest.Deadline

// Await yields until something holds that no channel reports.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Deadline); !holds(); {
		if time.Now().After(end) {
			var dump strings.Builder
			_ = pprof.Lookup("goroutine").WriteTo(&dump, 1)
			require.FailNow(t, "in vain: "+what, dump.String())
		}
		runtime.Gosched()
	}
}

// Within fails when something takes as long as it does when nobody ends it.
func Within[T any](t testing.TB, what string, done <-chan T) T {
	t.Helper()
	timer := time.NewTimer(Deadline)
	defer timer.Stop()
	select {
	case v := <-done:
		return v
	case <-timer.C:
		require.FailNow(t, "too slow: "+what)
		panic("unreachable")
	}
}

// InBackground runs f and returns the channel on which its result comes.
func InBackground[T any](f func() T) <-chan T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	return done
}
