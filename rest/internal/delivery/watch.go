package delivery

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// A watch ends by itself after a time between these, so that clients spread over the replicas of a host again.
const (
	minWatchTime = 30 * time.Minute
	maxWatchTime = 60 * time.Minute
)

// Watch is what a client asks to follow.
type Watch struct {
	Resource  *resource.Resource
	From      resource.Beginning
	Events    media.Events
	Bookmarks bool
	// Seconds is how long the watch is to take, nil if its client does not say.
	Seconds *int64
	Ending  *Ending
	Held    *Held
}

// Deliver sends what a watch is to tell until it ends (API concepts, Efficient detection of changes). open begins the answer. Deliver
// returns an error if open was not called or has failed, and if the stream breaks off in the midst of an event.
func (w *Watch) Deliver(ctx context.Context, open func() (Output, error)) error {
	b := w.start(ctx)
	s := b.stream
	defer s.close()
	if !b.ahead {
		if err := b.open(open); err != nil {
			return err
		}
	}
	waiting, cancel := b.waiting()
	var err error
	b.after, err = b.follower.Begin(waiting, b.resource.Store, b.from)
	cancel()
	if b.ahead {
		if err == nil {
			err = b.open(open)
		}
		if err != nil {
			return err
		}
	}
	if err == nil {
		err = b.send()
	}
	if err == nil {
		err = s.follow()
	}
	return s.end(err)
}

// beginning is what a watch needs until its client knows what is there.
type beginning struct {
	*stream
	from resource.Beginning
	// ahead says that the watch begins before its answer does. A watch of existing objects does so, because a client that has
	// the answer sees all that it does from then on, unless it has to wait for a revision. A watch of changes alone begins in the
	// stream, which is where it tells that history has passed, unless it has to wait. Upstream does the same.
	ahead bool
}

// start begins the time of the watch.
func (w *Watch) start(ctx context.Context) *beginning {
	duration := minWatchTime + rand.N(maxWatchTime-minWatchTime)
	if w.Seconds != nil && *w.Seconds > 0 {
		duration = time.Duration(min(*w.Seconds, int64(24*time.Hour/time.Second))) * time.Second
	}
	// A context with a deadline would cost every watch more than the timer that it needs anyway.
	s := &stream{resource: w.Resource, ending: w.Ending, held: w.Held, ctx: ctx, deadline: time.Now().Add(duration), events: w.Events,
		bookmarks: w.Bookmarks, alarm: make(chan struct{}, 1)}
	from := w.From
	from.Until, from.Alarm = s.deadline, s.alarm
	current := w.Resource.Store.Revision()
	if !from.Existing && from.After == 0 {
		from.After = current
	}
	reached := from.After <= current
	return &beginning{stream: s, from: from, ahead: reached == from.Existing}
}

// waiting returns the context of what takes the position. A shutdown does not wait for a revision that is awaited.
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
	b.ending.Hurry(&b.hurried, b.hurry)
	return nil
}

// send shows what is there, if it is to be shown. From then on the watch is live.
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

// sendState sends an ADDED for every object there is, in the order of their keys. Its records are held by the store and its history as
// long as the watch could go on after them; once it could not, it ends.
func (b *beginning) sendState() error {
	holding := b.held.Hold(Bytes{Expired: b.follower.Err, Final: true, Cut: b.out.Cut}, media.SizeOf(b.follower.Untold()))
	defer holding.Release()
	_, err := b.follower.Poll(func(e resource.Event) error {
		if err := b.event(e); err != nil {
			return err
		}
		if err := holding.Ended(); err != nil {
			return err
		}
		if b.ending.Err() != nil {
			return ErrEnding
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
	return nil
}
