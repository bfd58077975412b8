package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// turnWait bounds how long an update waits for one attempt of the update that has the turn. It then tries without a
// turn, because the function of that update may itself wait for this update.
const turnWait = 100 * time.Millisecond

// turns lets the updates that compete for an object try again one after the other. Without them, each would probably
// find that another one has changed the object while it waited: for the answer of an authority, or for the commits of
// other objects.
type turns struct {
	users atomic.Int64 // how many updates have a turn or wait for one
	mu    sync.Mutex
	all   map[storage.Key]*queued
}

// queued is the turn of one object.
type queued struct {
	turn     chan struct{} // holds a value while an update has the turn
	attempts atomic.Int64  // how many attempts were made by updates that had the turn
	users    int
}

// turn is what an update holds, or waits for. The zero value holds nothing.
type turn struct {
	of     *turns
	key    storage.Key
	queued *queued
	has    bool
}

// wanted reports whether somebody has the turn of a key, or waits for it.
func (t *turns) wanted(key storage.Key) bool {
	if t.users.Load() == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[key] != nil
}

// take waits for the turn of its key, but not longer than a time for each attempt of the updates before it.
func (t *turn) take(ctx context.Context, of *turns, wait time.Duration) {
	of.mu.Lock()
	q := of.all[t.key]
	if q == nil {
		if of.all == nil {
			of.all = map[storage.Key]*queued{}
		}
		q = &queued{turn: make(chan struct{}, 1)}
		of.all[t.key] = q
	}
	q.users++
	of.users.Add(1)
	of.mu.Unlock()
	t.of, t.queued = of, q
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for seen := q.attempts.Load(); ; {
		select {
		case q.turn <- struct{}{}:
			t.has = true
			q.attempts.Add(1)
			return
		case <-timer.C:
			now := q.attempts.Load()
			if now == seen {
				return
			}
			seen = now
			timer.Reset(wait)
		case <-ctx.Done():
			return
		}
	}
}

// end passes the turn to the next update.
func (t *turn) end() {
	if t.queued == nil {
		return
	}
	if t.has {
		<-t.queued.turn
		t.has = false
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.users.Add(-1)
	if t.queued.users--; t.queued.users == 0 {
		delete(t.of.all, t.key)
	}
	t.queued = nil
}

// turnsOf returns the turns of a group in the order in which all groups wait for them. Without one order, two groups
// could wait for each other.
func turnsOf(keys []storage.Key) []*turn {
	all := make([]*turn, len(keys))
	for i, key := range keys {
		all[i] = &turn{key: key}
	}
	slices.SortFunc(all, func(a, b *turn) int {
		return cmp.Or(strings.Compare(a.key.Resource, b.key.Resource), strings.Compare(a.key.Namespace, b.key.Namespace),
			strings.Compare(a.key.Name, b.key.Name))
	})
	return all
}

func sameKeys(a, b []*turn) bool {
	return slices.EqualFunc(a, b, func(a, b *turn) bool { return a.key == b.key })
}

// tryAgain keeps turns for another attempt, unless one of them is not held.
func tryAgain(all []*turn) bool {
	for _, t := range all {
		if !t.has {
			return false
		}
	}
	for _, t := range all {
		t.queued.attempts.Add(1)
	}
	return len(all) > 0
}

func endAll(all []*turn) {
	for _, t := range all {
		t.end()
	}
}
