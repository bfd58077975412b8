package postgres_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

// The tables and their indexes do not grow with the number of updates, with the defaults of autovacuum. DECORUM_UPDATES
// sets the number.
func TestSizes(t *testing.T) {
	const objects, parts = 200, 10
	updates := 20_000
	if text := os.Getenv("DECORUM_UPDATES"); text != "" {
		var err error
		updates, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	pool := connect(t, start(t, postgrestest.Options{}).URL("postgres"))
	store := serving(t, postgres.Options{Pool: pool, Schema: "sizes", HistoryBytes: 4 << 20})
	var sizes []map[string]int64
	for range parts {
		var writing sync.WaitGroup
		var written atomic.Int64
		for range 64 {
			writing.Go(func() {
				random := make([]byte, 950) // so that Postgres cannot compress it
				for n := written.Add(1); n <= int64(updates/parts); n = written.Add(1) {
					_, _ = rand.Read(random)
					if _, err := put(t.Context(), store, fmt.Sprint(n%objects), hex.EncodeToString(random)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		writing.Wait()
		rows, err := pool.Query(t.Context(),
			`SELECT regexp_replace(relname, '_[0-3](_pkey)?$', '\1'), sum(pg_table_size(oid))::bigint
			FROM pg_class WHERE relnamespace = 'sizes'::regnamespace AND relkind IN ('r', 'i') GROUP BY 1`)
		require.NoError(t, err)
		size := map[string]int64{}
		for rows.Next() {
			name, bytes := "", int64(0)
			require.NoError(t, rows.Scan(&name, &bytes))
			size[name] = bytes
		}
		require.NoError(t, rows.Err())
		sizes = append(sizes, size)
	}
	largest := func(of []map[string]int64, name string) (bytes int64) {
		for _, size := range of {
			bytes = max(bytes, size[name])
		}
		return bytes
	}
	for _, name := range slices.Sorted(maps.Keys(sizes[0])) {
		first, second := largest(sizes[:parts/2], name), largest(sizes[parts/2:], name)
		t.Logf("%s: %d KiB in the first half, %d KiB in the second", name, first>>10, second>>10)
		require.LessOrEqual(t, second, max(2*first, 1<<20), "%s grows", name)
	}
}
