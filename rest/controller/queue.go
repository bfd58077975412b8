package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/internal/backoff"
)

// QueueOptions configure a [Queue]. The zero value means the stated defaults.
type QueueOptions struct {
	// BaseDelay is how long a key waits after its first failure; each further failure in a row doubles it. Default: 5 ms.
	BaseDelay time.Duration
	// MaxDelay bounds that delay. Default: 5 minutes.
	MaxDelay time.Duration
	// RetriesPerSecond bounds the rate at which the whole queue passes failed keys again. So an outage of another service,
	// in which all keys fail, does not cause a burst of retries. After a quiet time, the retries of ten seconds may come
	// at once. A rate below one retry an hour counts as one an hour. Default: only the delay of each key applies.
	RetriesPerSecond float64
	// Name names the queue to the Observer. A [Controller] sets it to its own name.
	Name string
	// Observer observes the queue. Default: none.
	Observer Observer
}

const (
	defaultBaseDelay = 5 * time.Millisecond
	defaultMaxDelay  = 5 * time.Minute
)

// ErrShutDown is the error of Get when the queue is shut down and empty.
var ErrShutDown = errors.New("the queue is shut down")

// Queue passes keys to workers, in the order in which they were added. Keys that were added with AddBehind come after
// keys that were added in other ways. If a key is added again while it waits, the queue passes it only once. If a key
// is added while a worker holds it, between Get and Done, the queue passes it again after Done. So no two workers hold
// the same key, and no addition is lost. All methods are safe for concurrent use. A queue starts no goroutine; one
// timer serves all delayed keys.
type Queue[K comparable] struct {
	base, max time.Duration
	gap       time.Duration // the mean time between two retries; zero for no bound
	clock     clock
	down      chan struct{} // closed by ShutDown
	wake      chan struct{} // holds a token if a caller of Get should look again

	mu       sync.Mutex
	ready    fifo[K]
	behind   fifo[K]     // keys behind the ready ones; pop skips those that have become ready meanwhile
	waiting  int         // the number of keys in stage isBehind
	passed   int         // how many ready keys workers have taken since they last took one from behind
	keys     map[K]stage // the keys that are ready or held by a worker
	failures map[K]int
	retries  time.Time // the time of the last retry at an even pace; used if gap is set
	later    later[K]
	alarm    time.Time // when the timer fires
	disarm   func() bool
	atWork   int          // how many keys workers hold
	observed *observed[K] // nil without an Observer
}

// stage is the state of a key.
type stage int

const (
	isReady         stage = iota + 1 // waits for a worker
	isBehind                         // waits for a worker behind the ready keys
	atWork                           // held by a worker
	workAgain                        // held by a worker, and added again meanwhile
	workAgainBehind                  // held by a worker, and added with AddBehind meanwhile
)

// maxPassed is how many ready keys in a row workers take before they take a key from behind.
const maxPassed = 9

// NewQueue returns an empty queue. A controller creates its own. Use NewQueue for a loop of your own.
func NewQueue[K comparable](options QueueOptions) *Queue[K] {
	q := &Queue[K]{
		base: options.BaseDelay, max: options.MaxDelay, clock: systemClock{},
		down: make(chan struct{}), wake: make(chan struct{}, 1),
		keys: map[K]stage{}, failures: map[K]int{}, later: newLater[K](),
	}
	if q.base <= 0 {
		q.base = defaultBaseDelay
	}
	if q.max <= 0 {
		q.max = defaultMaxDelay
	}
	if options.RetriesPerSecond > 0 {
		q.gap = time.Duration(min(float64(time.Second)/options.RetriesPerSecond, float64(time.Hour)))
	}
	if options.Observer != nil {
		q.observe(options.Observer, options.Name)
	}
	return q
}

// Add appends a key to the queue, unless the queue contains it. After ShutDown it does nothing.
func (q *Queue[K]) Add(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(key, false)
}

// AddBehind appends a key behind all keys that were added in other ways, unless the queue contains it. It is for keys
// of unchanged objects, so that changes by users are handled first. Workers take such a key when no other key is ready,
// and after nine other keys in a row. If the key is added in another way meanwhile, it moves up to the other keys.
// After ShutDown, AddBehind does nothing.
func (q *Queue[K]) AddBehind(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(key, true)
}

func (q *Queue[K]) add(key K, behind bool) {
	if q.isDown() {
		return
	}
	switch was := q.keys[key]; {
	case was == 0:
		q.noteAdded(key)
		q.append(key, behind)
	case was == atWork:
		q.noteAdded(key)
		if q.keys[key] = workAgain; behind {
			q.keys[key] = workAgainBehind
		}
	case was == workAgainBehind && !behind:
		q.keys[key] = workAgain
	case was == isBehind && !behind:
		if q.waiting--; q.waiting == 0 {
			q.behind = fifo[K]{}
		} // otherwise the key stays in behind, and pop skips it
		q.append(key, false)
	}
}

// noteAdded reports a key to the Observer.
func (q *Queue[K]) noteAdded(key K) {
	if q.observed != nil {
		q.observed.add(key, q.clock.Now())
	}
}

func (q *Queue[K]) append(key K, behind bool) {
	if behind {
		q.keys[key] = isBehind
		q.behind.push(key)
		q.waiting++
	} else {
		q.keys[key] = isReady
		q.ready.push(key)
	}
	q.signal()
}

// pop removes and returns the next key. The queue must not be empty.
func (q *Queue[K]) pop() K {
	switch {
	case q.waiting == 0:
		q.passed = 0
		return q.ready.pop()
	case q.ready.len() > 0 && q.passed < maxPassed:
		q.passed++
		return q.ready.pop()
	}
	q.passed = 0
	for {
		if key := q.behind.pop(); q.keys[key] == isBehind {
			q.waiting--
			return key
		}
	}
}

func (q *Queue[K]) len() int { return q.ready.len() + q.waiting }

func (q *Queue[K]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// AddAfter adds a key after d. If the key is delayed already, the earlier of the two times counts. ShutDown drops the
// delayed keys.
func (q *Queue[K]) AddAfter(key K, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addAfter(key, d, false)
}

// AddBehindAfter is like AddAfter, but adds the key as AddBehind does. A delayed key goes behind only if all calls that
// delay it are calls of AddBehindAfter.
func (q *Queue[K]) AddBehindAfter(key K, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addAfter(key, d, true)
}

func (q *Queue[K]) addAfter(key K, d time.Duration, behind bool) {
	if q.isDown() {
		return
	}
	if q.observed != nil && q.observed.Delayed != nil {
		q.observed.Delayed()
	}
	if d <= 0 {
		q.add(key, behind)
		return
	}
	q.later.put(key, q.clock.Now().Add(d), behind)
	q.arm()
}

// AddRateLimited counts a failure of a key, adds the key after the delay for that many failures, and returns the delay.
// The delay is longer if the queue has reached its RetriesPerSecond.
func (q *Queue[K]) AddRateLimited(key K) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failures[key]++
	d := max(backoff.Delay(q.failures[key], q.base, q.max), q.turn())
	q.addAfter(key, d, false)
	return d
}

// burst is the period whose retries may come at once after a quiet time.
const burst = 10 * time.Second

// turn returns how long the next retry must wait for its turn among the retries of all keys.
func (q *Queue[K]) turn() time.Duration {
	if q.gap == 0 {
		return 0
	}
	now := q.clock.Now()
	if earliest := now.Add(-burst); q.retries.Before(earliest) {
		q.retries = earliest
	}
	q.retries = q.retries.Add(q.gap)
	return max(0, q.retries.Sub(now))
}

// Forget resets the failures of a key. Call it after a success, or when no worker will retry the key.
func (q *Queue[K]) Forget(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.failures, key)
}

// Failures returns how many times AddRateLimited was called for a key since the last Forget.
func (q *Queue[K]) Failures(key K) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failures[key]
}

// Len returns how many keys are ready for workers.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.len()
}

// Get waits for a key and returns it. The caller must call Done with the key. Get returns the context's error if the
// context ends, and [ErrShutDown] if the queue is shut down and empty.
func (q *Queue[K]) Get(ctx context.Context) (K, error) {
	var none K
	if err := ctx.Err(); err != nil {
		return none, err
	}
	for {
		key, ok, err := q.take()
		if ok || err != nil {
			return key, err
		}
		select {
		case <-q.wake:
		case <-q.down:
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
}

// take returns a key if one is ready, and an error if no more will come.
func (q *Queue[K]) take() (key K, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.len() > 0:
	case q.isDown():
		return key, false, ErrShutDown
	default:
		return key, false, nil
	}
	key = q.pop()
	q.keys[key] = atWork
	q.atWork++
	if q.observed != nil {
		q.observed.take(key, q.clock.Now())
	}
	if q.len() > 0 {
		q.signal() // one token stands for all ready keys
	}
	return key, true, nil
}

// Done tells the queue that the worker has finished with a key from Get.
func (q *Queue[K]) Done(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	stage := q.keys[key]
	if stage < atWork {
		return
	}
	q.atWork--
	if q.observed != nil {
		q.observed.finish(key, q.clock.Now())
	}
	if stage == atWork {
		delete(q.keys, key)
	} else {
		q.append(key, stage == workAgainBehind)
	}
}

// ShutDown makes the queue ignore further keys. Get still returns the ready keys, then [ErrShutDown]. Further calls do
// nothing.
func (q *Queue[K]) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.isDown() {
		return
	}
	close(q.down)
	if q.observed != nil && q.observed.ShutDown != nil {
		q.observed.ShutDown()
	}
	q.later = newLater[K]()
	q.arm()
}

func (q *Queue[K]) isDown() bool {
	select {
	case <-q.down:
		return true
	default:
		return false
	}
}

// arm sets the timer to the time of the earliest delayed key, or stops it.
func (q *Queue[K]) arm() {
	due, ok := q.later.first()
	if q.disarm != nil {
		if ok && q.alarm.Equal(due) {
			return
		}
		q.disarm()
		q.disarm = nil
	}
	if ok {
		q.alarm, q.disarm = due, q.clock.AfterFunc(due.Sub(q.clock.Now()), q.ring)
	}
}

// ring adds the keys that are due. An earlier timer that could no longer be stopped may call it too.
func (q *Queue[K]) ring() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.Now()
	for due, ok := q.later.first(); ok && !due.After(now); due, ok = q.later.first() {
		q.add(q.later.take())
	}
	if q.disarm != nil {
		q.disarm()
		q.disarm = nil
	}
	q.arm()
}
