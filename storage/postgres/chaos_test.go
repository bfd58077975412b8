package postgres_test

import (
	"context"
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
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/storage/storagetest"
)

const (
	replicas      = 3 // the number in this process; another replica is a process of its own
	clients       = 6
	registers     = 3 // the number in a round
	faultsOfRound = 3
	chaosSchema   = "chaos"
)

// chaos is a primary with a synchronous standby, and replicas that reach the primary through links. A commit that was
// acknowledged is on both servers, so a promotion loses nothing.
type chaos struct {
	testing.TB
	primary, standby *postgrestest.Server
	replicas         [replicas]replica
	process          *process
	done             chan struct{} // receives a value after each operation while somebody waits for it
	faults           map[string]int
	journal
}

// replica is a store with a connection that can be cut.
type replica struct {
	link  *link
	pool  *pgxpool.Pool
	store atomic.Pointer[postgres.Store]
}

// TestChaos appends to registers through four replicas, also in transactions of the host, while servers and a replica
// are killed, the standby is promoted, connections are cut and replicas are replaced. A linearizability checker then
// accepts what the clients saw, and each watch has shown every change once, in order. DECORUM_TORTURE sets the number
// of faults.
func TestChaos(t *testing.T) {
	count := 6
	if text := os.Getenv("DECORUM_TORTURE"); text != "" {
		var err error
		count, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	c := &chaos{TB: t, primary: start(t, postgrestest.Options{}), done: make(chan struct{}), faults: map[string]int{}}
	for i := range c.replicas {
		r := &c.replicas[i]
		r.link = newLink(t, c.primary)
		r.pool = connect(t, r.link.url())
		r.store.Store(c.open(r.pool))
	}
	c.process = &process{link: newLink(t, c.primary)}
	c.attachStandby()

	var following sync.WaitGroup
	watchers := [replicas]watcher{}
	for i := range watchers {
		watchers[i].store = &c.replicas[i].store
		following.Go(func() { watchers[i].follow(t) })
	}
	kinds := []fault{
		{"server killed", c.killServer}, {"standby promoted", c.promote}, {"replica cut off", c.cut},
		{"replica replaced", c.replace},
		{"replica killed", c.killReplica},
	}
	operations, unknown := 0, 0
	for caused := 0; caused < count; caused += faultsOfRound {
		var now []fault
		for n := caused; n < min(caused+faultsOfRound, count); n++ {
			if n%len(kinds) == 0 { // each kind is as frequent as any other
				rand.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
			}
			now = append(now, kinds[n%len(kinds)])
		}
		settled, undecided := c.round(caused/faultsOfRound, now)
		operations += settled
		unknown += undecided
	}
	storagetest.Insist(t, func() error {
		_, err := put(t.Context(), c.replicas[0].store.Load(), last, "")
		return err
	})
	following.Wait()
	final := c.state()
	events, lists := 0, 0
	for i := range watchers {
		require.Equal(t, final, watchers[i].seen, "the watch of replica %d ends with the state", i)
		events += watchers[i].events
		lists += watchers[i].lists
	}
	for i := range c.replicas {
		require.NoError(t, c.replicas[i].store.Load().Close())
	}
	t.Logf("faults %v; %d operations, %d without an answer; %d events after %d lists", c.faults, operations, unknown,
		events, lists)
}

func (c *chaos) open(pool *pgxpool.Pool) *postgres.Store {
	store := open(c, postgres.Options{Pool: pool, Schema: chaosSchema, Timeout: 2 * time.Second, HistoryBytes: 1 << 20})
	storagetest.Insist(c, func() error { return store.Register(c.Context(), noteResource) })
	return store
}

// attachStandby gives the primary a new standby, and then lets the replicas reach the primary.
func (c *chaos) attachStandby() {
	standby, err := c.primary.Standby(nil)
	require.NoError(c, err)
	c.Cleanup(func() { require.NoError(c, standby.Stop()) })
	c.standby = standby
	c.admin(c.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	c.lead()
}

// admin runs statements as the superuser.
func (c *chaos) admin(s *postgrestest.Server, statements ...string) {
	pool, err := pgxpool.New(c.Context(), s.URL("postgres"))
	require.NoError(c, err)
	defer pool.Close()
	for _, statement := range statements {
		eventually(c, func() error {
			_, err := pool.Exec(c.Context(), statement)
			return err
		})
	}
}

// lead lets the replicas reach the primary as soon as every commit waits for the standby.
func (c *chaos) lead() {
	pool, err := pgxpool.New(c.Context(), c.primary.URL("postgres"))
	require.NoError(c, err)
	defer pool.Close()
	eventually(c, func() error {
		synchronous := 0
		err := pool.QueryRow(c.Context(),
			"SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'").
			Scan(&synchronous)
		if err == nil && synchronous == 0 {
			err = errors.New("the standby does not follow the primary")
		}
		return err
	})
	for _, l := range c.links() {
		l.lead(c.primary.Socket())
	}
}

// hold lets the replicas wait for a primary.
func (c *chaos) hold() {
	for _, l := range c.links() {
		l.hold()
	}
}

func (c *chaos) links() (all []*link) {
	for i := range c.replicas {
		all = append(all, c.replicas[i].link)
	}
	return append(all, c.process.link)
}

// fault is something that goes wrong and is repaired.
type fault struct {
	name  string
	cause func()
}

func (c *chaos) killServer() {
	require.NoError(c, c.primary.Kill())
	c.await(5)
	c.hold()
	require.NoError(c, c.primary.Restart())
	c.lead()
}

func (c *chaos) promote() {
	require.NoError(c, c.primary.Kill())
	c.await(5)
	c.hold()
	require.NoError(c, c.primary.Stop())
	require.NoError(c, c.standby.Promote())
	c.primary = c.standby
	c.attachStandby()
}

func (c *chaos) cut() {
	l := c.replicas[rand.IntN(replicas)].link
	l.lead("")
	c.await(10)
	l.lead(c.primary.Socket())
}

func (c *chaos) replace() {
	r := &c.replicas[rand.IntN(replicas)]
	was := r.store.Swap(c.open(r.pool))
	require.NoError(c, was.Close())
}

func (c *chaos) killReplica() {
	c.process.kill(c)
	c.await(5)
	c.process.start(c)
}

// round runs clients while it causes faults, and checks what they saw. Each round has registers of its own.
func (c *chaos) round(n int, faults []fault) (operations, unknown int) {
	c.process.round = n
	c.process.journal = &c.journal
	c.process.start(c)
	ctx, stop := context.WithCancel(c.Context())
	var working sync.WaitGroup
	for i := range clients {
		a := &client{round: n, name: fmt.Sprintf("%d-%d", n, i), record: c.journal.record}
		working.Go(func() {
			for ctx.Err() == nil {
				r := &c.replicas[rand.IntN(replicas)]
				a.work(c.Context(), r.store.Load(), r.pool)
				select {
				case c.done <- struct{}{}:
				default:
				}
			}
		})
	}
	var names []string
	for _, f := range faults {
		c.await(20)
		f.cause()
		c.faults[f.name]++
		names = append(names, f.name)
	}
	c.await(20)
	stop()
	working.Wait()
	c.process.stop(c)
	c.Logf("round %d: %v", n, names)
	settled, unknown := settle(c, c.journal.take(), c.state())
	require.Equal(c, porcupine.Ok, porcupine.CheckOperationsTimeout(registerModel, settled, hangtest.Deadline), "round %d", n)
	return len(settled), unknown
}

func (c *chaos) await(operations int) {
	for range operations {
		<-c.done
	}
}

// state returns what the registers hold.
func (c *chaos) state() (state map[string]string) {
	eventually(c, func() error {
		var err error
		state, _, err = list(c.Context(), c.replicas[0].store.Load())
		return err
	})
	return state
}

// list returns what all registers hold.
func list(ctx context.Context, store storage.Store) (map[string]string, storage.Listing, error) {
	page, err := store.List(ctx, storage.Query{Within: storage.Key{Resource: notes}, Revision: storage.MostRecent}, nil)
	state := map[string]string{}
	for _, r := range page.Records {
		state[r.Key.Name] = textOf(r)
	}
	return state, page, err
}
