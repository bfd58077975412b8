package rest

import (
	"context"
	"iter"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Changes are what [Objects.Follow] yields at once.
type Changes struct {
	// List holds changes of objects of the resources. Other readers share them, so the caller must not change them.
	List []*watch.Change[storage.Record]
	// Through is the revision up to which Follow has yielded every change of the resources, including List. It is 0 until Follow
	// has yielded all objects that existed at the beginning.
	Through watch.Revision
}

// Follow yields the objects of the resources and then their changes. A caller that has applied everything that Follow yielded
// knows the state of the resources at the revision Through. Each argument is the Name of a [StoredResource]; without arguments,
// Follow yields the objects of all resources that the API serves when Follow begins. A call with a single resource does not read the changes of other resources.
//
// While Through is 0, each existing object appears as a change that adds it, mixed with later changes of objects that Follow has
// already yielded. The changes of one object are in order; changes of different objects may not be. Afterwards, the changes of
// all resources appear in the order of their revisions, each as soon as it is committed.
//
// Follow ends when the context or the API ends, or when the caller breaks out of the loop. If the store drops changes before a
// slow caller has received them, Follow ends with an error for which [status.IsExpired] holds; the caller then starts again. The
// error is yielded last.
func (o Objects) Follow(ctx context.Context, resources ...string) iter.Seq2[Changes, error] {
	return func(yield func(Changes, error) bool) {
		if err := o.api.flights.EnterCall(nil); err != nil {
			yield(Changes{}, err)
			return
		}
		defer o.api.flights.LeaveCall(nil)
		ctx, cancel := o.api.ending.Until(ctx)
		defer cancel()
		followed, scope := slices.Clone(resources), watch.Scope{}
		if len(followed) == 1 {
			scope.Resource = followed[0]
		}
		if len(followed) == 0 { // the whole log, even if the API has one resource: Through then reaches every revision
			for _, r := range o.Resources() {
				followed = append(followed, r.Name)
			}
		}
		err := resource.FollowAll(ctx, o.api.store, scope, followed, func(changes []*resource.LogChange, through watch.Revision) error {
			if !yield(Changes{List: changes, Through: through}, nil) {
				return errBrokenOff
			}
			return nil
		})
		if err == errBrokenOff {
			return
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		yield(Changes{}, err)
	}
}

// Revision returns the revision of the latest commit that readers see.
func (o Objects) Revision() watch.Revision { return o.api.store.Revision() }

// Watch returns a cursor on the changes of a resource after a revision, for callers that poll; [Objects.Follow] waits. The cursor ends
// with the API. A caller that needs it no longer closes it.
func (o Objects) Watch(ctx context.Context, resource string, after watch.Revision) (*watch.Cursor[storage.Record], error) {
	_, done, err := o.begin(resource)
	if err != nil {
		return nil, err
	}
	defer done()
	cursor, err := o.api.store.Watch(ctx, watch.Scope{Resource: resource}, after)
	if err == nil {
		context.AfterFunc(o.api.ending, cursor.Close)
	}
	return cursor, err
}
