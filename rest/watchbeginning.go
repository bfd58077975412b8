package rest

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// watchBeginning is what a watch needs until its client knows what is there.
type watchBeginning struct {
	*watchStream
	rep      representation
	selected resource.Selection
	initial  bool
	state    *initialState // what the client is to be told of
}

// initialState is what is there when a watch begins.
type initialState struct {
	storage.Page
	borrowed *[]*storage.Record
}

// watchBeginning reads a request for a watch.
func (q *request) watchBeginning(rep representation, p *resource.ListParameters) (*watchBeginning, error) {
	namespace, err := q.namespace()
	if err != nil {
		return nil, err
	}
	revision, err := resource.ParseRevision(p.ResourceVersion)
	if err != nil {
		return nil, err
	}
	s := &watchStream{q: q, after: watch.Revision(revision), bookmarks: p.AllowWatchBookmarks, alarm: make(chan struct{}, 1)}
	if s.objects, err = q.watchObjects(rep); err != nil {
		return nil, err
	}
	if rep.media == mediaYAML {
		return nil, status.NotAcceptable(q.api.media.streamed)
	}
	if rep.mismatch != nil {
		return nil, rep.mismatch
	}
	b := &watchBeginning{watchStream: s, rep: rep, selected: q.res.Select(namespace, *p)}
	s.match = b.selected.Match
	b.initial = p.SendInitialEvents != nil && *p.SendInitialEvents || p.SendInitialEvents == nil && revision == 0

	duration := minWatchTime + rand.N(maxWatchTime-minWatchTime)
	if p.TimeoutSeconds != nil && *p.TimeoutSeconds > 0 {
		duration = time.Duration(min(*p.TimeoutSeconds, int64(24*time.Hour/time.Second))) * time.Second
	}
	// A context with a deadline would cost every watch more than the timer that it needs anyway.
	s.deadline, s.ctx, s.cancel = time.Now().Add(duration), q.r.Context(), func() {}
	if wantsSocket(q.r) { // whose end the request's context does not know
		s.ctx, s.cancel = context.WithCancel(s.ctx)
	}
	q.becomeWatch()
	return b, nil
}

// open begins the answer. What is there is looked at before: a client that has the answer sees all that it does from then
// on.
func (b *watchBeginning) open() error {
	switch current := b.q.res.Store.Revision(); {
	case b.initial && b.after <= current:
		if err := b.takeState(b.ctx); err != nil {
			return err
		}
	case b.initial: // waited for in the stream, as upstream does
	case b.after == 0:
		b.after = current
	case b.after > current:
		if err := b.awaitRevision(b.takePosition); err != nil {
			return err
		}
	}
	out, err := b.q.openWatch(b.rep, b.cancel)
	if err != nil {
		b.release()
		return err
	}
	b.out = out
	b.framing = b.q.framing(b.rep, b.out.eventByEvent())
	b.q.api.atEnd.add(&b.hurried, b.hurry)
	return nil
}

// sendBeginning shows what is there, if it is to be shown, and takes the position after it.
func (b *watchBeginning) sendBeginning() error {
	defer b.release()
	if b.initial && b.state == nil {
		if err := b.awaitRevision(b.takeState); err != nil {
			return err
		}
	}
	if b.state != nil {
		b.after = b.state.Revision
	}
	if b.cursor == nil {
		if err := b.takePosition(b.ctx); err != nil {
			return err
		}
	}
	if b.state != nil {
		if err := b.sendState(); err != nil {
			return err
		}
	}
	b.live = true
	b.setTimer()
	return nil
}

// awaitRevision lets the store wait for the revision that the watch asks for, at most until the watch ends by itself.
func (b *watchBeginning) awaitRevision(take func(context.Context) error) error {
	ctx, cancel := b.q.api.untilEnding(b.ctx)
	defer cancel()
	bounded, cancel := context.WithDeadline(ctx, b.deadline)
	defer cancel()
	err := take(bounded)
	current := b.q.res.Store.Revision()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded) && b.after > current:
		return status.TooLargeResourceVersion(uint64(b.after), uint64(current))
	}
	return err
}

// takePosition places the cursor from which changes are sent.
func (b *watchBeginning) takePosition(ctx context.Context) error {
	cursor, err := b.q.res.Store.Watch(ctx, b.selected.Scope, b.after, b.selected.Terms...)
	if err != nil {
		return err
	}
	cursor.ReadyOn(b.alarm)
	b.cursor = cursor
	return nil
}

func (b *watchBeginning) takeState(ctx context.Context) error {
	records := recordBuffers.Get().(*[]*storage.Record)
	found, err := b.q.res.Store.List(ctx, storage.ListOptions{Scope: b.selected.Scope, Terms: b.selected.Terms, Match: b.match, Revision: b.after}, (*records)[:0])
	if err != nil {
		recordBuffers.Put(records)
		return err
	}
	*records = found.Records
	b.state = &initialState{Page: found, borrowed: records}
	return nil
}

// release gives back what the state has borrowed, if there is one.
func (b *watchBeginning) release() {
	if b.state != nil {
		clear(*b.state.borrowed)
		recordBuffers.Put(b.state.borrowed)
	}
}

// sendState sends an ADDED for every object there is, in the order of their keys. Its records are held by the store and its history as
// long as the watch could go on after them; once it could not, it ends.
func (b *watchBeginning) sendState() error {
	held := b.q.hold(&holding{expired: b.cursor.Err, final: true, cut: b.out.cut}, sizeOf(b.state.Records))
	defer held.release()
	for i, r := range b.state.Records {
		b.state.Records[i] = nil
		if err := b.object(watch.Added, r, r.Revision); err != nil {
			return err
		}
		if b.gathered(); b.err != nil {
			return context.Canceled
		}
		if err := held.ended(); err != nil {
			return err
		}
		if b.q.api.closing() {
			return errEnding
		}
	}
	if b.bookmarks {
		if err := b.bookmark(b.state.Revision, true); err != nil {
			return err
		}
	}
	b.send()
	return nil
}
