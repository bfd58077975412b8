package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watcher follows the registers through random replicas. It resumes each watch on another replica, after the last event
// or bookmark.
type watcher struct {
	random   *rand.Rand
	urls     []string
	at       string // the resourceVersion after which it resumes
	segments []segment
	resumed  int
}

// segment is what a watcher saw between two lists.
type segment struct {
	list   registerList
	events []event
}

// last is the value of the register with which the test ends.
const last = "the last one"

// follow runs until the watcher has seen the last register.
func (w *watcher) follow(ctx context.Context) error {
	w.relist(ctx)
	for done := false; !done; w.resumed++ {
		if ctx.Err() != nil {
			return fmt.Errorf("the watch after %s does not show the last register: %w", w.at, ctx.Err())
		}
		until := 1 + w.random.IntN(100)
		bounded, cancel := context.WithTimeout(ctx, time.Duration(1+w.random.IntN(3000))*time.Millisecond)
		code := watch(bounded, w.urls[w.random.IntN(len(w.urls))], w.at, func(e event) bool {
			w.at = e.Object.ResourceVersion
			s := &w.segments[len(w.segments)-1]
			s.events = append(s.events, e)
			done = e.Object.Spec.Value == last
			until--
			return !done && until > 0
		})
		cancel()
		if code == http.StatusGone {
			w.relist(ctx)
			done = done || w.listed(last)
		}
	}
	return nil
}

func (w *watcher) relist(ctx context.Context) {
	for ctx.Err() == nil {
		if a := send(ctx, http.MethodGet, w.urls[w.random.IntN(len(w.urls))]+path, nil); a.code == http.StatusOK {
			l := a.list()
			w.at = l.Metadata.ResourceVersion
			w.segments = append(w.segments, segment{list: l})
			return
		}
	}
}

func (w *watcher) listed(value string) bool {
	for _, r := range w.segments[len(w.segments)-1].list.Items {
		if r.Spec.Value == value {
			return true
		}
	}
	return false
}

// check compares what the watcher saw with the history: each list is the state at its revision; and then every change
// appears once, in order, and no bookmark passes a change that the watcher has not seen.
func (w *watcher) check(t testing.TB, all *truth) (events int) {
	t.Helper()
	for _, s := range w.segments {
		at := event{Object: Register{}}
		at.Object.ResourceVersion = s.list.Metadata.ResourceVersion
		listed := map[string]string{}
		for _, r := range s.list.Items {
			listed[r.Name] = r.Spec.Value
		}
		require.Equal(t, all.state(at.revision()), listed, "the list at %d", at.revision())
		position := at.revision()
		for _, e := range s.events {
			missed := all.between(position, e.revision())
			position = e.revision()
			if e.Type == "BOOKMARK" {
				require.Empty(t, missed, "a bookmark at %d passes changes that the watch did not show", position)
				continue
			}
			events++
			require.Len(t, missed, 1, "the events up to %d: %v", position, missed)
			want := missed[0]
			assert.Equal(t, want.revision, position)
			assert.Equal(t, want.kind(), e.Type, want)
			assert.Equal(t, want.name, e.Object.Name)
			if !want.gone {
				assert.Equal(t, want.value, e.Object.Spec.Value)
			}
		}
	}
	return events
}
