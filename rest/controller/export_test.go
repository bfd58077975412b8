package controller

// Clock is the source of time of a queue.
type Clock = clock

// SetClock gives an empty queue another source of time.
func (q *Queue[K]) SetClock(c Clock) { q.clock = c }
