package postgres_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// bounced returns a pool that reaches a server through PgBouncer in transaction mode.
func bounced(t testing.TB, s *postgrestest.Server) *pgxpool.Pool {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !isFile(program) {
			t.Skip("NOT RUN: there is no PgBouncer: install the package pgbouncer (apt-get install pgbouncer)") // CI installs it
		}
	}
	dir := filepath.Dir(s.Socket())
	require.NoError(t, s.WriteFile("pgbouncer.ini", fmt.Appendf(nil, `[databases]
* = host=%[1]s port=5432 user=postgres
[pgbouncer]
listen_port = 6432
unix_socket_dir = %[1]s
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`, dir)))
	process := s.Command(program, "-q", "pgbouncer.ini")
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		require.NoError(t, process.Process.Kill())
		_ = process.Wait() // it was killed
	})
	query := url.Values{"host": {dir}, "port": {"6432"}, "user": {"postgres"}}
	config, err := pgxpool.ParseConfig("postgres:///postgres?" + query.Encode())
	require.NoError(t, err)
	config.MaxConns = 16
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	eventually(t, func() error { return pool.Ping(t.Context()) })
	return pool
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Behind PgBouncer in transaction mode, a store refuses to listen and says what to set. With an interval it serves,
// follows other replicas, and writes in transactions of the host.
func TestPgBouncer(t *testing.T) {
	s := server(t)
	pool, schema := bounced(t, s), newSchema()
	_, err := postgres.Open(t.Context(), postgres.Options{Pool: pool, Schema: schema})
	require.ErrorContains(t, err, "Options.Poll")

	direct := serving(t, postgres.Options{Pool: connect(t, s.URL("postgres")), Schema: schema})
	store := serving(t, postgres.Options{Pool: pool, Schema: schema, Poll: 20 * time.Millisecond})
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, store.Revision())
	require.NoError(t, err)
	defer cursor.Close()
	next := func(want *storage.Record) {
		t.Helper()
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, changes, 1)
		if want != nil {
			require.Equal(t, want, changes[0].Current)
		}
	}
	for n := range 5 {
		r, err := put(t.Context(), store, "own", fmt.Sprint(n))
		require.NoError(t, err)
		next(r)
		r, err = put(t.Context(), direct, "other", fmt.Sprint(n))
		require.NoError(t, err)
		next(r)
	}
	require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := put(postgres.InTx(t.Context(), tx), store, "host", "1")
		return err
	}))
	next(nil)
	require.Contains(t, string(storagetest.Text(latest(t, direct, "host"))), `"text":"1"`)
}
