package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/floortest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/watch"
)

var (
	// orderedWrite takes the revision from a row that orders the commits.
	orderedWrite = strings.Replace(sameWrite, "SELECT nextval('same_sequence') AS revision",
		"UPDATE same_state SET revision = revision + 1 RETURNING revision", 1)
	// notifiedWrite also notifies the replicas.
	notifiedWrite = strings.Replace(orderedWrite, "SELECT revision FROM next",
		"SELECT pg_notify('same', revision::text) FROM next", 1)
)

// BenchmarkFloor compares a write of the store with the minimum that a store in Postgres must do: it writes the rows of
// an object and its change, orders the commits, and notifies another connection.
func BenchmarkFloor(b *testing.B) {
	s := start(b, postgrestest.Options{Sync: true})
	// Each has a database, because all connections of a database that listen hear of all its notifications.
	database := func(name string) string {
		execute(b, connect(b, s.URL("postgres")), "CREATE DATABASE "+name)
		return s.URL(name)
	}
	single := func(url string) *pgx.Conn {
		conn, err := pgx.Connect(b.Context(), url)
		require.NoError(b, err)
		b.Cleanup(func() { _ = conn.Close(context.Background()) })
		return conn
	}
	text := func(n int) string { return large + fmt.Sprint(n) }
	var steps []*floortest.Step
	for _, bare := range []struct{ name, statement string }{
		{"same", sameWrite}, {"ordered", orderedWrite}, {"notified", notifiedWrite},
	} {
		url := database(bare.name)
		require.NoError(b, open(b, postgres.Options{Pool: connect(b, url)}).Close())
		conn := single(url)
		_, err := conn.Exec(b.Context(), sameTables)
		require.NoError(b, err)
		next := &floortest.Step{Name: bare.name, Write: func(n int) error {
			_, err := conn.Exec(b.Context(), bare.statement, sameArguments("x", text(n))...)
			return err
		}}
		if bare.name == "notified" {
			listener := single(url)
			_, err := listener.Exec(b.Context(), "LISTEN same")
			require.NoError(b, err)
			next.Show = func() error { _, err := listener.WaitForNotification(b.Context()); return err }
		}
		steps = append(steps, next)
	}
	write := func(store *postgres.Store) func(int) error {
		return func(n int) error { _, err := put(b.Context(), store, "x", text(n)); return err }
	}
	alone := serving(b, postgres.Options{Pool: connect(b, database("alone"))})
	pool := connect(b, database("pair"))
	store, peer := serving(b, postgres.Options{Pool: pool}), serving(b, postgres.Options{Pool: pool})
	_, err := peer.List(b.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(b, err)
	cursor, err := peer.Watch(b.Context(), watch.Key{Resource: notes}, peer.Revision())
	require.NoError(b, err)
	defer cursor.Close()
	floortest.Compare(b, 1, append(steps,
		&floortest.Step{Name: "store", Write: write(alone)},
		&floortest.Step{
			Name: "pair", Write: write(store),
			Show: func() error { _, err := cursor.Next(b.Context(), nil); return err },
		},
	)...)
}
