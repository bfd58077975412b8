package fairness

import (
	"math"
	"slices"
	"time"
)

// capacity shares seats among the requests of several levels. It has no goroutines, no lock and no clock: each call
// says what time it is, and now never goes back.
type capacity struct {
	seats  int // the seats that rebalance divides among the levels
	levels []*level
}

// guess is how long a request is assumed to work while it does. When it ends, its queue is charged for the true time.
const guess = 3 * time.Millisecond

// level shares its seats fairly among its queues.
//
// Each level has a virtual time, which counts the seat-seconds that a queue would have got so far if it had always had
// something to do, and all such queues had got the same. The start of a queue is the virtual time at which its next
// request begins in that ideal world. The level gives the next seats to the queue whose first request would end first
// there. So a queue that has used little comes before those that have used much.
type level struct {
	name    string
	exempt  bool // requests never wait
	config  Level
	gone    bool // no longer configured: the level is removed when it has no requests left
	removed bool // capacity.levels no longer contains it
	limits
	queues []*queue // those beyond limits.queues only become empty

	virtual float64   // seat-seconds
	at      time.Time // when virtual was true
	turn    int       // the queue that was served last: among equals, the next one comes first
	deals   int

	seats, requests, waiting, waitingSeats int
}

// limits are what may change while a level has requests.
type limits struct {
	nominal   int // the seats of the level
	lendable  int // how many of them others may use while the level does not need them
	borrowing int // how many seats of others the level may use
	queues    int // 0 refuses requests that find no seat, unless they come back
	hand      int // how many queues one flow may use
	length    int // the length of a queue, in requests
}

// queue holds the requests of some flows in the order of their arrival.
type queue struct {
	waiting         []*ticket
	waitingSeats    int
	seats, requests int // the seats and the number of the requests at work
	start           float64
}

// ticket is one request at a level.
type ticket struct {
	level   *level
	queue   *queue // nil if the request never waits
	tally   *tally // the tally of the flow; nil if nobody counts
	seats   int
	arrived float64 // the virtual time of its arrival
	began   time.Time
	seated  bool
	wake    chan struct{} // closed when the request gets its seats; nil if nobody waits
}

// tally counts the requests of a flow that have seats or wait.
type tally struct{ requests, seats, waiting int }

func (t *tally) add(requests, seats, waiting int) {
	if t != nil {
		t.requests, t.seats, t.waiting = t.requests+requests, t.seats+seats, t.waiting+waiting
	}
}

// arrive lets a request of a flow take its seats or a place in a queue. It returns false if the queue is full.
func (c *capacity) arrive(now time.Time, t *ticket, flow uint64) bool {
	l := c.prepare(now, t)
	if l.exempt {
		l.seat(now, t)
		return true
	}
	if l.limits.queues == 0 {
		if l.waiting > 0 || !c.fits(l, t.seats) {
			return false
		}
		l.seat(now, t)
		return true
	}
	q := l.choose(flow)
	if len(q.waiting) >= l.length && !(len(q.waiting) == 0 && c.fits(l, t.seats)) {
		return false
	}
	l.enqueue(q, t)
	c.dispatch(now, l)
	return true
}

// comeBack lets a request that has had seats before take them again or a place in a queue, however long the queue is. A
// level that has no queue gets one for such requests.
func (c *capacity) comeBack(now time.Time, t *ticket, flow uint64) {
	l := c.prepare(now, t)
	if l.exempt {
		l.seat(now, t)
		return
	}
	if len(l.queues) == 0 {
		l.queues = append(l.queues, new(queue))
	}
	l.enqueue(l.choose(flow), t)
	c.dispatch(now, l)
}

// prepare returns the level of a request that arrives or comes back.
func (c *capacity) prepare(now time.Time, t *ticket) *level {
	c.list(t)
	l := t.level
	l.advance(now)
	t.queue, t.wake = nil, nil
	if !l.exempt {
		t.seats = min(t.seats, max(1, l.nominal))
	}
	return l
}

// enqueue appends a request to a queue.
func (l *level) enqueue(q *queue, t *ticket) {
	if len(q.waiting) == 0 && q.requests == 0 {
		q.start = l.virtual
	}
	t.queue, t.arrived = q, l.virtual
	q.waiting = append(q.waiting, t)
	q.waitingSeats += t.seats
	l.waiting++
	l.waitingSeats += t.seats
	t.tally.add(0, 0, 1)
	q.bound()
}

// bound moves the start of a queue to the arrival of its first request. A queue that does not use what is due to it
// would otherwise save it up, and keep out the others later.
func (q *queue) bound() {
	if len(q.waiting) > 0 {
		q.start = max(q.start, q.waiting[0].arrived)
	}
}

// force gives a request its seats, although there may be none.
func (c *capacity) force(now time.Time, t *ticket) {
	c.list(t)
	l := t.level
	l.advance(now)
	if q := t.queue; q != nil && len(q.waiting) == 0 && q.requests == 0 {
		q.start = l.virtual
	}
	l.seat(now, t)
}

// seat puts a request to work.
func (l *level) seat(now time.Time, t *ticket) {
	t.seated, t.began = true, now
	l.seats += t.seats
	l.requests++
	t.tally.add(1, t.seats, 0)
	if q := t.queue; q != nil {
		q.seats += t.seats
		q.requests++
		q.start += work(t.seats, guess)
	}
	if t.wake != nil {
		close(t.wake)
	}
}

// work returns seat-seconds.
func work(seats int, d time.Duration) float64 { return float64(seats) * d.Seconds() }

// finish takes the seats of a request that has worked, and gives them to others.
func (c *capacity) finish(now time.Time, t *ticket) {
	l := t.level
	l.advance(now)
	t.seated = false
	l.seats -= t.seats
	l.requests--
	t.tally.add(-1, -t.seats, 0)
	if q := t.queue; q != nil {
		q.seats -= t.seats
		q.requests--
		q.start += work(t.seats, now.Sub(t.began)) - work(t.seats, guess)
		q.bound()
	}
	c.left(now, l)
}

// cancel takes a waiting request out of its queue.
func (c *capacity) cancel(now time.Time, t *ticket) {
	t.level.advance(now)
	t.leaveQueue()
	c.left(now, t.level)
}

// left gives to others what a request has left.
func (c *capacity) left(now time.Time, l *level) {
	if l.gone && l.requests+l.waiting == 0 {
		c.rebalance(now)
	}
	c.dispatchAll(now, l)
}

func (t *ticket) leaveQueue() {
	l, q := t.level, t.queue
	i := slices.Index(q.waiting, t)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.waitingSeats -= t.seats
	l.waiting--
	l.waitingSeats -= t.seats
	t.tally.add(0, 0, -1)
}

// dispatchAll gives free seats to the requests of a level, and what then is lent to those of the others.
func (c *capacity) dispatchAll(now time.Time, first *level) {
	c.dispatch(now, first)
	for _, l := range c.levels {
		if l.waiting > 0 && l != first {
			l.advance(now)
			c.dispatch(now, l)
		}
	}
}

// dispatch gives free seats to waiting requests of a level. If the request whose turn it is needs more seats than are
// free, the others wait too. Otherwise wide requests would never get a turn.
func (c *capacity) dispatch(now time.Time, l *level) {
	for l.waiting > 0 {
		turn, t := l.next()
		if !l.exempt && !c.fits(l, t.seats) {
			return
		}
		t.leaveQueue()
		l.seat(now, t)
		t.queue.bound()
		l.turn = turn
	}
}

// next returns the request whose turn it is, and the index of its queue.
func (l *level) next() (turn int, first *ticket) {
	var end float64
	for i := range l.queues {
		at := (l.turn + 1 + i) % len(l.queues)
		q := l.queues[at]
		if len(q.waiting) == 0 {
			continue
		}
		t := q.waiting[0]
		if ends := q.start + work(t.seats, guess); first == nil || ends < end {
			turn, first, end = at, t, ends
		}
	}
	return turn, first
}

// fits reports whether so many seats are free for a level.
func (c *capacity) fits(l *level, seats int) bool {
	limit := c.limit(l)
	return limit > 0 && (l.seats == 0 || l.seats+seats <= limit)
}

// limit returns how many seats a level may use now: its own, and those that others lend. A level always has its own
// seats. While it takes back what it has lent, more seats are in use than there are.
func (c *capacity) limit(l *level) int {
	lent := 0
	if l.borrowing > 0 {
		for _, other := range c.levels {
			switch free := other.nominal - other.seats; {
			case other == l:
			case free > 0:
				lent += min(other.lendable, free)
			case !other.exempt:
				lent += free
			}
		}
	}
	return l.nominal + min(max(0, lent), l.borrowing)
}

// advance brings the virtual time of a level up to date. It must run before anything about the level changes.
func (l *level) advance(now time.Time) {
	d := now.Sub(l.at)
	l.at = now
	if d <= 0 || len(l.queues) == 0 {
		return
	}
	busy := 0
	for _, q := range l.queues {
		if q.requests > 0 || len(q.waiting) > 0 {
			busy++
		}
	}
	if busy > 0 {
		l.virtual += work(l.seats, d) / float64(busy)
	}
}

// maxHand is the size limit of a hand: a larger one needs more than the bits of a hash.
const maxHand = 20

// choose deals a hand of queues to a flow, and returns the one of them with the least work waiting. Two flows have the
// same hand very rarely. So a flow that fills all queues of its hand leaves most other flows at least one queue.
func (l *level) choose(flow uint64) *queue {
	var hand [maxHand]int
	queues := max(1, l.limits.queues) // only a request that comes back chooses at a level without queues
	n := deal(hand[:min(max(1, l.hand), queues, maxHand)], queues, flow)
	l.deals++
	var best *queue
	for i := range n {
		q := l.queues[hand[(i+l.deals)%n]]
		if best == nil || q.waitingSeats < best.waitingSeats {
			best = q
		}
	}
	return best
}

// deal fills a hand with different numbers below n, which depend on the hash alone, and returns their number.
func deal(hand []int, n int, hash uint64) int {
	var sorted [maxHand]int
	for i := range hand {
		left := uint64(n - i)
		card := int(hash % left)
		hash /= left
		at := 0
		for ; at < i && sorted[at] <= card; at++ {
			card++
		}
		copy(sorted[at+1:i+1], sorted[at:i])
		sorted[at], hand[i] = card, card
	}
	return len(hand)
}

// configure sets the limits of a level, and adds the queues that are missing. Requests wait on in theirs.
func (l *level) configure(now time.Time, to limits) {
	l.advance(now)
	l.limits = to
	for len(l.queues) < to.queues {
		l.queues = append(l.queues, new(queue))
	}
}

// replace configures all levels. Those that are not among the configured ones are removed as soon as they have no
// requests left.
func (c *capacity) replace(now time.Time, configured []Level) {
	for _, l := range c.levels {
		l.gone = true
	}
	for _, to := range configured {
		l := c.find(to.Name)
		if l == nil {
			l = &level{name: to.Name, exempt: to.Exempt, at: now}
			c.levels = append(c.levels, l)
		}
		l.config, l.gone = to, false
	}
	c.rebalance(now)
	for _, l := range c.levels {
		c.dispatchAll(now, l)
	}
}

// find returns the level of a name, or nil.
func (c *capacity) find(name string) *level {
	if i := slices.IndexFunc(c.levels, func(l *level) bool { return l.name == name }); i >= 0 {
		return c.levels[i]
	}
	return nil
}

// list prepares the level of a request that comes back after its level was removed: the level of the same name, if it
// is configured again, or the old one for as long as the request needs it.
func (c *capacity) list(t *ticket) {
	if !t.level.removed {
		return
	}
	if again := c.find(t.level.name); again != nil {
		t.level = again
		return
	}
	t.level.removed = false
	c.levels = append(c.levels, t.level)
}

// rebalance divides the seats among the levels by their shares. A level that is gone keeps its share while it has
// requests.
func (c *capacity) rebalance(now time.Time) {
	shares := 0
	c.levels = slices.DeleteFunc(c.levels, func(l *level) bool {
		l.removed = l.gone && l.requests+l.waiting == 0
		if !l.removed {
			shares += l.config.Shares
		}
		return l.removed
	})
	for _, l := range c.levels {
		of := &l.config
		to := limits{queues: of.Queues, hand: of.HandSize, length: of.QueueLength}
		if of.Shares > 0 {
			to.nominal = (c.seats*of.Shares + shares - 1) / shares
		}
		to.lendable, to.borrowing = percent(to.nominal, of.LendablePercent), percent(to.nominal, of.BorrowingPercent)
		if of.borrowsAll {
			to.borrowing = c.seats
		}
		l.configure(now, to)
	}
}

// percent returns a part of some seats.
func percent(seats, of int) int { return int(math.Round(float64(seats) * float64(of) / 100)) }
