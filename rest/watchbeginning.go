package rest

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

// watchBeginning is what a watch needs until its client knows what is there.
type watchBeginning struct {
	*watchStream
	rep  media.Representation
	from resource.Beginning
	// ahead says that the watch begins before its answer does. A watch of existing objects does so, because a client that has
	// the answer sees all that it does from then on, unless it has to wait for a revision. A watch of changes alone begins in the
	// stream, which is where it tells that history has passed, unless it has to wait. Upstream does the same.
	ahead bool
}

// watchBeginning reads a request for a watch.
func (q *request) watchBeginning(rep media.Representation, p *resource.ListParameters) (*watchBeginning, error) {
	namespace, err := q.namespace()
	if err != nil {
		return nil, err
	}
	from, err := q.res.Beginning(namespace, *p)
	if err != nil {
		return nil, err
	}
	s := &watchStream{q: q, bookmarks: p.AllowWatchBookmarks, alarm: make(chan struct{}, 1)}
	if s.events, err = media.NewEvents(q.kind, rep, stream.WantsSocket(q.r)); err != nil {
		return nil, err
	}
	if rep.Media == media.YAML {
		return nil, status.NotAcceptable(q.api.types.Streamed)
	}
	if rep.Mismatch != nil {
		return nil, rep.Mismatch
	}
	duration := minWatchTime + rand.N(maxWatchTime-minWatchTime)
	if p.TimeoutSeconds != nil && *p.TimeoutSeconds > 0 {
		duration = time.Duration(min(*p.TimeoutSeconds, int64(24*time.Hour/time.Second))) * time.Second
	}
	// A context with a deadline would cost every watch more than the timer that it needs anyway.
	s.deadline, s.ctx, s.cancel = time.Now().Add(duration), q.r.Context(), func() {}
	if stream.WantsSocket(q.r) { // whose end the request's context does not know
		s.ctx, s.cancel = context.WithCancel(s.ctx)
	}
	q.becomeWatch()
	from.Until, from.Alarm = s.deadline, s.alarm
	current := q.res.Store.Revision()
	if !from.Existing && from.After == 0 {
		from.After = current
	}
	reached := from.After <= current
	return &watchBeginning{watchStream: s, rep: rep, from: from, ahead: reached == from.Existing}, nil
}

// begin takes what is there and the position after it. A shutdown does not wait for a revision that is awaited.
func (b *watchBeginning) begin() (err error) {
	ctx := b.ctx
	if b.from.After > b.q.res.Store.Revision() {
		ending, cancel := b.q.api.untilEnding(ctx)
		defer cancel()
		ctx = ending
	}
	b.after, err = b.follower.Begin(ctx, b.q.res.Store, b.from)
	return err
}

// open begins the answer.
func (b *watchBeginning) open() error {
	out, err := b.q.openWatch(b.rep, b.cancel)
	if err != nil {
		return err
	}
	b.out = out
	b.q.api.atEnd.add(&b.hurried, b.hurry)
	return nil
}

// sendBeginning shows what is there, if it is to be shown. From then on the watch is live.
func (b *watchBeginning) sendBeginning() error {
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
func (b *watchBeginning) sendState() error {
	held := b.q.hold(&holding{expired: b.follower.Err, final: true, cut: b.out.cut}, media.SizeOf(b.follower.Untold()))
	defer held.release()
	_, err := b.follower.Poll(func(e resource.Event) error {
		if err := b.event(e); err != nil {
			return err
		}
		if err := held.ended(); err != nil {
			return err
		}
		if b.q.api.closing() {
			return errEnding
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
	b.send()
	return nil
}
