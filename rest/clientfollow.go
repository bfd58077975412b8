package rest

import (
	"context"
	"iter"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// Follow is a watch that does not end with an error it can help: when it has fallen behind the retained log it lists
// again and yields what the difference is, so that whoever applies its events in order always has the state of some
// revision, and in the end the newest. It ends with the context, with the API, or when the caller breaks off; the error
// is yielded last. For the difference it remembers the key and version of every object it has yielded.
func (c Client[T]) Follow(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		f := follower[T]{client: c, known: map[objectKey]known[T]{}, yield: yield}
		for {
			for event, err := range c.Watch(ctx, options) {
				if err != nil {
					if !status.IsExpired(err) || ctx.Err() != nil {
						yield(Event[T]{}, err)
						return
					}
					break
				}
				if options.ResourceVersion = event.ResourceVersion; !f.pass(event) {
					return
				}
			}
			if f.stopped {
				return
			}
			version, err := f.relist(ctx, options)
			if err != nil {
				yield(Event[T]{}, err)
				return
			}
			if options.ResourceVersion = version; f.stopped {
				return
			}
		}
	}
}

type objectKey struct{ namespace, name string }

type known[T any] struct {
	uid, version string
	object       *T
}

type follower[T any] struct {
	client  Client[T]
	known   map[objectKey]known[T]
	yield   func(Event[T], error) bool
	stopped bool
}

// identity returns what tells an object from others and its states from each other.
func identity[T any](obj *T) (objectKey, known[T], error) {
	v, err := codec.FromGo(obj)
	if err != nil {
		return objectKey{}, known[T]{}, err
	}
	m := metadataOf(v)
	text := func(field string) string { return m.Get(field).Text() }
	return objectKey{text(fieldNamespace), text(fieldName)}, known[T]{uid: text(fieldUID), version: text(fieldResourceVersion), object: obj}, nil
}

// pass yields an event and remembers it.
func (f *follower[T]) pass(event Event[T]) bool {
	key, state, err := identity(event.Object)
	if err == nil {
		if event.Type == watch.Deleted {
			delete(f.known, key)
		} else {
			f.known[key] = state
		}
	}
	f.stopped = !f.yield(event, err) || err != nil
	return !f.stopped
}

// relist yields the difference between what was yielded and what there is, and returns the version of the latter.
func (f *follower[T]) relist(ctx context.Context, options WatchOptions) (string, error) {
	page, err := f.client.List(ctx, ListOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector})
	if err != nil {
		return "", err
	}
	present := map[objectKey]bool{}
	for _, obj := range page.Items {
		key, state, err := identity(obj)
		if err != nil {
			return "", err
		}
		present[key] = true
		was, had := f.known[key]
		switch {
		case had && was.uid != state.uid:
			if !f.pass(Event[T]{Type: watch.Deleted, Object: was.object, ResourceVersion: page.ResourceVersion}) ||
				!f.pass(Event[T]{Type: watch.Added, Object: obj, ResourceVersion: page.ResourceVersion}) {
				return "", nil
			}
		case had && was.version == state.version:
		case had:
			if !f.pass(Event[T]{Type: watch.Modified, Object: obj, ResourceVersion: page.ResourceVersion}) {
				return "", nil
			}
		default:
			if !f.pass(Event[T]{Type: watch.Added, Object: obj, ResourceVersion: page.ResourceVersion}) {
				return "", nil
			}
		}
	}
	for key, was := range f.known {
		if !present[key] && !f.pass(Event[T]{Type: watch.Deleted, Object: was.object, ResourceVersion: page.ResourceVersion}) {
			return "", nil
		}
	}
	return page.ResourceVersion, nil
}
