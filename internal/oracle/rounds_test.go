package oracle

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

// rounds calls f with the seeds 1 to n, so that every run of the tests does the same. If DECORUM_ROUNDS is a duration, as in "1m", rounds
// calls f for that long instead, and at least n times, with seeds that no earlier run had. It prints the seed of a failed round.
// DECORUM_SEED runs only the round with that seed. rounds reports whether it ran at least n rounds.
func rounds(t *testing.T, n int, f func(t *testing.T, r round)) bool {
	t.Helper()
	if text := os.Getenv("DECORUM_SEED"); text != "" {
		seed, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		f(t, round{rand.New(rand.NewSource(seed)), seed})
		return false
	}
	first, end := int64(1), time.Time{}
	if text := os.Getenv("DECORUM_ROUNDS"); text != "" {
		length, err := time.ParseDuration(text)
		require.NoError(t, err)
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
		f(t, round{rand.New(rand.NewSource(seed)), seed})
		if t.Failed() {
			return false
		}
	}
	return true
}

// fuzzSeeds fuzzes the seed of random input. Each call of again starts the round of the seed anew.
func fuzzSeeds(f *testing.F, check func(t *testing.T, again func() round)) {
	for seed := range int64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		check(t, func() round { return round{rand.New(rand.NewSource(seed)), seed} })
	})
}
