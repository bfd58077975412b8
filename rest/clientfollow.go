package rest

import (
	"context"
	"errors"
	"iter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/caller"
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
	return c.events(ctx, options, true)
}

// errBrokenOff stops a follower whose caller has broken out of the loop. Callers never see it.
var errBrokenOff = errors.New("the caller has broken off")

// events yields the events of a watch, in the goroutine of the caller.
func (c Client[T]) events(ctx context.Context, options WatchOptions, recovers bool) iter.Seq2[Event[T], error] {
	f := caller.Following{Namespace: c.namespace, Recovers: recovers, Options: apimeta.ListOptions{
		LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector, ResourceVersion: options.ResourceVersion}}
	return func(yield func(Event[T], error) bool) {
		_, err := c.at(Watch, "", "")
		if err == nil {
			err = c.caller.Watch(ctx, f, func(e caller.Event) error {
				obj, err := decoded[T](e.JSON, nil)
				if err == nil && !yield(Event[T]{Type: e.Type, Object: obj, ResourceVersion: e.ResourceVersion}, nil) {
					err = errBrokenOff
				}
				return err
			})
		}
		if err != nil && err != errBrokenOff {
			yield(Event[T]{}, err)
		}
	}
}
