package engine

import (
	"context"
	"sync"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// turnWait bounds how long an update waits for its turn. It then tries without one, because the function of the update
// that has the turn may itself wait for this update.
const turnWait = 100 * time.Millisecond

// turns lets the updates of a replica that compete for an object try again one after the other. Without them, each
// would probably find that another one has changed the object while the authority answered.
type turns struct {
	mu  sync.Mutex
	all map[storage.Key]*queued
}

// queued is the turn of one object.
type queued struct {
	turn  chan struct{} // holds a value while an update has the turn
	users int
}

// turn is held by an update. The zero value holds none.
type turn struct {
	of     *turns
	key    storage.Key
	queued *queued
	has    bool
}

// wanted reports whether somebody has the turn of a key, or waits for it.
func (t *turns) wanted(key storage.Key) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[key] != nil
}

// take waits for the turn of a key, but not longer than a time.
func (t *turn) take(ctx context.Context, of *turns, key storage.Key, wait time.Duration) {
	of.mu.Lock()
	q := of.all[key]
	if q == nil {
		if of.all == nil {
			of.all = map[storage.Key]*queued{}
		}
		q = &queued{turn: make(chan struct{}, 1)}
		of.all[key] = q
	}
	q.users++
	of.mu.Unlock()
	*t = turn{of: of, key: key, queued: q}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case q.turn <- struct{}{}:
		t.has = true
	case <-timer.C:
	case <-ctx.Done():
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
	if t.queued.users--; t.queued.users == 0 {
		delete(t.of.all, t.key)
	}
	t.queued = nil
}
