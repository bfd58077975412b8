package rest

import (
	"context"
	"errors"
	"iter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
)

// Follow is a [Client.Watch] that recovers from Expired errors. If the store has dropped changes that Follow has not
// yielded, Follow lists the objects again and yields the difference. So a caller that applies the events in order
// always holds the state at some revision, and eventually at the newest. Follow ends when the context ends, the API
// closes, the caller breaks out of the loop, or an error occurs. It yields the error last.
//
// With a ResourceVersion, Follow continues from a list at that version with the same selectors. The store must still
// hold this state. If the store has dropped it, Follow yields only an Expired error. If the store does not reach the
// version within a few seconds, Follow yields only an error for which [status.IsTooLargeResourceVersion] holds. In both
// cases the caller must list again.
//
// The events of a difference have the ResourceVersion of the list. A Deleted event has the object's last known state.
// An object that was deleted and created again appears as Deleted and then as Added. To find the difference, Follow
// remembers the last state of each object that it has yielded or started from; the caller owns the objects themselves.
func (c Client[T]) Follow(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return eventsOf[T](c.events(ctx, &options, true))
}

// errBrokenOff stops a watch when the caller breaks out of the loop. Callers never see it.
var errBrokenOff = errors.New("the caller has broken off")

// event is an [Event] without its type parameter.
type event struct {
	service.Event
	object any
}

// eventsOf yields events with objects in their Go type. If Go inlined it, each caller would contain its functions once
// more.
//
//go:noinline
func eventsOf[T any](all iter.Seq2[event, error]) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		kept := any(yield) // its own type contains T: see [declared]
		all(func(e event, err error) bool {
			obj, _ := e.object.(*T)
			return kept.(func(Event[T], error) bool)(Event[T]{e.Type, obj, e.ResourceVersion, e.Written}, err)
		})
	}
}

// events yields the events of a watch. It recovers like Follow if recovers is set. If Go inlined it, each kind would
// contain its functions.
//
//go:noinline
func (c *client) events(ctx context.Context, options *WatchOptions, recovers bool) iter.Seq2[event, error] {
	if c == nil {
		c = new(client) // which reports that it is not usable
	}
	f := service.Following{Namespace: c.namespace, Recovers: recovers, Selected: service.Selected{
		ListOptions: apimeta.ListOptions{
			LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector, ResourceVersion: options.ResourceVersion,
		},
		Query: resource.QueryText{Conditions: options.FieldQuery},
	}}
	return func(yield func(event, error) bool) {
		_, err := c.at(access.VerbWatch, "", "")
		if err == nil {
			err = c.service.Watch(service.Caller{Context: ctx}, f, func(e service.Event) error {
				obj, err := c.res.GoType.Decode(e.JSON)
				if err == nil && !yield(event{e, obj}, nil) {
					err = errBrokenOff
				}
				return err
			})
		}
		if err != nil && err != errBrokenOff {
			yield(event{}, err)
		}
	}
}
