package engine

import (
	"context"
	"sync/atomic"

	"github.com/decorum-go/decorum/status"
)

// maxWaiting bounds how many reads of one resource wait for their turn to build an old state. A turn takes up to a
// tenth of a second.
const maxWaiting = 32

// builder lets one read at a time build an old state of a table, because copying a snapshot's tree also writes to that
// tree. A read that had to wait must look again whether another read has built its state meanwhile.
type builder struct {
	turn    chan struct{} // holds a value while a read has the turn
	waiting atomic.Int32
}

func newBuilder() *builder { return &builder{turn: make(chan struct{}, 1)} }

// begin waits for a turn. The caller must end it.
func (b *builder) begin(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
		return nil
	default:
	}
	defer b.waiting.Add(-1)
	if b.waiting.Add(1) > maxWaiting {
		return status.TooManyRequests("Too many lists of old resource versions, please try again later.", 1)
	}
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *builder) end() { <-b.turn }
