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

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// chronicle holds what a follower of all objects has received since the check of the last round.
type chronicle struct {
	name string

	// at is the revision up to which the last check has compared the changes; 0 if the follower had not received the
	// initial state.
	at uint64
	// first and floor describe the initial state of the running Follow: the revisions of its objects, and the least
	// revision that it must show.
	first map[storage.Key]uint64
	floor uint64

	shown atomic.Uint64 // the revision up to which Follow has yielded everything

	mu      sync.Mutex
	batches []batch
	broken  error
	arrived chan struct{} // holds an element if there are new batches
}

// batch is what Follow yielded at one time.
type batch struct {
	begins  bool   // it is the first batch of a Follow
	floor   uint64 // the highest acknowledged revision when that Follow began
	changes []step
	through uint64
}

// step is a change as Follow yields it.
type step struct {
	key      storage.Key
	revision uint64
	gone     bool
}

// bursts is the number of concurrent writes between two rounds.
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

// quiet repeatedly lets two writers write at the same time, and no other writer after them. The follower must receive
// both writes without waiting for another. The writers bypass the API, so that the writes are close together.
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
				return fmt.Errorf("%w: Follow has yielded the changes up to %d, but the store is at %d", errMissing, c.shown.Load(),
					s.after())
			}
		}
	}
	return nil
}

// strike changes an object of the kind Noise directly in the store.
func (s *soak) strike(name string) error {
	_, err := s.journal.Update(context.Background(), storage.Key{Resource: noises, Name: name},
		func(current *storage.Record) ([]byte, error) {
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

// wait returns true when something has arrived, and false at the deadline.
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

// everything follows all objects. It starts over after 410. If it is restless, it also starts over now and then without
// a reason, and pauses so that it falls behind.
func (s *soak) everything(ctx context.Context, c *chronicle, restless bool, random *rand.Rand) {
	for ctx.Err() == nil {
		b := batch{begins: true, floor: s.before()}
		left := 200 + random.IntN(2000)
		for changes, err := range s.api.Objects().Follow(ctx) {
			if ctx.Err() != nil {
				return
			}
			if status.IsExpired(err) {
				s.totals.expiredFollows.Add(1)
				break
			}
			for _, change := range changes.List {
				b.changes = append(b.changes, step{change.Key, uint64(change.Revision), change.Current == nil})
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

// check compares the received batches with a history, and repeats this until the follower has received all of it.
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
			return fmt.Errorf("a Follow may end only with 410: %w", broken)
		case c.at == h.end():
			return nil
		case !c.wait(deadline):
			return fmt.Errorf("%w: Follow has yielded the changes up to %d of %d\n%s", errMissing, c.at, h.end(),
				h.around(c.at+1))
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
		return fmt.Errorf("a Follow that has shown the initial state must not return to it: after %d", c.at)
	case b.through > h.end():
		return fmt.Errorf("a revision must come from the store: %d is after the last one, %d", b.through, h.end())
	case b.through > 0 && h.inside(b.through):
		return fmt.Errorf("no client may see a part of a group: Follow has yielded the changes up to %d\n%s", b.through,
			h.around(b.through))
	case c.at == 0:
		return c.begin(h, b)
	}
	want := h.between(c.at, b.through)
	for i, s := range b.changes {
		if i >= len(want) || s != want[i].step() {
			return fmt.Errorf("Follow must yield every change once and in order: from %d to %d the %dth is %+v\n%s", c.at,
				b.through, i, s, h.around(c.at+uint64(i)+1))
		}
	}
	if len(want) > len(b.changes) {
		return fmt.Errorf("Follow must yield every change: from %d to %d there are %d, want %d\n%s", c.at, b.through,
			len(b.changes), len(want), h.around(c.at+uint64(len(b.changes))+1))
	}
	c.at = b.through
	return nil
}

// begin collects the initial state until it is complete, and compares it.
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
		return fmt.Errorf("a read must show every acknowledged write: Follow has yielded the state at %d after %d was acknowledged", b.through, c.floor)
	}
	want := map[storage.Key]uint64{}
	for k, v := range h.state(b.through) {
		want[k] = v.revision
	}
	if !maps.Equal(c.first, want) {
		for k, revision := range want {
			if c.first[k] != revision {
				return fmt.Errorf("Follow must show every object: at %d %v has revision %d, want %d", b.through, k, c.first[k],
					revision)
			}
		}
		return fmt.Errorf("Follow must show only existing objects: at %d there are %d objects, want %d", b.through,
			len(c.first), len(want))
	}
	c.at, c.first = b.through, nil
	return nil
}
