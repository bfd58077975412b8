package watch

import (
	"context"
	"iter"
	"sync"
)

// Event is what a watcher receives: the type of the change, the state to show, and the revision, from which a later watch can
// continue.
type Event[T any] struct {
	Type     EventType
	Object   *T
	Revision Revision
}

// Broadcaster publishes changes to any number of readers, in one order, for a program without a store. It numbers the changes and
// keeps the recent ones in a [Log]. Publish never waits for a reader. All methods are safe for concurrent use.
type Broadcaster[T any] struct {
	mu  sync.Mutex // makes the next revision and its append one step
	log *Log[T]
}

// NewBroadcaster returns a broadcaster whose log has these options. The first change has revision Start+1.
func NewBroadcaster[T any](opts LogOptions[T]) *Broadcaster[T] {
	return &Broadcaster[T]{log: NewLog(opts)}
}

// Publish tells the readers that the object with this full key changed from previous to current, and returns the revision of the
// change. A nil previous means that the object is new, a nil current that it is gone. The caller must not change the states
// afterwards. Publish returns [ErrClosed] after Close.
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

// Revision returns the revision of the youngest change. A Watch from there sees only later changes.
func (b *Broadcaster[T]) Revision() Revision { return b.log.Revision() }

// Watch yields the events of the scope younger than the given revision, as they occur, for objects that match accepts; a nil
// match accepts all. Watch yields an error and ends when the context ends, when the broadcaster is closed ([ErrClosed]), and when
// the reader has fallen behind the log (410 Expired).
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

// Close ends every watch with [ErrClosed]. It returns when the broadcaster's goroutine has ended.
func (b *Broadcaster[T]) Close() { b.log.Close() }
