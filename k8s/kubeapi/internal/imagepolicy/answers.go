package imagepolicy

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"
)

// maxAnswers is how many answers are kept.
const maxAnswers = 1024

// verdict is the answer of the server.
type verdict struct {
	allowed bool
	reason  string
}

// answers keeps the verdicts about reviews for some time. The keys are hashes of the reviews, because clients choose
// the texts in them, which may be long. The zero value is ready to use.
type answers struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*list.Element
	order list.List // list of *answer, the most recently used first
}

type answer struct {
	review [sha256.Size]byte
	verdict
	until time.Time
}

// get returns the verdict about a review that still holds.
func (a *answers) get(review [sha256.Size]byte) (verdict, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.known[review]
	if found == nil {
		return verdict{}, false
	}
	kept := found.Value.(*answer)
	if !time.Now().Before(kept.until) {
		a.drop(found)
		return verdict{}, false
	}
	a.order.MoveToFront(found)
	return kept.verdict, true
}

// keep keeps a verdict. When there are too many, it drops the one that was used least recently.
func (a *answers) keep(review [sha256.Size]byte, v verdict, ttl time.Duration) {
	if ttl <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[[sha256.Size]byte]*list.Element{}
	}
	if before := a.known[review]; before != nil {
		a.drop(before)
	}
	if len(a.known) >= maxAnswers {
		a.drop(a.order.Back())
	}
	a.known[review] = a.order.PushFront(&answer{review, v, time.Now().Add(ttl)})
}

// drop forgets an answer. The caller holds a.mu.
func (a *answers) drop(e *list.Element) { delete(a.known, a.order.Remove(e).(*answer).review) }
