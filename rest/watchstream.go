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
//
// A watch is mostly idle, and its memory that of its stack: what is needed for the beginning only is done in functions
// that have returned by then.
func (q *request) watch(rep representation, p *listParameters) error {
	s, err := q.newWatch(rep, p)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.open(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return s.end(err)
	}
	return s.end(s.follow())
}

// newWatch reads a request for a watch.
func (q *request) newWatch(rep representation, p *listParameters) (*watchStream, error) {
	namespace, err := q.namespace()
	if err != nil {
		return nil, err
	}
	revision, err := parseRevision(p.ResourceVersion)
	if err != nil {
		return nil, err
	}
	s := &watchStream{q: q, rep: rep, after: watch.Revision(revision), bookmarks: p.AllowWatchBookmarks}
	var nothing bool
	if s.selected, nothing = q.res.selection(namespace, *p); nothing {
		s.selected.match = func(*storage.Record) bool { return false }
	}
	if s.objects, err = q.watchObjects(rep); err != nil {
		return nil, err
	}
	if rep.media == mediaYAML {
		return nil, status.NotAcceptable(q.api.media.streamed)
	}
	if rep.mismatch != nil {
		return nil, rep.mismatch
	}
	s.initial = p.SendInitialEvents != nil && *p.SendInitialEvents || p.SendInitialEvents == nil && revision == 0
	q.becomeWatch()

	duration := minWatchTime + rand.N(maxWatchTime-minWatchTime)
	if p.TimeoutSeconds != nil && *p.TimeoutSeconds > 0 {
		duration = time.Duration(min(*p.TimeoutSeconds, int64(24*time.Hour/time.Second))) * time.Second
	}
	// A context with a deadline would cost every watch more than the timer that it needs anyway.
	s.deadline, s.ctx, s.cancel = time.Now().Add(duration), q.r.Context(), func() {}
	if wantsSocket(q.r) { // whose end the request's context does not know
		s.ctx, s.cancel = context.WithCancel(s.ctx)
	}
	return s, nil
}

// open begins the answer. What is there is looked at before: a client that has the answer sees all that it does from then
// on.
func (s *watchStream) open() (err error) {
	switch current := s.q.res.store.Revision(); {
	case s.initial && s.after <= current:
		if err = s.takeState(); err != nil {
			return err
		}
	case !s.initial && s.after == 0:
		s.after = current
	}
	out, err := s.q.openWatch(s.rep, s.cancel)
	if err != nil {
		return err
	}
	s.out = out
	s.framing = s.q.framing(s.rep, s.out.eventByEvent())
	s.unhurry = s.q.api.hurryAtTheEnd(s.out.hurry)
	return nil
}

// begin shows what is there, if it is to be shown, and takes the position after it.
func (s *watchStream) begin() (err error) {
	if s.initial && s.state == nil { // it has to be waited for
		if err = s.takeState(); err != nil {
			return err
		}
	}
	if s.state != nil {
		s.after = s.state.Revision
		if err = s.sendState(); err != nil {
			return err
		}
	}
	s.cursor, err = s.q.res.store.Watch(s.selected.scope, s.after, s.selected.terms...)
	return err
}

// close lets go of all that the stream has.
func (s *watchStream) close() {
	if s.cursor != nil {
		s.cursor.Close()
	}
	if s.state != nil {
		s.state.release()
	}
	if s.out != nil {
		s.unhurry()
		s.giveBack()
		s.out.close()
	}
	s.cancel()
}

// becomeWatch takes the request out of the bound on short requests.
func (q *request) becomeWatch() {
	q.isWatch = true
	q.api.leaveShort()
}

// watchStream is a watch that is being answered.
type watchStream struct {
	q                  *request
	ctx                context.Context
	cancel             context.CancelFunc
	deadline           time.Time
	rep                representation
	objects            watchObjects
	framing            framing
	selected           selection
	initial, bookmarks bool
	after              watch.Revision // what the client knows of
	state              *initialState  // what it is to be told of that
	cursor             *watch.Cursor[storage.Record]
	out                watchOutput
	unhurry            func()
	chunk              *[]byte // borrowed while there is something to send
	buf                []byte  // what has gathered in it
	err                error   // the client is gone
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
	s.buf = s.buf[:0]
}

// borrow sees to it that there is a buffer.
func (s *watchStream) borrow() {
	if s.chunk == nil {
		s.chunk = chunks.Get().(*[]byte)
		s.buf = (*s.chunk)[:0]
	}
}

// giveBack returns the buffer: while nothing happens a watch holds none, and no copy of what it has sent.
func (s *watchStream) giveBack() {
	s.objects.forget()
	s.framing.forget()
	if s.chunk != nil && cap(s.buf) <= 4*(chunkSize+chunkSlack) {
		*s.chunk = s.buf[:0]
		chunks.Put(s.chunk)
	}
	s.chunk, s.buf = nil, nil
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
		s.borrow()
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

func (s *watchStream) takeState() error {
	records := recordBuffers.Get().(*[]*storage.Record)
	found, err := s.q.res.store.List(s.ctx, storage.ListOptions{Scope: s.selected.scope, Terms: s.selected.terms, Match: s.selected.match, Revision: s.after}, (*records)[:0])
	if err != nil {
		recordBuffers.Put(records)
		return err
	}
	*records = found.Records
	s.state = &initialState{Page: found, borrowed: records}
	return nil
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
func (s *watchStream) sendState() error {
	defer s.state.release()
	for _, r := range s.state.Records {
		if err := s.object(watch.Added, r, r.Revision); err != nil {
			return err
		}
		if s.gathered(); s.err != nil {
			return context.Canceled
		}
	}
	if s.bookmarks {
		if err := s.bookmark(s.state.Revision, true); err != nil {
			return err
		}
	}
	s.send()
	return nil
}

// follow sends what happens from now on until the watch ends.
func (s *watchStream) follow() error {
	s.q.query = nil // it has been read
	timer := time.NewTimer(s.untilNext())
	defer timer.Stop()
	due := false // a bookmark
	for {
		if err := s.sendNews(due); err != nil {
			return err
		}
		if due {
			due = false
			timer.Reset(s.untilNext())
		}
		select {
		case <-s.cursor.Ready():
		case <-timer.C:
			if !time.Now().Before(s.deadline) {
				return context.DeadlineExceeded
			}
			due = true
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-s.q.api.ending.Done():
			return errEnding
		}
	}
}

// sendNews sends what has happened since the last time, and a bookmark if one is due.
func (s *watchStream) sendNews(bookmark bool) error {
	borrowed := changeBuffers.Get().(*[]*watch.Change[storage.Record])
	changes, err := s.cursor.Poll((*borrowed)[:0])
	defer func() {
		clear(changes) // what was sent is not held while the watch is quiet
		*borrowed = changes
		changeBuffers.Put(borrowed)
		s.giveBack()
	}()
	if err != nil {
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
		s.after = c.Revision
		s.gathered()
	}
	// Polling has moved the position past what others wrote, so that a quiet watch does not fall out of the log.
	if position := s.cursor.Position(); bookmark && position > s.after {
		if err := s.bookmark(position, false); err != nil {
			return err
		}
		s.after = position
	}
	if s.send(); s.err != nil {
		return context.Canceled
	}
	return nil
}

// object adds an event about a record, as the version of the watch shows it.
func (s *watchStream) object(event watch.EventType, r *storage.Record, at watch.Revision) error {
	r, err := s.q.res.show(r)
	if err != nil {
		return err
	}
	s.borrow()
	live := s.cursor != nil // the state of the beginning is sent
	binary, ok := s.framing.(*binaryFraming)
	key := encodingKey{of: r, at: at, media: s.rep.media, as: s.rep.as, metaVersion: s.rep.metaVersion}
	if ok && live {
		if object := s.q.res.encodings.get(key); object != nil {
			s.buf = binary.appendEvent(s.buf, event, object)
			return nil
		}
	}
	start := len(s.buf)
	buf, err := s.objects.object(s.framing.begin(s.buf, event), r, at)
	if err = s.complete(buf, err, start, event); err == nil && ok && live {
		s.q.res.encodings.add(key, bytes.Clone(binary.object))
	}
	return err
}

func (s *watchStream) bookmark(at watch.Revision, initialEventsEnd bool) error {
	s.borrow()
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

// untilNext is the time to the next bookmark: a period, jittered so that watches do not tick together, or what is left
// until shortly before the end. Where there are none, or none is left, it is the time to the end.
func (s *watchStream) untilNext() time.Duration {
	left := time.Until(s.deadline)
	if !s.bookmarks || left <= lastBookmark {
		return left
	}
	return min(bookmarkPeriod*3/4+rand.N(bookmarkPeriod/2), left-lastBookmark)
}
