// Package sealtest tests stores with faulty transformers. The tests of the stores that several replicas share use it.
package sealtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// panicking is a transformer that panics.
type panicking struct{ seal.Transformer }

func (panicking) Seal([]byte, []byte) ([]byte, error) { panic("broken") }

func (panicking) Open(string, []byte, []byte) ([]byte, error) { panic("broken") }

// unnamed is a transformer whose key has no ID.
type unnamed struct{ seal.Transformer }

func (unnamed) KeyID() string { return "" }

// silent is a transformer that seals nothing, and reports no error.
type silent struct{ seal.Transformer }

func (silent) Seal([]byte, []byte) ([]byte, error) { return nil, nil }

const notes = "notes.example.com"

func key(name string) storage.Key {
	return storage.Key{Resource: notes, Namespace: "default", Name: name}
}

// Faulty checks that a store refuses a transformer without a key ID, that a panic of a transformer does not end the
// process, that a replica neither serves nor overwrites an object that it cannot read, and that a store commits nothing
// if the transformer returns no text. open opens a replica of one new store with a transformer.
func Faulty(t *testing.T, open func(seal.Transformer) (storage.Store, error)) {
	good, err := seal.NewAEAD(seal.Key{ID: "1", Secret: make([]byte, 16)})
	require.NoError(t, err)
	_, err = open(unnamed{good})
	require.ErrorContains(t, err, "Options.Transformer: the id of the key must have 1 to 255 bytes")

	serving := func(transformer seal.Transformer) storage.Store {
		store, err := open(transformer)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		storagetest.Insist(t, func() error {
			return store.Register(t.Context(),
				storage.Resource{Name: notes, Namespaced: true, Extract: storage.NewExtractor(), Fingerprint: "1"})
		})
		return store
	}
	written := 0
	put := func(store storage.Store, name string) error {
		_, err := store.Update(t.Context(), key(name), func(*storage.Record) ([]byte, error) {
			written++ // each write changes the object
			return fmt.Appendf(nil, `{"metadata":{"name":%q,"namespace":"default","resourceVersion":""},"text":"%d"}`, name,
				written), nil
		})
		return err
	}
	store, broken := serving(good), serving(panicking{good})
	require.NoError(t, put(store, "x"))
	_, err = broken.Get(t.Context(), key("x"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrNotFound)
	err = put(broken, "x")
	require.ErrorIs(t, err, storage.ErrReadOnly)
	require.ErrorContains(t, err, "the transformer panicked: broken")
	require.ErrorContains(t, put(broken, "y"), "the transformer panicked: broken")
	_, err = store.Get(t.Context(), key("y"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrNotFound)
	require.NoError(t, put(store, "y"))
	require.ErrorContains(t, put(serving(silent{good}), "y"), "the transformer returned no text")
	_, err = store.Get(t.Context(), key("y"), storage.MostRecent)
	require.NoError(t, err, "the object is still there")
}
