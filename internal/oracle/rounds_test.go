package oracle

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"
)

// round is one iteration of a test with random input, which follows from the seed.
type round struct {
	*rand.Rand
	seed int64
}

// kind returns a kind. Successive rounds cycle through all kinds.
func (r round) kind() kind {
	kinds := allKinds()
	return kinds[int(r.seed%int64(len(kinds)))]
}

// rounds calls f for half a second, or as long as DECORUM_ROUNDS says ("1m"), and at least atLeast times. It prints the
// seed of a failed round. DECORUM_SEED runs only the round with that seed. rounds reports whether it ran at least atLeast
// rounds.
func rounds(t *testing.T, atLeast int, f func(t *testing.T, r round)) bool {
	t.Helper()
	if text := os.Getenv("DECORUM_SEED"); text != "" {
		seed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		f(t, round{rand.New(rand.NewSource(seed)), seed})
		return false
	}
	length := time.Second / 2
	if text := os.Getenv("DECORUM_ROUNDS"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	first := time.Now().UnixNano() % 1_000_000_000_000
	n := 0
	defer func() {
		if t.Failed() {
			t.Logf("failed with DECORUM_SEED=%d", first+int64(n))
		} else {
			t.Logf("%d rounds, from seed %d on", n, first)
		}
	}()
	for start := time.Now(); n < atLeast || time.Since(start) < length; n++ {
		seed := first + int64(n)
		f(t, round{rand.New(rand.NewSource(seed)), seed})
		if t.Failed() {
			return false
		}
	}
	return true
}
