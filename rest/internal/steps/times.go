package steps

import (
	"sync/atomic"
	"time"
)

// MaxPipeline is how many different steps of kind [observe.StepPipeline] there may be.
const MaxPipeline = 32

// Times are the times of the steps of kind [observe.StepPipeline] of one request. A write has about 20 of them, which all take
// little time, so one reading of the clock is the end of a step and the beginning of the next. The writes of a request
// must follow each other. Anybody may read the times meanwhile. A nil Times counts nothing.
type Times struct {
	took    [MaxPipeline]atomic.Int64 // nanoseconds; the index is the number of the step
	seen    atomic.Uint32             // bits of the steps that have begun
	current atomic.Int64              // 1 + the number of the step under way, or 0
	since   atomic.Int64              // when it began
}

// origin is when the clock of all Times began.
var origin = time.Now()

// Clock returns the time to pass to the first Begin of steps that follow each other.
func (t *Times) Clock() int64 {
	if t == nil {
		return 0
	}
	return int64(time.Since(origin))
}

// Begin begins a step.
func (t *Times) Begin(step int, clock int64) {
	if t == nil {
		return
	}
	t.seen.Store(t.seen.Load() | 1<<step)
	t.since.Store(clock)
	t.current.Store(int64(step) + 1)
}

// End ends a step that began at a time. It returns the time now.
func (t *Times) End(step int, began int64) (clock int64) {
	if t == nil {
		return 0
	}
	clock = t.Clock()
	t.took[step].Add(clock - began)
	t.current.Store(0)
	return clock
}

// Each calls f for each step that has begun, in the order of the numbers, with its time until now.
func (t *Times) Each(f func(step int, took time.Duration)) {
	if t == nil {
		return
	}
	seen, current, since := t.seen.Load(), int(t.current.Load())-1, t.since.Load()
	for step := range MaxPipeline {
		took := t.took[step].Load()
		if step == current {
			took += t.Clock() - since
		}
		if seen&(1<<step) != 0 {
			f(step, time.Duration(took))
		}
	}
}
