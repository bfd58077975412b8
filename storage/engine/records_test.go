package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
)

// Each record is found by its key, even if several keys have the same hash.
func TestRecordsAreFoundByHash(t *testing.T) {
	for name, hash := range map[string]func(storage.Key) uint64{
		"different hashes": newHash(),
		"same hash":        func(storage.Key) uint64 { return 7 },
		"three hashes":     func(k storage.Key) uint64 { return uint64(k.Name[len(k.Name)-1] % 3) },
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			all, want := newRecords(), map[storage.Key]*storage.Record{}
			all.hash = hash
			o := newObjects(withDefaults(storage.Options{}), Start{})
			table := &table{tree: all}
			for range 5000 {
				key := storage.Key{Namespace: fmt.Sprint("ns", random.IntN(3)), Name: fmt.Sprint("n", random.IntN(20))}
				switch r := (&storage.Record{Key: key}); {
				case want[key] != nil && random.IntN(2) == 0:
					all.Delete(want[key])
					delete(want, key)
				case random.IntN(2) == 0:
					all.Load(r)
					want[key] = r
				default:
					all.Set(r)
					want[key] = r
				}
				asked := storage.Key{Namespace: fmt.Sprint("ns", random.IntN(4)), Name: fmt.Sprint("n", random.IntN(21))}
				for _, k := range []storage.Key{key, asked} {
					require.Same(t, want[k], o.find(table, k), "%v", k)
					inTree, _ := all.Get(&storage.Record{Key: k})
					require.Same(t, want[k], inTree, "%v", k)
				}
			}
			assert.Equal(t, len(want), all.Len())
			assert.LessOrEqual(t, len(all.byHash), 60, "a deleted record leaves the map")
		})
	}
}

// A key differs from the one with namespace and name exchanged.
func TestHashTellsNamespaceFromName(t *testing.T) {
	hash := newHash()
	assert.NotEqual(t, hash(storage.Key{Namespace: "a", Name: "b"}), hash(storage.Key{Namespace: "b", Name: "a"}))
	assert.NotEqual(t, hash(storage.Key{Namespace: "a", Name: "a"}), hash(storage.Key{Namespace: "b", Name: "b"}))
}
