package resource

import (
	"cmp"
	"context"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// pageSize is the number of objects that FollowAll lists at a time.
const pageSize = 500

// FollowAll reports the objects of several resources, and then all their changes in one order, that of their revisions. It returns when
// tell returns an error or the context ends. through is the revision up to which every change has been reported; it is 0 until all
// existing objects have been. Readers share the changes and must not modify them.
//
// FollowAll does not use Followers. A Follower has a cursor for one resource. To merge several, FollowAll would have to hold back each
// change until every other cursor had passed it. Instead, one cursor reads the part of the log that scope selects. It starts before all
// lists, whereas the position of a Follower comes after its list. So FollowAll leaves out the changes that a list already includes.
// Changes outside of the scope do not move through.
func FollowAll(ctx context.Context, store storage.Store, scope watch.Scope, resources []string, tell func(changes []*LogChange, through watch.Revision) error) error {
	cursor, err := store.Watch(ctx, scope, store.Revision())
	if err != nil {
		return err
	}
	defer cursor.Close()
	f := allFollower{position: position{Cursor: cursor}, store: store, tell: tell, listed: map[string]bool{}}
	for _, resource := range resources {
		if err := f.list(ctx, resource); err != nil {
			return err
		}
	}
	// From here on, all resources are listed, and the cursor only has to pass on their changes.
	isListed := func(c *LogChange) bool { return f.listed[c.Scope.Resource] }
	for changes := []*LogChange(nil); err == nil; {
		if err := tell(changes, f.Position()); err != nil {
			return err
		}
		err = f.next(ctx, func() (more bool, err error) {
			changes, more, err = f.changes(isListed)
			return more, err
		})
	}
	return err
}

// allFollower is the state of FollowAll.
type allFollower struct {
	position
	store  storage.Store
	tell   func(changes []*LogChange, through watch.Revision) error
	listed map[string]bool // the resources whose existing objects have all been reported
}

// changes polls the log and returns the changes that takes accepts. If more is true, further changes may be waiting, even if takes
// accepted none of these.
func (f *allFollower) changes(takes func(*LogChange) bool) (taken []*LogChange, more bool, err error) {
	more, err = f.poll(func(c *LogChange) error {
		if takes(c) {
			taken = append(taken, c)
		}
		return nil
	})
	return taken, more, err
}

// list reports the objects of a resource page by page. Each page shows a state that the cursor has yet to reach; after each page, list
// reports the changes up to that state. So the cursor falls behind by at most one page, however long the list is, and list keeps no
// change in memory.
func (f *allFollower) list(ctx context.Context, resource string) (err error) {
	scope := watch.Scope{Resource: resource}
	for l := (listing{}); ; l.before = l.last() {
		if l.page, err = f.store.List(ctx, storage.Query{Scope: scope, After: l.before, Limit: pageSize, Revision: f.Position()}, nil); err != nil {
			return err
		}
		if err := f.tellSome(added(l.page.Records)); err != nil {
			return err
		}
		for f.Position() < l.page.Revision {
			changes, _, err := f.changes(func(c *LogChange) bool {
				return f.listed[c.Scope.Resource] || scope.Contains(c.Scope) && l.precedes(c)
			})
			if err != nil {
				return err
			}
			if err := f.tellSome(changes); err != nil {
				return err
			}
		}
		if !l.page.More {
			f.listed[resource] = true
			return nil
		}
	}
}

// tellSome reports changes, if there are any, while existing objects remain to be reported. That is why through is 0.
func (f *allFollower) tellSome(changes []*LogChange) error {
	if len(changes) == 0 {
		return nil
	}
	return f.tell(changes, 0)
}

// listing is the progress of a list.
type listing struct {
	before storage.Key     // the last object of the previous pages
	page   storage.Listing // the current page
}

func (l *listing) last() storage.Key { return l.page.Records[len(l.page.Records)-1].Key }

// precedes reports whether the reader has seen the object of a change in its state before the change. If not, the change is left out: the
// current page or a later one includes it.
func (l *listing) precedes(c *LogChange) bool {
	switch {
	case compareKeys(c.Scope, l.before) <= 0:
		return true
	case l.page.More && compareKeys(c.Scope, l.last()) > 0:
		return false
	}
	return c.Revision > l.page.Revision
}

// added returns, for each record, the change that creates it.
func added(records []*storage.Record) []*LogChange {
	changes := make([]LogChange, len(records))
	list := make([]*LogChange, len(records))
	for i, record := range records {
		changes[i] = LogChange{Scope: record.Key, Revision: record.Revision, Current: record}
		list[i] = &changes[i]
	}
	return list
}

// compareKeys compares two objects of a resource in the order of a list.
func compareKeys(a, b storage.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
