package watch

import (
	"context"
	"iter"
	"sync"
)

// Event is what a watcher is told: the kind of change, the state to show, and the revision, from which a later watch can go on.
type Event[T any] struct {
	Type     EventType
	Object   *T
	Revision Revision
}

// Broadcaster tells any number of readers what changed, in one order, for a program that has no store: it numbers the changes and keeps the
// recent ones in a [Log]. Publishing never waits for a reader. Its methods may be called from any number of goroutines.
type Broadcaster[T any] struct {
	mu  sync.Mutex // revision and append are one step
	log *Log[T]
}

// NewBroadcaster returns a broadcaster that keeps changes as the options say; the first change has revision Start+1.
func NewBroadcaster[T any](opts LogOptions[T]) *Broadcaster[T] {
	return &Broadcaster[T]{log: NewLog(opts)}
}

// Publish tells the readers of the scope that the object with this full key went from previous to current and returns the change's revision.
// A nil previous means that it was created, a nil current that it is gone. The states must not be changed afterwards. It returns [ErrClosed] after Close.
func (b *Broadcaster[T]) Publish(key Scope, previous, current *T) (Revision, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	revision := b.log.Revision() + 1
	err := b.log.Append([]Change[T]{{Scope: key, Revision: revision, Previous: previous, Current: current}})
	if err != nil {
		return 0, err
	}
	return revision, nil
}

// Revision is that of the youngest change: a Watch after it sees only what comes.
func (b *Broadcaster[T]) Revision() Revision { return b.log.Revision() }

// Watch yields the events of the scope younger than the given revision, for objects for which match holds (nil: all), as they come. It ends when the
// loop is left or, after yielding the reason as an error, when the context ends, the broadcaster is closed ([ErrClosed]), or the reader fell
// behind what is kept (410 Expired).
func (b *Broadcaster[T]) Watch(ctx context.Context, scope Scope, after Revision, match func(*T) bool) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		cursor, err := b.log.Cursor(scope, after)
		if err != nil {
			yield(Event[T]{}, err)
			return
		}
		defer cursor.Close()
		var changes []*Change[T]
		for {
			clear(changes)
			changes, err = cursor.Next(ctx, changes[:0])
			if err != nil {
				yield(Event[T]{}, err)
				return
			}
			for _, c := range changes {
				kind, object := c.Select(match)
				if kind != "" && !yield(Event[T]{Type: kind, Object: object, Revision: c.Revision}, nil) {
					return
				}
			}
		}
	}
}

// Close ends every watch with [ErrClosed]. No goroutine of the broadcaster is left when it returns.
func (b *Broadcaster[T]) Close() { b.log.Close() }
