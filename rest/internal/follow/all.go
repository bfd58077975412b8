package follow

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// pageSize is the number of objects that All lists at a time.
const pageSize = 500

// Following says what All follows.
type Following struct {
	// Scope is the part of the log that All reads. Changes outside of it do not move News.Through.
	Scope watch.Key
	// Names are the resources, unless Served is set.
	Names []string
	// Served returns the resources that the API serves now, and a channel that is closed when it serves others.
	Served func() ([]*resource.Resource, <-chan struct{})
}

// News is what All reports at once. Readers share the changes and must not modify them.
type News struct {
	Changes []*LogChange
	// Through is the revision up to which every change of the resources that were read has been reported. It is 0 until
	// all objects that existed at the beginning have been.
	Through watch.Revision
	// Read are the resources whose existing objects have now all been reported, and those that the API has declared anew.
	Read []*resource.Resource
	// GivenUp are the resources whose objects are no longer known.
	GivenUp []string
	// Removed are removals of objects of resources that were not read at that time.
	Removed []*LogChange
}

// All reports the objects of several resources, and then all their changes in one order, that of their revisions. It
// returns when tell returns an error or the context ends. When the API takes a resource, All lists it and goes on with
// the others. When the API gives one up, All first reports what has happened to its objects.
//
// All does not use Followers. A Follower has a cursor for one resource. To merge several, All would have to hold back
// each change until every other cursor had passed it. Instead, one cursor reads the part of the log that the scope
// selects. It starts before all lists, whereas the position of a Follower comes after its list. So All leaves out the
// changes that a list already includes.
func All(ctx context.Context, store storage.Store, of Following, tell func(News) error) error {
	cursor, err := store.Watch(ctx, of.Scope, store.Revision())
	if err != nil {
		return err
	}
	defer cursor.Close()
	f := allFollower{position: position{Cursor: cursor}, store: store, tell: tell,
		read: map[string]*resource.Resource{}, lost: map[string]bool{}}
	if of.Served == nil {
		return f.followNames(ctx, of.Names)
	}
	for {
		served, changed := of.Served()
		if err := f.adopt(ctx, served); err != nil {
			return err
		}
		if err := f.pass(ctx, changed); err != nil {
			return err
		}
	}
}

// allFollower is the state of All.
type allFollower struct {
	position
	store   storage.Store
	tell    func(News) error
	begun   bool
	read    map[string]*resource.Resource // the resources whose existing objects have all been reported
	listing string                        // the resource that is being listed
	lost    map[string]bool               // resources whose changes are no longer all in the log
}

// followNames follows resources that stay the same. The loss of a change ends it.
func (f *allFollower) followNames(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := f.list(ctx, name); err != nil {
			return err
		}
		f.read[name] = nil
	}
	f.begun = true
	err := f.tell(News{Through: f.Position()})
	for err == nil {
		if len(f.lost) > 0 {
			return status.Expired("the store has dropped changes of a resource")
		}
		err = f.pass(ctx, nil)
	}
	return err
}

// adopt gives up what the API does not serve any more, and reads what it has taken.
func (f *allFollower) adopt(ctx context.Context, served []*resource.Resource) error {
	for end := f.store.Revision(); f.begun && f.Position() < end; { // what has happened before the API gave a resource up
		if _, err := f.pollOnce(f.isRead); err != nil {
			return err
		}
	}
	if err := f.giveUp(served); err != nil {
		return err
	}
	var read []*resource.Resource
	for _, res := range served {
		name := res.StoredName()
		if had, ok := f.read[name]; ok && had == res {
			continue
		} else if !ok {
			err := f.list(ctx, name)
			if errors.Is(err, storage.ErrResource) { // the API has given it up meanwhile
				f.lost[name] = true
				continue
			}
			if err != nil {
				return err
			}
		}
		f.read[name] = res
		read = append(read, res)
	}
	if f.begun && len(read) == 0 {
		return nil
	}
	f.begun = true
	return f.tell(News{Read: read, Through: f.Position()})
}

// giveUp forgets a resource if the API no longer serves it, withdrew it meanwhile, or lost some of its changes from the
// log.
func (f *allFollower) giveUp(served []*resource.Resource) error {
	now := make(map[string]*resource.Resource, len(served))
	for _, res := range served {
		now[res.StoredName()] = res
	}
	for name, had := range f.read {
		if res := now[name]; res == nil || !res.Continues(had) {
			f.lost[name] = true
		}
	}
	if len(f.lost) == 0 {
		return nil
	}
	gone := slices.Sorted(maps.Keys(f.lost))
	clear(f.lost)
	for _, name := range gone {
		delete(f.read, name)
	}
	return f.tell(News{GivenUp: gone, Through: f.through()})
}

func (f *allFollower) isRead(c *LogChange) bool {
	_, ok := f.read[c.Key.Resource]
	return ok
}

// through returns News.Through.
func (f *allFollower) through() watch.Revision {
	if !f.begun {
		return 0
	}
	return f.Position()
}

// pass reports changes until the channel is closed or changes are lost. It reports some if it can, and so never delays
// them.
func (f *allFollower) pass(ctx context.Context, changed <-chan struct{}) error {
	for ctx.Err() == nil {
		more, err := f.pollOnce(f.isRead)
		if err != nil || len(f.lost) > 0 {
			return err
		}
		select {
		case <-changed:
			return nil
		default:
		}
		if more {
			continue
		}
		select {
		case <-f.Ready():
		case <-changed:
			return nil
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// pollOnce polls the log, and reports the changes that takes accepts. If more is true, further changes may be waiting,
// even if takes accepted none of these.
func (f *allFollower) pollOnce(takes func(*LogChange) bool) (more bool, err error) {
	var news News
	more, err = f.poll(func(c *LogChange) error {
		switch {
		case c.Lost():
			if f.isRead(c) || c.Key.Resource == f.listing {
				f.lost[c.Key.Resource] = true
			}
		case takes(c):
			news.Changes = append(news.Changes, c)
		case c.Current == nil && c.Previous.UID != "": // records without a uid are no objects
			news.Removed = append(news.Removed, c)
		}
		return nil
	})
	news.Through = f.through()
	if err != nil || !more || !f.begun && len(news.Changes)+len(news.Removed) == 0 {
		return more, err
	}
	return more, f.tell(news)
}

// list reports the objects of a resource page by page. Each page shows a state that the cursor has yet to reach; after
// each page, list reports the changes up to that state. So the cursor falls behind by at most one page, however long
// the list is, and list keeps no change in memory.
func (f *allFollower) list(ctx context.Context, resource string) (err error) {
	scope := watch.Key{Resource: resource}
	f.listing = resource
	defer func() { f.listing = "" }()
	for l := (listing{}); ; l.before = l.last() {
		if l.page, err = f.store.List(ctx,
			storage.Query{Within: scope, After: l.before, Limit: pageSize, Revision: f.Position()}, nil); err != nil {
			return err
		}
		if changes := added(l.page.Records); len(changes) > 0 {
			if err := f.tell(News{Changes: changes, Through: f.through()}); err != nil {
				return err
			}
		}
		for f.Position() < l.page.Revision {
			_, err := f.pollOnce(func(c *LogChange) bool {
				return f.isRead(c) || scope.Contains(c.Key) && l.precedes(c)
			})
			if err != nil {
				return err
			}
		}
		if !l.page.More {
			return nil
		}
	}
}

// listing is the progress of a list.
type listing struct {
	before storage.Key     // the last object of the previous pages
	page   storage.Listing // the current page
}

func (l *listing) last() storage.Key { return l.page.Records[len(l.page.Records)-1].Key }

// precedes reports whether the reader has seen the object of a change in its state before the change. If not, the
// change is left out: the current page or a later one includes it.
func (l *listing) precedes(c *LogChange) bool {
	switch {
	case compareKeys(c.Key, l.before) <= 0:
		return true
	case l.page.More && compareKeys(c.Key, l.last()) > 0:
		return false
	}
	return c.Revision > l.page.Revision
}

// added returns, for each record, the change that creates it.
func added(records []*storage.Record) []*LogChange {
	changes := make([]LogChange, len(records))
	list := make([]*LogChange, len(records))
	for i, record := range records {
		changes[i] = LogChange{Key: record.Key, Revision: record.Revision, Current: record}
		list[i] = &changes[i]
	}
	return list
}

// compareKeys compares two objects of a resource in the order of a list.
func compareKeys(a, b storage.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
