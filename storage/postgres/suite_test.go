package postgres_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// The suite runs again with polling if DECORUM_TORTURE is set, because it takes a minute.
func TestStore(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	modes := map[string]time.Duration{"listening": 0}
	if os.Getenv("DECORUM_TORTURE") != "" {
		modes["polling"] = 10 * time.Millisecond
	}
	for name, poll := range modes {
		t.Run(name, func(t *testing.T) {
			schemas := map[storage.Store]string{}
			of := func(t *testing.T, schema string) storage.Store {
				store := &draining{open(t, postgres.Options{Pool: pool, Schema: schema, Poll: poll}), pool}
				schemas[store] = schema
				return store
			}
			storagetest.Run(t, storagetest.Subject{
				New:  func(t *testing.T) storage.Store { return of(t, newSchema()) },
				Kill: kill(pool),
				Peer: func(t *testing.T, store storage.Store) storage.Store { return of(t, schemas[store]) },
				Reopen: func(t *testing.T, store storage.Store) storage.Store {
					require.NoError(t, store.Close())
					return of(t, schemas[store])
				},
			})
		})
	}
}

// draining is a store that closes the connections of its pool when it is closed. On a busy machine, the driver starts a
// goroutine that reads from a connection, which ends with the connection. The suite would count it.
type draining struct {
	*postgres.Store
	pool *pgxpool.Pool
}

func (d *draining) Close() error {
	defer d.pool.Reset()
	return d.Store.Close()
}

// victim is the variable that makes the test program a process that writes until it dies: commit, URL and schema.
const victim = "DECORUM_POSTGRES_VICTIM"

// dying ends the process at a commit: before the request at commits with an even number, and after the answer at
// others.
type dying struct {
	commit  int64
	commits atomic.Int64
}

type isCommit struct{}

func (d *dying) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !strings.Contains(data.SQL, ".commit_") {
		return ctx
	}
	n := d.commits.Add(1) - 1
	if n == d.commit && n%2 == 0 {
		os.Exit(0)
	}
	return context.WithValue(ctx, isCommit{}, n)
}

func (d *dying) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	if n, ok := ctx.Value(isCommit{}).(int64); ok && n == d.commit {
		os.Exit(0)
	}
}

func die(commit int64, url, schema string) error {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.ConnConfig.Tracer = &dying{commit: commit}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return err
	}
	store, err := postgres.Open(context.Background(), postgres.Options{Pool: pool, Schema: schema, Timeout: time.Minute})
	if err != nil {
		return err
	}
	return storagetest.Work(context.Background(), store, os.Stdout)
}

// isVictim runs this process as a victim if it was started as one.
func isVictim() {
	words := strings.SplitN(os.Getenv(victim), " ", 3)
	if len(words) != 3 {
		return
	}
	commit, err := strconv.ParseInt(words[0], 10, 64)
	if err == nil {
		err = die(commit, words[1], words[2])
	}
	panic(err)
}

func kill(pool *pgxpool.Pool) func(t *testing.T, n int) ([]byte, storage.Store) {
	return func(t *testing.T, n int) ([]byte, storage.Store) {
		t.Helper()
		schema := newSchema()
		printed := storagetest.RunAgain(t, victim+"="+strconv.Itoa(n)+" "+server(t).URL("postgres")+" "+schema)
		return printed, open(t, postgres.Options{Pool: pool, Schema: schema})
	}
}
