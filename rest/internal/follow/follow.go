package follow

import (
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Event says that an object exists or has changed, and at which revision. It holds the stored record;
// [resource.Resource.Show] converts it.
type Event = watch.Event[storage.Record]

// Beginning says what to follow and from where.
type Beginning struct {
	resource.Selection
	// Existing asks for an Added event for each object that exists, before the changes.
	Existing bool
	// After is the last revision that the reader knows. With Existing, the objects are listed at this revision or a later
	// one.
	After watch.Revision
	// Until bounds the wait for a revision that the store has not reached. If it is zero, the store decides how long to
	// wait.
	Until time.Time
	// Throughout asks for what has happened under the resource also after another resource has taken its place, as long as
	// the objects have the same form. Without it, the follower then ends at once.
	Throughout bool
	// Alarm, if it is set, receives a value when Poll has something to report, see [watch.Cursor.ReadyOn].
	Alarm chan struct{}
}

// BeginningOf reads the parameters of a watch (API concepts, Efficient detection of changes).
func BeginningOf(
	ctx context.Context, res *resource.Resource, namespace string, p resource.ListParameters,
) (Beginning, error) {
	if err := p.Query.CheckUnsorted(); err != nil {
		return Beginning{}, err
	}
	revision, err := resource.ParseRevision(p.ResourceVersion)
	existing := revision == 0
	if p.SendInitialEvents != nil {
		existing = *p.SendInitialEvents
	}
	if err == nil && !existing && revision > 0 && p.Resume != nil {
		err = res.StoreError(p.Resume(ctx, watch.Revision(revision)), "")
	}
	return Beginning{Selection: res.Select(namespace, p), Existing: existing, After: watch.Revision(revision)}, err
}

// Follower reports the objects that a selection matches, and then their changes. Every watch is a Follower. It consists
// of a position in the log and of the existing objects that it has yet to report. So a waiting Follower takes next to
// no memory, and it keeps no object alive that it has reported.
//
// One goroutine at a time may use a Follower. It calls Begin, then Poll or Next as often as it likes, and Close at the
// end. A reader that also waits for other things calls Poll, then Ready, and waits on its alarm. Any other reader calls
// Next.
type Follower struct {
	position
	of         *resource.Resource
	throughout bool                       // see [Beginning]
	match      func(*storage.Record) bool // nil matches everything
	existing   *[]*storage.Record         // a borrowed buffer; tellExisting returns it
	passed     error                      // the Expired error of a log that no longer reaches back to the list; Poll returns it after the list
}

// Begin lists the objects if the beginning asks for them, takes the position after them, and returns its revision. The
// reader must call Close, also after an error.
//
// If the store does not reach the revision in time, [status.IsTooLargeResourceVersion] holds for the error. If the log
// no longer holds the revision, the error is Expired. If the context ends, Begin returns its cause.
func (f *Follower) Begin(ctx context.Context, store storage.Store, b Beginning) (watch.Revision, error) {
	bounded, cancel := b.bound(ctx, store)
	defer cancel()
	f.of, f.throughout, f.match, f.ahead = b.Of, b.Throughout, b.Match, b.ChangesAhead()
	if b.Existing {
		f.existing = resource.BorrowRecords()
		options := b.Query()
		options.Revision = b.After
		if err := b.ConvertAhead(ctx, store, options); err != nil {
			return 0, err
		}
		page, err := store.List(bounded, options, *f.existing)
		if err != nil {
			return 0, b.failed(ctx, store, err)
		}
		*f.existing = page.Records
		if err := b.ShowAhead(ctx, page.Records); err != nil {
			return 0, err
		}
		b.After = page.Revision
	}
	// The position comes right after the list, so the reader misses no change and sees none twice.
	cursor, err := store.Watch(bounded, b.Within, b.After, b.Terms...)
	switch {
	case err == nil:
		cursor.ReadyOn(b.Alarm)
		f.Cursor = cursor
	case b.Existing && status.IsExpired(err):
		f.passed = err // the list is complete, so Poll reports it before the error
	default:
		return 0, b.failed(ctx, store, err)
	}
	return b.After, nil
}

// bound limits the wait for a revision that the store has not reached. A context with a deadline costs a timer, so a
// watch that need not wait gets none.
func (b *Beginning) bound(ctx context.Context, store storage.Store) (context.Context, context.CancelFunc) {
	if b.Until.IsZero() || b.After <= store.Revision() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, b.Until)
}

// failed returns the error for the reader, given an error of the store. ctx is the reader's own context, without the
// deadline of bound.
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

// Untold returns the existing objects that Poll has yet to report.
func (f *Follower) Untold() []*storage.Record {
	if f.existing == nil {
		return nil
	}
	return *f.existing
}

// Poll passes events to see and never waits. The first call reports all existing objects, if the beginning asked for
// them, in the order of their keys. Later calls report the changes since the last one, in the order of their revisions,
// and at most about as many as [watch.Cursor.Poll] returns. Poll stops at the first error of see. If more is true,
// further events may be waiting.
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
		if err := f.check(); err != nil {
			return err
		}
		return see(Event{Type: event, Object: r, Revision: c.Revision})
	})
}

// tellExisting reports the listed objects. Afterwards it returns the buffer, also if see fails.
func (f *Follower) tellExisting(see func(Event) error) error {
	defer f.forget()
	records := *f.existing
	for i, r := range records {
		records[i] = nil // as in position.poll, the reported ones must not stay in memory
		if err := f.check(); err != nil {
			return err
		}
		if err := see(Event{Type: apimeta.EventAdded, Object: r, Revision: r.Revision}); err != nil {
			return err
		}
	}
	return f.checkListed()
}

// Next is Poll, but it waits until there is something to report. If the context ends, Next returns its cause.
func (f *Follower) Next(ctx context.Context, see func(Event) error) error {
	return f.next(ctx, func() (bool, error) { return f.Poll(see) })
}

// Err returns the error that Poll would return now instead of changes, see [watch.Cursor.Err].
func (f *Follower) Err() error {
	if f.passed != nil {
		return f.passed
	}
	return f.Cursor.Err()
}

// Close gives up the position and the objects that Poll has yet to report.
func (f *Follower) Close() {
	f.forget()
	if f.Cursor != nil {
		f.Cursor.Close()
	}
}

// forget returns the buffer of the existing objects.
func (f *Follower) forget() {
	if f.existing != nil {
		resource.ReturnRecords(f.existing)
		f.existing = nil
	}
}

// Watch passes the selected objects and changes to see, until see returns an error, the context ends, or the log no
// longer holds the reader's position. It returns the reason. If the resource is replaced, the error is Expired; if it
// is given up, the error is ResourceNotFound.
func Watch(ctx context.Context, res *resource.Resource, b Beginning, see func(Event) error) error {
	watching, cancel := res.UntilRetired(ctx, res)
	defer cancel()
	return res.EndOfWatch(ctx, eventsUntilRetired(watching, res, b, see))
}

// eventsUntilRetired is Watch with the error as it comes: [resource.ErrRetired] if another resource takes the place of
// this one.
func eventsUntilRetired(ctx context.Context, res *resource.Resource, b Beginning, see func(Event) error) error {
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
