package follow

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Follow is a Watch that also continues when the log no longer holds its position, and when the resource is replaced:
// it lists again and reports the difference from what it reported before. To compute the difference, it remembers the
// last record of each object. If p does not ask for existing objects, the store must still hold its revision, because
// those objects are part of the difference.
//
// Follow calls permit before it lists, so the objects that a client gains or loses when its rights change are part of
// the difference too.
func Follow(
	ctx context.Context, res *resource.Resource, permit Permit, namespace string, p resource.ListParameters,
	see func(Event) error,
) error {
	from := &storeOrigin{of: res, permit: permit, namespace: namespace, p: p}
	defer from.release()
	if err := from.ask(ctx); err != nil {
		return err
	}
	b, err := BeginningOf(ctx, res, namespace, from.p)
	if err != nil {
		return err
	}
	return From(ctx, from, b, see)
}

// Permit asks for a permission to watch a resource.
type Permit func(context.Context, *resource.Resource) (*rights.Permission, error)

// Origin is the source from which [From] reads: the store of a resource, or a server in another process. Its records
// must have a key, a revision, a uid and JSON.
type Origin interface {
	// List returns the objects at exactly this revision, or the current objects if at is 0.
	List(ctx context.Context, at watch.Revision) (storage.Listing, error)
	// Watch does the same as the function [Watch]. It uses only the fields Existing and After of b.
	Watch(ctx context.Context, b Beginning, see func(Event) error) error
}

// storeOrigin reads the selected objects from the store, under the declaration that the API serves now.
type storeOrigin struct {
	of         *resource.Resource
	permit     Permit
	permission *rights.Permission // of the last list, until the watch that follows it has ended
	namespace  string
	p          resource.ListParameters
}

// ask makes sure that the origin has a permission, which restricts what it reads.
func (s *storeOrigin) ask(ctx context.Context) (err error) {
	if s.permission == nil {
		if s.permission, err = s.permit(ctx, s.of); err == nil {
			s.p.Only, s.p.Resume = s.permission.Only, s.permission.Resume
		}
	}
	return err
}

// release gives the permission back.
func (s *storeOrigin) release() {
	if s.permission != nil {
		s.permission.Release()
		s.permission = nil
	}
}

// List implements [Origin].
func (s *storeOrigin) List(ctx context.Context, at watch.Revision) (page storage.Listing, err error) {
	current, err := s.of.Current(ctx)
	if err != nil {
		return page, err
	}
	err = current.OnServed(ctx, func(served *resource.Resource) error {
		s.of = served
		if err := s.ask(ctx); err != nil {
			return err
		}
		b := Beginning{Selection: served.Select(s.namespace, s.p), After: at}
		options := b.Query()
		options.Revision, options.Exact = at, at > 0
		var err error
		if page, err = served.Store.List(ctx, options, nil); err != nil {
			return b.failed(ctx, served.Store, served.StoreError(err, ""))
		}
		return nil
	})
	return page, err
}

// Watch implements [Origin]. It returns Expired if the resource is replaced.
func (s *storeOrigin) Watch(ctx context.Context, b Beginning, see func(Event) error) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	defer s.release()
	ctx = s.permission
	b.Selection = s.of.Select(s.namespace, s.p)
	return Watch(ctx, s.of, b, see)
}

// From is [Follow] for any origin.
func From(ctx context.Context, from Origin, b Beginning, see func(Event) error) error {
	known := replica{}
	if !b.Existing {
		// The reader knows the objects as they were at this revision, so the replica must begin with exactly that state.
		page, err := from.List(ctx, b.After)
		if err != nil {
			return err
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
		err := from.Watch(ctx, b, tell)
		switch {
		case !status.IsExpired(err):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		page, err := from.List(ctx, 0)
		if err != nil {
			return err
		}
		if err := known.difference(page, tell); err != nil {
			return err
		}
		// The reader is now at the revision of the list. The next watch continues there.
		b.Existing, b.After = false, page.Revision
	}
}

// replica is what the reader knows: the last reported record of each existing object.
type replica map[storage.Key]*storage.Record

// apply changes the replica by an event that the reader has seen.
func (known replica) apply(e Event) {
	if e.Type == apimeta.EventDeleted {
		delete(known, e.Object.Key)
	} else {
		known[e.Object.Key] = e.Object
	}
}

// difference reports the events that lead from the replica to a list. They have the revision of the list. An object
// that was deleted and created again is Deleted and then Added. tell must apply each event to the replica.
func (known replica) difference(list storage.Listing, tell func(Event) error) error {
	exists := make(map[storage.Key]bool, len(list.Records))
	for _, r := range list.Records {
		exists[r.Key] = true
		event, was := apimeta.EventModified, known[r.Key]
		switch {
		case was == nil:
			event = apimeta.EventAdded
		case was.UID != r.UID:
			if err := tell(Event{Type: apimeta.EventDeleted, Object: was, Revision: list.Revision}); err != nil {
				return err
			}
			event = apimeta.EventAdded
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
		if err := tell(Event{Type: apimeta.EventDeleted, Object: was, Revision: list.Revision}); err != nil {
			return err
		}
	}
	return nil
}
