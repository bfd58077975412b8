package watch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

func TestAdvance(t *testing.T) {
	l := watch.NewLog(watch.LogOptions[string]{Start: 10})
	defer l.Close()
	key := watch.Key{Resource: "widgets", Name: "x"}
	cursor, err := l.Cursor(key, 10)
	require.NoError(t, err)
	defer cursor.Close()
	reached := make(chan error, 1)
	go func() { reached <- l.Wait(t.Context(), 20) }()
	require.NoError(t, l.Advance(20))
	require.NoError(t, <-reached)
	require.NoError(t, l.Advance(15), "the log never goes back")
	require.EqualValues(t, 20, l.Revision())
	changes, err := cursor.Poll(nil)
	require.NoError(t, err)
	assert.Empty(t, changes)
	assert.EqualValues(t, 20, cursor.Position(), "a bookmark may carry the revision")

	state := "state"
	assert.Error(t, l.Append([]watch.Change[string]{{Key: key, Revision: 20, Current: &state}}))
	require.NoError(t, l.Append([]watch.Change[string]{{Key: key, Revision: 22, Current: &state}}))
	changes, err = cursor.Poll(nil)
	require.NoError(t, err)
	assert.Len(t, changes, 1)
}

func TestReset(t *testing.T) {
	l := watch.NewLog(watch.LogOptions[string]{Start: 10})
	defer l.Close()
	key := watch.Key{Resource: "widgets", Name: "x"}
	state := "state"
	require.NoError(t, l.Append([]watch.Change[string]{{Key: key, Revision: 11, Current: &state}}))
	waiting, err := l.Cursor(watch.Key{Resource: "widgets"}, 11)
	require.NoError(t, err)
	defer waiting.Close()
	ended := make(chan error, 1)
	ready := waiting.Ready()
	go func() {
		<-ready
		_, err := waiting.Poll(nil)
		ended <- err
	}()
	require.NoError(t, l.Reset(30))
	assert.True(t, status.IsExpired(<-ended), "a cursor that waits learns that it lost changes")
	_, err = l.Cursor(key, 29)
	assert.True(t, status.IsExpired(err), "%v", err)
	cursor, err := l.Cursor(key, 30)
	require.NoError(t, err)
	defer cursor.Close()
	require.NoError(t, l.Append([]watch.Change[string]{{Key: key, Revision: 31, Previous: &state}}))
	changes, err := cursor.Poll(nil)
	require.NoError(t, err)
	assert.Len(t, changes, 1)
}
