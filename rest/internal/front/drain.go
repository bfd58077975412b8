package front

import "time"

// Drain makes every answer ask its client to use another connection. It returns false if the drain has begun already.
func (a *Front) Drain() bool {
	now := time.Now()
	return a.draining.CompareAndSwap(nil, &now)
}

// DrainsSince returns when the drain began. It must have begun.
func (a *Front) DrainsSince() time.Time { return *a.draining.Load() }

// drain is a stage.
func (q *request) drain() error {
	if q.api.draining.Load() != nil {
		q.w.Header().Set("Connection", "close")
	}
	return nil
}
