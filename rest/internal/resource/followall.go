package resource

import (
	"cmp"
	"context"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// pageSize is how many objects of a resource FollowAll lists at a time.
const pageSize = 500

// FollowAll tells of the objects of several resources and then of all their changes in the one order of their revisions, until
// tell returns an error or the context ends. through is the revision up to which every change has been told, and 0 until all
// existing objects have been. The changes are shared and must not be changed.
//
// It is not made of Followers. With a cursor for each resource, their changes would have to be merged, and a change could not be
// told until every other cursor had moved past it. So one cursor reads the whole log. Its position precedes all lists, where that
// of a Follower comes after its one list, and what a list has shown already is left out of the changes. They have in common how a
// position is read and how its reader waits.
func FollowAll(ctx context.Context, store storage.Store, resources []string, tell func(changes []*LogChange, through watch.Revision) error) error {
	cursor, err := store.Watch(ctx, watch.Scope{}, store.Revision())
	if err != nil {
		return err
	}
	defer cursor.Close()
	f := allFollower{position: position{cursor}, store: store, tell: tell, listed: map[string]bool{}}
	for _, resource := range resources {
		if err := f.list(ctx, resource); err != nil {
			return err
		}
	}
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

// allFollower reads all resources by one cursor.
type allFollower struct {
	position
	store  storage.Store
	tell   func(changes []*LogChange, through watch.Revision) error
	listed map[string]bool // the resources of which every object has been told
}

// changes polls for the changes that are taken. more says that there may be more, also if none of these was taken.
func (f *allFollower) changes(takes func(*LogChange) bool) (taken []*LogChange, more bool, err error) {
	more, err = f.poll(func(c *LogChange) error {
		if takes(c) {
			taken = append(taken, c)
		}
		return nil
	})
	return taken, more, err
}

// list tells of the objects of a resource in pages, each of a state that the cursor has yet to pass, and after each page of the
// changes up to it. So the cursor falls behind by no more than one page, however long the list is, and no change has to be kept.
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

// tellSome tells of changes, if there are any, before all existing objects have been told of.
func (f *allFollower) tellSome(changes []*LogChange) error {
	if len(changes) == 0 {
		return nil
	}
	return f.tell(changes, 0)
}

// listing is how much of a resource has been told.
type listing struct {
	before storage.Key  // the last object of the pages before
	page   storage.Listing // the youngest
}

func (l *listing) last() storage.Key { return l.page.Records[len(l.page.Records)-1].Key }

// precedes reports whether the object of a change was told of as it was before the change. Objects behind the page will come in a
// younger one.
func (l *listing) precedes(c *LogChange) bool {
	switch {
	case compareKeys(c.Scope, l.before) <= 0:
		return true
	case l.page.More && compareKeys(c.Scope, l.last()) > 0:
		return false
	}
	return c.Revision > l.page.Revision
}

// added are changes by which the records come to be.
func added(records []*storage.Record) []*LogChange {
	changes := make([]LogChange, len(records))
	list := make([]*LogChange, len(records))
	for i, record := range records {
		changes[i] = LogChange{Scope: record.Key, Revision: record.Revision, Current: record}
		list[i] = &changes[i]
	}
	return list
}

// compareKeys orders the objects of a resource as a list does.
func compareKeys(a, b storage.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
