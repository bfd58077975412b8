package fairness

import (
	"slices"
	"time"
)

// State is what a [Limiter] does at one moment. Its JSON is for people, see Options.States of package debug.
type State struct {
	Levels []LevelState `json:"levels"`
	Flows  []FlowState  `json:"flows"`
}

// LevelState is the state of a level in a [State].
type LevelState struct {
	Name   string `json:"name"`
	Exempt bool   `json:"exempt,omitempty"`
	// NominalSeats is how many seats the level has, and LimitSeats how many it may use now with those that others lend.
	NominalSeats int `json:"nominalSeats"`
	LimitSeats   int `json:"limitSeats"`
	// Seats is how many seats are in use, and Requests by how many requests.
	Seats    int `json:"seats"`
	Requests int `json:"requests"`
	// Waiting is how many requests wait, and WaitingSeats how many seats they need. QueueLengths has the lengths of the
	// queues.
	Waiting      int   `json:"waiting"`
	WaitingSeats int   `json:"waitingSeats"`
	QueueLengths []int `json:"queueLengths,omitempty"`
	// VirtualTime is how many seat-seconds a queue would have got so far that always had a request.
	VirtualTime float64 `json:"virtualTime"`
}

// FlowState is the state of a [Flow], and counts what has happened to its requests.
type FlowState struct {
	Name  string `json:"name"`
	Level string `json:"level"`
	// Seats is how many seats are in use, Requests by how many requests, and Waiting how many requests wait.
	Seats    int `json:"seats"`
	Requests int `json:"requests"`
	Waiting  int `json:"waiting"`
	// Dispatched counts the requests that have got their seats. The others count refusals: because a queue was full,
	// because the request had waited too long, because its client had gone while it waited, and because a level without
	// queues had no seat.
	Dispatched       uint64 `json:"dispatched"`
	QueueFull        uint64 `json:"queueFull"`
	TimeOut          uint64 `json:"timeOut"`
	Cancelled        uint64 `json:"cancelled"`
	ConcurrencyLimit uint64 `json:"concurrencyLimit"`
	// Served and Refused are the waits of requests that got their seats, and of those that did not. A request with a body
	// waits twice, because it has no seats while its body is read. One with a large answer may wait for each piece of it.
	// Requests of exempt levels do not wait.
	Served  Waits `json:"served"`
	Refused Waits `json:"refused"`
}

// Waits counts waits for seats by how long they took.
type Waits struct {
	// Counts[i] is how many waits took at most WaitBounds()[i], and longer than the bound before. The last element counts
	// the waits beyond all bounds.
	Counts [len(waitBounds) + 1]uint64 `json:"counts"`
	// Sum is the time of all waits, in nanoseconds in JSON.
	Sum time.Duration `json:"sum"`
}

// waitBounds are those of apiserver_flowcontrol_request_wait_duration_seconds.
var waitBounds = [...]time.Duration{
	0, 5 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second,
	30 * time.Second,
}

// WaitBounds returns the upper bounds by which [Waits] counts.
func WaitBounds() []time.Duration { return slices.Clone(waitBounds[:]) }

func (w *Waits) add(d time.Duration) {
	i := 0
	for i < len(waitBounds) && d > waitBounds[i] {
		i++
	}
	w.Counts[i]++
	w.Sum += d
}

// State returns the state of all levels and flows. It includes a level that was removed from the configuration until the
// last request of that level has ended.
func (l *Limiter) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	var s State
	for _, of := range l.capacity.levels {
		state := LevelState{
			Name: of.name, Exempt: of.exempt, NominalSeats: of.nominal, LimitSeats: l.capacity.limit(of),
			Seats: of.seats, Requests: of.requests, Waiting: of.waiting, WaitingSeats: of.waitingSeats, VirtualTime: of.virtual,
		}
		for _, q := range of.queues {
			state.QueueLengths = append(state.QueueLengths, len(q.waiting))
		}
		s.Levels = append(s.Levels, state)
	}
	for _, f := range l.flows.Load().inOrder {
		c := f.counts
		s.Flows = append(s.Flows, FlowState{
			Name: f.Name, Level: f.Level, Seats: c.seats, Requests: c.requests, Waiting: c.waiting,
			Dispatched: c.dispatched, QueueFull: c.full, TimeOut: c.late, Cancelled: c.left, ConcurrencyLimit: c.noSeat,
			Served: c.served, Refused: c.refused,
		})
	}
	return s
}
