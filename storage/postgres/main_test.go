package postgres_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// shared is a server that the tests share. Each uses a schema of its own. It is nil where Postgres is not installed.
var shared *postgrestest.Server

func TestMain(m *testing.M) {
	isVictim()
	isReplica()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if shared, err = postgrestest.Start(postgrestest.Options{}); err != nil &&
		!errors.Is(err, postgrestest.ErrNotInstalled) {
		panic(err)
	}
	if shared == nil {
		fmt.Println(err)
		return m.Run() // the tests without a server
	}
	defer shared.Stop()
	return m.Run()
}

var schemas atomic.Int64

// newSchema returns a name that needs quotes.
func newSchema() string { return fmt.Sprintf("Schema %d", schemas.Add(1)) }

// server returns the shared server.
func server(t testing.TB) *postgrestest.Server {
	t.Helper()
	if shared == nil {
		t.Skip(postgrestest.ErrNotInstalled) // it says what to install; CI installs Postgres
	}
	return shared
}

// start starts a server for one test.
func start(t testing.TB, opts postgrestest.Options) *postgrestest.Server {
	t.Helper()
	s, err := postgrestest.Start(opts)
	if errors.Is(err, postgrestest.ErrNotInstalled) {
		t.Skip(err) // as above
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return s
}

// connect returns a pool whose goroutines run already.
func connect(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, pool.Ping(t.Context()))
	return pool
}

// open opens a store. Unless the test sets a timeout, a busy machine has a minute for each request.
func open(t testing.TB, opts postgres.Options) (store *postgres.Store) {
	t.Helper()
	opts.Timeout = cmp.Or(opts.Timeout, time.Minute)
	storagetest.Insist(t, func() (err error) {
		store, err = postgres.Open(t.Context(), opts)
		return err
	})
	return store
}
