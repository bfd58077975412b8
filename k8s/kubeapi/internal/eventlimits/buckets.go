package eventlimits

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"
)

// defaultBuckets is how many buckets a limit has if its cacheSize is 0.
const defaultBuckets = 4096

// buckets count how many Events of each sort clients may still write. When there are too many, take drops the bucket
// that was used least recently; its sort gets a full bucket next time. The keys are hashes of the sorts, because
// clients choose the texts in them, which may be long.
type buckets struct {
	qps, burst float64
	max        int

	mu    sync.Mutex
	known map[[sha256.Size]byte]*list.Element
	order list.List // list of *bucket, the most recently used first
}

// bucket holds what one sort of Events has left.
type bucket struct {
	sort [sha256.Size]byte
	left float64
	at   time.Time // the time for which left was computed
}

func newBuckets(l limit) *buckets {
	b := &buckets{qps: float64(l.QPS), burst: float64(l.Burst), max: int(l.CacheSize),
		known: map[[sha256.Size]byte]*list.Element{}}
	if b.max == 0 {
		b.max = defaultBuckets
	}
	return b
}

// take takes one Event of a sort out of its bucket, and reports whether the bucket had one.
func (b *buckets) take(sort string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.of(sha256.Sum256([]byte(sort)), now)
	if passed := now.Sub(of.at); passed > 0 {
		of.left, of.at = min(b.burst, of.left+passed.Seconds()*b.qps), now
	}
	if of.left < 1 {
		return false
	}
	of.left--
	return true
}

// of returns the bucket of a sort. The caller holds b.mu.
func (b *buckets) of(sort [sha256.Size]byte, now time.Time) *bucket {
	if found := b.known[sort]; found != nil {
		b.order.MoveToFront(found)
		return found.Value.(*bucket)
	}
	if len(b.known) >= b.max {
		delete(b.known, b.order.Remove(b.order.Back()).(*bucket).sort)
	}
	fresh := &bucket{sort: sort, left: b.burst, at: now}
	b.known[sort] = b.order.PushFront(fresh)
	return fresh
}
