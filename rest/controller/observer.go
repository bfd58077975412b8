package controller

import (
	"fmt"
	"time"
)

// Observer observes queues, controllers and informers, for metrics. Module rest/metrics has one. A queue, a controller
// or an informer without an Observer spends nothing on it. Several goroutines may call its methods and the functions
// that they return at the same time. They must return soon, and must not call what they observe.
type Observer interface {
	// ObserveQueue begins to observe a queue. A controller has one queue for each call of Run. stats returns the present
	// figures of the queue, at any time and from any goroutine, except within the functions of the observation.
	ObserveQueue(name string, stats func() QueueStats) QueueObservation
	// ObserveInformer returns the function that an informer calls after its handlers have returned from one change. lag
	// is the time since the store committed the change. It is unknown for deletions and for objects in another process,
	// so informers do not report these changes.
	ObserveInformer(name string) (handled func(lag time.Duration))
}

// QueueObservation holds the functions with which an [Observer] observes a queue. All fields are optional. Later
// versions of this package may add fields.
type QueueObservation struct {
	// Added is called for each key that is added, unless it waits already.
	Added func()
	// Delayed is called for each key that is added after a time, or because of a failure.
	Delayed func()
	// Taken is called when a worker gets a key. waited is the time since it was added.
	Taken func(waited time.Duration)
	// Done is called when a worker has finished with a key. worked is the time since the worker got it.
	Done func(worked time.Duration)
	// Reconciled is called after each call of the reconciler of a controller, with its result.
	Reconciled func(Result, error)
	// ShutDown is called when the queue is shut down. Workers may still finish keys.
	ShutDown func()
}

// QueueStats are the figures of a queue at one moment.
type QueueStats struct {
	// Ready is how many keys wait for a worker, Delayed how many wait for their time, and AtWork how many are held by
	// workers.
	Ready, Delayed, AtWork int
	// Failing is how many keys have failed since their last success. MostFailures is the highest number of failures of
	// one key. AddRateLimited delays each key by its number of failures.
	Failing, MostFailures int
	// Unfinished is the total time for which workers have held their present keys, and Longest is the longest of these
	// times. LongestKey is the key held longest, as fmt.Sprint prints it. All three are zero without an [Observer].
	Unfinished, Longest time.Duration
	LongestKey          string
}

// observed holds the data that a queue keeps for its Observer.
type observed[K comparable] struct {
	QueueObservation
	added map[K]time.Time // when keys were added that no worker has taken
	taken map[K]time.Time // when the present workers took their keys
}

// observe makes the queue observed.
func (q *Queue[K]) observe(o Observer, name string) {
	q.observed = &observed[K]{added: map[K]time.Time{}, taken: map[K]time.Time{}}
	q.observed.QueueObservation = o.ObserveQueue(name, q.Stats)
}

// Stats returns the present figures. The cost of a call grows with the number of keys that workers hold or that have
// failed.
func (q *Queue[K]) Stats() QueueStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := QueueStats{Ready: q.len(), Delayed: len(q.later.byKey), AtWork: q.atWork}
	s.Failing = len(q.failures)
	for _, failures := range q.failures {
		s.MostFailures = max(s.MostFailures, failures)
	}
	if q.observed == nil {
		return s
	}
	now := q.clock.Now()
	for key, since := range q.observed.taken {
		took := now.Sub(since)
		if s.Unfinished += took; took > s.Longest {
			s.Longest, s.LongestKey = took, fmt.Sprint(key)
		}
	}
	return s
}

// add notes that a key was added.
func (o *observed[K]) add(key K, now time.Time) {
	o.added[key] = now
	if o.Added != nil {
		o.Added()
	}
}

// take notes that a worker has taken a key.
func (o *observed[K]) take(key K, now time.Time) {
	if o.Taken != nil {
		o.Taken(now.Sub(o.added[key]))
	}
	delete(o.added, key)
	o.taken[key] = now
}

// finish notes that a worker has finished with a key.
func (o *observed[K]) finish(key K, now time.Time) {
	if o.Done != nil {
		o.Done(now.Sub(o.taken[key]))
	}
	delete(o.taken, key)
}

// noteReconciled reports a call of a reconciler to the Observer.
func (q *Queue[K]) noteReconciled(result Result, err error) {
	if q.observed != nil && q.observed.Reconciled != nil {
		q.observed.Reconciled(result, err)
	}
}
