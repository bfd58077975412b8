package rest

import (
	"context"
	"iter"
	"slices"

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
		of := follow.Following{Names: slices.Clone(resources)}
		switch len(resources) {
		case 0: // the whole log, even if the API has one resource: Through then reaches every revision
			of.Served = o.served
			defer o.api.writes.Attend()()
		case 1:
			of.Scope.Resource = resources[0]
		}
		err := follow.All(ctx, o.api.store, of, func(news follow.News) error {
			changes := raw.Changes{List: news.Changes, Through: news.Through, GivenUp: news.GivenUp, Removed: news.Removed}
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
		yield(raw.Changes{}, err)
	}
}

// served returns the resources whose objects are stored, and a channel that is closed when these are others.
func (o objects) served() (stored []*resource.Resource, changed <-chan struct{}) {
	s := o.api.serving.Load()
	for _, res := range s.Resources {
		if !res.Kind.Virtual {
			stored = append(stored, res)
		}
	}
	return stored, s.replaced
}

func (o objects) Revision() watch.Revision { return o.api.store.Revision() }

func (o objects) Watch(ctx context.Context, resource string, after watch.Revision) (*watch.Cursor[storage.Record], error) {
	_, done, err := o.begin(resource)
	if err != nil {
		return nil, err
	}
	defer done()
	cursor, err := o.api.store.Watch(ctx, watch.Key{Resource: resource}, after)
	if err == nil {
		context.AfterFunc(o.api.ending, cursor.Close)
	}
	return cursor, err
}
