package storage

import (
	"fmt"
	"math"
	"sync"

	"github.com/decorum-go/decorum/status"
)

// Budget bounds memory whose size clients choose, in bytes: copies of objects, answers that are built as a whole,
// caches and queues. Code that fills such memory first takes its size from the Budget, and releases it when the memory
// is free again. Taking never waits.
//
// A process has as few Budgets as its host wants: several APIs, stores and plug-ins may share one. Each use has a
// [Budget.Part] of it. A part holds no more than it leaves to the others, so no use can take everything from another
// one.
//
// Any goroutine may use a Budget.
type Budget struct {
	mu    *sync.Mutex // shared by all parts of the whole budget
	of    *Budget     // nil for the whole budget
	limit int64

	used   int64
	lent   map[string]int64 // by borrower, see LendTo
	shrink []func()         // see OnRefusal
	closed bool
}

// NewBudget returns a Budget of a number of bytes. With zero or fewer bytes, it refuses everything.
func NewBudget(bytes int64) *Budget {
	return &Budget{mu: new(sync.Mutex), limit: bytes}
}

// Part returns a part of the budget that holds at most limit bytes. The bytes are not set aside: what no part holds is
// free for all. Of the free bytes, a part may take as many as it leaves, less those that it holds. So while one part
// takes all that it can get, half of the budget stays free, and with nine such parts a tenth. A part that holds nothing
// may take all free bytes, because a single answer may be large. A part of a part works in the same way. With a limit
// of zero or fewer bytes, a part refuses everything.
func (b *Budget) Part(limit int64) *Budget {
	return &Budget{mu: b.mu, of: b, limit: limit}
}

// Take takes a number of bytes, and reports whether it could. If it could not, it has taken nothing.
func (b *Budget) Take(bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes > b.room(0) {
		return false
	}
	b.add(bytes)
	return true
}

// OnRefusal registers a function that returns about half of the memory that a cache holds in a part of the budget. A
// [Loan] of another part calls it before it would be refused, because refusing an answer costs more than dropping an
// entry of a cache. Many goroutines may call shrink at once.
func (b *Budget) OnRefusal(shrink func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shrink = append(b.shrink, shrink)
}

// shrinks returns the functions that make room in all that the budget is a part of.
func (b *Budget) shrinks() (all []func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; b != nil; b = b.of {
		all = append(all, b.shrink...)
	}
	return all
}

// add adds to what is taken of the budget, and of all that it is a part of. The caller holds the lock.
func (b *Budget) add(bytes int64) {
	for ; b != nil && !b.closed; b = b.of {
		b.used += bytes
	}
}

// room returns how many bytes the budget could take if own bytes, which it has taken, were free. The caller holds the
// lock.
func (b *Budget) room(own int64) int64 {
	used := b.used - own
	room := b.limit - used
	switch {
	case b.closed:
		return 0
	case b.of == nil:
	case used == 0:
		room = min(room, b.of.room(own))
	default:
		room = min(room, (b.of.room(own)-used)/2)
	}
	return max(room, 0)
}

// Release gives a number of bytes back that were taken from the same Budget.
func (b *Budget) Release(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(-bytes)
}

// Close gives back all that the part holds, and then refuses everything. Its owner has ended, and need not release what
// it has taken.
func (b *Budget) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	for of := b.of; of != nil && !of.closed; of = of.of {
		of.used -= b.used
	}
	b.used = 0
}

// Used returns how many bytes are taken at this moment, for metrics.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Loan is what one request has taken from a Budget. It grows as if it were taken at once. One goroutine at a time may
// use it. The zero value has no Budget and takes any number of bytes.
type Loan struct {
	from *Budget
	to   string // the borrower, or empty
	size int64
}

// Lend returns a Loan of nothing, for a request without a borrower.
func (b *Budget) Lend() Loan { return Loan{from: b} }

// LendTo returns a Loan of nothing to one of several borrowers, such as a user. All Loans of a borrower together leave
// as much free as they hold, so no borrower can take everything from the others. This limit does not apply to the empty
// borrower.
func (b *Budget) LendTo(borrower string) Loan { return Loan{from: b, to: borrower} }

// Take takes a number of bytes. The error is for clients: 429, or 413 if the Budget could not even lend that much if
// nothing else were taken.
func (l *Loan) Take(bytes int64) error {
	switch {
	case l.from == nil:
	case bytes > l.most()-l.size:
		return status.RequestEntityTooLarge(fmt.Sprintf("limit of the memory for one answer is %d bytes", l.most()))
	case !l.growAnyhow(bytes):
		return status.TooManyRequests("Too many large answers are being prepared, please try again later.", 1)
	}
	l.size += bytes
	return nil
}

// growAnyhow takes bytes, and reports whether it could. Twice, caches give back half of what they hold before it gives
// up.
func (l *Loan) growAnyhow(bytes int64) bool {
	for tries := 0; ; tries++ {
		ok, crowded := l.grow(bytes)
		if ok || !crowded || tries == 2 {
			return ok
		}
		for _, shrink := range l.from.shrinks() {
			shrink()
		}
	}
}

// grow takes bytes, and reports whether it could. crowded says that it could not even if the borrower had nothing else.
func (l *Loan) grow(bytes int64) (ok, crowded bool) {
	b := l.from
	b.mu.Lock()
	defer b.mu.Unlock()
	room, most := b.room(l.size), b.room(l.size)
	if l.to != "" {
		has := b.lent[l.to]
		room, most = (room-(has-l.size))/2, b.room(has)/2
	}
	if size := l.size + bytes; bytes > 0 && size > room {
		return false, size > most
	}
	b.add(bytes)
	l.note(bytes)
	return true, false
}

// note notes what the borrower has. The caller holds the lock.
func (l *Loan) note(bytes int64) {
	b := l.from
	if l.to == "" {
		return
	}
	if b.lent == nil {
		b.lent = map[string]int64{}
	}
	if b.lent[l.to] += bytes; b.lent[l.to] == 0 {
		delete(b.lent, l.to)
	}
}

// most returns the most that the Loan could have: the least of the limits of the budget and of all that it is a part
// of, or half of that for a borrower.
func (l *Loan) most() int64 {
	most := int64(math.MaxInt64)
	for b := l.from; b != nil; b = b.of {
		most = min(most, b.limit)
	}
	if l.to != "" {
		most /= 2
	}
	return max(most, 0)
}

// Size returns how many bytes the Loan has taken.
func (l *Loan) Size() int64 { return l.size }

// Keep gives back all but a number of bytes.
func (l *Loan) Keep(bytes int64) {
	back := l.size - bytes
	if back <= 0 || l.from == nil {
		return
	}
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	l.from.add(-back)
	l.note(-back)
	l.size = bytes
}

// Release gives everything back. Call it when the request ends.
func (l *Loan) Release() { l.Keep(0) }
