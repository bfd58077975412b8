package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// checks lets reads share the question for the latest revision. At most one question is under way. A read that arrives
// meanwhile waits for the next one, because the answer under way may be older than a write that was acknowledged before
// the read.
type checks struct {
	mu            sync.Mutex
	running, next *check
	closed        bool
}

// check is one question for the latest revision.
type check struct {
	done        chan struct{} // closed when the replica shows last, or has failed to
	last, known watch.Revision
	err         error
}

// join returns a check that starts after the call, and whether the caller must start it.
func (c *checks) join() (joined *check, starts bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, false
	case c.running == nil:
		c.running = &check{done: make(chan struct{})}
		return c.running, true
	case c.next == nil:
		c.next = &check{done: make(chan struct{})}
	}
	return c.next, false
}

// shift ends the running check and returns the next one, or nil.
func (c *checks) shift() *check {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.running.done)
	c.running, c.next = c.next, nil
	return c.running
}

// close makes later calls of join return nil.
func (c *checks) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// check waits until the replica shows every write that was acknowledged before the call.
func (r *replica) check(ctx context.Context) (*check, error) {
	c, err := r.joinCheck()
	if err != nil {
		return nil, err
	}
	select {
	case <-c.done:
		return c, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// joinCheck returns a check that starts after the call. It starts the check unless one is under way.
func (r *replica) joinCheck() (*check, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return nil, storage.ErrClosed
	}
	c, starts := r.checks.join()
	if c == nil {
		return nil, storage.ErrClosed
	}
	if starts {
		r.running.Go(func() { r.runChecks(c) })
	}
	return c, nil
}

// runChecks runs a check, and then those that reads have joined meanwhile.
func (r *replica) runChecks(c *check) {
	for ; c != nil; c = r.checks.shift() {
		c.last, c.known, c.err = r.askLatest()
	}
}

// askLatest asks the authority for the latest revision, and waits until the replica shows it.
func (r *replica) askLatest() (last, known watch.Revision, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, r.opts.MaxWait)
	defer cancel()
	asked := r.opts.Now()
	if last, known, err = r.authority.Latest(ctx); err == nil {
		if err = r.log.Wait(ctx, last); errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the replica is at revision %d and has not received revision %d", r.log.Revision(), last)
			r.followAnew()
		}
	}
	switch {
	case err == nil:
		r.health.reached(asked)
	case r.ctx.Err() != nil || errors.Is(err, storage.ErrClosed):
		err = storage.ErrClosed
	default:
		r.health.note(err)
		err = storage.Unavailable(err)
	}
	return last, known, err
}

// followAnew makes the replica open its feed again, because the feed delivers nothing although the authority answers.
func (r *replica) followAnew() {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.refollow != nil {
		r.refollow()
	}
}
