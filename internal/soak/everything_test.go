package soak

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// chronicle is what a follower of all objects was yielded since the last round was checked.
type chronicle struct {
	name string

	// What it had shown when the last round was checked: nothing yet where at is 0.
	at uint64
	// Of the Follow that is under way: the revisions of what it has shown while it listed.
	first map[storage.Key]uint64
	floor uint64

	shown atomic.Uint64 // up to where everything was yielded

	mu      sync.Mutex
	batches []batch
	broken  error
	arrived chan struct{} // holds an element when there is something new
}

// batch is what was yielded at a time.
type batch struct {
	begins  bool   // it is the first of a Follow
	floor   uint64 // that began when this was acknowledged
	changes []step
	through uint64
}

// step is a change as Follow yields it.
type step struct {
	key      storage.Key
	revision uint64
	gone     bool
}

// bursts is how many there are between two rounds.
const bursts = 1000

func newChronicle(name string) *chronicle {
	return &chronicle{name: name, first: map[storage.Key]uint64{}, arrived: make(chan struct{}, 1)}
}

func (c *chronicle) add(b batch, err error) {
	c.mu.Lock()
	if c.batches = append(c.batches, b); c.broken == nil {
		c.broken = err
	}
	c.mu.Unlock()
	c.shown.Store(b.through)
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

// quiet lets two writers write at the same time, and nobody after them, again and again: what they have written is shown without
// another write. They go past the API, so that they are close together.
func (s *soak) quiet(c *chronicle) error {
	for range bursts {
		var writing sync.WaitGroup
		var errs [2]error
		for i := range errs {
			writing.Go(func() { errs[i] = s.strike(fmt.Sprint("noise-", i)) })
		}
		writing.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		deadline := time.Now().Add(patience)
		for c.shown.Load() < s.after() {
			if !c.wait(deadline) {
				return fmt.Errorf("%w: everything is shown up to %d, and the store is at %d", errMissing, c.shown.Load(), s.after())
			}
		}
	}
	return nil
}

// strike changes an object of noise in the store.
func (s *soak) strike(name string) error {
	_, err := s.journal.Update(context.Background(), storage.Key{Resource: noises, Name: name}, func(current *storage.Record) ([]byte, error) {
		n := int64(0)
		if current != nil {
			g, err := decode(current)
			if err != nil {
				return nil, err
			}
			n = g.Spec.Count + 1
		}
		return fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":%[1]q,"resourceVersion":"","generation":%[2]d},"spec":{"count":%[2]d}}`, name, n), nil
	})
	return err
}

// wait returns when something has arrived, or false at the deadline.
func (c *chronicle) wait(deadline time.Time) bool {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-c.arrived:
		return true
	case <-timer.C:
		return false
	}
}

// everything follows all objects, and begins anew after 410, and now and then without need if it is restless; then it dawdles too.
func (s *soak) everything(ctx context.Context, c *chronicle, restless bool, random *rand.Rand) {
	for ctx.Err() == nil {
		b := batch{begins: true, floor: s.before()}
		left := 200 + random.IntN(2000)
		for changes, err := range rest.ObjectsOf(s.api).Follow(ctx) {
			if ctx.Err() != nil {
				return
			}
			if status.IsExpired(err) {
				s.totals.expiredFollows.Add(1)
				break
			}
			for _, change := range changes.List {
				b.changes = append(b.changes, step{change.Scope, uint64(change.Revision), change.Current == nil})
			}
			b.through = uint64(changes.Through)
			if c.add(b, err); err != nil {
				return
			}
			s.totals.followed.Add(int64(len(b.changes)))
			left -= len(b.changes)
			b = batch{}
			if restless && random.IntN(50) == 0 {
				s.journal.pause(ctx, 800)
			}
			if restless && left < 0 {
				break
			}
		}
	}
}

// check compares what has arrived with a history, again as more arrives, until all of it was shown.
func (c *chronicle) check(h *history, deadline time.Time) error {
	for {
		c.mu.Lock()
		batches, broken := c.batches, c.broken
		c.batches = nil
		c.mu.Unlock()
		for _, b := range batches {
			if err := c.replay(h, b); err != nil {
				return err
			}
		}
		switch {
		case broken != nil:
			return fmt.Errorf("a Follow ends with 410 or not at all: %w", broken)
		case c.at == h.end():
			return nil
		case !c.wait(deadline):
			return fmt.Errorf("%w: everything was shown up to %d of %d\n%s", errMissing, c.at, h.end(), h.around(c.at+1))
		}
	}
}

// replay compares a batch with a history.
func (c *chronicle) replay(h *history, b batch) error {
	if b.begins {
		c.at, c.first, c.floor = 0, map[storage.Key]uint64{}, b.floor
	}
	switch {
	case b.through == 0 && c.at > 0:
		return fmt.Errorf("a Follow that has shown everything goes on: after %d it shows more of the beginning", c.at)
	case b.through > h.end():
		return fmt.Errorf("a revision comes from the store: %d is after the last one, %d", b.through, h.end())
	case b.through > 0 && h.inside(b.through):
		return fmt.Errorf("nobody sees a part of a group: everything is shown up to %d\n%s", b.through, h.around(b.through))
	case c.at == 0:
		return c.begin(h, b)
	}
	want := h.between(c.at, b.through)
	for i, s := range b.changes {
		if i >= len(want) || s != want[i].step() {
			return fmt.Errorf("all changes come, once and in order: from %d to %d the %dth is %+v\n%s", c.at, b.through, i, s, h.around(c.at+uint64(i)+1))
		}
	}
	if len(want) > len(b.changes) {
		return fmt.Errorf("all changes come: from %d to %d there are %d, want %d\n%s", c.at, b.through, len(b.changes), len(want), h.around(c.at+uint64(len(b.changes))+1))
	}
	c.at = b.through
	return nil
}

// begin collects what there was, until it is whole.
func (c *chronicle) begin(h *history, b batch) error {
	for _, s := range b.changes {
		if s.revision <= c.first[s.key] {
			return fmt.Errorf("the changes of an object are in order: %+v comes after %d", s, c.first[s.key])
		}
		if c.first[s.key] = s.revision; s.gone {
			delete(c.first, s.key)
		}
	}
	if b.through == 0 {
		return nil
	}
	if b.through < c.floor {
		return fmt.Errorf("no read is behind an acknowledged write: everything is shown at %d after %d was acknowledged", b.through, c.floor)
	}
	want := map[storage.Key]uint64{}
	for k, v := range h.state(b.through) {
		want[k] = v.revision
	}
	if !maps.Equal(c.first, want) {
		for k, revision := range want {
			if c.first[k] != revision {
				return fmt.Errorf("everything is shown: at %d %v is the one of %d, want %d", b.through, k, c.first[k], revision)
			}
		}
		return fmt.Errorf("only what there is, is shown: at %d there are %d objects, want %d", b.through, len(c.first), len(want))
	}
	c.at, c.first = b.through, nil
	return nil
}
