package chaos_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

const (
	replicaCount, memberCount = 3, 3
	workers, watchers         = 5, 4
	faultsOfRound             = 4
	// firstSeed makes faults of every kind, and of every length.
	firstSeed = 8
	// patience bounds the search of the checker for one round.
	patience = hangtest.Deadline
)

// number returns the number in a variable of the environment.
func number(t testing.TB, variable string, unset uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return unset
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// fault is a kind of fault.
type fault struct {
	name          string
	begin, repair func()
}

// chaos is a fleet with clients and random faults.
type chaos struct {
	*fleet
	// kinds are the faults that a replica and a member of etcd can have.
	kinds  func(replica, member int) []fault
	urls   []string
	random *rand.Rand
	ticks  chan struct{} // receives a value after each operation while somebody waits for it
	faults map[string]int
}

// TestChaos runs rounds of faults. The clients of a round have their own registers, so that the checker need not know
// all rounds at once. The watchers follow the registers of all rounds. DECORUM_TORTURE sets the number of faults, which
// then differ from run to run. Without it, they are the eight faults of firstSeed.
func TestChaos(t *testing.T) {
	t.Parallel()
	f := newFleet(t, replicaCount, etcdtest.Options{Members: memberCount})
	runChaos(t, f, func(replica, m int) []fault {
		r := f.replicas[replica]
		return []fault{
			{"replica killed", r.kill, r.start},
			{"replica paused", r.pause, r.resume},
			{"replica cut off", r.cut, r.heal},
			{"member killed", func() { assert.NoError(t, f.cluster.Kill(m)) },
				func() { assert.NoError(t, f.cluster.Restart(m)) }},
			{"member paused", func() { assert.NoError(t, f.cluster.Pause(m)) },
				func() { assert.NoError(t, f.cluster.Resume(m)) }},
		}
	})
}

func runChaos(t *testing.T, f *fleet, kinds func(replica, member int) []fault) {
	count, unset := number(t, "DECORUM_TORTURE", 0), uint64(time.Now().UnixNano())
	if count == 0 {
		count, unset = 8, firstSeed
	}
	seed := number(t, "DECORUM_TORTURE_SEED", unset)
	t.Logf("seed %d", seed)
	c := &chaos{fleet: f, kinds: kinds,
		random: rand.New(rand.NewPCG(seed, 0)), ticks: make(chan struct{}), faults: map[string]int{}}
	for _, r := range c.replicas {
		c.urls = append(c.urls, r.url)
	}
	var following sync.WaitGroup
	var all []*watcher
	for i := range watchers {
		w := &watcher{random: rand.New(rand.NewPCG(seed, uint64(1_000+i))), urls: c.urls}
		all = append(all, w)
		following.Go(func() { assert.NoError(t, w.follow(t.Context())) })
	}
	var rounds [][]operation
	for round := 0; round*faultsOfRound < int(count); round++ {
		rounds = append(rounds, c.round(seed, round, min(faultsOfRound, int(count)-round*faultsOfRound)))
	}
	require.NoError(t, create(t.Context(), c.urls[0], "last", last))
	following.Wait()

	history, operations, unknown := c.truth(), 0, 0
	for i, recorded := range rounds {
		settled := settle(t, recorded, history)
		for _, o := range recorded {
			if o.code == 0 {
				unknown++
			}
		}
		operations += len(settled)
		if result := porcupine.CheckOperationsTimeout(registersModel, settled, patience); result != porcupine.Ok {
			show(t, recorded, history)
			require.Equal(t, porcupine.Ok, result, "round %d", i)
		}
	}
	events, resumed, lists := 0, 0, 0
	for _, w := range all {
		events += w.check(t, history)
		resumed += w.resumed
		lists += len(w.segments)
	}
	t.Logf("faults %v; %d operations, %d with an unknown outcome; %d commits; %d events in %d watches after %d lists",
		c.faults, operations, unknown, len(history.entries), events, resumed, lists)
}

// round runs workers while it causes faults, and returns their operations.
func (c *chaos) round(seed uint64, round, faults int) (recorded []operation) {
	ctx, stop := context.WithCancel(c.Context())
	var working sync.WaitGroup
	all := make([]*worker, workers)
	start := time.Now()
	for i := range all {
		w := &worker{round: round, id: i, urls: c.urls, start: start,
			random: rand.New(rand.NewPCG(seed, uint64(2_000+round*workers+i)))}
		all[i] = w
		working.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				w.work(context.WithoutCancel(ctx), n)
				select {
				case c.ticks <- struct{}{}:
				default:
				}
			}
		})
	}
	for range faults {
		c.await(20)
		c.fault()
	}
	c.await(50)
	stop()
	working.Wait()
	for _, w := range all {
		recorded = append(recorded, w.recorded...)
	}
	return recorded
}

// await waits for a number of operations.
func (c *chaos) await(operations int) {
	for range operations {
		select {
		case <-c.ticks:
		case <-c.Context().Done():
			return
		}
	}
}

// fault causes a random fault, waits for some operations, and repairs it.
func (c *chaos) fault() {
	c.Helper()
	kinds := c.kinds(c.random.IntN(replicaCount), c.random.IntN(memberCount))
	k := kinds[c.random.IntN(len(kinds))]
	c.faults[k.name]++
	k.begin()
	c.await([]int{5, 30, 120}[c.random.IntN(3)])
	k.repair()
}

// show logs the operations of a round, in the order in which they began, and what etcd committed for them.
func show(t testing.TB, operations []operation, history *truth) {
	t.Helper()
	for _, o := range operations {
		t.Logf("%v to %v: client %d: verb %d of register %d, value %q, old %q: %d, revision %d, seen %q", o.began,
			o.began+o.took, o.client, o.verb, o.register, o.value, o.old, o.status, o.revision, o.seen)
	}
	for _, e := range history.entries {
		if slices.ContainsFunc(operations,
			func(o operation) bool { return o.value != "" && (o.value == e.value || o.value == e.was) }) {
			t.Log(e)
		}
	}
}
