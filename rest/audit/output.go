package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// Mode says whether requests wait until their events have reached a [Sink].
type Mode int

const (
	// Batched collects events in a queue, from which a goroutine writes them. Requests do not wait for the sink.
	// [rest.API.Start] starts the goroutine, and [rest.API.Shutdown] writes what the queue holds.
	Batched Mode = iota
	// Blocking writes each event before the request continues. Requests wait for the sink. An event that cannot be written
	// is lost.
	Blocking
	// Strict is Blocking, and a request whose first event cannot be written is refused with 500 before it does anything.
	Strict
)

// Output is a sink with the way in which events reach it.
type Output struct {
	// Sink is required.
	Sink Sink
	// Mode is how events reach the sink. Default: [Batched].
	Mode Mode
	// WaitWhenFull makes requests wait for room in the queue of a [Batched] output. Default: an event that finds the queue
	// full is dropped and counted.
	WaitWhenFull bool
	// QueueEvents and QueueBytes limit the queue of a Batched output. The bytes include the events that the sink is
	// writing, and an event that alone has more counts as QueueBytes. Default: 10,000 events and 64 MiB.
	QueueEvents int
	QueueBytes  int64
	// BatchEvents and BatchWait limit how many events the sink receives at once, and how long an event waits for others. A
	// batch has at most 10 MiB, or one event. Default: 400 events and 1 second.
	BatchEvents int
	BatchWait   time.Duration
}

// Stats counts what has happened to the events of one [Output].
type Stats struct {
	// Written events have reached the sink.
	Written uint64
	// Dropped events have found the queue full.
	Dropped uint64
	// Failed events were not written because the sink returned an error.
	Failed uint64
	// Queued events wait in the queue.
	Queued uint64
}

const (
	defaultQueueEvents = 10_000
	defaultQueueBytes  = 64 << 20
	defaultBatchEvents = 400
	defaultBatchWait   = time.Second
	maxBatchBytes      = 10 << 20
	// eventSize estimates the size of an event without its texts and objects, in bytes.
	eventSize = 1 << 10
)

func (o Output) withDefaults() Output {
	if o.QueueEvents <= 0 {
		o.QueueEvents = defaultQueueEvents
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = defaultQueueBytes
	}
	if o.BatchEvents <= 0 {
		o.BatchEvents = defaultBatchEvents
	}
	if o.BatchWait <= 0 {
		o.BatchWait = defaultBatchWait
	}
	return o
}

// output is an [Output] at work.
type output struct {
	Output
	logger *slog.Logger

	written, dropped, failed atomic.Uint64
	failing                  atomic.Bool // the log knows that the sink fails

	budget *storage.Budget // counts the events in the queue, and those that the sink is writing

	mu      sync.Mutex
	queue   []queued
	writes  int           // batches that the sink is writing
	ended   bool          // events are not queued any more
	ready   chan struct{} // holds a token if the queue has events
	full    chan struct{} // holds a token if the queue has a whole batch
	room    chan struct{} // closed when the queue has room again; nil if nobody waits
	writing context.Context
	abandon context.CancelFunc // cancels writing
	running sync.WaitGroup
}

// queued is an event in the queue, with the bytes that the queue has taken from the budget for it.
type queued struct {
	event *Event
	size  int64
}

// newOutput returns an output whose queue also takes from the budget, unless it is nil.
func newOutput(o Output, budget *storage.Budget, logger *slog.Logger) *output {
	o = o.withDefaults()
	if budget == nil {
		budget = storage.NewBudget(o.QueueBytes)
	} else {
		budget = budget.Part(o.QueueBytes)
	}
	return &output{Output: o, budget: budget, logger: logger, ready: make(chan struct{}, 1),
		full: make(chan struct{}, 1)}
}

// accept takes an event. It returns an error if a blocking sink fails. An event is written even if its client has left.
func (o *output) accept(ctx context.Context, e *Event) error {
	if o.Mode != Batched {
		return o.write(context.WithoutCancel(ctx), []*Event{e})
	}
	for {
		room, taken := o.enqueue(e)
		if taken {
			return nil
		}
		if room == nil {
			break
		}
		<-room
	}
	return o.write(context.WithoutCancel(ctx), []*Event{e}) // the goroutine has ended
}

// enqueue puts an event into the queue or drops it, and reports whether it has. Otherwise the caller waits for room and
// tries again, or, if room is nil, writes the event itself.
func (o *output) enqueue(e *Event) (room <-chan struct{}, taken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil, false
	}
	size := min(sizeOf(e), o.QueueBytes)
	isFull := len(o.queue) >= o.QueueEvents || !o.budget.Take(size)
	switch {
	case isFull && o.WaitWhenFull && len(o.queue)+o.writes == 0: // others have taken the whole budget
		return nil, false
	case isFull && o.WaitWhenFull:
		if o.room == nil {
			o.room = make(chan struct{})
		}
		return o.room, false
	case isFull:
		o.dropped.Add(1)
		return nil, true
	}
	o.queue = append(o.queue, queued{e, size})
	signal(o.ready)
	if len(o.queue) >= o.BatchEvents {
		signal(o.full)
	}
	return nil, true
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take takes a batch out of the queue. The budget counts the size of the batch until writeBatch releases it.
func (o *output) take() (batch []*Event, size int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 && len(batch) < o.BatchEvents {
		next := o.queue[0]
		if len(batch) > 0 && size+next.size > maxBatchBytes {
			break
		}
		o.queue[0] = queued{}
		o.queue = o.queue[1:]
		batch, size = append(batch, next.event), size+next.size
	}
	o.writes++
	if len(o.queue) > 0 {
		signal(o.ready)
	}
	if len(o.queue) >= o.BatchEvents {
		signal(o.full)
	}
	o.makeRoom()
	return batch, size
}

// writeBatch writes the next batch to the sink. It returns false if the queue is empty.
func (o *output) writeBatch() bool {
	batch, size := o.take()
	_ = o.write(o.writing, batch)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writes--
	o.budget.Release(size)
	o.makeRoom()
	return len(batch) > 0
}

// makeRoom wakes those who wait for room. The caller holds the lock.
func (o *output) makeRoom() {
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// start starts the goroutine that empties the queue. It runs until ctx ends.
func (o *output) start(ctx context.Context) {
	if o.Mode != Batched {
		return
	}
	o.mu.Lock()
	o.ended = false
	o.mu.Unlock()
	o.writing, o.abandon = context.WithCancel(context.WithoutCancel(ctx))
	o.running.Go(func() {
		defer o.abandon()
		for o.gather(ctx) {
			o.writeBatch()
		}
		o.flush()
	})
}

// gather waits until a batch is whole, or has waited long enough. It returns false once ctx has ended.
func (o *output) gather(ctx context.Context) bool {
	select {
	case <-o.ready:
	case <-ctx.Done():
		return false
	}
	timer := time.NewTimer(o.BatchWait)
	defer timer.Stop()
	select {
	case <-o.full:
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	return true
}

// flush writes what the queue holds. From then on, requests write their events themselves.
func (o *output) flush() {
	for {
		if !o.writeBatch() && o.end() {
			return
		}
	}
}

// end ends the queue if it is empty.
func (o *output) end() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = len(o.queue) == 0
	if o.ended {
		o.makeRoom()
	}
	return o.ended
}

// write writes events to the sink. The log gets the first of several errors in a row, and the recovery.
func (o *output) write(ctx context.Context, events []*Event) error {
	if len(events) == 0 {
		return nil
	}
	err := writeTo(ctx, o.Sink, events)
	if err != nil {
		o.failed.Add(uint64(len(events)))
		if !o.failing.Swap(true) {
			o.logger.ErrorContext(ctx, "audit events are lost: the sink fails", "sink", fmt.Sprintf("%T", o.Sink), "error", err)
		}
		return err
	}
	o.written.Add(uint64(len(events)))
	if o.failing.Load() && o.failing.Swap(false) {
		o.logger.InfoContext(ctx, "the audit sink works again", "sink", fmt.Sprintf("%T", o.Sink), "lost", o.failed.Load())
	}
	return nil
}

func (o *output) stats() Stats {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Stats{Written: o.written.Load(), Dropped: o.dropped.Load(), Failed: o.failed.Load(),
		Queued: uint64(len(o.queue))}
}
