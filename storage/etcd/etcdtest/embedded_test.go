package etcdtest_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/floortest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

func openEmbedded(b *testing.B, dir string) *embedded.Store {
	b.Helper()
	store, err := embedded.Open(b.Context(), embedded.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	return store
}

// BenchmarkEmbedded compares a store over a separate etcd with a store over a member in the same process. It measures
// writes and reads of the most recent state. In both cases, etcd has one member that syncs its files.
func BenchmarkEmbedded(b *testing.B) {
	apart := serving(b, etcd.Options{Client: synced(b)})
	inside := openEmbedded(b, b.TempDir())
	defer inside.Close()
	require.NoError(b, inside.Register(b.Context(), noteResource))
	write := func(store storage.Store) func(int) error {
		return func(n int) error {
			text := noteJSON("x", large+fmt.Sprint(n))
			_, err := store.Update(b.Context(), note("x"), func(*storage.Record) ([]byte, error) { return text, nil })
			return err
		}
	}
	read := func(store storage.Store) func(int) error {
		return func(int) error {
			_, err := store.Get(b.Context(), note("x"), storage.MostRecent)
			return err
		}
	}
	b.Run("write", func(b *testing.B) {
		floortest.Compare(b, 20, &floortest.Step{Name: "apart", Write: write(apart)},
			&floortest.Step{Name: "embedded", Write: write(inside)})
	})
	b.Run("read", func(b *testing.B) {
		floortest.Compare(b, 20, &floortest.Step{Name: "apart", Write: read(apart)},
			&floortest.Step{Name: "embedded", Write: read(inside)})
	})
}

// BenchmarkEmbeddedStart compares the start of a separate etcd and a store over it with the start of a store over a
// member in the same process. Both use existing directories.
func BenchmarkEmbeddedStart(b *testing.B) {
	dir := b.TempDir()
	b.Run("apart", func(b *testing.B) {
		for b.Loop() {
			cluster, err := etcdtest.Start(filepath.Join(dir, "apart"), etcdtest.Options{Sync: true})
			require.NoError(b, err)
			store := open(b, etcd.Options{Client: connect(b, cluster)})
			require.NoError(b, store.Close())
			require.NoError(b, cluster.Stop())
		}
	})
	b.Run("embedded", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, openEmbedded(b, filepath.Join(dir, "embedded")).Close())
		}
	})
}
