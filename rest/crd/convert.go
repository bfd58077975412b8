package crd

import (
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/rest"
)

// patience is how long the start waits for conversions that an earlier process has left unfinished.
const patience = 2 * time.Second

// conversion is the declaration of a kind with another storage version than some stored objects have, for which it
// calls the webhook of the definition. That may take long, so another goroutine waits for it. Until it succeeds, the
// API serves the older kind, or, since its start, none.
type conversion struct {
	next    *kindOf
	stop    context.CancelFunc
	pending bool          // run has not seen the outcome
	done    chan struct{} // closed when err is set
	err     error
	last    error // the error of the attempt before
}

var errConverting = errors.New("the webhook has not converted the stored objects yet")

// convert begins to declare a kind whose stored objects a webhook must convert. It returns nil if that has succeeded,
// and otherwise why the API does not serve the kind. When the conversion ends, run applies the definition again.
func (k *kinds) convert(ctx context.Context, next *kindOf,
	serve func(context.Context, ...rest.Definition) error) error {
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
		err := serve(converting, next.declare(k.options))
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

// awaitConversions waits for the conversions under way, but not longer than patience.
func (k *kinds) awaitConversions(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, c := range k.conversions {
		select {
		case <-c.done:
		case <-ctx.Done():
		}
	}
}

// isConverting reports whether the outcome of a conversion is still to come.
func (k *kinds) isConverting(definition string) bool {
	c := k.conversions[definition]
	return c != nil && c.pending
}

// stopConversion ends the conversion for a kind. If it has succeeded, the API serves the new kind.
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
