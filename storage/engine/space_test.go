package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// An engine has one space. It must not mistake the object of another space for its
// own.
func TestEngineRefusesKeysOfOtherSpaces(t *testing.T) {
	m := newMemory(t, storage.Options{})
	ctx := t.Context()
	foreign := pod("x")
	foreign.Space = "other"
	_, err := m.Update(ctx, foreign, func(*storage.Record) ([]byte, error) { return podJSON("x", 1), nil })
	require.ErrorIs(t, err, storage.ErrKey)
	_, err = m.Get(ctx, foreign, storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrKey)
	_, err = m.List(ctx, storage.Query{Within: watch.Key{Space: "other", Resource: "pods"}}, nil)
	require.ErrorIs(t, err, storage.ErrKey)
	_, err = m.Watch(ctx, watch.Key{Space: "other"}, m.Revision())
	require.ErrorIs(t, err, storage.ErrKey)
}

// translated is a store whose watches show the keys of another space, like a store in front of a shared store.
type translated struct{ storage.Store }

func (s translated) Watch(ctx context.Context, within watch.Key, after watch.Revision,
	terms ...watch.Term) (watch.Cursor[storage.Record], error) {
	cursor, err := s.Store.Watch(ctx, within, after, terms...)
	return translating{cursor}, err
}

type translating struct{ watch.Cursor[storage.Record] }

func (c translating) Poll(into []*watch.Change[storage.Record]) ([]*watch.Change[storage.Record], error) {
	changes, err := c.Cursor.Poll(into)
	for i, from := range changes[len(into):] {
		key := from.Key
		key.Space = "mine"
		changes[len(into)+i] = &watch.Change[storage.Record]{Key: key, Revision: from.Revision, Previous: from.Previous,
			Current: from.Current}
	}
	return changes, err
}

func TestStoreMayWrapTheCursorsOfAnother(t *testing.T) {
	m := newMemory(t, storage.Options{})
	store := translated{m}
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: "pods"}, m.Revision())
	require.NoError(t, err)
	defer cursor.Close()
	created, err := m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) { return podJSON("x", 1), nil })
	require.NoError(t, err)
	<-cursor.Ready()
	changes, err := cursor.Poll(nil)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	assert.Equal(t, "mine", changes[0].Key.Space)
	assert.Same(t, created, changes[0].Current)
	assert.Equal(t, created.Revision, cursor.Position())
}
