package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// transformer seals by writing a key in front of the text. The functions are called first.
type transformer struct {
	keyID      string
	seal, open func()
}

func (f *transformer) KeyID() string { return f.keyID }

func (f *transformer) Seal(text, _ []byte) ([]byte, error) {
	f.seal()
	sealed := append([]byte(f.keyID), text...)
	clear(text)
	return sealed, nil
}

func (f *transformer) Open(keyID string, sealed, _ []byte) ([]byte, error) {
	f.open()
	text, ok := bytes.CutPrefix(sealed, []byte(keyID))
	if !ok {
		return nil, errors.New("another key")
	}
	return bytes.Clone(text), nil
}

func nothing() {}

func broken() { panic("broken") }

// A transformer may change what it receives. If it panics, the error reports the panic, and does not call the file
// damaged.
func TestHostileTransformer(t *testing.T) {
	path := newFile(t)
	good := &transformer{"key", nothing, nothing}
	store := open(t, bolt.Options{Path: path, Transformer: good})
	register(t, store)
	r := put(t, store, "x", "served while it is sealed")
	assert.Contains(t, string(storagetest.Text(r)), "served while it is sealed")
	want := list(t, store)
	require.NoError(t, store.Close())

	store = open(t, bolt.Options{Path: path, Transformer: &transformer{"key", broken, nothing}})
	register(t, store)
	_, err := write(t, store, "x", "text")
	require.ErrorIs(t, err, storage.ErrUnknown)
	require.ErrorContains(t, err, "the transformer panicked: broken")
	require.NotErrorIs(t, err, bolt.ErrDamaged)
	require.ErrorContains(t, store.Ready(), "the transformer panicked: broken")
	require.Equal(t, want, list(t, store))
	require.NoError(t, store.Check(t.Context()))
	_ = store.Close()

	store = open(t, bolt.Options{Path: path, Transformer: &transformer{"key", nothing, broken}})
	err = store.Register(t.Context(), storage.Resource{Name: notes, Extract: storage.ExtractMetadata})
	require.ErrorContains(t, err, "the transformer panicked: broken")
	require.NoError(t, store.Close())

	for _, id := range []string{"", strings.Repeat("k", 256)} {
		_, err = bolt.Open(t.Context(), bolt.Options{Path: path, Transformer: &transformer{id, nothing, nothing}})
		require.ErrorContains(t, err, "Options.Transformer: the id of the key must have 1 to 255 bytes")
	}

	store = open(t, bolt.Options{Path: path, Transformer: good})
	defer store.Close()
	register(t, store)
	require.Equal(t, want, list(t, store))
}

// If Reseal cannot open a text, the store still accepts writes. If Reseal is interrupted, all texts can be opened, and
// another call seals the others.
func TestResealIsInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	store := open(t, bolt.Options{Path: path})
	register(t, store)
	var keys []storage.Key
	for i := range 1500 {
		keys = append(keys, note(fmt.Sprint(i)))
	}
	_, err := store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) {
		var next [][]byte
		for _, key := range keys {
			next = append(next, noteJSON(key.Name, "text"))
		}
		return next, nil
	})
	require.NoError(t, err)
	want := list(t, store)
	require.NoError(t, store.Close())

	ctx, cancel := context.WithCancel(t.Context())
	var end sync.Once
	store = open(t, bolt.Options{Path: path, Transformer: &transformer{"1", func() { end.Do(cancel) }, nothing}})
	register(t, store)
	sealed, err := store.Reseal(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, sealed)
	require.Less(t, sealed, 1500)
	require.NoError(t, store.Check(t.Context()))
	require.NoError(t, store.Close())

	store = open(t, bolt.Options{Path: path, Transformer: &transformer{"1", nothing, nothing}})
	register(t, store)
	require.Equal(t, want, list(t, store))
	rest, err := store.Reseal(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1500, sealed+rest)
	require.NoError(t, store.Close())

	store = open(t, bolt.Options{Path: path, Transformer: &transformer{"2", nothing, broken}})
	defer store.Close()
	require.NoError(t, store.Register(t.Context(), storage.Resource{Name: "others", Extract: storage.ExtractMetadata}))
	_, err = store.Reseal(t.Context())
	require.ErrorContains(t, err, "the transformer panicked: broken")
	require.NoError(t, store.Ready())
	key := storage.Key{Resource: "others", Name: "x"}
	_, err = store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) { return noteJSON("x", "text"), nil })
	require.NoError(t, err)
}

// A clock beyond the last revision must not make the file unusable once the clock is right again.
func TestClockBeyondTheLastRevision(t *testing.T) {
	path := newFile(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = bolt.Open(t.Context(),
		bolt.Options{Path: path, Engine: storage.Options{Now: func() time.Time { return time.UnixMicro(1 << 53) }}})
	require.ErrorIs(t, err, storage.ErrRevision)
	require.ErrorContains(t, err, path)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))
	store := open(t, bolt.Options{Path: path})
	defer store.Close()
	register(t, store)
	put(t, store, "x", "text")
}

// Compact replaces the file, and not a symbolic link that leads to it.
func TestCompactThroughALink(t *testing.T) {
	path := newFile(t)
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, bolt.Compact(t.Context(), bolt.Options{Path: link}))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	store := open(t, bolt.Options{Path: path})
	defer store.Close()
	register(t, store)
	require.Len(t, list(t, store), 20)
}

// After a failed commit, a backup still contains every acknowledged write, and a failing writer does no harm.
func TestBackupAfterAFault(t *testing.T) {
	path := newFile(t)
	store := open(t, bolt.Options{Path: path})
	register(t, store)
	want := list(t, store)
	full := errors.New("the other disk is full")
	require.ErrorIs(t, store.Backup(t.Context(), writerFunc(func([]byte) (int, error) { return 0, full })), full)
	require.NoError(t, os.Rename(path, path+".away"))
	_, err := write(t, store, "new", "text")
	require.ErrorIs(t, err, storage.ErrUnknown)
	var backup bytes.Buffer
	require.NoError(t, store.Backup(t.Context(), &backup))
	require.NoError(t, store.Check(t.Context()))
	_ = store.Close()

	restored := filepath.Join(t.TempDir(), "restored.db")
	require.NoError(t, bolt.Restore(t.Context(), &backup, bolt.Options{Path: restored}))
	store = open(t, bolt.Options{Path: restored, ReadOnly: true, MaxBytes: 1})
	defer store.Close()
	register(t, store)
	got := list(t, store)
	for name, object := range want {
		assert.Equal(t, object, got[name])
	}
	_, err = write(t, store, "x", "text")
	require.ErrorIs(t, err, storage.ErrReadOnly)
	require.ErrorContains(t, err, "opened for reading only")
}
