package storage

import (
	"context"
	"sync/atomic"

	"github.com/decorum-go/decorum/status"
)

// maxWaiting bounds how many reads of one resource wait for their turn to build an old state. A turn takes up to a tenth of a second.
const maxWaiting = 32

// builder gives turns to build old states of one table, since copying a snapshot writes to it. Who waits for a turn may find that another has
// built the state meanwhile.
type builder struct {
	turn    chan struct{} // holds a value while it is somebody's turn
	waiting atomic.Int32
}

func newBuilder() *builder { return &builder{turn: make(chan struct{}, 1)} }

// begin waits for a turn, which the caller must end.
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
