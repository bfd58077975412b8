package oracle

import (
	"math/rand"
	"testing"

	"github.com/decorum-go/decorum/internal/test/roundstest"
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

// rounds calls f with a round for each seed of [roundstest.Run].
func rounds(t *testing.T, n int, f func(t *testing.T, r round)) bool {
	t.Helper()
	return roundstest.Run(t, n, func(t *testing.T, seed int64) {
		t.Helper()
		f(t, round{rand.New(rand.NewSource(seed)), seed})
	})
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
