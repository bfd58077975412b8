package delivery

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// A watch without a timeout ends after a random time between these two. Clients reconnect then, and spread over the
// replicas of a host again.
const (
	minWatchTime = 30 * time.Minute
	maxWatchTime = 60 * time.Minute
)

// Watch is what a client asks to follow.
type Watch struct {
	Resource  *resource.Resource
	From      follow.Beginning
	Events    media.Events
	Bookmarks bool
	// Seconds is the timeout that the client asks for, or nil.
	Seconds *int64
	Ending  *Ending
	Held    *Held
	// Sent, if not nil, is called for each event that the watch gathers, with its size.
	Sent func(bytes int)
	// Listed, if not nil, is called when the watch has sent the existing objects.
	Listed func()
	// Free, if not nil, gives up the place of the watch. It is called when the watch has sent the existing objects, and
	// when it has to wait for its client before that, see [Bytes].
	Free func()
	// Behind is the revision up to which a watch with something left to send has read, and 0 while it waits.
	Behind *atomic.Uint64
}

// Deliver sends the events of a watch until it ends (API concepts, Efficient detection of changes). It calls open to
// begin the answer, once and from its own goroutine. If Deliver fails before open has succeeded, it returns the error,
// which the caller can still answer with a Status. Afterwards it returns an error only if the answer breaks off within
// an event.
func (w *Watch) Deliver(ctx context.Context, open func() (Output, error)) error {
	b := w.start(ctx)
	s := b.liveWatch
	defer s.close()
	answers, err := b.begin(open)
	if !answers {
		return err
	}
	if err == nil {
		err = s.follow()
	}
	return s.end(err)
}

// begin does everything up to the point from which the watch follows changes. answers says that the answer has begun. The
// stack of a waiting watch has nothing of what begin needs.
func (b *beginning) begin(open func() (Output, error)) (answers bool, err error) {
	if !b.ahead {
		if err := b.open(open); err != nil {
			return false, err
		}
	}
	// The follower lists the objects and takes its position here.
	waiting, cancel := b.waiting()
	b.after, err = b.follower.Begin(waiting, b.resource.Store, b.from)
	cancel()
	if b.ahead {
		if err == nil {
			err = b.open(open)
		}
		if err != nil {
			return false, err
		}
	}
	if err == nil {
		err = b.send()
	}
	return true, err
}

// beginning is what a watch needs until it has sent the existing objects. It is dropped then, so that a waiting watch
// does not hold it.
type beginning struct {
	*liveWatch
	from         follow.Beginning
	listed, free func() // see Watch
	// ahead says that the watch takes its position before it begins its answer. A watch of existing objects does so: once
	// a client has the answer, the watch reports every later change. A watch of changes alone begins its answer first, and
	// reports an expired position as an event. If a watch must wait for its revision, it is the other way round. Upstream
	// does the same.
	ahead bool
}

// start makes the live watch, whose time begins to run.
func (w *Watch) start(ctx context.Context) *beginning {
	// The watch needs a timer anyway. A context with a deadline would cost each watch more.
	s := &liveWatch{resource: w.Resource, ending: w.Ending, held: w.Held, ctx: ctx, events: w.Events, sentEvent: w.Sent,
		behind: w.Behind, alarms: alarmsFor(w.Seconds, w.Bookmarks)}
	from := w.From
	from.Until, from.Alarm, from.Throughout = s.deadline, s.alarm, true
	current := w.Resource.Store.Revision()
	if !from.Existing && from.After == 0 {
		from.After = current
	}
	reached := from.After <= current
	return &beginning{liveWatch: s, from: from, listed: w.Listed, free: w.Free, ahead: reached == from.Existing}
}

// waiting returns the context in which the follower takes its position. If the store has not reached the revision, the
// context also ends with the API, because a shutdown must not wait for the revision.
func (b *beginning) waiting() (context.Context, context.CancelFunc) {
	if b.from.After > b.resource.Store.Revision() {
		return b.ending.Until(b.ctx)
	}
	return b.ctx, func() {}
}

// open begins the answer.
func (b *beginning) open(open func() (Output, error)) error {
	out, err := open()
	if err != nil {
		return err
	}
	b.out = out
	b.ending.HurryWatch(&b.hurried, b.resource, b.hurry, b.wake)
	return nil
}

// send sends the existing objects, if the client asked for them, and makes the watch live.
func (b *beginning) send() error {
	if b.from.Existing {
		if err := b.sendState(); err != nil {
			return err
		}
	}
	b.live = true
	b.setTimer()
	return nil
}

// sendState sends an ADDED event for every existing object, in the order of their keys. The store and its history hold
// the records as long as the watch could continue from its position. Once it could not, the watch ends.
func (b *beginning) sendState() error {
	bytes := Bytes{Expired: b.follower.Err, Final: true, Cut: b.out.Cut, Waits: b.free}
	holding := b.held.Hold(bytes, media.SizeOf(b.follower.Untold()))
	defer holding.Release()
	_, err := b.follower.Poll(func(e follow.Event) error {
		if err := b.event(e); err != nil {
			return err
		}
		// The answer may end between two objects, where the client still gets an error event.
		if err := holding.Ended(); err != nil {
			return err
		}
		if b.ending.Err() != nil {
			return ErrEnding
		}
		if b.ctx.Err() != nil {
			return b.left()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if b.bookmarks {
		if err := b.bookmark(b.after, true); err != nil {
			return err
		}
	}
	b.flush()
	if b.free != nil {
		b.free()
	}
	if b.listed != nil {
		b.listed()
	}
	return nil
}
