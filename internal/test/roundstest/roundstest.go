// Package roundstest repeats tests that make their own input from a seed.
package roundstest

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Run calls f with the seeds 1 to n, so that every run of the tests does the same. If DECORUM_ROUNDS is a duration, as
// in "1m", Run calls f for that long instead, and at least n times, with seeds that no earlier run had. It stops at the
// first seed that fails, and prints it. DECORUM_SEED runs only the round with that seed. Run reports whether it ran at
// least n rounds.
func Run(t *testing.T, n int, f func(t *testing.T, seed int64)) bool {
	t.Helper()
	if text := os.Getenv("DECORUM_SEED"); text != "" {
		seed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		f(t, seed)
		return false
	}
	first, end := int64(1), time.Time{}
	if text := os.Getenv("DECORUM_ROUNDS"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		first, end = time.Now().UnixNano()%1_000_000_000_000, time.Now().Add(length)
	}
	seed := first
	defer func() {
		if t.Failed() {
			t.Logf("failed with DECORUM_SEED=%d", seed)
		} else {
			t.Logf("%d rounds, from seed %d on", seed-first, first)
		}
	}()
	for ; seed < first+int64(n) || time.Now().Before(end); seed++ {
		f(t, seed)
		if t.Failed() {
			return false
		}
	}
	return true
}
