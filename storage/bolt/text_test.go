package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// textOf is a text of 2 KB that names itself.
func textOf(name string, n int) string {
	return fmt.Sprintf("%s %d %s", name, n, strings.Repeat("x", 2000))
}

// fill stores many notes, several at a time.
func fill(t *testing.T, store storage.Store, count, n int) {
	t.Helper()
	const group = 100
	for from := 0; from < count; from += group {
		var keys []storage.Key
		var next [][]byte
		for i := from; i < min(from+group, count); i++ {
			name := fmt.Sprintf("%06d", i)
			keys, next = append(keys, note(name)), append(next, noteJSON(name, textOf(name, n)))
		}
		_, err := store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) { return next, nil })
		require.NoError(t, err)
	}
}

// look reads the text of a note.
func look(t *testing.T, store storage.Store, i int) string {
	t.Helper()
	r, err := store.Get(t.Context(), note(fmt.Sprintf("%06d", i)), storage.MostRecent)
	require.NoError(t, err)
	text, err := r.JSON(t.Context())
	require.NoError(t, err)
	require.Len(t, text, r.Len())
	return string(text)
}

// TestScanKeepsWhatOthersRead reads some texts again and again while another client lists all objects.
func TestScanKeepsWhatOthersRead(t *testing.T) {
	const count, hot = 4000, 100
	store := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"), TextBytes: 2 << 20})
	defer store.Close()
	register(t, store)
	fill(t, store, count, 0)
	reads := func() uint64 { return store.StoreStats().Texts.Reads }
	for range 3 {
		for i := range hot {
			look(t, store, i)
		}
	}
	page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(t, err)
	ctx, before := storage.InOrder(t.Context()), reads()
	for _, r := range page.Records {
		text, err := r.JSON(ctx)
		require.NoError(t, err)
		require.Contains(t, string(text), r.Key.Name)
		texts := store.StoreStats().Texts
		require.LessOrEqual(t, texts.Bytes, texts.MaxBytes)
	}
	require.Greater(t, reads()-before, uint64(count/2), "most texts come from the file")
	before = reads()
	for i := range hot {
		look(t, store, i)
	}
	require.Equal(t, before, reads(), "the texts that others read stay in memory")
}

// TestSupersededTexts reads texts of old states, which the file no longer has as objects.
func TestSupersededTexts(t *testing.T) {
	const count = 3000
	store := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"), TextBytes: 1,
		Engine: storage.Options{MaxLogBytes: 64 << 20}})
	defer store.Close()
	register(t, store)
	fill(t, store, count, 1)
	scope := watch.Key{Resource: notes}
	revision := store.Revision()
	before, err := store.List(t.Context(), storage.Query{Within: scope}, nil)
	require.NoError(t, err)
	fill(t, store, count, 2)
	at, err := store.List(t.Context(), storage.Query{Within: scope, Revision: revision, Exact: true}, nil)
	require.NoError(t, err)
	require.Len(t, at.Records, count)
	for i, r := range at.Records {
		require.Contains(t, string(storagetest.Text(r)), textOf(r.Key.Name, 1))
		require.Contains(t, string(storagetest.Text(before.Records[i])), textOf(r.Key.Name, 1))
	}
	cursor, err := store.Watch(t.Context(), scope, revision)
	require.NoError(t, err)
	defer cursor.Close()
	for seen := 0; seen < count; {
		changes, err := cursor.Poll(nil)
		require.NoError(t, err)
		for _, c := range changes {
			require.Contains(t, string(storagetest.Text(c.Previous)), textOf(c.Key.Name, 1))
			require.Contains(t, string(storagetest.Text(c.Current)), textOf(c.Key.Name, 2))
		}
		seen += len(changes)
	}

	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	expired := 0
	for _, r := range before.Records {
		switch text, err := r.JSON(t.Context()); {
		case err == nil:
			require.Contains(t, string(text), textOf(r.Key.Name, 1), "never the text of another revision")
		default:
			require.True(t, status.IsExpired(err), "%v", err)
			expired++
		}
	}
	require.Positive(t, expired, "the store does not keep all old texts")
	require.Contains(t, look(t, store, 0), textOf("000000", 2))
}

// TestColdReadsAmongWrites reads single texts and lists while others write, with a budget for a few texts.
func TestColdReadsAmongWrites(t *testing.T) {
	const count, rounds, readers = 300, 60, 4
	store := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"), TextBytes: 200 << 10})
	defer store.Close()
	register(t, store)
	fill(t, store, count, 0)
	ended, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range readers {
		running.Go(func() {
			for ended.Err() == nil {
				page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
				if !assert.NoError(t, err) {
					return
				}
				ctx := storage.InOrder(t.Context())
				for _, r := range page.Records {
					text, err := r.JSON(ctx)
					if !assert.NoError(t, err) || !assert.Contains(t, string(text), fmt.Sprintf(`"resourceVersion":"%d"`, r.Revision)) {
						return
					}
				}
				name := fmt.Sprintf("%06d", rand.IntN(count))
				r, err := store.Get(t.Context(), note(name), storage.MostRecent)
				if !assert.NoError(t, err) {
					return
				}
				text, err := r.JSON(t.Context())
				if !assert.NoError(t, err) || !assert.Contains(t, string(text), `"`+name+" ") {
					return
				}
			}
		})
	}
	for n := range rounds {
		for range 10 {
			name := fmt.Sprintf("%06d", rand.IntN(count))
			put(t, store, name, textOf(name, n)+strings.Repeat("y", rand.IntN(9000))) // nodes split and move
		}
		fill(t, store, count/3, n)
	}
	end()
	running.Wait()
}

// TestColdReadOfADamagedFile changes a byte of an object in the file while the store serves it.
func TestColdReadOfADamagedFile(t *testing.T) {
	const count = 50
	path := filepath.Join(t.TempDir(), "objects.db")
	store := open(t, bolt.Options{Path: path, TextBytes: 1})
	defer store.Close()
	register(t, store)
	fill(t, store, count, 0)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer file.Close()
	for at := range content { // a file may contain an old copy as well
		if bytes.HasPrefix(content[at:], []byte("000007 0 xxxx")) {
			_, err = file.WriteAt([]byte("y"), int64(at)+100)
			require.NoError(t, err)
		}
	}
	r, err := store.Get(t.Context(), note("000007"), storage.MostRecent)
	require.NoError(t, err, "the object still exists")
	for _, ctx := range []context.Context{t.Context(), storage.InOrder(t.Context())} {
		_, err = r.JSON(ctx)
		require.ErrorIs(t, err, bolt.ErrDamaged)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, "000007")
	}
	_, err = store.Update(t.Context(), note("000007"), func(*storage.Record) ([]byte, error) { return noteJSON("000007", "new"), nil })
	require.ErrorIs(t, err, bolt.ErrDamaged)
	require.Contains(t, look(t, store, 8), textOf("000008", 0))
	require.Contains(t, look(t, store, 6), textOf("000006", 0))
}

// TestColdReadOfDamagedPages damages the pages that lead to the objects.
func TestColdReadOfDamagedPages(t *testing.T) {
	const count = 200
	whole := filepath.Join(t.TempDir(), "objects.db")
	store := open(t, bolt.Options{Path: whole})
	register(t, store)
	fill(t, store, count, 0)
	require.NoError(t, store.Close())
	content, err := os.ReadFile(whole)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 1))
	failed := 0
	for range 100 {
		path := filepath.Join(t.TempDir(), "objects.db")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		store := open(t, bolt.Options{Path: path, TextBytes: 1})
		register(t, store)
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		page := 4 + random.IntN(len(content)/4096-4)
		garbage := make([]byte, 64)
		for i := range garbage {
			garbage[i] = byte(random.Uint32())
		}
		// In the header of the page, between its elements, or among their keys.
		_, err = file.WriteAt(garbage, int64(page)*4096+int64(random.IntN(3)*random.IntN(2000)))
		require.NoError(t, err)
		require.NoError(t, file.Close())
		ctx := storage.InOrder(t.Context())
		for i := range count {
			name := fmt.Sprintf("%06d", i)
			r, err := store.Get(t.Context(), note(name), storage.MostRecent)
			require.NoError(t, err)
			if text, err := r.JSON(ctx); err != nil {
				require.True(t, status.IsInternalError(err), "%v", err)
				require.ErrorContains(t, err, name)
				failed++
			} else {
				require.Contains(t, string(text), textOf(name, 0))
			}
		}
		_ = store.Close()
	}
	require.Positive(t, failed)
}

// TestSealedTexts reads sealed texts from the file.
func TestSealedTexts(t *testing.T) {
	aead, err := bolt.NewAEAD(bolt.Key{ID: "1", Secret: make([]byte, 32)})
	require.NoError(t, err)
	opts := bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"), TextBytes: 1, Transformer: aead}
	store := open(t, opts)
	register(t, store)
	fill(t, store, 200, 0)
	require.NoError(t, store.Close())
	store = open(t, opts)
	defer store.Close()
	register(t, store)
	for i := range 200 {
		require.Contains(t, look(t, store, i), textOf(fmt.Sprintf("%06d", i), 0))
	}
	content, err := os.ReadFile(opts.Path)
	require.NoError(t, err)
	require.NotContains(t, string(content), "xxxxxxxxxx")
}

// TestTextsAfterClose reads a text that is not in memory from a store that is closed.
func TestTextsAfterClose(t *testing.T) {
	store := open(t, bolt.Options{Path: newFile(t), TextBytes: 1})
	register(t, store)
	r, err := store.Get(t.Context(), note("1"), storage.MostRecent)
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.JSON(ended)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, store.Close())
	_, err = r.JSON(t.Context())
	require.ErrorIs(t, err, storage.ErrClosed)
	require.False(t, errors.Is(err, bolt.ErrDamaged))
}
