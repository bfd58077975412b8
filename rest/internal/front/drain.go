package front

import "time"

// Drain closes the connection after every further answer. It returns false if the drain has already begun.
func (a *Front) Drain() bool {
	now := time.Now()
	return a.draining.CompareAndSwap(nil, &now)
}

// DrainsSince returns when the drain began. Call it only after Drain.
func (a *Front) DrainsSince() time.Time { return *a.draining.Load() }

// drain is a stage.
func (q *request) drain() error {
	if q.api.draining.Load() != nil {
		q.w.Header().Set("Connection", "close")
	}
	return nil
}
