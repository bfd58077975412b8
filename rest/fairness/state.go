package fairness

// State is what a [Limiter] does at one moment.
type State struct {
	Levels []LevelState
	Flows  []FlowState
}

// LevelState is the state of a level.
type LevelState struct {
	Name   string
	Exempt bool
	// NominalSeats is how many seats the level has, and LimitSeats how many it may use now with those that others lend.
	NominalSeats, LimitSeats int
	// Seats is how many seats are in use, and Requests by how many requests.
	Seats, Requests int
	// Waiting is how many requests wait, and WaitingSeats how many seats they need. QueueLengths has the lengths of the queues.
	Waiting, WaitingSeats int
	QueueLengths          []int
	// VirtualTime is how many seat-seconds a queue would have got so far that always had a request.
	VirtualTime float64
}

// FlowState counts what has happened to the requests of a [Flow]. A request that gives its seats back while its body is read counts
// twice.
type FlowState struct {
	Name, Level string
	// Dispatched counts seats given. QueueFull, TimeOut and ConcurrencyLimit count refusals: because a queue was full, because the
	// request had waited too long or its client had gone, and because a level without queues had no seat.
	Dispatched, QueueFull, TimeOut, ConcurrencyLimit uint64
}

// State returns the state of all levels and flows.
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
	for _, f := range l.flows {
		s.Flows = append(s.Flows, FlowState{
			Name: f.Name, Level: f.Level, Dispatched: f.dispatched, QueueFull: f.full, TimeOut: f.late, ConcurrencyLimit: f.noSeat,
		})
	}
	return s
}
