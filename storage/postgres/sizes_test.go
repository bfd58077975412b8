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

// The tables and their indexes do not grow with the number of updates, with the defaults of autovacuum. A table
// may grow once, because any snapshot that stays open for a while keeps earlier versions. The test fails if a table
// grows in most parts of the updates. DECORUM_UPDATES sets the number of updates.
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
				random := make([]byte, 950) // Postgres cannot compress random bytes
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
	for _, name := range slices.Sorted(maps.Keys(sizes[0])) {
		var all, growth []int64 // numbers of KiB
		for i, size := range sizes {
			all = append(all, size[name]>>10)
			if i > 0 {
				growth = append(growth, all[i]-all[i-1])
			}
		}
		t.Logf("%s: %d KiB", name, all)
		slices.Sort(growth)
		first, second := slices.Max(all[:parts/2]), slices.Max(all[parts/2:])
		inMost, inAll := growth[len(growth)/2] > all[0]/20, second > max(first*3/2, 1<<10)
		require.False(t, inMost && inAll, "%s grows", name)
	}
}
