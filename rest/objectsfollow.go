package rest

import (
	"context"
	"iter"

	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

func (o objects) Follow(ctx context.Context, resources ...string) iter.Seq2[raw.Changes, error] {
	return func(yield func(raw.Changes, error) bool) {
		if err := o.api.flights.EnterCall(nil); err != nil {
			yield(raw.Changes{}, err)
			return
		}
		defer o.api.flights.LeaveCall(nil)
		ctx, cancel := o.api.ending.Until(ctx)
		defer cancel()
		if len(resources) == 0 {
			defer o.api.writes.Attend()()
		}
		err := followEach(ctx, o.parts(resources), func(of storePart, news follow.News) error {
			changes := raw.Changes{List: news.Changes, Store: of.index, Through: news.Through, GivenUp: news.GivenUp,
				Removed: news.Removed}
			for _, res := range news.Read {
				changes.Read = append(changes.Read, o.api.storedResource(res))
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
		yield(raw.Changes{}, err)
	}
}

// served returns the resources whose objects are in a store, and a channel that is closed when these are others.
func (o objects) served(store storage.Store) (stored []*resource.Resource, changed <-chan struct{}) {
	s := o.api.front.Serving()
	for _, res := range s.Resources {
		if !res.Kind.Virtual && (len(o.api.stores) == 1 || res.Store == store) {
			stored = append(stored, res)
		}
	}
	return stored, s.Replaced
}

func (o objects) Revision() watch.Revision { return o.api.store.Revision() }

func (o objects) RevisionOf(resources ...string) watch.Revision {
	return o.api.revisionOf(resources...)
}

func (o objects) Watch(ctx context.Context, resource string,
	after watch.Revision) (watch.Cursor[storage.Record], error) {
	res, done, err := o.begin(resource)
	if err != nil {
		return nil, err
	}
	defer done()
	cursor, err := res.Store.Watch(ctx, watch.Key{Resource: resource}, after)
	if err == nil {
		context.AfterFunc(o.api.ending, cursor.Close)
	}
	return cursor, err
}
