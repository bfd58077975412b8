package etcdtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

// large is the text of an object of 2 KB.
var large = strings.Repeat("x", 1900)

// synced returns a client of a cluster that syncs its files.
func synced(b *testing.B) *clientv3.Client {
	b.Helper()
	cluster, err := etcdtest.Start(b.TempDir(), etcdtest.Options{Sync: true})
	require.NoError(b, err)
	b.Cleanup(func() { cluster.Stop() })
	return connect(b, cluster)
}

// BenchmarkRead compares reads of a 2 KB object: etcd's linearizable get, and gets of the most recent and of any state.
func BenchmarkRead(b *testing.B) {
	client, prefix := connect(b, shared), newPrefix()
	store := serving(b, etcd.Options{Client: client, Prefix: prefix})
	_, err := put(b.Context(), store, "x", large)
	require.NoError(b, err)
	key := prefix + "/objects/notes.example.com/default/x"
	reads := map[string]func() error{
		"etcd":        func() error { _, err := client.Get(b.Context(), key); return err },
		"most recent": func() error { _, err := store.Get(b.Context(), note("x"), storage.MostRecent); return err },
		"any":         func() error { _, err := store.Get(b.Context(), note("x"), storage.Any); return err },
	}
	for _, name := range []string{"etcd", "most recent", "any"} {
		b.Run("one/"+name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, reads[name]())
			}
		})
		b.Run("many/"+name, func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := reads[name](); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkOpen opens a replica of 100,000 objects of 2 KB.
func BenchmarkOpen(b *testing.B) {
	const objects, group = 100_000, 100
	client, prefix := connect(b, shared), newPrefix()
	store := serving(b, etcd.Options{Client: client, Prefix: prefix})
	for first := 0; first < objects; first += group {
		keys, texts := make([]storage.Key, group), make([][]byte, group)
		for i := range keys {
			keys[i] = note(fmt.Sprintf("%06d", first+i))
			texts[i] = noteJSON(keys[i].Name, large)
		}
		_, err := store.UpdateAll(b.Context(), keys, func([]*storage.Record) ([][]byte, error) { return texts, nil })
		require.NoError(b, err)
	}
	require.NoError(b, store.Compact(b.Context(), store.Revision())) // without history
	for b.Loop() {
		replica := open(b, etcd.Options{Client: client, Prefix: prefix})
		require.NoError(b, replica.Register(b.Context(), noteResource))
		require.NoError(b, replica.Close())
	}
}
