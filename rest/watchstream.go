package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	// A watch ends by itself after a time between these, so that clients spread over the replicas of a host again.
	minWatchTime = 30 * time.Minute
	maxWatchTime = 60 * time.Minute
	// bookmarkPeriod is how often a bookmark tells a quiet watch how far it has come, give or take a quarter.
	bookmarkPeriod = time.Minute
	// lastBookmark is how long before its end a watch sends one more.
	lastBookmark = 2 * time.Second
	// stuckAfter is how long one write may take before the client counts as gone.
	stuckAfter = time.Minute
	// stuckAtEnd is how long it may take when the server is shutting down.
	stuckAtEnd = time.Second
)

// watch streams what changes (API concepts, Efficient detection of changes). The stream is a position in the store's
// log: it holds no queue, and a client that stops reading holds up nobody and is told 410 when it has fallen behind.
func (q *request) watch(p listParameters) error {
	rep, err := q.negotiate(stream)
	if err != nil {
		return err
	}
	namespace, err := q.namespace()
	if err != nil {
		return err
	}
	revision, err := parseRevision(p.ResourceVersion)
	if err != nil {
		return err
	}
	selected, nothing := q.res.selection(namespace, p)
	if nothing {
		selected.match = func(*storage.Record) bool { return false }
	}
	shown, err := q.watchObjects(rep)
	if err != nil {
		return err
	}
	initial := p.SendInitialEvents != nil && *p.SendInitialEvents || p.SendInitialEvents == nil && revision == 0
	q.becomeWatch()

	duration := minWatchTime + rand.N(maxWatchTime-minWatchTime)
	if p.TimeoutSeconds != nil && *p.TimeoutSeconds > 0 {
		duration = time.Duration(min(*p.TimeoutSeconds, int64(24*time.Hour/time.Second))) * time.Second
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), duration)
	defer cancel()

	s := &watchStream{q: q, ctx: ctx, rep: rep, objects: shown, selected: selected}
	after := watch.Revision(revision)
	// What is there is looked at before the answer begins: a client that has it sees all that it does from then on.
	var state *initialState
	switch current := q.res.store.Revision(); {
	case initial && after <= current:
		if state, err = s.takeState(after); err != nil {
			return err
		}
		defer state.release()
	case !initial && after == 0:
		after = current
	}

	out, err := q.openWatch(rep, cancel)
	if err != nil {
		return err
	}
	defer out.close()
	chunk := chunks.Get().(*[]byte)
	s.out, s.framing, s.buf = out, q.framing(rep, out.eventByEvent()), (*chunk)[:0]
	defer func() {
		if cap(s.buf) <= 4*(chunkSize+chunkSlack) {
			*chunk = s.buf
			chunks.Put(chunk)
		}
	}()
	defer q.api.hurryAtTheEnd(out.hurry)()
	if initial && state == nil { // it has to be waited for
		if state, err = s.takeState(after); err != nil {
			return s.end(err)
		}
		defer state.release()
	}
	if state != nil {
		if err = s.sendState(state, p.AllowWatchBookmarks); err != nil {
			return s.end(err)
		}
		after = state.Revision
	}
	cursor, err := q.res.store.Watch(selected.scope, after, selected.terms...)
	if err != nil {
		return s.end(err)
	}
	defer cursor.Close()
	s.live = true
	return s.end(s.follow(cursor, after, p.AllowWatchBookmarks))
}

// becomeWatch takes the request out of the bound on short requests.
func (q *request) becomeWatch() {
	q.isWatch = true
	q.api.leaveShort()
}

// watchStream is a watch that is being answered.
type watchStream struct {
	q        *request
	ctx      context.Context
	objects  watchObjects
	framing  framing
	selected selection
	rep      representation
	live     bool // the state of the beginning is sent
	out      watchOutput
	buf      []byte
	err      error // the client is gone
}

// hurryAtTheEnd keeps a client that does not read from holding up the shutdown. The function that it returns must be
// called when the stream ends.
func (a *API) hurryAtTheEnd(hurry func()) func() {
	done := make(chan struct{})
	stop := context.AfterFunc(a.ending, func() {
		defer close(done)
		hurry()
	})
	return func() {
		if !stop() {
			<-done // the connection may be used for other requests, whose deadline it is not to touch
		}
	}
}

// gathered sends what has gathered if it is worth a write, or is a message of its own.
func (s *watchStream) gathered() {
	if len(s.buf) >= chunkSize || s.out.eventByEvent() {
		s.send()
	}
}

// send writes what has gathered, in one Write.
func (s *watchStream) send() {
	if s.err != nil || len(s.buf) == 0 {
		return
	}
	s.err = s.out.send(s.buf)
	if s.buf = s.buf[:0]; cap(s.buf) > 4*(chunkSize+chunkSlack) {
		s.buf = make([]byte, 0, chunkSize+chunkSlack)
	}
}

// end sends an error as the stream's last event. The end of its time, of the client and of the server are none.
func (s *watchStream) end(err error) error {
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, watch.ErrClosed) {
		e := status.From(err)
		body, encodeErr := codec.EncodeOwn(&e.Status)
		if encodeErr != nil {
			return encodeErr
		}
		start := len(s.buf)
		if err := s.complete(append(s.framing.begin(s.buf, watch.Error), body...), nil, start, watch.Error); err != nil {
			return err
		}
	}
	s.send()
	return nil
}

var errEnding = fmt.Errorf("the server is shutting down: %w", watch.ErrClosed)

// initialState is what is there when a watch begins.
type initialState struct {
	storage.Page
	borrowed *[]*storage.Record
}

func (s *watchStream) takeState(atLeast watch.Revision) (*initialState, error) {
	records := recordBuffers.Get().(*[]*storage.Record)
	found, err := s.q.res.store.List(s.ctx, storage.ListOptions{Scope: s.selected.scope, Terms: s.selected.terms, Match: s.selected.match, Revision: atLeast}, (*records)[:0])
	if err != nil {
		recordBuffers.Put(records)
		return nil, err
	}
	*records = found.Records
	return &initialState{Page: found, borrowed: records}, nil
}

// release gives back what the state has borrowed. It may be called again.
func (i *initialState) release() {
	if i.borrowed == nil {
		return
	}
	clear(*i.borrowed)
	recordBuffers.Put(i.borrowed)
	i.borrowed, i.Records = nil, nil
}

// sendState sends an ADDED for every object there is, in the order of their keys, and forgets them: the watch may last.
func (s *watchStream) sendState(state *initialState, bookmark bool) error {
	defer state.release()
	for _, r := range state.Records {
		if err := s.object(watch.Added, r, r.Revision); err != nil {
			return err
		}
		if s.gathered(); s.err != nil {
			return context.Canceled
		}
	}
	if bookmark {
		if err := s.bookmark(state.Revision, true); err != nil {
			return err
		}
	}
	s.send()
	return nil
}

// follow sends what happens after the cursor's position until the watch ends.
func (s *watchStream) follow(cursor *watch.Cursor[storage.Record], told watch.Revision, bookmarks bool) error {
	var timer *time.Timer
	var tick <-chan time.Time
	if bookmarks {
		timer = time.NewTimer(s.nextBookmark())
		defer timer.Stop()
		tick = timer.C
	}
	var changes []*watch.Change[storage.Record]
	due := false // a bookmark
	for {
		var err error
		if changes, err = cursor.Poll(changes[:0]); err != nil {
			return err
		}
		for _, c := range changes {
			event, r := c.Select(s.selected.match)
			if event == "" {
				continue
			}
			if err := s.object(event, r, c.Revision); err != nil {
				return err
			}
			told = c.Revision
			s.gathered()
		}
		clear(changes) // what was sent is not held while the watch is quiet
		if due {
			// Polling has moved the position past what others wrote, so that a quiet watch does not fall out of the log.
			if position := cursor.Position(); position > told {
				if err = s.bookmark(position, false); err != nil {
					return err
				}
				told = position
			}
			due = false
			timer.Reset(s.nextBookmark())
		}
		if s.send(); s.err != nil {
			return context.Canceled
		}
		select {
		case <-cursor.Ready():
		case <-tick:
			due = true
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-s.q.api.ending.Done():
			return errEnding
		}
	}
}

// object adds an event about a record, as the version of the watch shows it.
func (s *watchStream) object(event watch.EventType, r *storage.Record, at watch.Revision) error {
	r, err := s.q.res.show(r)
	if err != nil {
		return err
	}
	binary, ok := s.framing.(*binaryFraming)
	key := encodingKey{of: r, at: at, media: s.rep.media, as: s.rep.as, metaVersion: s.rep.metaVersion}
	if ok && s.live {
		if object := s.q.res.encodings.get(key); object != nil {
			s.buf = binary.appendEvent(s.buf, event, object)
			return nil
		}
	}
	start := len(s.buf)
	buf, err := s.objects.object(s.framing.begin(s.buf, event), r, at)
	if err = s.complete(buf, err, start, event); err == nil && ok && s.live {
		s.q.res.encodings.add(key, bytes.Clone(binary.object))
	}
	return err
}

func (s *watchStream) bookmark(at watch.Revision, initialEventsEnd bool) error {
	start := len(s.buf)
	buf, err := s.objects.bookmark(s.framing.begin(s.buf, watch.Bookmark), at, initialEventsEnd)
	return s.complete(buf, err, start, watch.Bookmark)
}

// complete adds an event that has been begun. One that fails halfway must not reach the client before the error.
func (s *watchStream) complete(buf []byte, err error, start int, event watch.EventType) error {
	if err == nil {
		if buf, err = s.framing.end(buf, start, event); err == nil {
			s.buf = buf
		}
	}
	return err
}

// nextBookmark is the time to the next bookmark: a period, jittered so that watches do not tick together, or what is
// left until shortly before the end.
func (s *watchStream) nextBookmark() time.Duration {
	d := bookmarkPeriod*3/4 + rand.N(bookmarkPeriod/2)
	deadline, _ := s.ctx.Deadline()
	if left := time.Until(deadline) - lastBookmark; left > 0 && left < d {
		return left
	}
	return d
}
