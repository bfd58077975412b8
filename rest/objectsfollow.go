package rest

import (
	"context"
	"iter"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/follow"
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
	// Read describes the resources whose existing objects Follow has now all yielded: at first every resource, later those that the API has
	// taken since, and those that it has declared anew. Through counts for the resources that were read.
	Read []StoredResource
	// GivenUp names resources that Follow no longer yields, because the API has given them up, or that it is about to yield from the
	// beginning. The caller forgets what it knows of their objects. GivenUp comes before List.
	GivenUp []string
	// Removed holds removals of objects of resources that were not read at that time, for callers that remember what is gone.
	Removed []*watch.Change[storage.Record]
}

// Follow yields the objects of the resources and then their changes. A caller that has applied everything that Follow yielded
// knows the state of the resources at the revision Through. Each argument is the Name of a [StoredResource]. A call with a single resource
// does not read the changes of other resources. Without arguments, Follow yields the objects of all resources that the API serves. It then
// also follows what the API serves: it reads a resource that the API takes later, and meanwhile goes on with the others; before it gives
// a resource up, it yields what has happened to its objects. Read and GivenUp are set only without arguments.
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
		of := follow.Following{Names: slices.Clone(resources)}
		switch len(resources) {
		case 0: // the whole log, even if the API has one resource: Through then reaches every revision
			of.Served = o.served
			defer o.api.writes.Attend()()
		case 1:
			of.Scope.Resource = resources[0]
		}
		err := follow.All(ctx, o.api.store, of, func(news follow.News) error {
			changes := Changes{List: news.Changes, Through: news.Through, GivenUp: news.GivenUp, Removed: news.Removed}
			for _, res := range news.Read {
				changes.Read = append(changes.Read, storedResource(res))
			}
			if !yield(changes, nil) {
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

// served returns the resources whose objects are stored, and a channel that is closed when these are others.
func (o Objects) served() (stored []*resource.Resource, changed <-chan struct{}) {
	s := o.api.serving.Load()
	for _, res := range s.Resources {
		if !res.Kind.Virtual {
			stored = append(stored, res)
		}
	}
	return stored, s.replaced
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
