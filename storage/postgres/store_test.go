package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/internal/test/sealtest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

const notes = "notes.example.com"

var noteResource = storage.Resource{Name: notes, Namespaced: true, Extract: storage.NewExtractor(), Fingerprint: "1"}

func note(name string) storage.Key {
	return storage.Key{Resource: notes, Namespace: "default", Name: name}
}

func noteJSON(name, text string) []byte {
	return fmt.Appendf(nil, `{"kind":"Note","metadata":{"name":%q,"namespace":"default","resourceVersion":""},"text":%q}`,
		name, text)
}

// serving opens a store that serves notes.
func serving(t testing.TB, opts postgres.Options) *postgres.Store {
	t.Helper()
	store := open(t, opts)
	storagetest.Insist(t, func() error { return store.Register(t.Context(), noteResource) })
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func put(ctx context.Context, store storage.Store, name, text string) (*storage.Record, error) {
	return store.Update(ctx, note(name), func(*storage.Record) ([]byte, error) { return noteJSON(name, text), nil })
}

// No name reaches SQL as text, and an object of one resource cannot be found under another one.
func TestHostileNames(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	hostile := []string{`"; DROP TABLE objects; --`, `a"b`, `a'b`, `$1`, `{schema}`, `%s`, `\`,
		"a.b", "ünïcödé", "\t\n", strings.Repeat("x", 63)}
	for _, schema := range hostile {
		store := serving(t, postgres.Options{Pool: pool, Schema: schema})
		for _, name := range hostile {
			r, err := put(t.Context(), store, name, name)
			require.NoError(t, err, "%q", name)
			require.Equal(t, name, r.Key.Name)
		}
		require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			_, err := put(postgres.InTx(t.Context(), tx), store, schema, "2")
			return err
		}))
		reopened := serving(t, postgres.Options{Pool: pool, Schema: schema})
		page, err := reopened.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
		require.NoError(t, err)
		require.Len(t, page.Records, len(hostile))
		exists := false
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)",
			schema).Scan(&exists))
		require.True(t, exists, "the schema has exactly this name: %q", schema)
		for _, name := range []string{"a\x00b", "\xff"} {
			_, err := put(t.Context(), store, name, "")
			require.ErrorIs(t, err, storage.ErrKey)
		}
	}
	for _, schema := range []string{"pg_catalog", "pg_x", "information_schema", strings.Repeat("x", 64), "a\x00b",
		"\xff"} {
		_, err := postgres.Open(t.Context(), postgres.Options{Pool: pool, Schema: schema})
		require.ErrorContains(t, err, "schema", "%q", schema)
	}
}

// With a transformer, no table has the text of an object.
func TestSealed(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	const secret = "nobody may read this"
	key := func(id string) seal.Key { return seal.Key{ID: id, Secret: bytes.Repeat([]byte(id), 16)} }
	aead := func(keys ...seal.Key) seal.Transformer {
		transformer, err := seal.NewAEAD(keys...)
		require.NoError(t, err)
		return transformer
	}
	store := serving(t, postgres.Options{Pool: pool, Schema: schema, Transformer: aead(key("1"))})
	want, err := put(t.Context(), store, "x", secret)
	require.NoError(t, err)
	require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		ctx := postgres.InTx(t.Context(), tx)
		if _, err := put(ctx, store, "z", secret); err != nil {
			return err
		}
		pending := 0
		count := fmt.Sprintf(`SELECT count(*) FROM "%s".pending WHERE position($1 IN body) = 0 AND key_id = '1'`, schema)
		require.NoError(t, tx.QueryRow(ctx, count, []byte(secret)).Scan(&pending))
		require.Equal(t, 1, pending)
		_, err := store.Get(ctx, note("z"), storage.MostRecent)
		return err
	}))
	for _, table := range []string{"objects", "changes"} {
		plain := 0
		count := fmt.Sprintf(`SELECT count(*) FROM "%s".%s WHERE position($1 IN body) > 0`, schema, table)
		require.NoError(t, pool.QueryRow(t.Context(), count, []byte(secret)).Scan(&plain))
		require.Zero(t, plain, table)
	}
	rotated := serving(t, postgres.Options{Pool: pool, Schema: schema, Transformer: aead(key("2"), key("1"))})
	got, err := rotated.Get(t.Context(), note("x"), storage.MostRecent)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = put(t.Context(), rotated, "y", secret)
	require.NoError(t, err)
	_, err = store.Get(t.Context(), note("y"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrNotFound, "a replica without the new key does not serve the object")
	_, err = put(t.Context(), store, "y", "overwritten")
	require.ErrorIs(t, err, storage.ErrReadOnly)
	plain := open(t, postgres.Options{Pool: pool, Schema: schema})
	defer plain.Close()
	require.ErrorContains(t, plain.Register(t.Context(), noteResource), `sealed with key "1"`)
}

func TestFaultyTransformer(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	sealtest.Faulty(t, func(transformer seal.Transformer) (storage.Store, error) {
		return postgres.Open(t.Context(), postgres.Options{Pool: pool, Schema: schema, Transformer: transformer})
	})
}

// The history stays within its bound, while replicas follow and open.
func TestHistoryIsTrimmed(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	opts := postgres.Options{Pool: pool, Schema: schema, HistoryBytes: 40_000}
	store, peer := serving(t, opts), serving(t, opts)
	first, err := put(t.Context(), store, "first", large)
	require.NoError(t, err)
	cursor, err := peer.Watch(t.Context(), watch.Key{Resource: notes}, first.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	rows, seen, n := 0, 0, 0
	for rows == 0 || rows > 40 || n < 200 { // truncating takes its time
		n++
		_, err := put(t.Context(), store, fmt.Sprint(n%7), fmt.Sprint(n, large))
		require.NoError(t, err)
		changes, err := cursor.Next(t.Context(), nil) // a replica that falls behind so short a history would list again
		require.NoError(t, err)
		seen += len(changes)
		require.NoError(t, pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) FROM "%s".changes`, schema)).Scan(&rows))
	}
	require.Equal(t, n, seen, "the replica that follows has received every change")
	late := serving(t, opts)
	_, err = late.Watch(t.Context(), watch.Key{Resource: notes}, first.Revision)
	require.True(t, status.IsExpired(err), "%v", err)
	want, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(t, err)
	got, err := late.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// The history also ends at its age.
func TestHistoryEndsAtItsAge(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema,
		Engine: storage.Options{MaxLogAge: 20 * time.Millisecond}})
	n := 0
	eventually(t, func() error {
		n++
		_, err := put(t.Context(), store, "x", fmt.Sprint(n))
		require.NoError(t, err)
		rows := 0
		require.NoError(t, pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) FROM "%s".changes`, schema)).Scan(&rows))
		if n < 100 || rows > n/2 {
			return fmt.Errorf("after %d writes, the history has %d changes", n, rows)
		}
		return nil
	})
}

// While a query reads the history, such as that of pg_dump, the history grows, and writers do not wait. It shrinks
// afterwards.
func TestReadersKeepTheHistory(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema, HistoryBytes: 40_000})
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context())
	rows := 0
	count := fmt.Sprintf(`SELECT count(*) FROM "%s".changes`, schema)
	require.NoError(t, tx.QueryRow(t.Context(), count).Scan(&rows))
	write := func(n int) {
		_, err := put(t.Context(), store, fmt.Sprint(n%7), fmt.Sprint(n, large))
		require.NoError(t, err)
		require.NoError(t, pool.QueryRow(t.Context(), count).Scan(&rows))
	}
	for n := range 200 {
		write(n)
	}
	require.GreaterOrEqual(t, rows, 200)
	require.NoError(t, tx.Commit(t.Context()))
	for n := 0; rows > 40; n++ { // truncating takes its time
		require.Less(t, n, 100_000)
		write(n)
	}
}

// Replicas that poll follow each other, and their own writes return without waiting for the interval.
func TestPolling(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema, Poll: time.Hour})
	peer := serving(t, postgres.Options{Pool: pool, Schema: schema, Poll: 20 * time.Millisecond})
	cursor, err := peer.Watch(t.Context(), watch.Key{Resource: notes}, peer.Revision())
	require.NoError(t, err)
	defer cursor.Close()
	for n := range 5 {
		r, err := put(t.Context(), store, "x", fmt.Sprint(n))
		require.NoError(t, err)
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, changes, 1)
		require.Equal(t, r, changes[0].Current)
	}
}

// The first look at the figures asks for the size of the stored data, and later ones show it.
func TestSizeInStats(t *testing.T) {
	store := serving(t, postgres.Options{Pool: connect(t, server(t).URL("postgres")), Schema: "a'size"})
	_, err := put(t.Context(), store, "a", "x")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return store.StoreStats().FileBytes > 0 }, hangtest.Deadline, 10*time.Millisecond)
	stats := store.StoreStats()
	assert.Equal(t, store.ID(), stats.ID)
	assert.Less(t, stats.FreeBytes, stats.FileBytes)
}

// The store works in every mode in which the driver of the host's pool runs queries.
func TestModesOfTheDriver(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe,
		pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		t.Run(mode.String(), func(t *testing.T) {
			config, err := pgxpool.ParseConfig(server(t).URL("postgres"))
			require.NoError(t, err)
			config.ConnConfig.DefaultQueryExecMode = mode
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			require.NoError(t, err)
			t.Cleanup(pool.Close)
			opts := postgres.Options{Pool: pool, Schema: newSchema(), HistoryBytes: 40_000}
			store, peer := serving(t, opts), serving(t, opts)
			keys := []storage.Key{note("left"), note("right")}
			for n := range 20 {
				_, err = put(t.Context(), store, "one", fmt.Sprint(n, large))
				require.NoError(t, err)
				_, err = store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) {
					return [][]byte{noteJSON("left", fmt.Sprint(n)), noteJSON("right", fmt.Sprint(n))}, nil
				})
				require.NoError(t, err)
				require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
					_, err := put(postgres.InTx(t.Context(), tx), store, "host", fmt.Sprint(n))
					return err
				}))
				require.Equal(t, fmt.Sprint(n), textOf(latest(t, peer, "host")))
			}
			_, err = store.Update(t.Context(), note("one"), func(*storage.Record) ([]byte, error) { return nil, nil })
			require.NoError(t, err)
			want, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}, Revision: storage.MostRecent}, nil)
			require.NoError(t, err)
			for _, replica := range []*postgres.Store{peer, serving(t, opts)} {
				got, err := replica.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}, Revision: storage.MostRecent}, nil)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		})
	}
}
