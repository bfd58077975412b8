package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

const notes = "notes"

func register(t *testing.T, store storage.Store) {
	t.Helper()
	require.NoError(t, store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata}))
}

func note(name string) storage.Key { return storage.Key{Resource: notes, Name: name} }

func noteJSON(name, text string) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":%q,"resourceVersion":""},"text":%q}`, name, text)
}

func write(t *testing.T, store storage.Store, name, text string) (*storage.Record, error) {
	t.Helper()
	return store.Update(t.Context(), note(name), func(*storage.Record) ([]byte, error) {
		if text == "" {
			return nil, nil
		}
		return noteJSON(name, text), nil
	})
}

func put(t *testing.T, store storage.Store, name, text string) *storage.Record {
	t.Helper()
	r, err := write(t, store, name, text)
	require.NoError(t, err)
	return r
}

// newFile returns the path of a file with a few notes.
func newFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "objects.db")
	store := open(t, bolt.Options{Path: path})
	register(t, store)
	for i := range 20 {
		put(t, store, fmt.Sprint(i), fmt.Sprintf("the text of note %d", i))
	}
	put(t, store, "0", "another text")
	require.NoError(t, store.Close())
	return path
}

func TestFile(t *testing.T) {
	path := newFile(t)
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no other file is left")
	require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: path}))
}

func TestOnlyOneProcessWrites(t *testing.T) {
	path := newFile(t)
	first := open(t, bolt.Options{Path: path})
	for _, readOnly := range []bool{false, true} {
		_, err := bolt.Open(t.Context(), bolt.Options{Path: path, ReadOnly: readOnly})
		assert.ErrorIs(t, err, bolt.ErrLocked)
		assert.ErrorContains(t, err, path)
	}
	assert.ErrorIs(t, bolt.Compact(t.Context(), bolt.Options{Path: path}), bolt.ErrLocked)
	require.NoError(t, first.Close())
	readers := []*bolt.Store{open(t, bolt.Options{Path: path, ReadOnly: true}),
		open(t, bolt.Options{Path: path, ReadOnly: true})}
	for _, reader := range readers {
		register(t, reader)
		_, err := reader.Get(t.Context(), note("3"), storage.MostRecent)
		require.NoError(t, err)
		_, err = write(t, reader, "3", "x")
		assert.ErrorIs(t, err, storage.ErrReadOnly)
		assert.ErrorContains(t, reader.Ready(), path)
		require.NoError(t, reader.Check(t.Context()))
		require.NoError(t, reader.Compact(t.Context(), reader.Revision()))
		require.NoError(t, reader.Close())
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := bolt.Open(t.Context(), bolt.Options{})
	assert.ErrorContains(t, err, "Path is required")
	for _, err := range []error{
		bolt.Check(t.Context(), bolt.Options{}),
		bolt.Compact(t.Context(), bolt.Options{}),
		bolt.Restore(t.Context(), strings.NewReader("decorum backup 1\n"), bolt.Options{}),
	} {
		assert.ErrorContains(t, err, "Path is required")
	}
	_, err = bolt.Open(t.Context(), bolt.Options{Path: newFile(t), SkipDamaged: func(error) {}})
	assert.ErrorContains(t, err, "requires ReadOnly")
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"a directory that does not exist": {func(t *testing.T, path string) {
			require.NoError(t, os.RemoveAll(filepath.Dir(path)))
		}, os.ErrNotExist},
		"an empty file": {func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
			bolt.ErrFormat},
		"another kind of file": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, make([]byte, 1<<16), 0o600))
		}, bolt.ErrFormat},
		"a file that is cut off": {func(t *testing.T, path string) {
			require.NoError(t, os.Truncate(path, 3*int64(os.Getpagesize())))
		}, bolt.ErrDamaged},
		"a database of somebody else": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			db, err := bbolt.Open(path, 0o600, nil)
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}, bolt.ErrFormat},
		"a later format": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte("decorum objects 2"))
			})
		}, bolt.ErrFormat},
		"a damaged state": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("state"), make([]byte, 52)) })
		}, bolt.ErrDamaged},
		"a damaged form": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("forms")).Put([]byte("x"), make([]byte, 52)) })
		}, bolt.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			path := newFile(t)
			c.make(t, path)
			before, _ := os.ReadFile(path)
			for _, readOnly := range []bool{false, true} {
				_, err := bolt.Open(t.Context(), bolt.Options{Path: path, ReadOnly: readOnly})
				require.ErrorIs(t, err, c.want)
				assert.ErrorContains(t, err, filepath.Dir(path))
				if name == "a later format" {
					assert.ErrorContains(t, err, `"decorum objects 2"`)
				}
			}
			after, _ := os.ReadFile(path)
			assert.Equal(t, before, after, "it is not made worse")
		})
	}
	_, err = bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(t.TempDir(), "none"), ReadOnly: true})
	assert.ErrorIs(t, err, os.ErrNotExist, "a reader creates no file")
}

// edit changes a file without the package.
func edit(t *testing.T, path string, change func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(change))
	require.NoError(t, db.Close())
}

// The store never serves a damaged record. The error names the record, and the host can save the others.
func TestDamagedRecord(t *testing.T) {
	for name, damage := range map[string]func(b *bbolt.Bucket) error{
		"a flipped bit": func(b *bbolt.Bucket) error {
			value := append([]byte(nil), b.Get([]byte("\x007"))...)
			value[40] ^= 1
			return b.Put([]byte("\x007"), value)
		},
		"the value of another object": func(b *bbolt.Bucket) error {
			return b.Put([]byte("\x007"), append([]byte(nil), b.Get([]byte("\x008"))...))
		},
		"nothing": func(b *bbolt.Bucket) error { return b.Put([]byte("\x007"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			path := newFile(t)
			edit(t, path, func(tx *bbolt.Tx) error { return damage(tx.Bucket([]byte("objects")).Bucket([]byte(notes))) })
			err := bolt.Check(t.Context(), bolt.Options{Path: path})
			require.ErrorIs(t, err, bolt.ErrDamaged)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, "notes /7")
			require.ErrorIs(t, bolt.Compact(t.Context(), bolt.Options{Path: path}), bolt.ErrDamaged)

			store := open(t, bolt.Options{Path: path})
			err = store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata})
			require.ErrorIs(t, err, bolt.ErrDamaged)
			require.ErrorContains(t, err, "notes /7")
			require.ErrorIs(t, store.Backup(t.Context(), discard{}), bolt.ErrDamaged)
			require.NoError(t, store.Close())

			var skipped []error
			store = open(t, bolt.Options{Path: path, ReadOnly: true,
				SkipDamaged: func(err error) { skipped = append(skipped, err) }})
			require.NoError(t, store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata}))
			page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
			require.NoError(t, err)
			assert.Len(t, page.Records, 19)
			require.Len(t, skipped, 1)
			assert.ErrorContains(t, skipped[0], "notes /7")
			require.NoError(t, store.Close())
		})
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func TestDamagedHistory(t *testing.T) {
	path := newFile(t)
	var damaged uint64
	edit(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("history"))
		key, value := b.Cursor().Last()
		damaged = binary.BigEndian.Uint64(key)
		value = append([]byte(nil), value...)
		value[len(value)-1] ^= 1
		return b.Put(key, value)
	})
	err := bolt.Check(t.Context(), bolt.Options{Path: path})
	require.ErrorIs(t, err, bolt.ErrDamaged)
	require.ErrorContains(t, err, fmt.Sprint("at revision ", damaged))
	store := open(t, bolt.Options{Path: path})
	err = store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata})
	require.ErrorIs(t, err, bolt.ErrDamaged)
	require.ErrorContains(t, err, fmt.Sprint("at revision ", damaged))
	require.NoError(t, store.Close())

	store = open(t, bolt.Options{Path: path, ReadOnly: true})
	defer store.Close()
	var backup bytes.Buffer
	require.NoError(t, store.Backup(t.Context(), &backup), "a backup has no history")
	restored := filepath.Join(t.TempDir(), "restored.db")
	require.NoError(t, bolt.Restore(t.Context(), &backup, bolt.Options{Path: restored}))
	require.NoError(t, bolt.Check(t.Context(), bolt.Options{Path: restored}))
	store = open(t, bolt.Options{Path: restored})
	defer store.Close()
	require.NoError(t, store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata}))
}

// If any byte of a change in the history is wrong, or if a change is lost, the error is ErrDamaged when its resource is
// registered.
func TestDamagedChange(t *testing.T) {
	path := newFile(t)
	intact, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := func(what string, damage func(b *bbolt.Bucket, key, value []byte) error) {
		for _, last := range []bool{true, false} {
			require.NoError(t, os.WriteFile(path, intact, 0o600))
			edit(t, path, func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte("history"))
				key, value := b.Cursor().First()
				if last {
					key, value = b.Cursor().Last()
				}
				return damage(b, bytes.Clone(key), bytes.Clone(value))
			})
			store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			if err == nil {
				err = store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata})
				_ = store.Close()
			}
			require.ErrorIs(t, err, bolt.ErrDamaged, "%s, last: %v", what, last)
			require.ErrorContains(t, err, path)
		}
	}
	var size int
	refused("lost", func(b *bbolt.Bucket, key, value []byte) error {
		size = len(value)
		return b.Delete(key)
	})
	for i := range 8 {
		refused(fmt.Sprint("revision, byte ", i), func(b *bbolt.Bucket, key, value []byte) error {
			require.NoError(t, b.Delete(key))
			key[i] ^= 0x01
			return b.Put(key, value)
		})
	}
	for i := range size {
		refused(fmt.Sprint("byte ", i), func(b *bbolt.Bucket, key, value []byte) error {
			value[min(i, len(value)-1)] ^= 0x20
			return b.Put(key, value)
		})
	}
	refused("short", func(b *bbolt.Bucket, key, value []byte) error { return b.Put(key, value[:10]) })
	refused("another change's", func(b *bbolt.Bucket, key, _ []byte) error {
		_, other := b.Cursor().Seek(binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(key)-1))
		if first, _ := b.Cursor().First(); bytes.Equal(first, key) {
			_, other = b.Cursor().Last()
		}
		return b.Put(key, append(bytes.Clone(other), 'x'))
	})
}

// The store verifies a change before it drops it from the history, because the end of the change's group becomes the
// oldest revision of the store. A write and a compaction refuse a flipped bit in any byte of the change, and leave the
// oldest revision as it was.
func TestDamagedChangeIsNotDropped(t *testing.T) {
	path := newFile(t)
	intact, err := os.ReadFile(path)
	require.NoError(t, err)
	size := 0
	for i := 0; i == 0 || i < size; i++ {
		for what, drop := range map[string]func(*bolt.Store) error{
			"write": func(store *bolt.Store) error {
				_, err := store.Update(t.Context(), storage.Key{Resource: "others", Name: "x"},
					func(*storage.Record) ([]byte, error) { return noteJSON("x", "text"), nil })
				return err
			},
			"compaction": func(store *bolt.Store) error { return store.Compact(t.Context(), store.Stats().Revision) },
		} {
			require.NoError(t, os.WriteFile(path, intact, 0o600))
			edit(t, path, func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte("history"))
				key, value := b.Cursor().First()
				key, value = bytes.Clone(key), bytes.Clone(value)
				size = len(value)
				value[i] ^= 0x40
				return b.Put(key, value)
			})
			store := open(t, bolt.Options{Path: path, Engine: storage.Options{MaxLogAge: time.Nanosecond}})
			oldest := store.Stats().Oldest
			err := store.Register(t.Context(), storage.Resource{Name: "others", Extract: storage.ExtractMetadata})
			if err == nil {
				err = drop(store)
			}
			require.ErrorIs(t, err, bolt.ErrDamaged, "%s, byte %d", what, i)
			assert.Equal(t, oldest, store.Stats().Oldest, "%s, byte %d", what, i)
			_ = store.Close()
		}
	}
}

// If any byte of the file is wrong, the store either detects it or serves exactly what was written.
func TestDamagedBytes(t *testing.T) {
	path := newFile(t)
	want := map[string]string{}
	store := open(t, bolt.Options{Path: path, ReadOnly: true})
	register(t, store)
	page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(t, err)
	for _, r := range page.Records {
		want[r.Key.Name] = string(storagetest.Text(r))
	}
	size := store.Stats().FileBytes
	require.NoError(t, store.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	whole = whole[:size] // the rest is room to grow
	broken := filepath.Join(t.TempDir(), "broken.db")
	found := 0
	for at := 0; at < len(whole); at += 97 {
		damaged := append([]byte(nil), whole...)
		for i := at; i < min(at+16, len(damaged)); i++ {
			damaged[i] ^= 0xa5
		}
		require.NoError(t, os.WriteFile(broken, damaged, 0o600))
		if bolt.Check(t.Context(), bolt.Options{Path: broken}) != nil {
			found++
		}
		store, err := bolt.Open(t.Context(), bolt.Options{Path: broken, ReadOnly: true})
		if err != nil {
			continue
		}
		if store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata}) == nil {
			page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
			require.NoError(t, err)
			for _, r := range page.Records {
				require.Equal(t, want[r.Key.Name], string(storagetest.Text(r)), "damaged at %d", at)
			}
		}
		require.NoError(t, store.Close())
	}
	t.Logf("%d places of %d were found", found, len(whole)/97)
	assert.NotZero(t, found)
}

// If the file is removed, replaced or truncated while the store is open, the store detects it before it
// acknowledges a commit.
func TestFileIsReplaced(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"moved":   func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".old")) },
		"replaced": func(t *testing.T, path string) {
			other := newFile(t)
			require.NoError(t, os.Rename(other, path))
		},
		"cut off": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := newFile(t)
			store := open(t, bolt.Options{Path: path})
			register(t, store)
			replace(t, path)
			_, err := write(t, store, "x", "text")
			require.ErrorIs(t, err, storage.ErrUnknown)
			require.True(t, errors.Is(err, bolt.ErrReplaced) || errors.Is(err, bolt.ErrDamaged), "%v", err)
			require.ErrorContains(t, err, path)
			_, err = store.Get(t.Context(), note("3"), storage.MostRecent)
			require.NoError(t, err, "reads go on")
			_, err = write(t, store, "x", "text")
			require.ErrorIs(t, err, storage.ErrReadOnly)
			require.ErrorContains(t, status.From(err), path, "the answer says why")
			require.NotNil(t, store.Stats().ReadOnly)
			require.NoError(t, store.Close())
		})
	}
}

func TestRevisionsBeginAboveTheClockAndTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	now := time.UnixMicro(1_800_000_000_000_000)
	options := bolt.Options{Path: path, Engine: storage.Options{Now: func() time.Time { return now }}}
	last := watch.Revision(0)
	for _, step := range []time.Duration{0, time.Hour, -2 * time.Hour, -time.Hour} {
		now = now.Add(step)
		store := open(t, options)
		register(t, store)
		assert.Greater(t, store.Revision(), last)
		assert.GreaterOrEqual(t, store.Revision(), watch.Revision(now.UnixMicro()))
		last = put(t, store, "x", now.String()).Revision
		require.NoError(t, store.Close())
	}
}
