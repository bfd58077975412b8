package etcdtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
	"github.com/decorum-go/decorum/watch"
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

// swap replaces a key of etcd if it has not changed, as a store must.
func swap(ctx context.Context, client *clientv3.Client, key, value string, revision int64) (int64, error) {
	response, err := client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=",
		revision)).Then(clientv3.OpPut(key, value)).Commit()
	if err != nil {
		return 0, err
	}
	return response.Header.Revision, nil
}

// BenchmarkWrite compares an update of a 2 KB object with a transaction that replaces a key of the same size.
func BenchmarkWrite(b *testing.B) {
	client := synced(b)
	b.Run("etcd", func(b *testing.B) {
		revision := int64(0)
		response, err := client.Get(b.Context(), "bare")
		require.NoError(b, err)
		if len(response.Kvs) > 0 {
			revision = response.Kvs[0].ModRevision
		}
		for n := 0; b.Loop(); n++ {
			revision, err = swap(b.Context(), client, "bare", large+fmt.Sprint(n), revision)
			require.NoError(b, err)
		}
	})
	b.Run("store", func(b *testing.B) {
		store := serving(b, etcd.Options{Client: client, Prefix: newPrefix()})
		for n := 0; b.Loop(); n++ {
			_, err := put(b.Context(), store, "x", large+fmt.Sprint(n))
			require.NoError(b, err)
		}
	})
}

// BenchmarkWatch compares the time from a write until a watch shows it, on the same and on another replica, with that
// of a bare transaction and watch.
func BenchmarkWatch(b *testing.B) {
	client := synced(b)
	b.Run("etcd", func(b *testing.B) {
		events := client.Watch(b.Context(), "watched")
		revision := int64(0)
		response, err := client.Get(b.Context(), "watched")
		require.NoError(b, err)
		if len(response.Kvs) > 0 {
			revision = response.Kvs[0].ModRevision
		}
		for n := 0; b.Loop(); n++ {
			revision, err = swap(b.Context(), client, "watched", large+fmt.Sprint(n), revision)
			require.NoError(b, err)
			<-events
		}
	})
	prefix := newPrefix()
	store, peer := serving(b, etcd.Options{Client: client, Prefix: prefix}),
		serving(b, etcd.Options{Client: client, Prefix: prefix})
	for name, on := range map[string]*etcd.Store{"same replica": store, "another replica": peer} {
		b.Run(name, func(b *testing.B) {
			_, err := on.Get(b.Context(), note("x"), storage.MostRecent)
			require.True(b, err == nil || errors.Is(err, storage.ErrNotFound))
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
