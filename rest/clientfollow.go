package rest

import (
	"context"
	"iter"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
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
	return func(yield func(Event[T], error) bool) {
		f := follower[T]{client: c, options: options, known: map[storage.Key]*storage.Record{}, yield: yield}
		if err := f.run(ctx); err != nil {
			yield(Event[T]{}, err)
		}
	}
}

type follower[T any] struct {
	client  Client[T]
	options WatchOptions
	known   map[storage.Key]*storage.Record
	yield   func(Event[T], error) bool
}

// run returns nil where the caller has broken off.
func (f *follower[T]) run(ctx context.Context) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	for {
		if err := f.client.watch(ctx, f.options, f.pass); !status.IsExpired(err) || ctx.Err() != nil {
			return err
		}
		if more, err := f.relist(ctx); err != nil || !more {
			return err
		}
	}
}

// begin learns what the caller knows already.
func (f *follower[T]) begin(ctx context.Context) error {
	if revision, err := resource.ParseRevision(f.options.ResourceVersion); err != nil || revision == 0 {
		return err
	}
	page, err := f.list(ctx, f.options.ResourceVersion, apimeta.MatchExact)
	for _, r := range page.Records {
		f.known[r.Key] = r
	}
	return err
}

// pass yields an event and remembers it.
func (f *follower[T]) pass(event watch.EventType, r *storage.Record, at watch.Revision) (bool, error) {
	if event == watch.Deleted {
		delete(f.known, r.Key)
	} else {
		f.known[r.Key] = r
	}
	return f.client.send(f.yield, event, r, at)
}

// relist yields the difference between what is known and what there is, and lets the watch go on from the latter. It
// returns false where the caller has broken off.
func (f *follower[T]) relist(ctx context.Context) (bool, error) {
	page, err := f.list(ctx, "", "")
	if err != nil {
		return false, err
	}
	present := make(map[storage.Key]bool, len(page.Records))
	for _, r := range page.Records {
		present[r.Key] = true
		event, was := watch.Modified, f.known[r.Key]
		switch {
		case was == nil:
			event = watch.Added
		case was.UID != r.UID:
			if more, err := f.pass(watch.Deleted, was, page.Revision); err != nil || !more {
				return false, err
			}
			event = watch.Added
		case was.Revision == r.Revision:
			continue
		}
		if more, err := f.pass(event, r, page.Revision); err != nil || !more {
			return false, err
		}
	}
	for key, was := range f.known {
		if present[key] {
			continue
		}
		if more, err := f.pass(watch.Deleted, was, page.Revision); err != nil || !more {
			return false, err
		}
	}
	f.options.ResourceVersion = strconv.FormatUint(uint64(page.Revision), 10)
	return true, nil
}

func (f *follower[T]) list(ctx context.Context, version string, match apimeta.ResourceVersionMatch) (resource.Page, error) {
	c := f.client
	ctx, done, err := c.begin(ctx, List)
	if err != nil {
		return resource.Page{}, err
	}
	defer done()
	p, err := c.selectors(f.options.LabelSelector, f.options.FieldSelector)
	if err != nil {
		return resource.Page{}, err
	}
	p.ResourceVersion, p.ResourceVersionMatch = version, match
	return c.res.List(ctx, c.namespace, p, nil)
}
