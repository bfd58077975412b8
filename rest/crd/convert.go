package crd

import (
	"context"
	"errors"
)

// conversion is the replacement of a kind by one with another storage version, which calls the webhook of the definition for the stored
// objects. That may take long, so another goroutine waits for it. The API serves the older kind until the replacement succeeds.
type conversion struct {
	next    *kindOf
	stop    context.CancelFunc
	pending bool          // run has not seen the outcome
	done    chan struct{} // closed when err is set
	err     error
	last    error // the error of the attempt before
}

var errConverting = errors.New("the webhook has not converted the stored objects yet")

// convert begins to replace a kind whose stored objects a webhook must convert. It returns nil if that has succeeded, and otherwise why the
// API serves the older kind. When the replacement ends, run applies the definition again.
func (k *kinds) convert(ctx context.Context, next *kindOf) error {
	c, last := k.conversions[next.definition], errConverting
	switch {
	case c == nil:
	case !c.pending:
		last = c.err
	default:
		select {
		case <-c.done:
		default:
			return c.last
		}
		if c.pending = false; c.err == nil {
			k.stopConversion(next.definition)
		}
		return c.err
	}
	c = &conversion{next: next, pending: true, done: make(chan struct{}), last: last}
	converting, stop := context.WithCancel(ctx)
	c.stop, k.conversions[next.definition] = stop, c
	k.running.Go(func() {
		defer stop()
		err := k.api.Replace(converting, next.declare(k.options))
		if errors.Is(err, context.DeadlineExceeded) && converting.Err() == nil {
			err = errors.New(err.Error()) // the webhook took too long, which says nothing about the store
		}
		c.err = err
		close(c.done)
		_ = k.inTurn(converting, func() error {
			if d := k.definitions[next.definition]; d != nil && k.conversions[next.definition] == c && c.pending {
				k.settle(ctx, d)
			}
			return nil
		})
	})
	return last
}

// isConverting reports whether the outcome of a conversion is still to come.
func (k *kinds) isConverting(definition string) bool {
	c := k.conversions[definition]
	return c != nil && c.pending
}

// stopConversion ends the replacement of a kind. If it has succeeded, the API serves the new kind.
func (k *kinds) stopConversion(definition string) {
	c := k.conversions[definition]
	if c == nil {
		return
	}
	delete(k.conversions, definition)
	c.stop()
	<-c.done
	if c.err == nil {
		k.served[definition] = c.next
	}
}
