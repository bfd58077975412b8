package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// follower counts, for each object, the changes that a watch shows, and checks their order.
type follower struct {
	last   watch.Revision
	counts map[string]int
}

// take checks that each change follows the one before, and shows the next value of its counter: nothing is lost, doubled or reordered.
func (f *follower) take(t testing.TB, changes []*watch.Change[storage.Record]) {
	for _, c := range changes {
		assert.Greater(t, c.Revision, f.last)
		f.last = c.Revision
		f.counts[c.Scope.Name]++
		assert.Equal(t, fmt.Sprint(f.counts[c.Scope.Name]), textOf(c.Current))
	}
}

// textOf returns the text of a note.
func textOf(r *storage.Record) string {
	var n struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(r.JSON, &n)
	return n.Text
}

// While 64 writers and open transactions of the host write, every watch shows each change once and in order.
func TestOrder(t *testing.T) {
	const writers, transactions, rounds = 64, 8, 10
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	replicas := []*postgres.Store{}
	for range 3 {
		replicas = append(replicas, serving(t, postgres.Options{Pool: pool, Schema: schema}))
	}
	start := replicas[0].Revision()
	var writing, following sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for n := range rounds {
				_, err := put(t.Context(), replicas[i%3], fmt.Sprint("writer-", i), fmt.Sprint(n+1))
				assert.NoError(t, err)
			}
		})
	}
	for i := range transactions {
		writing.Go(func() {
			for n := range rounds {
				err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
					ctx := postgres.InTx(t.Context(), tx)
					for _, side := range []string{"left", "right"} {
						if _, err := put(ctx, replicas[i%3], fmt.Sprint("host-", i, "-", side), fmt.Sprint(n+1)); err != nil {
							return err
						}
					}
					_, err := replicas[i%3].Get(ctx, note("writer-0"), storage.MostRecent) // stay open for a while
					if errors.Is(err, storage.ErrNotFound) {
						err = nil
					}
					return err
				})
				assert.NoError(t, err)
			}
		})
	}
	const total = writers*rounds + 2*transactions*rounds
	for _, replica := range replicas {
		following.Go(func() {
			cursor, err := replica.Watch(t.Context(), watch.Scope{Resource: notes}, start)
			if !assert.NoError(t, err) {
				return
			}
			defer cursor.Close()
			f := follower{counts: map[string]int{}}
			for seen := 0; seen < total; {
				changes, err := cursor.Next(t.Context(), nil)
				if !assert.NoError(t, err) {
					return
				}
				seen += len(changes)
				f.take(t, changes)
			}
			assert.Equal(t, start+total, f.last, "revisions have no gaps")
		})
	}
	writing.Wait()
	following.Wait()
}

// operation is an increment of a counter, or a read of it.
type operation struct {
	key  string
	read bool
}

// outcome is what an operation returned. An increment with an unknown outcome may have happened.
type outcome struct {
	value   int
	unknown bool
}

// counters is the model of the counters.
var counters = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, o := range history {
			key := o.Input.(operation).key
			byKey[key] = append(byKey[key], o)
		}
		var all [][]porcupine.Operation
		for _, part := range byKey {
			all = append(all, part)
		}
		return all
	},
	Init: func() []any { return []any{0} },
	Step: func(state, input, output any) []any {
		value, in, out := state.(int), input.(operation), output.(outcome)
		switch {
		case in.read && out.value == value:
			return []any{value}
		case !in.read && out.unknown:
			return []any{value, value + 1}
		case !in.read && out.value == value+1:
			return []any{value + 1}
		}
		return nil
	},
}

// TestChaos increments counters through three replicas, also in transactions of the host, while Postgres is killed, connections are cut and
// replicas are replaced. A linearizability checker then accepts the history. DECORUM_TORTURE sets the number of faults.
func TestChaos(t *testing.T) {
	faults := 6
	if text := os.Getenv("DECORUM_TORTURE"); text != "" {
		var err error
		faults, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	s := start(t, postgrestest.Options{})
	c := &chaos{TB: t, server: s, start: time.Now()}
	for i := range c.replicas {
		c.replicas[i].link = newLink(t, s)
		c.replicas[i].pool = connect(t, c.replicas[i].link.url())
		c.replicas[i].store.Store(c.open(i))
	}
	for faulted := 0; faulted < faults; faulted += faultsOfRound {
		c.round(min(faultsOfRound, faults-faulted))
	}
	for i := range c.replicas {
		require.NoError(t, c.replicas[i].store.Load().Close())
	}
	t.Logf("%d faults, %d operations, %d of them with an unknown outcome", faults, c.operations, c.unknown)
}

const faultsOfRound = 3

type chaos struct {
	testing.TB
	server   *postgrestest.Server
	start    time.Time
	replicas [3]struct {
		link  *link
		pool  *pgxpool.Pool
		store atomic.Pointer[postgres.Store]
	}
	rounds, operations, unknown int

	mu      sync.Mutex
	history []porcupine.Operation
}

func (c *chaos) open(i int) *postgres.Store {
	opts := postgres.Options{Pool: c.replicas[i].pool, Schema: "chaos", Timeout: 2 * time.Second, HistoryBytes: 1 << 20}
	store := open(c, opts)
	storagetest.Insist(c, func() error { return store.Register(c.Context(), noteResource) })
	return store
}

// round runs writers while it causes faults, and checks their history. Each round has counters of its own.
func (c *chaos) round(faults int) {
	c.rounds++
	c.history = nil
	ctx, stop := context.WithCancel(c.Context())
	var working sync.WaitGroup
	done := make(chan struct{}, 1)
	for client := range 6 {
		working.Go(func() {
			for ctx.Err() == nil {
				c.operate(client, fmt.Sprint("round-", c.rounds, "-", rand.IntN(3)))
				select {
				case done <- struct{}{}:
				default:
				}
			}
		})
	}
	await := func(operations int) {
		for range operations {
			<-done
		}
	}
	for range faults {
		await(20)
		i := rand.IntN(len(c.replicas))
		switch rand.IntN(3) {
		case 0:
			require.NoError(c, c.server.Kill())
			await(5)
			require.NoError(c, c.server.Restart())
		case 1:
			c.replicas[i].link.lead("")
			await(10)
			c.replicas[i].link.lead(c.server.Socket())
		case 2:
			was := c.replicas[i].store.Swap(c.open(i))
			require.NoError(c, was.Close())
		}
	}
	await(20)
	stop()
	working.Wait()
	result := porcupine.CheckOperationsTimeout(counters.ToModel(), c.history, 20*time.Second)
	require.NotEqual(c, porcupine.Illegal, result, "round %d", c.rounds)
	if result == porcupine.Unknown {
		c.Logf("round %d has too many unknown outcomes for the checker", c.rounds)
	}
}

// operate runs one operation through a random replica, and records it.
func (c *chaos) operate(client int, key string) {
	store, pool := c.replicas[rand.IntN(3)].store.Load(), c.replicas[rand.IntN(3)].pool
	in, out := operation{key: key, read: rand.IntN(3) == 0}, outcome{}
	began := time.Since(c.start)
	var r *storage.Record
	var err error
	switch {
	case in.read:
		r, err = store.Get(c.Context(), note(key), storage.MostRecent)
		if errors.Is(err, storage.ErrNotFound) {
			err = nil
		}
	case rand.IntN(3) == 0: // in a transaction of the host
		err = pgx.BeginFunc(c.Context(), pool, func(tx pgx.Tx) error {
			var err error
			r, err = add(postgres.InTx(c.Context(), tx), store, key)
			out.unknown = err == nil // the outcome is that of COMMIT
			return err
		})
		out.unknown = out.unknown && err != nil && !postgres.IsConflict(err)
	default:
		r, err = add(c.Context(), store, key)
		out.unknown = errors.Is(err, storage.ErrUnknown) || errors.Is(err, storage.ErrClosed) || status.CodeOf(err) == 504
	}
	if r != nil {
		_, scanned := fmt.Sscanf(textOf(r), "%d", &out.value)
		assert.NoError(c, scanned)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && !out.unknown {
		return // nothing has happened
	}
	ended := time.Since(c.start)
	if out.unknown {
		c.unknown++
		ended = 1 << 60 // it may happen later
	}
	c.operations++
	c.history = append(c.history, porcupine.Operation{ClientId: client, Input: in, Output: out, Call: int64(began), Return: int64(ended)})
}

// add increments a counter.
func add(ctx context.Context, store storage.Store, key string) (*storage.Record, error) {
	return store.Update(ctx, note(key), func(current *storage.Record) ([]byte, error) {
		n := 0
		if current != nil {
			if _, err := fmt.Sscanf(textOf(current), "%d", &n); err != nil {
				return nil, err
			}
		}
		return noteJSON(key, fmt.Sprint(n+1)), nil
	})
}
