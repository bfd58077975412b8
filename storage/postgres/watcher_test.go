package postgres_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/watch"
)

// last is the name of the object with which the chaos ends.
const last = "last"

// watcher follows the registers through a replica. When the watch ends, it resumes from the last event, or lists again
// if that is Expired.
type watcher struct {
	store         *atomic.Pointer[postgres.Store]
	seen          map[string]string
	at            watch.Revision
	events, lists int
}

// follow runs until the watcher has seen the last object.
func (w *watcher) follow(t testing.TB) {
	listed := false
	for t.Context().Err() == nil {
		store := w.store.Load()
		if !listed {
			state, page, err := list(t.Context(), store)
			if err != nil {
				continue
			}
			assert.GreaterOrEqual(t, page.Revision, w.at, "revisions are used again")
			w.seen, w.at, listed = state, page.Revision, true
			w.lists++
		}
		if _, ended := w.seen[last]; ended {
			return
		}
		cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, w.at)
		for err == nil {
			var changes []*watch.Change[storage.Record]
			changes, err = cursor.Next(t.Context(), nil)
			for _, change := range changes {
				w.take(t, change)
			}
			if _, ended := w.seen[last]; ended {
				break
			}
		}
		if cursor != nil {
			cursor.Close()
		}
		if status.IsExpired(err) {
			listed = false
		}
	}
}

// take checks that a change appends one word to what the watcher knows: no change is lost, doubled or out of order.
func (w *watcher) take(t testing.TB, change *watch.Change[storage.Record]) {
	assert.Greater(t, change.Revision, w.at)
	name, text := change.Key.Name, textOf(change.Current)
	known, ok := w.seen[name]
	words, isNext := strings.CutPrefix(text, known)
	assert.True(t, isNext, "%s was %q, and is %q", name, known, text)
	if ok || name != last {
		assert.Len(t, strings.Fields(words), 1, "%s was %q, and is %q", name, known, text)
	}
	w.seen[name], w.at = text, change.Revision
	w.events++
}
