package rest

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/watch"
)

// Follow is a [Client.Watch] that recovers from Expired errors. When the store has dropped changes that Follow has not yielded,
// it lists the objects again and yields the difference. A caller that applies the events in order therefore always holds the
// state of some revision, and eventually of the newest. Follow ends when the context or the API ends, when the caller breaks out
// of the loop, or with an error, which it yields last.
//
// With a ResourceVersion, Follow continues from a list at that version with the same selectors, and must still find that state in
// the store. If the store has dropped it, the only result is an Expired error; if the store does not reach it, one for which
// [status.IsTooLargeResourceVersion] holds. The caller then lists again itself.
//
// The events of a difference have the ResourceVersion of the list. A Deleted event has the object's last known state. An object
// that was deleted and created again appears as Deleted and then as Added. To find the difference, Follow remembers the last
// state of each object that it has yielded or started from; the caller owns the objects themselves.
func (c Client[T]) Follow(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return c.events(ctx, options, (*resource.Resource).Follow)
}

// errBrokenOff stops a follower whose caller has broken out of the loop. Callers never see it.
var errBrokenOff = errors.New("the caller has broken off")

// following is the method Watch or Follow of a resource.
type following func(res *resource.Resource, ctx context.Context, b resource.Beginning, see func(resource.Event) error) error

// events yields the events that follow reports.
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

// follow runs until the context or the API ends, or see returns an error. It calls see in the goroutine of the caller.
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
	b, err := c.res.BeginningOf(c.namespace, p)
	if err != nil {
		return err
	}
	ctx, cancel := c.api.ending.Until(ctx)
	defer cancel()
	return follow(c.res, ctx, b, see)
}

// event decodes an event. A deleted object gets the version of its deletion, as in a watch over HTTP.
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
