package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/watch"
)

// large is the text of an object of 2 KB.
var large = strings.Repeat("x", 1900)

// sameTables are the tables of the store, beside a sequence and beside a row that orders the commits.
const sameTables = `CREATE TABLE same_objects (LIKE decorum.objects INCLUDING ALL) WITH (fillfactor = 60, toast_tuple_target = 8160);
	CREATE TABLE same_changes (LIKE decorum.changes INCLUDING ALL) WITH (toast_tuple_target = 8160);
	CREATE SEQUENCE same_sequence; CREATE TABLE same_state (revision bigint) WITH (fillfactor = 50); INSERT INTO same_state VALUES (0)`

// sameWrite writes all columns of an object and its change in one statement. It is the bare transaction of the rows of
// a write.
const sameWrite = `WITH next AS (SELECT nextval('same_sequence') AS revision),
	change AS (INSERT INTO same_changes (slot, revision, image, last, at, origin, resource, namespace, name, previous,
			form, written, creator, key_id, position, body)
		SELECT 0, revision, false, revision, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM next),
	object AS (INSERT INTO same_objects (resource, namespace, name, revision, form, written, creator, key_id, position, body)
		SELECT $3, $4, $5, revision, $7, $8, $9, $10, $11, $12 FROM next
		ON CONFLICT (resource, namespace, name) DO UPDATE SET revision = excluded.revision, form = excluded.form,
			written = excluded.written, creator = excluded.creator, key_id = excluded.key_id, position = excluded.position,
			body = excluded.body)
	SELECT revision FROM next`

// sameArguments are the arguments of sameWrite.
func sameArguments(name, text string) []any {
	return []any{1, 1, notes, "default", name, 1, 1, 1, "creator", "", 1, []byte(text)}
}

// BenchmarkWrite compares an update of a 2 KB object with a bare transaction that writes the same rows, with one and
// with 64 writers.
func BenchmarkWrite(b *testing.B) {
	pool := connect(b, start(b, postgrestest.Options{Sync: true}).URL("postgres"))
	store := serving(b, postgres.Options{Pool: pool})
	execute(b, pool, sameTables)
	writes := map[string]func(writer, n int) error{
		"bare": func(writer, n int) error {
			_, err := pool.Exec(b.Context(), sameWrite, sameArguments(fmt.Sprint(writer), large+fmt.Sprint(n))...)
			return err
		},
		"store": func(writer, n int) error {
			_, err := put(b.Context(), store, fmt.Sprint(writer), large+fmt.Sprint(n))
			return err
		},
	}
	for _, name := range []string{"bare", "store"} {
		b.Run("one/"+name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				require.NoError(b, writes[name](0, b.N+n))
			}
		})
		b.Run("64/"+name, func(b *testing.B) {
			var writers atomic.Int64
			b.SetParallelism(32) // 32 goroutines for each of two processors
			b.RunParallel(func(pb *testing.PB) {
				writer := int(writers.Add(1))
				for n := 0; pb.Next(); n++ {
					if err := writes[name](writer, b.N+n); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkWatch measures the time from a write until a watch shows it, on the same and on another replica.
func BenchmarkWatch(b *testing.B) {
	pool := connect(b, start(b, postgrestest.Options{Sync: true}).URL("postgres"))
	store, peer := serving(b, postgres.Options{Pool: pool}), serving(b, postgres.Options{Pool: pool})
	for name, on := range map[string]*postgres.Store{"same replica": store, "another replica": peer} {
		b.Run(name, func(b *testing.B) {
			_, err := on.List(b.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
			require.NoError(b, err)
			cursor, err := on.Watch(b.Context(), watch.Key{Resource: notes}, on.Revision())
			require.NoError(b, err)
			defer cursor.Close()
			for n := 0; b.Loop(); n++ {
				_, err := put(b.Context(), store, "x", large+fmt.Sprint(b.N, " ", n))
				require.NoError(b, err)
				_, err = cursor.Next(b.Context(), nil)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkRead compares reads of a 2 KB object: by primary key in Postgres, and gets of the most recent and of any
// state.
func BenchmarkRead(b *testing.B) {
	pool, schema := connect(b, server(b).URL("postgres")), newSchema()
	store := serving(b, postgres.Options{Pool: pool, Schema: schema})
	_, err := put(b.Context(), store, "x", large)
	require.NoError(b, err)
	reads := map[string]func() error{
		"bare": func() error {
			var body []byte
			return pool.QueryRow(b.Context(),
				`SELECT body FROM "`+schema+`".objects WHERE resource = $1 AND namespace = $2 AND name = $3`, notes, "default",
				"x").Scan(&body)
		},
		"most recent": func() error { _, err := store.Get(b.Context(), note("x"), storage.MostRecent); return err },
		"any":         func() error { _, err := store.Get(b.Context(), note("x"), storage.Any); return err },
	}
	for _, name := range []string{"bare", "most recent", "any"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, reads[name]())
			}
		})
	}
}

// BenchmarkStart measures how long a replica takes to serve 100,000 objects of 2 KB.
func BenchmarkStart(b *testing.B) {
	const objects, writers = 100_000, 64
	pool, schema := connect(b, server(b).URL("postgres")), newSchema()
	opts := postgres.Options{Pool: pool, Schema: schema}
	store := serving(b, opts)
	var writing sync.WaitGroup
	for writer := range writers {
		writing.Go(func() {
			for n := writer; n < objects; n += writers {
				if _, err := put(b.Context(), store, fmt.Sprint(n), large); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	for b.Loop() {
		replica := serving(b, opts)
		page, err := replica.List(b.Context(), storage.Query{Within: storage.Key{Resource: notes}, Limit: 1}, nil)
		require.NoError(b, err)
		require.Equal(b, int64(objects-1), page.Remaining)
	}
}
