package rest

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

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

// followPage is how many objects are listed at a time.
const followPage = 500

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
		ctx, cancel := o.api.untilEnding(ctx)
		defer cancel()
		f := objectsFollower{store: o.api.store, yield: yield, listed: map[string]bool{}}
		err := f.run(ctx, o.Resources())
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		yield(Changes{}, err)
	}
}

// objectsFollower reads all resources by one cursor. A cursor for each would leave their changes to be merged, and a change could
// not be yielded until every other cursor had moved past it.
type objectsFollower struct {
	store  storage.Store
	cursor *watch.Cursor[storage.Record]
	yield  func(Changes, error) bool
	listed map[string]bool // the resources of which every object has been yielded
}

// run returns nil where the caller has broken off.
func (f *objectsFollower) run(ctx context.Context, resources []StoredResource) (err error) {
	if f.cursor, err = f.store.Watch(ctx, watch.Scope{}, f.store.Revision()); err != nil {
		return err
	}
	defer f.cursor.Close()
	for _, r := range resources {
		if more, err := f.list(ctx, r.Name); err != nil || !more {
			return err
		}
	}
	for changes := []*watch.Change[storage.Record](nil); f.yield(Changes{List: changes, Through: f.cursor.Position()}, nil); {
		if changes, err = f.cursor.Next(ctx, nil); err != nil {
			return err
		}
		changes = slices.DeleteFunc(changes, func(c *watch.Change[storage.Record]) bool { return !f.listed[c.Scope.Resource] })
		if ctx.Err() != nil { // Next looks at it only while there is nothing to read
			return ctx.Err()
		}
	}
	return nil
}

// list yields the objects of a resource in pages, each of a state that the cursor has yet to pass, and after each page the changes up to it. So the cursor
// falls behind by no more than one page, however long the list is, and no change has to be kept.
func (f *objectsFollower) list(ctx context.Context, resource string) (more bool, err error) {
	scope := watch.Scope{Resource: resource}
	for l := (listing{}); ; l.before = l.last() {
		if l.page, err = f.store.List(ctx, storage.ListOptions{Scope: scope, After: l.before, Limit: followPage, Revision: f.cursor.Position()}, nil); err != nil {
			return false, err
		}
		if len(l.page.Records) > 0 && !f.yield(Changes{List: added(l.page.Records)}, nil) {
			return false, nil
		}
		for f.cursor.Position() < l.page.Revision {
			changes, err := f.cursor.Poll(nil)
			if err != nil {
				return false, err
			}
			changes = slices.DeleteFunc(changes, func(c *watch.Change[storage.Record]) bool {
				return !f.listed[c.Scope.Resource] && !(scope.Contains(c.Scope) && l.precedes(c))
			})
			if len(changes) > 0 && !f.yield(Changes{List: changes}, nil) {
				return false, nil
			}
		}
		if !l.page.More {
			f.listed[resource] = true
			return true, nil
		}
	}
}

// listing is how much of a resource has been yielded.
type listing struct {
	before storage.Key  // the last object of the pages before
	page   storage.Page // the youngest
}

func (l *listing) last() storage.Key { return l.page.Records[len(l.page.Records)-1].Key }

// precedes reports whether the object of a change was yielded as it was before the change. Objects behind the page will come in a
// younger one.
func (l *listing) precedes(c *watch.Change[storage.Record]) bool {
	switch {
	case compareKeys(c.Scope, l.before) <= 0:
		return true
	case l.page.More && compareKeys(c.Scope, l.last()) > 0:
		return false
	}
	return c.Revision > l.page.Revision
}

// added are changes by which the records come to be.
func added(records []*storage.Record) []*watch.Change[storage.Record] {
	changes := make([]watch.Change[storage.Record], len(records))
	list := make([]*watch.Change[storage.Record], len(records))
	for i, record := range records {
		changes[i] = watch.Change[storage.Record]{Scope: record.Key, Revision: record.Revision, Current: record}
		list[i] = &changes[i]
	}
	return list
}

// compareKeys orders the objects of a resource as a list does.
func compareKeys(a, b storage.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
