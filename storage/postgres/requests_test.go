package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/watch"
)

// requests notes the statements that a pool sends.
type requests struct {
	mu   sync.Mutex
	sent []string
	next chan struct{} // holds a value after a statement
}

func (r *requests) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	r.sent = append(r.sent, data.SQL)
	r.mu.Unlock()
	select {
	case r.next <- struct{}{}:
	default:
	}
	return ctx
}

func (r *requests) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// take returns the statements since the last call.
func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.sent
	r.sent = nil
	return taken
}

// await waits until so many statements that contain a text have been sent since the last call of take.
func (r *requests) await(count int, text string) {
	for found := 0; found < count; {
		<-r.next
		found = 0
		r.mu.Lock()
		for _, statement := range r.sent {
			if strings.Contains(statement, text) {
				found++
			}
		}
		r.mu.Unlock()
	}
}

// counted returns a pool whose statements are noted.
func counted(t testing.TB) (*pgxpool.Pool, *requests) {
	t.Helper()
	config, err := pgxpool.ParseConfig(server(t).URL("postgres"))
	require.NoError(t, err)
	r := &requests{next: make(chan struct{}, 1)}
	config.ConnConfig.Tracer = r
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool, r
}

// A replica that writes needs one request for each change: the answer says that nothing else has changed before, so it
// does not read.
func TestRequestsOfWrites(t *testing.T) {
	pool, sent := counted(t)
	store := serving(t, postgres.Options{Pool: pool, Schema: newSchema()})
	sent.await(1, ".state s LEFT JOIN") // the replica follows
	first, err := put(t.Context(), store, "x", "0")
	require.NoError(t, err)
	sent.take()
	for n := range 10 {
		_, err := put(t.Context(), store, "x", fmt.Sprint(n+1))
		require.NoError(t, err)
		_, err = put(t.Context(), store, "y", "1")
		require.NoError(t, err)
		_, err = store.Update(t.Context(), note("y"), func(*storage.Record) ([]byte, error) { return nil, nil })
		require.NoError(t, err)
	}
	commits := 0
	for _, statement := range sent.take() {
		if strings.Contains(statement, ".commit_") {
			commits++
		}
		assert.NotContains(t, statement, ".changes", "the replica reads its own changes")
	}
	require.Equal(t, 30, commits)

	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, first.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	seen := 0
	for at := first.Revision; seen < 30; {
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		for _, c := range changes {
			at++
			require.Equal(t, at, c.Revision)
			seen++
		}
	}
}

// Writers that wait for a commit share the next one.
func TestWritersShareCommits(t *testing.T) {
	const writers, rounds = 64, 10
	pool, sent := counted(t)
	schema := newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema})
	tx, err := connect(t, server(t).URL("postgres")).Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), fmt.Sprintf(`SELECT FROM "%s".state FOR UPDATE`, schema))
	require.NoError(t, err)
	sent.take()
	var begun, writing sync.WaitGroup
	begun.Add(writers)
	for i := range writers {
		writing.Go(func() {
			begun.Done()
			for n := range rounds {
				_, err := put(t.Context(), store, fmt.Sprint(i), fmt.Sprint(n))
				assert.NoError(t, err)
			}
		})
	}
	begun.Wait()
	sent.await(1, ".commit_") // it waits for the row
	require.NoError(t, tx.Rollback(t.Context()))
	writing.Wait()
	commits := 0
	for _, statement := range sent.take() {
		if strings.Contains(statement, ".commit_") {
			commits++
		}
	}
	require.Less(t, commits, writers*rounds/2)
}

// Replicas that write the same object in turns have each other's changes: none of them shows its own change before
// those of the other one.
func TestReplicasTakeTurns(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	replicas := []*postgres.Store{serving(t, postgres.Options{Pool: pool, Schema: schema}),
		serving(t, postgres.Options{Pool: pool, Schema: schema})}
	start := replicas[0].Revision()
	const rounds = 50
	var writing sync.WaitGroup
	for i, store := range replicas {
		writing.Go(func() {
			for n := range rounds {
				_, err := store.Update(t.Context(), note("x"), func(r *storage.Record) ([]byte, error) {
					if r == nil {
						return noteJSON("x", "1"), nil
					}
					words := len(strings.Fields(textOf(r))) + 1
					return noteJSON("x", strings.TrimSpace(strings.Repeat("1 ", words))), nil
				})
				assert.NoError(t, err)
				_, err = put(t.Context(), store, fmt.Sprint("own-", i), fmt.Sprint(n))
				assert.NoError(t, err)
			}
		})
	}
	writing.Wait()
	for _, store := range replicas {
		require.Len(t, strings.Fields(textOf(latest(t, store, "x"))), 2*rounds)
		cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, start)
		require.NoError(t, err)
		defer cursor.Close()
		words, at := 0, start
		for at < start+4*rounds {
			changes, err := cursor.Next(t.Context(), nil)
			require.NoError(t, err)
			for _, c := range changes {
				at++
				require.Equal(t, at, c.Revision)
				if c.Key.Name == "x" {
					words++
					require.Len(t, strings.Fields(textOf(c.Current)), words)
				}
			}
		}
	}
}

// An idle replica sends at most two requests in a minute.
func TestRequestsOfIdleReplica(t *testing.T) {
	if os.Getenv("DECORUM_TORTURE") == "" {
		// make soak sets it.
		t.Skip("the test observes an idle replica for two minutes: set DECORUM_TORTURE")
	}
	pool, sent := counted(t)
	store := serving(t, postgres.Options{Pool: pool, Schema: newSchema()})
	sent.await(1, ".state s LEFT JOIN") // the replica follows
	_, err := put(t.Context(), store, "x", "0")
	require.NoError(t, err)
	sent.take()
	began := time.Now()
	sent.await(4, "")
	require.GreaterOrEqual(t, time.Since(began), 115*time.Second, "%v", sent.take())
}
