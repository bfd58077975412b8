package delivery

import (
	"crypto/sha256"
	"math"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/watch"
)

// Readings remembers under which restriction each client has read objects. A watch that continues from a list is right only if both were
// restricted alike: otherwise the client would keep objects that it may no longer see, and never learn of others.
type Readings struct {
	used atomic.Bool // by a restricted client

	mu   sync.Mutex
	last map[Asked]reading
}

// Asked identifies what a client reads: a hash of the user, the resource and the selectors.
type Asked [sha256.Size]byte

// reading says since which revision a client reads under a restriction.
type reading struct {
	restriction string // its fingerprint
	since       watch.Revision
}

// Never is above every revision.
const Never watch.Revision = math.MaxUint64

// maxReadings bounds the memory of Readings to about a MiB. Beyond it, Readings forgets everything, so restricted clients list once more.
const maxReadings = 10_000

// Since returns the oldest revision from which the client may watch without listing first, and remembers the restriction. now is the latest
// revision. If Readings knows nothing of the client, or knows it under another restriction, Since returns Never. A client that was never
// restricted may watch from any revision.
//
// If two clients of one user list at the same revision, one before a change of rights and the other after it, Since does not tell them
// apart until something is written.
func (r *Readings) Since(restriction string, asked func() Asked, now watch.Revision) watch.Revision {
	if restriction == "" && !r.used.Load() {
		return 0
	}
	key := asked()
	r.mu.Lock()
	defer r.mu.Unlock()
	last, known := r.last[key]
	switch {
	case known && last.restriction == restriction:
		return last.since
	case !known && restriction == "":
		return 0
	case r.last == nil || !known && len(r.last) >= maxReadings:
		r.last = map[Asked]reading{}
		r.used.Store(true)
	}
	r.last[key] = reading{restriction, now}
	return Never
}
