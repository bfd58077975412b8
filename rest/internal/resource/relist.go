package resource

import (
	"context"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Follow is Watch, but does not end if history has passed the position while it ran: it lists again, tells of the difference to
// what it told before, and goes on from there. It remembers the last record of each object for that. A beginning that does not
// ask for the existing objects must be at a revision that the store still holds, because they are part of the difference.
func (res *Resource) Follow(ctx context.Context, b Beginning, see func(Event) error) error {
	known := replica{}
	if !b.Existing {
		options := b.listOptions()
		options.Revision, options.Exact = b.After, true
		page, err := res.Store.List(ctx, options, nil)
		if err != nil {
			return b.failed(ctx, res.Store, err)
		}
		for _, r := range page.Records {
			known[r.Key] = r
		}
	}
	tell := func(e Event) error {
		known.apply(e)
		return see(e)
	}
	for {
		err := res.Watch(ctx, b, tell)
		switch {
		case !status.IsExpired(err):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		page, err := res.Store.List(ctx, b.listOptions(), nil)
		if err != nil {
			return b.failed(ctx, res.Store, err)
		}
		if err := known.difference(page, tell); err != nil {
			return err
		}
		b.Existing, b.After = false, page.Revision
	}
}

// replica is what a reader knows: the last record that it was told of, of each object that it takes to exist.
type replica map[storage.Key]*storage.Record

func (known replica) apply(e Event) {
	if e.Type == watch.Deleted {
		delete(known, e.Object.Key)
	} else {
		known[e.Object.Key] = e.Object
	}
}

// difference tells what leads from the replica to a list. The events have the revision of the list. An object that was deleted
// and created again is Deleted and then Added. tell applies what it is told to the replica.
func (known replica) difference(list storage.Listing, tell func(Event) error) error {
	exists := make(map[storage.Key]bool, len(list.Records))
	for _, r := range list.Records {
		exists[r.Key] = true
		event, was := watch.Modified, known[r.Key]
		switch {
		case was == nil:
			event = watch.Added
		case was.UID != r.UID:
			if err := tell(Event{Type: watch.Deleted, Object: was, Revision: list.Revision}); err != nil {
				return err
			}
			event = watch.Added
		case was.Revision == r.Revision:
			continue
		}
		if err := tell(Event{Type: event, Object: r, Revision: list.Revision}); err != nil {
			return err
		}
	}
	for key, was := range known {
		if exists[key] {
			continue
		}
		if err := tell(Event{Type: watch.Deleted, Object: was, Revision: list.Revision}); err != nil {
			return err
		}
	}
	return nil
}
