package bolt_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

func list(t *testing.T, store storage.Store) map[string]string {
	t.Helper()
	page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(t, err)
	all := map[string]string{}
	for _, r := range page.Records {
		all[r.Key.Name] = fmt.Sprint(r.Revision, " ", r.Written, " ", string(storagetest.Text(r)))
	}
	return all
}

// writerFunc is a function as an [io.Writer].
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestBackup(t *testing.T) {
	store := open(t, bolt.Options{Path: newFile(t)})
	defer store.Close()
	register(t, store)
	for i := range 100 {
		put(t, store, fmt.Sprint("large-", i), strings.Repeat("x", 3000))
	}
	before, revision := list(t, store), store.Revision()
	var backup bytes.Buffer
	n := 0
	require.NoError(t, store.Backup(t.Context(), writerFunc(func(b []byte) (int, error) {
		n++
		put(t, store, "0", fmt.Sprint("changed ", n)) // the backup shows one revision
		put(t, store, fmt.Sprint("new-", n), "x")
		return backup.Write(b)
	})))
	require.NotZero(t, n)

	path := filepath.Join(t.TempDir(), "restored.db")
	require.NoError(t, bolt.Restore(t.Context(), bytes.NewReader(backup.Bytes()), bolt.Options{Path: path}))
	require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: path}))
	restored := open(t, bolt.Options{Path: path})
	defer restored.Close()
	register(t, restored)
	assert.Equal(t, before, list(t, restored))
	assert.NotEqual(t, store.Stats().ID, restored.Stats().ID)
	assert.Greater(t, restored.Revision(), revision)
	_, err := restored.Watch(t.Context(), watch.Key{Resource: notes}, revision-1)
	assert.True(t, status.IsExpired(err), "it has no history: %v", err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, store.Backup(ended, discard{}), context.Canceled)
	for name, bad := range map[string][]byte{
		"cut off":        backup.Bytes()[:backup.Len()-1],
		"without an end": backup.Bytes()[:backup.Len()-17],
		"empty":          nil,
		"another file":   []byte("hello\nworld"),
		"a flipped bit":  flipped(backup.Bytes(), backup.Len()/2),
	} {
		path := filepath.Join(t.TempDir(), "bad.db")
		assert.Error(t, bolt.Restore(t.Context(), bytes.NewReader(bad), bolt.Options{Path: path}), name)
		entries, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		assert.Empty(t, entries, name)
	}
	assert.ErrorIs(t, bolt.Restore(t.Context(), bytes.NewReader(backup.Bytes()), bolt.Options{Path: path}), os.ErrExist)
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 4
	return b
}

func TestCompactFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	store := open(t, bolt.Options{Path: path})
	register(t, store)
	var keys []storage.Key
	for i := range 1000 {
		keys = append(keys, note(fmt.Sprint(i)))
	}
	for _, text := range []string{strings.Repeat("x", 3000), ""} {
		_, err := store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) {
			next := make([][]byte, len(keys))
			for i := range next {
				if text != "" {
					next[i] = noteJSON(keys[i].Name, text)
				}
			}
			return next, nil
		})
		require.NoError(t, err)
	}
	old := put(t, store, "last", "1").Revision
	put(t, store, "last", "2")
	require.NoError(t, store.Compact(t.Context(), old-1))
	before, stats := list(t, store), store.Stats()
	require.NoError(t, store.Close())
	require.NoError(t, bolt.Compact(t.Context(), bolt.Options{Path: path}))
	require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: path}))
	store = open(t, bolt.Options{Path: path})
	defer store.Close()
	register(t, store)
	assert.Equal(t, before, list(t, store))
	assert.Equal(t, stats.ID, store.Stats().ID)
	assert.Less(t, store.Stats().FileBytes, stats.FileBytes/10)
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, old)
	require.NoError(t, err, "the history is still there")
	cursor.Close()
}

func TestHistoryInTheFileIsBounded(t *testing.T) {
	now := time.Now()
	path := filepath.Join(t.TempDir(), "objects.db")
	options := bolt.Options{Path: path,
		Engine: storage.Options{MaxLogBytes: 50_000, MaxLogAge: time.Minute, Now: func() time.Time { return now }}}
	store := open(t, options)
	register(t, store)
	for i := range 200 {
		put(t, store, "x", strings.Repeat("x", 1000+i%2))
	}
	stats := store.Stats()
	assert.Less(t, stats.HistoryBytes, int64(50_000))
	assert.Greater(t, stats.HistoryBytes, int64(40_000))
	now = now.Add(time.Hour)
	put(t, store, "x", "y")
	assert.Less(t, store.Stats().Changes, int64(3), "the youngest group stays")
	require.NoError(t, store.Check(t.Context()))
	require.NoError(t, store.Close())
	store = open(t, options)
	defer store.Close()
	register(t, store)
	_, err := store.Watch(t.Context(), watch.Key{Resource: notes}, stats.Oldest)
	assert.True(t, status.IsExpired(err), "%v", err)
}

func TestMaxBytes(t *testing.T) {
	const most = 1 << 20
	store := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"), MaxBytes: most})
	defer store.Close()
	register(t, store)
	var err error
	n := 0
	for ; err == nil; n++ {
		_, err = write(t, store, fmt.Sprint(n), strings.Repeat("x", 10_000))
	}
	require.ErrorIs(t, err, storage.ErrReadOnly)
	require.ErrorContains(t, status.From(err), fmt.Sprint("of ", most, " bytes"))
	require.Equal(t, 503, status.CodeOf(err))
	require.Greater(t, n, 20)
	require.NoError(t, store.Ready(), "the store takes other writes")
	_, err = write(t, store, "0", strings.Repeat("x", 40_000))
	require.ErrorIs(t, err, storage.ErrReadOnly)
	put(t, store, "0", strings.Repeat("x", 9_000))
	for i := range n - 1 {
		put(t, store, fmt.Sprint(i), "")
	}
	require.Less(t, store.Stats().FileBytes, int64(2*most))
	put(t, store, "again", strings.Repeat("x", 10_000))
}

func TestReseal(t *testing.T) {
	key := func(id string) bolt.Key {
		return bolt.Key{ID: id, Secret: bytes.Repeat([]byte(id), 32)}
	}
	aead := func(keys ...bolt.Key) bolt.Transformer {
		a, err := bolt.NewAEAD(keys...)
		require.NoError(t, err)
		return a
	}
	const secret = "nobody may read this"
	path := newFile(t)
	store := open(t, bolt.Options{Path: path})
	register(t, store)
	put(t, store, "secret", secret)
	put(t, store, "secret", secret+" either")
	want := list(t, store)
	require.NoError(t, store.Close())
	holds := func() bool {
		all, err := os.ReadFile(path)
		require.NoError(t, err)
		return bytes.Contains(all, []byte(secret))
	}
	require.True(t, holds())
	for _, keys := range [][]bolt.Key{{key("1")}, {key("2"), key("1")}} {
		store = open(t, bolt.Options{Path: path, Transformer: aead(keys...)})
		register(t, store)
		require.Equal(t, want, list(t, store))
		sealed, err := store.Reseal(t.Context())
		require.NoError(t, err)
		require.Equal(t, 21+2, sealed, "all objects, and the changes that have a state before them")
		sealed, err = store.Reseal(t.Context())
		require.NoError(t, err)
		require.Zero(t, sealed)
		require.NoError(t, store.Check(t.Context()))
		require.NoError(t, store.Close())
		require.NoError(t, bolt.Compact(t.Context(), bolt.Options{Path: path}))
		require.False(t, holds(), "once the free pages are gone")
		require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: path, Transformer: aead(keys[0])}),
			"older keys are not needed")
	}
	for name, transformer := range map[string]bolt.Transformer{"no key": nil, "an older key": aead(key("1")),
		"another secret": aead(bolt.Key{ID: "2", Secret: make([]byte, 16)})} {
		store = open(t, bolt.Options{Path: path, Transformer: transformer})
		err := store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata})
		require.ErrorContains(t, err, `key "2"`, name)
		require.NoError(t, store.Close())
	}
	for name, bad := range map[string][]bolt.Key{"none": nil, "without an id": {{Secret: make([]byte, 16)}},
		"short": {{ID: "1", Secret: make([]byte, 5)}}, "twice": {key("1"), key("1")}} {
		_, err := bolt.NewAEAD(bad...)
		assert.Error(t, err, name)
	}
}

func TestOverwriteNewer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	form := func(fingerprint string) storage.Resource {
		return storage.Resource{Name: notes, Extract: storage.ExtractMetadata, Fingerprint: fingerprint}
	}
	for _, fingerprint := range []string{"old", "new"} {
		store := open(t, bolt.Options{Path: path})
		require.NoError(t, store.Register(t.Context(), form(fingerprint)))
		put(t, store, "x", fingerprint)
		require.NoError(t, store.Close())
	}
	store := open(t, bolt.Options{Path: path, Engine: storage.Options{OverwriteNewer: true}})
	require.NoError(t, store.Register(t.Context(), form("old")))
	put(t, store, "x", "older again")
	require.NoError(t, store.Close())
	store = open(t, bolt.Options{Path: path})
	defer store.Close()
	require.NoError(t, store.Register(t.Context(), form("old")))
	put(t, store, "x", "as if it had never been newer")
}

func TestStats(t *testing.T) {
	path := newFile(t)
	store := open(t, bolt.Options{Path: path})
	defer store.Close()
	register(t, store)
	before := time.Now()
	r := put(t, store, "x", "text")
	stats := store.Stats()
	assert.Equal(t, path, stats.Path)
	assert.Len(t, stats.ID, 32)
	assert.EqualValues(t, 21, stats.Objects)
	assert.EqualValues(t, 22, stats.Changes)
	assert.Equal(t, r.Revision, stats.Revision)
	assert.Less(t, stats.Oldest, stats.Revision)
	assert.Greater(t, stats.FileBytes, stats.ObjectBytes)
	assert.Less(t, stats.FreeBytes, stats.FileBytes)
	assert.WithinRange(t, stats.Synced, before, time.Now())
	assert.Positive(t, stats.SyncTook)
	assert.NoError(t, stats.ReadOnly)
}

// After random writes, Check finds the same figures as the commits have recorded.
func TestFiguresAreKept(t *testing.T) {
	store := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"),
		Engine: storage.Options{MaxLogBytes: 5_000}})
	defer store.Close()
	register(t, store)
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		var keys []storage.Key
		for _, n := range random.Perm(10)[:1+random.IntN(4)] {
			keys = append(keys, note(fmt.Sprint(n)))
		}
		_, err := store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) {
			next := make([][]byte, len(keys))
			for i := range next {
				if random.IntN(3) > 0 {
					next[i] = noteJSON(keys[i].Name, strings.Repeat("x", random.IntN(200)))
				}
			}
			return next, nil
		})
		require.NoError(t, err)
	}
	require.NoError(t, store.Check(t.Context()))
}

// The figures of the store include the figures of the file and of the engine.
func TestStoreStats(t *testing.T) {
	store := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db")})
	defer store.Close()
	register(t, store)
	put(t, store, "x", "y")
	put(t, store, "x", "z")
	stats, file := store.StoreStats(), store.Stats()
	assert.Equal(t, file.ID, stats.ID)
	assert.Equal(t, file.FileBytes, stats.FileBytes)
	assert.Equal(t, file.FreeBytes, stats.FreeBytes)
	assert.Equal(t, storage.ResourceStats{Objects: 1, Changes: 2}, stats.Resources[notes])
	assert.EqualValues(t, 2, stats.Syncs)
	assert.Positive(t, stats.SyncTime)
}
