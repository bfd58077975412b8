package etcdtest_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/internal/test/sealtest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
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
func serving(t testing.TB, opts etcd.Options) *etcd.Store {
	t.Helper()
	store := open(t, opts)
	storagetest.Insist(t, func() error { return store.Register(t.Context(), noteResource) })
	t.Cleanup(func() { store.Close() })
	return store
}

func put(ctx context.Context, store storage.Store, name, text string) (*storage.Record, error) {
	return store.Update(ctx, note(name), func(*storage.Record) ([]byte, error) { return noteJSON(name, text), nil })
}

func putAll(ctx context.Context, store storage.Store, count, size int) error {
	keys, texts := make([]storage.Key, count), make([][]byte, count)
	for i := range keys {
		keys[i] = note(fmt.Sprint("n", i))
		texts[i] = noteJSON(keys[i].Name, strings.Repeat("x", size))
	}
	_, err := store.UpdateAll(ctx, keys, func([]*storage.Record) ([][]byte, error) { return texts, nil })
	return err
}

func TestKeysAreReadable(t *testing.T) {
	client, prefix := connect(t, shared), newPrefix()
	store := serving(t, etcd.Options{Client: client, Prefix: prefix + "/"})
	r, err := put(t.Context(), store, "a/%b", "text")
	require.NoError(t, err)
	got, err := client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	values := map[string]string{}
	for _, kv := range got.Kvs {
		values[strings.TrimPrefix(string(kv.Key), prefix)] = string(kv.Value)
	}
	assert.Equal(t, "1", values["/forms/notes.example.com/0000"])
	assert.Contains(t, values["/meta"], store.ID())
	_, text, _ := strings.Cut(values["/objects/notes.example.com/default/a%2F%25b"], "\n")
	assert.Equal(t, string(noteJSON("a/%b", "text")), text)
	assert.Equal(t, note("a/%b"), r.Key)
	assert.Len(t, values, 4)

	_, err = client.Put(t.Context(), prefix+"/meta", `{"format":"another"}`)
	require.NoError(t, err)
	_, err = etcd.Open(t.Context(), etcd.Options{Client: client, Prefix: prefix})
	assert.ErrorIs(t, err, etcd.ErrFormat)
}

func TestLimits(t *testing.T) {
	store := serving(t, etcd.Options{Client: connect(t, shared), Prefix: newPrefix()})
	require.NoError(t, putAll(t.Context(), store, etcd.MaxGroup, 10))
	for name, c := range map[string]struct {
		count, size int
		want        string
	}{
		"too many objects":   {etcd.MaxGroup + 1, 10, "at most 127 objects"},
		"too many bytes":     {100, 16 << 10, "at most 1572864 bytes"},
		"a too large object": {1, 3 << 19, "at most 1572864 bytes"},
	} {
		err := putAll(t.Context(), store, c.count, c.size)
		assert.Equal(t, 413, status.CodeOf(err), "%s: %v", name, err)
		assert.ErrorContains(t, err, c.want, name)
	}
	require.NoError(t, putAll(t.Context(), store, 90, 16<<10), "nearly as large as the limit")
}

// Revisions of a new store start above the revisions of the store from which objects are imported.
func TestStartAboveAnotherStore(t *testing.T) {
	last := watch.Revision(time.Now().Add(1000 * time.Hour).UnixMicro())
	store := serving(t, etcd.Options{Client: connect(t, shared), Prefix: newPrefix(),
		Engine: storage.Options{Start: last}})
	assert.Greater(t, store.Revision(), last)
	r, err := put(t.Context(), store, "x", "text")
	require.NoError(t, err)
	assert.Greater(t, r.Revision, last)
}

func TestSealed(t *testing.T) {
	client, prefix := connect(t, shared), newPrefix()
	const secret = "nobody may read this"
	key := func(id string) seal.Key { return seal.Key{ID: id, Secret: bytes.Repeat([]byte(id), 16)} }
	aead := func(keys ...seal.Key) seal.Transformer {
		transformer, err := seal.NewAEAD(keys...)
		require.NoError(t, err)
		return transformer
	}
	store := serving(t, etcd.Options{Client: client, Prefix: prefix, Transformer: aead(key("1"))})
	want, err := put(t.Context(), store, "x", secret)
	require.NoError(t, err)
	raw, err := client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	for _, kv := range raw.Kvs {
		assert.NotContains(t, string(kv.Value), secret)
	}
	rotated := serving(t, etcd.Options{Client: client, Prefix: prefix, Transformer: aead(key("2"), key("1"))})
	got, err := rotated.Get(t.Context(), note("x"), storage.MostRecent)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	_, err = put(t.Context(), rotated, "y", secret)
	require.NoError(t, err)
	_, err = store.Get(t.Context(), note("y"), storage.MostRecent)
	assert.ErrorIs(t, err, storage.ErrNotFound, "a replica without the new key does not serve the object")
	_, err = put(t.Context(), store, "y", "overwritten")
	assert.ErrorIs(t, err, storage.ErrReadOnly)
	assert.ErrorContains(t, err, `no key "2"`)

	plain := open(t, etcd.Options{Client: client, Prefix: prefix})
	defer plain.Close()
	assert.ErrorContains(t, plain.Register(t.Context(), noteResource), `sealed with key "1"`)
}

func TestFaultyTransformer(t *testing.T) {
	client, prefix := connect(t, shared), newPrefix()
	sealtest.Faulty(t, func(transformer seal.Transformer) (storage.Store, error) {
		return etcd.Open(t.Context(), etcd.Options{Client: client, Prefix: prefix, Transformer: transformer})
	})
}

// An operator may delete an object with etcdctl, which makes no commit of the store.
func TestChangedByHand(t *testing.T) {
	client, prefix := connect(t, shared), newPrefix()
	store := serving(t, etcd.Options{Client: client, Prefix: prefix})
	r, err := put(t.Context(), store, "x", "text")
	require.NoError(t, err)
	cursor, err := store.Watch(t.Context(), note("x"), r.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	_, err = client.Delete(t.Context(), prefix+"/objects/notes.example.com/default/x")
	require.NoError(t, err)
	changes, err := cursor.Next(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	assert.Nil(t, changes[0].Current)
	_, err = put(t.Context(), store, "x", "again")
	require.NoError(t, err)
}

// An operator may change objects with etcdctl while no replica runs. A replica that opens later shows the change, also
// if the last commit is too old for its history. Without such a change, clients continue from the last commit.
func TestChangedByHandWhileClosed(t *testing.T) {
	client := connect(t, shared)
	for name, c := range map[string]struct {
		change func(object string) error
		check  func(t *testing.T, store *etcd.Store, last watch.Revision) error
	}{
		"a deletion": {
			func(object string) error { _, err := client.Delete(t.Context(), object); return err },
			func(t *testing.T, store *etcd.Store, _ watch.Revision) error {
				_, err := store.Get(t.Context(), note("x"), storage.MostRecent)
				assert.ErrorIs(t, err, storage.ErrNotFound)
				return nil
			},
		},
		"a former value": {
			func(object string) error {
				now, err := client.Get(t.Context(), object)
				if err != nil {
					return err
				}
				former, err := client.Get(t.Context(), object, clientv3.WithRev(now.Kvs[0].CreateRevision))
				if err == nil {
					_, err = client.Put(t.Context(), object, string(former.Kvs[0].Value))
				}
				return err
			},
			func(t *testing.T, store *etcd.Store, _ watch.Revision) error {
				r, err := store.Get(t.Context(), note("x"), storage.MostRecent)
				if err == nil {
					assert.Contains(t, string(storagetest.Text(r)), "former")
				}
				return err
			},
		},
		"another program's key": {
			func(string) error { _, err := client.Put(t.Context(), "/elsewhere", ""); return err },
			func(t *testing.T, store *etcd.Store, last watch.Revision) error {
				cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, last)
				if err == nil {
					cursor.Close()
				}
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := etcd.Options{Client: client, Prefix: newPrefix(), Engine: storage.Options{MaxLogAge: time.Nanosecond}}
			store := serving(t, opts)
			for _, text := range []string{"former", "latest"} {
				_, err := put(t.Context(), store, "x", text)
				require.NoError(t, err)
			}
			last, err := put(t.Context(), store, "y", "")
			require.NoError(t, err)
			require.NoError(t, store.Close())
			require.NoError(t, c.change(opts.Prefix+"/objects/notes.example.com/default/x"))
			require.NoError(t, c.check(t, serving(t, opts), last.Revision))
		})
	}
}

// Two replicas write, an operator deletes objects with etcdctl, and another program writes to the same etcd. A replica
// shows its own commits before its watch reports them, but only if nothing is missing before them: both replicas show
// the same changes in the same order.
func TestOwnCommitsKeepTheOrder(t *testing.T) {
	const each = 200
	client, prefix := connect(t, shared), newPrefix()
	replicas := []*etcd.Store{
		serving(t, etcd.Options{Client: client, Prefix: prefix}),
		serving(t, etcd.Options{Client: connect(t, shared), Prefix: prefix}),
	}
	require.NoError(t, putAll(t.Context(), replicas[0], 100, 10))
	cursors := make([]watch.Cursor[storage.Record], len(replicas))
	for i, replica := range replicas {
		_, err := replica.Get(t.Context(), note("n0"), storage.MostRecent)
		require.NoError(t, err)
		cursors[i], err = replica.Watch(t.Context(), watch.Key{Resource: notes}, replica.Revision())
		require.NoError(t, err)
		defer cursors[i].Close()
	}

	var work sync.WaitGroup
	times := func(count int, do func(n int) error) {
		work.Go(func() {
			for n := range count {
				assert.NoError(t, do(n))
			}
		})
	}
	for i, replica := range replicas {
		times(each, func(n int) error {
			_, err := put(t.Context(), replica, fmt.Sprint("own", i), fmt.Sprint(n))
			return err
		})
	}
	times(100, func(n int) error {
		_, err := client.Delete(t.Context(), fmt.Sprint(prefix, "/objects/notes.example.com/default/n", n))
		return err
	})
	times(each, func(n int) error {
		_, err := client.Put(t.Context(), "/elsewhere", fmt.Sprint(n))
		return err
	})
	work.Wait()
	_, err := put(t.Context(), replicas[0], "last", "") // a read waits for it, and so for all deletions
	require.NoError(t, err)

	seen := make([][]string, len(replicas))
	for i, replica := range replicas {
		_, err := replica.Get(t.Context(), note("last"), storage.MostRecent)
		require.NoError(t, err)
		for {
			changes, err := cursors[i].Poll(nil)
			require.NoError(t, err)
			if len(changes) == 0 {
				break
			}
			for _, c := range changes {
				seen[i] = append(seen[i], fmt.Sprint(c.Revision, c.Key.Name, c.Current == nil))
			}
		}
		assert.Len(t, seen[i], 100+2*each+1)
	}
	assert.Equal(t, seen[0], seen[1])
}

// After a compaction, a new replica serves the current state, and positions that it can prove.
func TestCompactedByOthers(t *testing.T) {
	client, prefix := connect(t, shared), newPrefix()
	store := serving(t, etcd.Options{Client: client, Prefix: prefix})
	old, err := put(t.Context(), store, "x", "1")
	require.NoError(t, err)
	_, err = put(t.Context(), store, "x", "2")
	require.NoError(t, err)
	now, err := client.Put(t.Context(), "/elsewhere", "")
	require.NoError(t, err)
	_, err = client.Compact(t.Context(), now.Header.Revision)
	require.NoError(t, err)
	later := serving(t, etcd.Options{Client: client, Prefix: prefix})
	_, err = later.Watch(t.Context(), watch.Key{Resource: notes}, old.Revision)
	assert.True(t, status.IsExpired(err), "%v", err)
	r, err := put(t.Context(), store, "x", "3")
	require.NoError(t, err)
	got, err := later.Get(t.Context(), note("x"), storage.MostRecent)
	require.NoError(t, err)
	assert.Equal(t, r, got)
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, old.Revision)
	require.NoError(t, err, "the older replica has the history in memory")
	cursor.Close()
}

// If etcd has no space left, the replica reports it, serves reads, and recovers.
func TestFull(t *testing.T) {
	cluster, err := etcdtest.Start(t.TempDir(), etcdtest.Options{Quota: 4 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { cluster.Stop() })
	client := connect(t, cluster)
	store := serving(t, etcd.Options{Client: client})
	for n := 0; err == nil && n < 100; n++ {
		_, err = put(t.Context(), store, fmt.Sprint(n%2), strings.Repeat(fmt.Sprint(n%10), 200_000))
	}
	require.ErrorIs(t, err, storage.ErrReadOnly)
	require.Equal(t, 503, status.CodeOf(err))
	_, err = store.Get(t.Context(), note("0"), storage.MostRecent)
	require.NoError(t, err)
	require.ErrorContains(t, store.Ready(), "no space left")

	now, err := client.Get(t.Context(), "x")
	require.NoError(t, err)
	_, err = client.Compact(t.Context(), now.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
	_, err = client.Defragment(t.Context(), cluster.Endpoints()[0])
	require.NoError(t, err)
	_, err = client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
	require.NoError(t, err)
	_, err = store.Get(t.Context(), note("0"), storage.MostRecent)
	require.NoError(t, err)
	require.NoError(t, store.Ready(), "also without a write")
	_, err = put(t.Context(), store, "0", "small")
	require.NoError(t, err)
}

func TestOpenFails(t *testing.T) {
	_, err := etcd.Open(t.Context(), etcd.Options{})
	assert.Error(t, err)
	_, err = etcd.Open(t.Context(),
		etcd.Options{Config: clientv3.Config{Endpoints: []string{"http://127.0.0.1:1"}}, Timeout: 100 * time.Millisecond})
	assert.ErrorIs(t, err, storage.ErrUnavailable)
}

// The first look at the figures asks for the size of the stored data, and later ones show it.
func TestSizeInStats(t *testing.T) {
	store := serving(t, etcd.Options{Client: connect(t, shared), Prefix: newPrefix()})
	_, err := put(t.Context(), store, "a", "x")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return store.StoreStats().FileBytes > 0 }, hangtest.Deadline, 10*time.Millisecond)
	stats := store.StoreStats()
	assert.Equal(t, store.ID(), stats.ID)
	assert.Less(t, stats.FreeBytes, stats.FileBytes)
}
