package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
)

const notes = "notes.example.com"

var noteResource = storage.Resource{Name: notes, Namespaced: true, Extract: storage.NewExtractor(), Fingerprint: "1"}

func note(name string) storage.Key {
	return storage.Key{Resource: notes, Namespace: "default", Name: name}
}

func noteJSON(name, text string) []byte {
	return fmt.Appendf(nil, `{"kind":"Note","metadata":{"name":%q,"namespace":"default","resourceVersion":""},"text":%q}`, name, text)
}

// serving opens a store that serves notes.
func serving(t testing.TB, opts postgres.Options) *postgres.Store {
	t.Helper()
	store := open(t, opts)
	insist(t, func() error { return store.Register(t.Context(), noteResource) })
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func put(ctx context.Context, store storage.Store, name, text string) (*storage.Record, error) {
	return store.Update(ctx, note(name), func(*storage.Record) ([]byte, error) { return noteJSON(name, text), nil })
}
