package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

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

// BenchmarkFloor compares a write of the store with what a store in Postgres does at least: it writes the rows of an
// object and its change, orders the commits, and notifies another connection. The benchmark alternates between them. It
// reports the fastest twentieth of each in microseconds, so other work on the machine matters little, and how many times
// as long as the bare transaction this is; and the median.
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
	type step struct {
		name           string
		write          func(text string) error
		show           func() error // returns when another replica has the write; nil without another replica
		written, shown []time.Duration
	}
	var steps []*step
	for _, same := range []struct{ name, statement string }{
		{"same", sameWrite}, {"ordered", orderedWrite}, {"notified", notifiedWrite},
	} {
		url := database(same.name)
		require.NoError(b, open(b, postgres.Options{Pool: connect(b, url)}).Close())
		conn := single(url)
		_, err := conn.Exec(b.Context(), sameTables)
		require.NoError(b, err)
		next := &step{name: same.name, write: func(text string) error {
			_, err := conn.Exec(b.Context(), same.statement, sameArguments("x", text)...)
			return err
		}}
		if same.name == "notified" {
			listener := single(url)
			_, err := listener.Exec(b.Context(), "LISTEN same")
			require.NoError(b, err)
			next.show = func() error { _, err := listener.WaitForNotification(b.Context()); return err }
		}
		steps = append(steps, next)
	}
	alone := serving(b, postgres.Options{Pool: connect(b, database("alone"))})
	steps = append(steps, &step{name: "store", write: func(text string) error {
		_, err := put(b.Context(), alone, "x", text)
		return err
	}})
	pool := connect(b, database("pair"))
	store, peer := serving(b, postgres.Options{Pool: pool}), serving(b, postgres.Options{Pool: pool})
	_, err := peer.List(b.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(b, err)
	cursor, err := peer.Watch(b.Context(), watch.Key{Resource: notes}, peer.Revision())
	require.NoError(b, err)
	defer cursor.Close()
	steps = append(steps, &step{
		name:  "pair",
		write: func(text string) error { _, err := put(b.Context(), store, "x", text); return err },
		show:  func() error { _, err := cursor.Next(b.Context(), nil); return err },
	})

	for n := 0; b.Loop(); n++ {
		for _, step := range steps {
			text := large + fmt.Sprint(b.N, " ", n)
			began := time.Now()
			require.NoError(b, step.write(text))
			step.written = append(step.written, time.Since(began))
			if step.show != nil {
				require.NoError(b, step.show())
				step.shown = append(step.shown, time.Since(began))
			}
		}
	}
	slices.Sort(steps[0].written)
	bare := fastest(steps[0].written)
	report := func(times []time.Duration, name string) {
		if len(times) > 0 {
			slices.Sort(times)
			b.ReportMetric(fastest(times), name+"-µs")
			b.ReportMetric(fastest(times)/bare, name+"/same")
			b.ReportMetric(micros(times[len(times)/2]), name+"-median-µs")
		}
	}
	for _, step := range steps {
		report(step.written, step.name)
		report(step.shown, step.name+"-shown")
	}
}

// fastest returns the fastest twentieth of sorted times in microseconds.
func fastest(times []time.Duration) float64 { return micros(times[len(times)/20]) }

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
