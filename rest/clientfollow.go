package rest

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/watch"
)

// Follow is a watch that does not end with an error it can help: when it has fallen behind the retained log it lists
// again and yields what the difference is, so that whoever applies its events in order always has the state of some
// revision, and in the end the newest. It ends with the context, with the API, or when the caller breaks off; the error
// is yielded last.
//
// With a ResourceVersion it goes on from what a list with the same selectors has shown at that version, and so needs to
// know it: where that version is no longer retained the first and only result is an Expired error, and where it is not
// reached an error for which [status.IsTooLargeResourceVersion] holds. The caller then lists again itself.
//
// The events of a difference have the ResourceVersion of the list that it leads to; an object that is shown as Deleted has
// its last known state, and one that was deleted and made anew is shown as Deleted and then as Added. For the difference
// a Follow remembers the last state of each object that it has yielded or gone on from; the objects themselves are the
// caller's own.
func (c Client[T]) Follow(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return c.events(ctx, options, (*resource.Resource).Follow)
}

// errBrokenOff ends what tells of events whose caller wants no more.
var errBrokenOff = errors.New("the caller has broken off")

// following is the method Watch or Follow of a resource.
type following func(res *resource.Resource, ctx context.Context, b resource.Beginning, see func(resource.Event) error) error

// events yields what follow tells of.
func (c Client[T]) events(ctx context.Context, options WatchOptions, follow following) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		err := c.follow(ctx, options, follow, func(stored resource.Event) error {
			event, err := c.event(stored)
			if err == nil && !yield(event, nil) {
				err = errBrokenOff
			}
			return err
		})
		if err != nil && err != errBrokenOff {
			yield(Event[T]{}, err)
		}
	}
}

func (c Client[T]) follow(ctx context.Context, options WatchOptions, follow following, see func(resource.Event) error) error {
	ctx, done, err := c.begin(ctx, Watch)
	if err != nil {
		return err
	}
	defer done()
	p, err := c.selectors(options.LabelSelector, options.FieldSelector)
	if err != nil {
		return err
	}
	p.ResourceVersion = options.ResourceVersion
	b, err := c.res.Beginning(c.namespace, p)
	if err != nil {
		return err
	}
	ctx, cancel := c.api.ending.Until(ctx)
	defer cancel()
	return follow(c.res, ctx, b, see)
}

// event converts an event. What is deleted has the version of the deletion.
func (c Client[T]) event(stored resource.Event) (Event[T], error) {
	r, err := c.res.Show(stored.Object)
	if err != nil {
		return Event[T]{}, err
	}
	json := r.JSON
	if stored.Type == watch.Deleted {
		json = r.AppendAt(nil, stored.Revision)
	}
	obj, err := decodeAs[T](c.res, json)
	return Event[T]{Type: stored.Type, Object: obj, ResourceVersion: strconv.FormatUint(uint64(stored.Revision), 10)}, err
}
