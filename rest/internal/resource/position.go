package resource

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// LogChange is a change in the log of the store: one committed write of one object.
type LogChange = watch.Change[storage.Record]

// position is a place in the store's log: its reader knows everything before it. It has no queue. A reader who is slower than
// the log forgets loses the place, and gets 410 Expired (decision 0002).
type position struct {
	*watch.Cursor[storage.Record]
}

// changeBuffers are borrowed by a poll, so that a position that waits has none.
var changeBuffers = sync.Pool{New: func() any { b := make([]*LogChange, 0, watch.PollLimit); return &b }}

// poll shows the changes since the last poll, oldest first and at most about [watch.PollLimit] or [watch.PollBytes] of them. It
// never waits. It reports whether there were any: then there may be more. It ends with an error of see.
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
	for i, c := range changes {
		changes[i] = nil // the reader may take its time with it, and must not keep those before alive
		if err := see(c); err != nil {
			return false, err
		}
	}
	return len(changes) > 0, nil
}

// next polls until there was something to show, and waits in between. At the end of the context it returns the cause.
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
