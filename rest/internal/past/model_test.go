package past_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/historytest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

// lasting is a store in memory that outlives the programs of a test.
type lasting struct{ *memory.Store }

// Close implements [storage.Store].
func (lasting) Close() error { return nil }

// Whatever clients do, and however the program ends, the history of each object is the list of its versions.
func TestModel(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		store := lasting{apitest.CloseAtEnd(t, memory.New(storage.Options{}))}
		historytest.Run(t, historytest.Stores{Open: func() storage.Store { return store }}, 300)
	})
	key, err := bolt.NewAEAD(bolt.Key{ID: "1", Secret: bytes.Repeat([]byte("k"), 16)})
	require.NoError(t, err)
	for name, transformer := range map[string]bolt.Transformer{"file": nil, "sealed file": key} {
		t.Run(name, func(t *testing.T) {
			dir, files := t.TempDir(), 0
			path := func() string { return filepath.Join(dir, fmt.Sprint(files)) }
			historytest.Run(t, historytest.Stores{
				Open: func() storage.Store {
					store, err := bolt.Open(t.Context(), bolt.Options{Path: path(), Transformer: transformer})
					require.NoError(t, err)
					return store
				},
				// After a crash the program finds the file as it was when the last write was acknowledged.
				Crash: func() {
					left, err := os.ReadFile(path())
					require.NoError(t, err)
					files++
					require.NoError(t, os.WriteFile(path(), left, 0o600))
				},
			}, 300)
			for ; files >= 0; files-- {
				written, err := os.ReadFile(path())
				require.NoError(t, err)
				readable := bytes.Contains(written, []byte(historytest.Planted))
				if transformer != nil {
					assert.False(t, readable, "file %d", files)
					continue
				}
				require.True(t, readable, "a plain file shows what the test searches for")
				break
			}
		})
	}
}
