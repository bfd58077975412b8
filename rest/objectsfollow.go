package rest

import (
	"context"
	"iter"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Changes is what [Objects.Follow] yields at a time.
type Changes struct {
	// List are changes of objects of any resource. They are shared and must not be changed.
	List []*watch.Change[storage.Record]
	// Through is the revision up to which every change of every resource has been yielded, these included. It is 0 until all
	// objects that there were at the beginning have been.
	Through watch.Revision
}

// Follow yields the objects of all resources and then what changes: who has applied all that was yielded knows the state of every
// resource at the revision Through.
//
// While Through is 0, each existing object comes as a change that adds it, mixed with later changes of objects that were yielded before:
// the changes of one object are in order, those of several are not. After that, all changes of all resources come in the order of their
// revisions, each as soon as it is committed.
//
// Follow ends with the context, with the API, or with an error for which [status.IsExpired] holds if the caller is slower than the
// store forgets: then begin anew. The error is yielded last.
func (o Objects) Follow(ctx context.Context) iter.Seq2[Changes, error] {
	return func(yield func(Changes, error) bool) {
		if err := o.api.enterCall(); err != nil {
			yield(Changes{}, err)
			return
		}
		defer o.api.leaveCall()
		ctx, cancel := o.api.ending.Until(ctx)
		defer cancel()
		var resources []string
		for _, r := range o.Resources() {
			resources = append(resources, r.Name)
		}
		err := resource.FollowAll(ctx, o.api.store, resources, func(changes []*resource.LogChange, through watch.Revision) error {
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
