package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
)

// limited returns a pool of one connection, for a role to which Postgres gives a few connections.
func limited(t *testing.T, role string, connections int) *pgxpool.Pool {
	t.Helper()
	admin := connect(t, server(t).URL("postgres"))
	_, err := admin.Exec(t.Context(), fmt.Sprintf("CREATE ROLE %s LOGIN CONNECTION LIMIT %d", role, connections))
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), "GRANT CREATE ON DATABASE postgres TO "+role)
	require.NoError(t, err)
	config, err := pgxpool.ParseConfig(server(t).URL("postgres"))
	require.NoError(t, err)
	config.ConnConfig.User, config.MaxConns = role, 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// Stores of one pool hold one connection each beside those of the pool. If Postgres allows no more, the error says so
// first.
func TestConnectionsOfManyStores(t *testing.T) {
	const stores = 5
	pool := limited(t, "crowd", stores+1)
	for range stores {
		serving(t, postgres.Options{Pool: pool, Schema: newSchema()})
	}
	held := 0
	err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE usename = 'crowd'").Scan(&held)
	require.NoError(t, err)
	assert.Equal(t, stores+1, held)
	_, err = postgres.Open(t.Context(), postgres.Options{Pool: pool, Schema: newSchema()})
	require.ErrorIs(t, err, storage.ErrUnavailable)
	cause := strings.Index(err.Error(), "too many connections for role")
	require.GreaterOrEqual(t, cause, 0, err)
	assert.Less(t, cause, strings.Index(err.Error(), "failed to connect"), err)
	assert.Contains(t, err.Error(), "one beside the pool")
}

// The host may keep all connections of the pool for itself. The error does not blame Postgres then.
func TestExhaustedPool(t *testing.T) {
	pool := limited(t, "busy", 10)
	store := serving(t, postgres.Options{Pool: pool, Schema: newSchema(), Timeout: time.Second})
	conn, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = store.Get(t.Context(), note("x"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	assert.ErrorContains(t, store.Ready(), "all 1 connections of the pool are in use")
}
