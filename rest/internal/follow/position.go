package follow

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// LogChange is a change in the store's log: one committed write of one object.
type LogChange = watch.Change[storage.Record]

// position is a place in the store's log: its reader knows everything before it. A position has no queue. If a reader
// falls behind what the log still holds, it loses the position and gets 410 Expired (decision 0002). One goroutine at a
// time may use it.
type position struct {
	watch.Cursor[storage.Record]
	ahead func([]*LogChange) // sees all changes of a poll before the first of them is passed on; nil for most
}

// changeBuffers lends a buffer to each poll. Thousands of watches may wait, and a waiting position must hold no buffer.
var changeBuffers = sync.Pool{New: func() any { b := make([]*LogChange, 0, watch.PollLimit); return &b }}

// poll passes the changes since the last poll to see, oldest first. It returns at most about [watch.PollLimit] changes
// or [watch.PollBytes] bytes, never waits, and stops at the first error of see. If more is true, further changes may be
// waiting.
func (p position) poll(see func(*LogChange) error) (more bool, err error) {
	borrowed := changeBuffers.Get().(*[]*LogChange)
	changes, err := p.Poll((*borrowed)[:0])
	defer func() {
		clear(changes)
		*borrowed = changes
		changeBuffers.Put(borrowed)
	}()
	if err != nil {
		return false, err
	}
	if p.ahead != nil {
		p.ahead(changes)
	}
	for i, c := range changes {
		changes[i] = nil // see may take long; the changes that it has seen must not stay in memory meanwhile
		if err := see(c); err != nil {
			return false, err
		}
	}
	return len(changes) > 0, nil
}

// next calls poll until it has shown something, and waits in between. If the context ends, next returns its cause.
func (p position) next(ctx context.Context, poll func() (more bool, err error)) error {
	for ctx.Err() == nil {
		if more, err := poll(); more || err != nil {
			return err
		}
		select {
		case <-p.Ready():
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}
