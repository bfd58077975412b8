package fairness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// world runs a capacity in simulated time. No test of it waits for anything.
type world struct {
	capacity
	now     time.Time
	running []*ticket // those that the world has seen begin
	ends    map[*ticket]time.Time
}

func newWorld(levels ...*level) *world {
	w := &world{now: time.Unix(0, 0), ends: map[*ticket]time.Time{}}
	w.levels = levels
	for _, l := range levels {
		l.configure(w.now, l.limits)
	}
	return w
}

// finishNext moves on to the next end of a request, unless it comes after limit, and returns the request.
func (w *world) finishNext(limit time.Time) *ticket {
	var next *ticket
	for _, t := range w.running {
		if next == nil || w.ends[t].Before(w.ends[next]) {
			next = t
		}
	}
	if next == nil || w.ends[next].After(limit) {
		w.now = limit
		return nil
	}
	w.now = w.ends[next]
	w.running = slices.DeleteFunc(w.running, func(t *ticket) bool { return t == next })
	w.finish(w.now, next)
	return next
}

// begun notes which of the requests have begun, and when each will end.
func (w *world) begun(requests []*ticket, takes map[*ticket]time.Duration) (fresh []*ticket) {
	for _, t := range requests {
		if _, known := w.ends[t]; t.seated && !known {
			w.ends[t] = w.now.Add(takes[t])
			w.running = append(w.running, t)
			fresh = append(fresh, t)
		}
	}
	return fresh
}

// model is a level written as one would explain it: a flat list of requests, and a start for each queue. Nothing is
// kept that can be counted.
type model struct {
	limits
	virtual float64
	at      time.Time
	turn    int
	starts  []float64
	all     []*modelRequest // waiting and working, in the order of arrival
}

type modelRequest struct {
	name, queue, seats int
	arrived            float64
	began              time.Time
	works              bool
}

func (m *model) seats(of func(r *modelRequest) bool) (n int) {
	for _, r := range m.all {
		if of(r) {
			n += r.seats
		}
	}
	return n
}

func (m *model) first(queue int) *modelRequest {
	for _, r := range m.all {
		if r.queue == queue && !r.works {
			return r
		}
	}
	return nil
}

func (m *model) tick(now time.Time) {
	busy := map[int]bool{}
	for _, r := range m.all {
		busy[r.queue] = true
	}
	if len(busy) > 0 {
		used := m.seats(func(r *modelRequest) bool { return r.works })
		m.virtual += float64(used) * now.Sub(m.at).Seconds() / float64(len(busy))
	}
	m.at = now
}

func (m *model) bound() {
	for q := range m.starts {
		if r := m.first(q); r != nil {
			m.starts[q] = max(m.starts[q], r.arrived)
		}
	}
}

// arrive returns the names of the requests that begin, or false if the request is refused.
func (m *model) arrive(now time.Time, r *modelRequest) (begin []int, ok bool) {
	m.tick(now)
	waiting, of := 0, 0
	for _, other := range m.all {
		if other.queue == r.queue {
			of++
			if !other.works {
				waiting++
			}
		}
	}
	if waiting >= m.length {
		return nil, false
	}
	if of == 0 {
		m.starts[r.queue] = m.virtual
	}
	r.arrived = m.virtual
	m.all = append(m.all, r)
	m.bound()
	return m.begin(now), true
}

func (m *model) finish(now time.Time, name int) []int {
	m.tick(now)
	i := slices.IndexFunc(m.all, func(r *modelRequest) bool { return r.name == name })
	r := m.all[i]
	m.all = slices.Delete(m.all, i, i+1)
	m.starts[r.queue] += float64(r.seats) * (now.Sub(r.began) - guess).Seconds()
	m.bound()
	return m.begin(now)
}

func (m *model) begin(now time.Time) (names []int) {
	for {
		var best *modelRequest
		var end float64
		for i := range m.starts {
			q := (m.turn + 1 + i) % len(m.starts)
			r := m.first(q)
			if r != nil && (best == nil || m.starts[q]+float64(r.seats)*guess.Seconds() < end-1e-9) {
				best, end = r, m.starts[q]+float64(r.seats)*guess.Seconds()
			}
		}
		used := m.seats(func(r *modelRequest) bool { return r.works })
		if best == nil || used > 0 && used+best.seats > m.nominal {
			return names
		}
		best.works, best.began = true, now
		m.starts[best.queue] += float64(best.seats) * guess.Seconds()
		m.turn = best.queue
		m.bound()
		names = append(names, best.name)
	}
}

// Over random arrivals, the same requests begin at the same times as in a simple model, and the same are refused.
func TestQueuesBehaveAsTheModel(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		lim := limits{nominal: 1 + r.IntN(8), queues: 1 + r.IntN(6), hand: 1, length: 1 + r.IntN(8)}
		w := newWorld(&level{limits: lim})
		m := &model{limits: lim, at: w.now, starts: make([]float64, lim.queues)}
		names, takes, all := map[*ticket]int{}, map[*ticket]time.Duration{}, []*ticket{}
		check := func(what string, want []int) {
			var got []int
			for _, t := range w.begun(all, takes) {
				got = append(got, names[t])
			}
			slices.Sort(want)
			slices.Sort(got)
			require.Equal(t, want, got, "seed %d: %s", seed, what)
		}
		for name := range 150 {
			// Odd numbers of microseconds keep two virtual times from being equal in one of the two, and not in the other.
			arrives := w.now.Add(time.Duration(r.IntN(4000))*time.Microsecond + time.Duration(name)*time.Nanosecond)
			for done := w.finishNext(arrives); done != nil; done = w.finishNext(arrives) {
				check(fmt.Sprint("end of ", names[done]), m.finish(w.now, names[done]))
			}
			tk := &ticket{level: w.levels[0], seats: min(1+r.IntN(3), lim.nominal)}
			names[tk], takes[tk] = name, time.Duration(1+r.IntN(9000))*time.Microsecond
			q := r.IntN(lim.queues)
			begin, ok := m.arrive(w.now, &modelRequest{name: name, queue: q, seats: tk.seats})
			require.Equal(t, ok, w.arrive(w.now, tk, uint64(q)), "seed %d: arrival of %d", seed, name)
			if ok {
				all = append(all, tk)
			}
			check(fmt.Sprint("arrival of ", name), begin)
		}
	}
}

// Flows that always have something to do get the same seat-seconds, however wide and however long their requests are.
func TestBusyFlowsGetEqualShares(t *testing.T) {
	l := &level{limits: limits{nominal: 10, queues: 3, hand: 1, length: 50}}
	w := newWorld(l)
	got, owner, takes, all := [3]float64{}, map[*ticket]int{}, map[*ticket]time.Duration{}, []*ticket{}
	shapes := [3]struct {
		seats int
		takes time.Duration
	}{{1, time.Millisecond}, {5, 2 * time.Millisecond}, {2, 30 * time.Millisecond}}
	for w.now.Before(time.Unix(20, 0)) {
		for q, s := range shapes {
			for len(l.queues[q].waiting) < 20 {
				tk := &ticket{level: l, seats: s.seats}
				owner[tk], takes[tk] = q, s.takes
				require.True(t, w.arrive(w.now, tk, uint64(q)))
				all = append(all, tk)
			}
		}
		w.begun(all, takes)
		all = slices.DeleteFunc(all, func(t *ticket) bool { return t.seated })
		done := w.finishNext(w.now.Add(time.Hour))
		got[owner[done]] += work(done.seats, takes[done])
		w.begun(all, takes)
	}
	for q := range got {
		assert.InDelta(t, got[0], got[q], 0.03*got[0], "%v seat-seconds", got)
	}
}

// A user who asks for little begins before nearly everything that a flood has queued. Only the first request of each
// queue of the flood may come before.
func TestQuietUserBeginsBeforeTheFlood(t *testing.T) {
	l := &level{limits: limits{nominal: 10, queues: 64, hand: 6, length: 50}}
	w := newWorld(l)
	const flood, quiet = 7, 1 << 40
	takes, all := map[*ticket]time.Duration{}, []*ticket{}
	begun := func() []*ticket {
		fresh := w.begun(all, takes)
		all = slices.DeleteFunc(all, func(t *ticket) bool { return t.seated })
		return fresh
	}
	send := func(flow uint64, seats int, d time.Duration) *ticket {
		tk := &ticket{level: l, seats: seats}
		takes[tk] = d
		if w.arrive(w.now, tk, flow) {
			all = append(all, tk)
		}
		return tk
	}
	shapes := []int{10, 1, 3} // lists, writes and watches
	for i := range 500 {
		for range 300 {
			send(flood, shapes[i%3], 20*time.Millisecond)
		}
		begun()
		mine := send(quiet, 1, time.Millisecond)
		before := 0
		for !mine.seated {
			require.NotNil(t, w.finishNext(w.now.Add(time.Hour)))
			before += len(slices.DeleteFunc(begun(), func(t *ticket) bool { return t == mine }))
		}
		require.LessOrEqual(t, before, l.hand, "round %d", i)
		w.now = w.now.Add(time.Millisecond)
	}
}

// Seats that nobody needs are lent, each level always gets its own, and no seat is free while a request waits for it.
func TestSeatsAreLent(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		var levels []*level
		for range 3 {
			n := 1 + r.IntN(10)
			levels = append(levels, &level{limits: limits{nominal: n, lendable: r.IntN(n + 1), borrowing: r.IntN(20), queues: 4,
				hand: 2, length: 20}})
		}
		w := newWorld(levels...)
		takes, all := map[*ticket]time.Duration{}, []*ticket{}
		for range 200 {
			arrives := w.now.Add(time.Duration(r.IntN(1000)) * time.Microsecond)
			for w.finishNext(arrives) != nil {
				w.begun(all, takes)
			}
			tk := &ticket{level: levels[r.IntN(3)], seats: 1}
			takes[tk] = time.Duration(1+r.IntN(20000)) * time.Microsecond
			if w.arrive(w.now, tk, r.Uint64()) {
				all = append(all, tk)
			}
			w.begun(all, takes)
			for _, l := range levels {
				require.LessOrEqual(t, l.seats, l.nominal+l.borrowing)
				if l.waiting > 0 {
					require.GreaterOrEqual(t, l.seats, w.limit(l), "seed %d: a seat is free", seed)
					require.GreaterOrEqual(t, l.seats, l.nominal, "seed %d: a level lacks a seat of its own", seed)
				}
			}
		}
	}
}

// Two hands share few queues, no queue is dealt twice, and all queues are dealt equally often.
func TestHands(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := make([]int, 64)
	for range 64_000 {
		hand := make([]int, 6)
		deal(hand, 64, r.Uint64())
		slices.Sort(hand)
		require.Len(t, slices.Compact(slices.Clone(hand)), 6)
		for _, q := range hand {
			count[q]++
		}
	}
	for q, n := range count {
		assert.InDelta(t, 6000, n, 500, "queue %d", q)
	}
}

// A request that gives up leaves the queue to the others.
func TestRequestsGiveUp(t *testing.T) {
	l := &level{limits: limits{nominal: 1, queues: 1, hand: 1, length: 2}}
	w := newWorld(l)
	a, b, c, d := &ticket{level: l, seats: 1}, &ticket{level: l, seats: 1}, &ticket{level: l, seats: 1},
		&ticket{level: l, seats: 1}
	for _, tk := range []*ticket{a, b, c} {
		require.True(t, w.arrive(w.now, tk, 0))
	}
	require.False(t, w.arrive(w.now, d, 0), "the queue is full")
	w.cancel(w.now, b)
	require.True(t, w.arrive(w.now, d, 0))
	w.finish(w.now, a)
	assert.Equal(t, []bool{false, false, true, false}, []bool{a.seated, b.seated, c.seated, d.seated})
}
