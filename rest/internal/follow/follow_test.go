package follow_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// notes returns a store with one resource, at revision 1.
func notes(t *testing.T) *memory.Store {
	store := memory.New(storage.Options{Start: 1})
	require.NoError(t, store.Register(t.Context(), storage.Resource{Name: "notes", Extract: storage.ExtractMetadata}))
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// write commits a note whose label says whether it is selected.
func write(t *testing.T, store storage.Store, name string, selected bool) {
	_, err := store.Update(t.Context(), storage.Key{Resource: "notes", Name: name}, func(*storage.Record) ([]byte, error) {
		return fmt.Appendf(nil, `{"metadata":{"labels":{"selected":"%t"},"name":%q,"resourceVersion":"%d"}}`, selected, name,
			store.Revision()), nil
	})
	require.NoError(t, err)
}

var selected = resource.Selection{
	Within: watch.Key{Resource: "notes"},
	Match:  func(r *storage.Record) bool { value, _ := r.Labels.Lookup("selected"); return value == "true" },
}

// told returns the events of one poll.
func told(t *testing.T, f *follow.Follower) (events []string, more bool) {
	more, err := f.Poll(func(e follow.Event) error {
		events = append(events, fmt.Sprint(e.Type, " ", e.Object.Key.Name, " ", e.Revision))
		return nil
	})
	require.NoError(t, err)
	return events, more
}

// begin returns a follower that starts from the current objects, and their revision.
func begin(t *testing.T, store storage.Store) (*follow.Follower, watch.Revision) {
	f := new(follow.Follower)
	t.Cleanup(f.Close)
	after, err := f.Begin(t.Context(), store, follow.Beginning{Selection: selected, Existing: true})
	require.NoError(t, err)
	return f, after
}

func TestFollowerListsThenFollows(t *testing.T) {
	store := notes(t)
	write(t, store, "a", true)
	write(t, store, "b", false)
	f, after := begin(t, store)
	require.Equal(t, store.Revision(), after)
	write(t, store, "b", true)
	write(t, store, "a", false)
	write(t, store, "c", false)
	assert.Len(t, f.Untold(), 1)
	for _, want := range []struct {
		events []string
		more   bool
	}{
		{[]string{"ADDED a 2"}, true},
		{[]string{"ADDED b 4", "DELETED a 5"}, true},
		{nil, false},
	} {
		events, more := told(t, f)
		assert.Equal(t, want.events, events)
		assert.Equal(t, want.more, more)
	}
	assert.Empty(t, f.Untold())
	assert.Equal(t, store.Revision(), f.Position())

	write(t, store, "d", false)
	events, more := told(t, f)
	assert.Empty(t, events)
	assert.True(t, more, "something has happened, though nothing that is selected")

	write(t, store, "c", true)
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	_, err := f.Poll(nil)
	assert.True(t, status.IsExpired(err), "%v", err)
}

// If see fails, Poll reports nothing more, and the follower drops the objects that are left.
func TestFollowerStops(t *testing.T) {
	store := notes(t)
	write(t, store, "a", true)
	write(t, store, "b", true)
	f, _ := begin(t, store)
	enough := fmt.Errorf("enough")
	_, err := f.Poll(func(follow.Event) error { return enough })
	assert.Equal(t, enough, err)
	assert.Empty(t, f.Untold())
}

// compacting is a store that drops its history after each list.
type compacting struct{ storage.Store }

func (s compacting) List(ctx context.Context, options storage.Query, into []*storage.Record) (storage.Listing, error) {
	page, err := s.Store.List(ctx, options, into)
	_, writeErr := s.Update(ctx, storage.Key{Resource: "notes", Name: "z"}, func(*storage.Record) ([]byte, error) {
		return []byte(`{"metadata":{"name":"z","resourceVersion":"1"}}`), nil
	})
	return page, errors.Join(err, writeErr, s.Compact(ctx, s.Revision()))
}

// If the log drops the revision of the list before the follower has its position, the follower still reports the list,
// which is complete.
func TestFollowerWhoseListIsCompacted(t *testing.T) {
	store := compacting{notes(t)}
	write(t, store, "a", true)
	f, after := begin(t, store)
	assert.Equal(t, watch.Revision(2), after)
	assert.True(t, status.IsExpired(f.Err()), "%v", f.Err())
	events, more := told(t, f)
	assert.Equal(t, []string{"ADDED a 2"}, events)
	assert.True(t, more)
	_, err := f.Poll(nil)
	assert.True(t, status.IsExpired(err), "%v", err)
}

// Begin waits for a revision that the store has not reached, until the deadline of the reader or of the store.
func TestFollowerWaitsForARevision(t *testing.T) {
	for _, existing := range []bool{false, true} {
		for _, c := range []struct {
			name                 string
			until, written, want time.Duration
			reached              bool
		}{
			{name: "never", want: 3 * time.Second},
			{name: "not in the time of the reader", until: time.Second, written: 2 * time.Second, want: time.Second},
			{name: "in time", until: time.Minute, written: 2 * time.Second, want: 2 * time.Second, reached: true},
		} {
			t.Run(fmt.Sprintf("%s, existing %t", c.name, existing), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := notes(t)
					if c.written > 0 {
						defer time.AfterFunc(c.written, func() { write(t, store, "a", true) }).Stop()
					}
					b := follow.Beginning{Selection: selected, Existing: existing, After: 2}
					began := time.Now()
					if c.until > 0 {
						b.Until = began.Add(c.until)
					}
					var f follow.Follower
					defer f.Close()
					after, err := f.Begin(t.Context(), store, b)
					assert.Equal(t, c.want, time.Since(began))
					if !c.reached {
						assert.True(t, status.IsTooLargeResourceVersion(err), "%v", err)
						return
					}
					require.NoError(t, err)
					assert.Equal(t, watch.Revision(2), after)
					events, _ := told(t, &f)
					if existing {
						assert.Equal(t, []string{"ADDED a 2"}, events)
					} else {
						assert.Empty(t, events)
					}
				})
			})
		}
	}
}
