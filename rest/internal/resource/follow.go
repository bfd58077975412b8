package resource

import (
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Event says that an object exists or has changed, and at which revision. Its record is the stored one, see [Resource.Show].
type Event = watch.Event[storage.Record]

// Beginning says what to follow, and from where.
type Beginning struct {
	Selection
	// Existing asks for an Added event for each object that exists, before the changes.
	Existing bool
	// After is the revision that the reader knows already. With Existing, the objects are listed at this revision or a later one.
	After watch.Revision
	// Until bounds the wait for a revision that the store has not reached. If it is zero, the store decides how long to wait.
	Until time.Time
	// Alarm, if there is one, receives a value when a poll would tell something, see [watch.Cursor.ReadyOn].
	Alarm chan struct{}
}

// Beginning reads the parameters of a watch (API concepts, Efficient detection of changes).
func (res *Resource) Beginning(namespace string, p ListParameters) (Beginning, error) {
	revision, err := ParseRevision(p.ResourceVersion)
	existing := revision == 0
	if p.SendInitialEvents != nil {
		existing = *p.SendInitialEvents
	}
	return Beginning{Selection: res.Select(namespace, p), Existing: existing, After: watch.Revision(revision)}, err
}

// Follower lists, then follows: it tells its reader of the objects that a selection takes, and then of their changes. All
// watches are one. It consists of a position in the log and of the objects that it has yet to tell of, so while it waits it takes
// next to no memory, and it keeps nothing alive that it has told of.
//
// A reader that also waits for other things calls Poll, then Ready, and waits on its alarm. Others call Next.
type Follower struct {
	position
	match    func(*storage.Record) bool // nil takes everything
	existing *[]*storage.Record         // borrowed until they have been told of
	passed   error                      // history passed the list at once, so there is no position after it
}

// Begin lists the objects, if the beginning asks for them, takes the position after them, and returns its revision. A revision
// that the store does not reach in time is an error for which [status.IsTooLargeResourceVersion] holds, and one that history has
// passed is an Expired error. If the context ends, its cause is the error. The reader must call Close, also after an error.
func (f *Follower) Begin(ctx context.Context, store storage.Store, b Beginning) (watch.Revision, error) {
	bounded, cancel := b.bound(ctx, store)
	defer cancel()
	f.match = b.Match
	if b.Existing {
		f.existing = BorrowRecords()
		options := b.listOptions()
		options.Revision = b.After
		page, err := store.List(bounded, options, *f.existing)
		if err != nil {
			return 0, b.failed(ctx, store, err)
		}
		*f.existing = page.Records
		b.After = page.Revision
	}
	cursor, err := store.Watch(bounded, b.Scope, b.After, b.Terms...)
	switch {
	case err == nil:
		cursor.ReadyOn(b.Alarm)
		f.Cursor = cursor
	case b.Existing && status.IsExpired(err):
		f.passed = err // the list is whole: Poll tells of it before the error
	default:
		return 0, b.failed(ctx, store, err)
	}
	return b.After, nil
}

// bound bounds the wait, if there will be one: a context with a deadline is too dear for every watch.
func (b *Beginning) bound(ctx context.Context, store storage.Store) (context.Context, context.CancelFunc) {
	if b.Until.IsZero() || b.After <= store.Revision() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, b.Until)
}

// failed returns what an error of the store means for the reader whose context ctx is.
func (b *Beginning) failed(ctx context.Context, store storage.Store, err error) error {
	current := store.Revision()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded) && b.After > current:
		return status.TooLargeResourceVersion(uint64(b.After), uint64(current))
	}
	return err
}

// Untold returns the existing objects that Poll has yet to tell of.
func (f *Follower) Untold() []*storage.Record {
	if f.existing == nil {
		return nil
	}
	return *f.existing
}

// Poll tells of all existing objects the first time, if they were asked for, in the order of their keys. Afterwards it tells of
// changes since the last time, in the order of their revisions and at most about as many as [watch.Cursor.Poll] returns. It never
// waits. It reports whether there may be more, and ends with an error of see.
func (f *Follower) Poll(see func(Event) error) (more bool, err error) {
	if f.existing != nil {
		return true, f.tellExisting(see)
	}
	if f.passed != nil {
		return false, f.passed
	}
	return f.poll(func(c *LogChange) error {
		event, r := c.Select(f.match)
		if event == "" {
			return nil
		}
		return see(Event{Type: event, Object: r, Revision: c.Revision})
	})
}

func (f *Follower) tellExisting(see func(Event) error) error {
	defer f.forget()
	records := *f.existing
	for i, r := range records {
		records[i] = nil // as in poll
		if err := see(Event{Type: watch.Added, Object: r, Revision: r.Revision}); err != nil {
			return err
		}
	}
	return nil
}

// Next is Poll, but waits until there is something to tell or the context ends, whose cause it then returns.
func (f *Follower) Next(ctx context.Context, see func(Event) error) error {
	return f.next(ctx, func() (bool, error) { return f.Poll(see) })
}

// Err returns the error that Poll would return if it told of changes now, see [watch.Cursor.Err].
func (f *Follower) Err() error {
	if f.passed != nil {
		return f.passed
	}
	return f.Cursor.Err()
}

// Close gives up the position and what is left to tell of.
func (f *Follower) Close() {
	f.forget()
	if f.Cursor != nil {
		f.Cursor.Close()
	}
}

func (f *Follower) forget() {
	if f.existing != nil {
		ReturnRecords(f.existing)
		f.existing = nil
	}
}

// Watch tells of what a beginning selects until see returns an error, the context ends, or history has passed the position. It
// returns why it ended.
func (res *Resource) Watch(ctx context.Context, b Beginning, see func(Event) error) error {
	var f Follower
	defer f.Close()
	if _, err := f.Begin(ctx, res.Store, b); err != nil {
		return err
	}
	for {
		if err := f.Next(ctx, see); err != nil {
			return err
		}
	}
}
