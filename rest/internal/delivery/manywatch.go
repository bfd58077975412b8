package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// ManyWatch is one stream about the objects of several resources.
type ManyWatch struct {
	// Parts is not empty, and all resources have the same store.
	Parts []WatchPart
	// Existing asks for the existing objects first.
	Existing  bool
	After     watch.Revision
	Bookmarks bool
	// ServerSent frames the events as Server-Sent Events, whose id is the revision.
	ServerSent bool
	// Seconds is the timeout that the client asks for, or nil.
	Seconds *int64
	Ending  *Ending
	Held    *Held
}

// WatchPart is what a ManyWatch shows of one resource.
type WatchPart struct {
	From   follow.Beginning
	Events media.Events
}

// Deliver sends the events until the stream ends. Before it calls open, which begins the answer, it takes its position,
// and returns an error that the caller can answer with a Status. Afterwards it returns an error only if the answer
// breaks off within an event.
func (w *ManyWatch) Deliver(ctx context.Context, open func() (Output, error)) error {
	s := &manyStream{ManyWatch: w, ctx: ctx, alarms: alarmsFor(w.Seconds, w.Bookmarks)}
	defer s.close()
	var beginnings []follow.Beginning
	for _, part := range w.Parts {
		b := part.From
		b.Existing, b.After, b.Until, b.Alarm, b.Throughout = w.Existing, w.After, s.deadline, s.alarm, true
		beginnings = append(beginnings, b)
	}
	waiting, cancel := w.Ending.Until(ctx)
	err := s.merged.Begin(waiting, w.Parts[0].From.Of.Store, beginnings)
	cancel()
	if err == nil {
		s.out, err = open()
	}
	if err != nil {
		return err
	}
	s.hurried = make([]Hurried, len(w.Parts))
	for i := range s.hurried {
		w.Ending.HurryWatch(&s.hurried[i], w.Parts[i].From.Of, s.hurry, s.wake)
	}
	if err = s.sendState(); err == nil {
		err = s.follow()
	}
	return s.end(err)
}

// manyStream is a ManyWatch in progress.
type manyStream struct {
	*ManyWatch
	ctx context.Context
	alarms
	merged  follow.Merged
	out     Output
	hurried []Hurried
	buf     []byte
	told    watch.Revision // the last revision that the client knows to resume from
	live    bool
}

// sendState sends the existing objects and what has happened since the first of them was listed, and then a bookmark
// that says so.
func (s *manyStream) sendState() error {
	if s.Existing {
		holding := s.Held.Hold(Bytes{Expired: s.merged.Err, Final: true, Cut: s.out.Cut}, media.SizeOf(s.merged.Untold()))
		defer holding.Release()
		for s.merged.Position() == 0 {
			if _, err := s.merged.Poll(func(e follow.MergedEvent) error {
				return cmp.Or(s.event(e), holding.Ended())
			}); err != nil {
				return err
			}
			if err := s.ended(); err != nil {
				return err
			}
		}
		s.bookmark(true)
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.live = true
	s.setTimer()
	return nil
}

// follow sends changes until the stream ends.
func (s *manyStream) follow() error {
	for {
		if err := s.catchUp(); err != nil {
			return err
		}
		select {
		case <-s.alarm:
		case <-s.ctx.Done():
			return s.ended()
		}
	}
}

// catchUp sends everything that has happened, and asks for an alarm when more happens.
func (s *manyStream) catchUp() error {
	retired := s.merged.Retired() // read before the last poll
	for more := true; more; {
		due := !time.Now().Before(s.next)
		if due && !s.next.Before(s.deadline) {
			return context.DeadlineExceeded
		}
		var err error
		if more, err = s.merged.Poll(s.event); err != nil {
			return err
		}
		if due {
			if s.merged.Position() > s.told {
				s.bookmark(false)
			}
			s.setTimer()
		}
		if err := s.ended(); err != nil {
			return err
		}
	}
	if retired {
		return resource.ErrRetired
	}
	if err := s.flush(); err != nil {
		return err
	}
	for i := range s.Parts {
		s.Parts[i].Events.Forget()
	}
	s.buf = nil // a waiting stream holds no copy of what it sent
	s.merged.Ready()
	return nil
}

// ended returns why the stream must end, or nil.
func (s *manyStream) ended() error {
	switch {
	case s.Ending.Err() != nil:
		return ErrEnding
	case s.ctx.Err() == nil:
		return nil
	}
	if cause := context.Cause(s.ctx); status.IsExpired(cause) { // a right or the credentials of the user have ended
		return cause
	}
	return s.ctx.Err()
}

// event adds an event to the buffer, and sends the buffer if it holds enough.
func (s *manyStream) event(e follow.MergedEvent) (err error) {
	part := &s.Parts[e.Of]
	if e.Object, err = part.From.Of.Show(e.Object); err != nil {
		return err
	}
	s.frame(e.Revision, s.live, func(buf []byte) []byte {
		buf, err = part.Events.Append(buf, e.Event, s.live)
		return buf
	})
	if err != nil {
		return err
	}
	if s.live {
		s.told = e.Revision
	}
	if len(s.buf) >= media.ChunkSize || s.out.EventByEvent() {
		return s.flush()
	}
	return nil
}

// frame adds one line of JSON to the buffer. Only an event from which the client may resume gets an id.
func (s *manyStream) frame(at watch.Revision, resumable bool, line func([]byte) []byte) {
	before := len(s.buf)
	if s.ServerSent {
		if resumable {
			s.buf = fmt.Appendf(s.buf, "id: %d\n", at)
		}
		s.buf = append(s.buf, "data: "...)
	}
	begun := len(s.buf)
	if s.buf = line(s.buf); len(s.buf) == begun {
		s.buf = s.buf[:before] // the line has failed
	} else if s.ServerSent {
		s.buf = append(s.buf, '\n')
	}
}

// bookmark tells the client that it knows everything up to the position. The last one of the initial events is sent
// even if the client did not ask for bookmarks: from then on, it can resume.
func (s *manyStream) bookmark(initialEventsEnd bool) {
	if !s.Bookmarks && !initialEventsEnd {
		return
	}
	s.told = s.merged.Position()
	annotations := ""
	if initialEventsEnd {
		annotations = `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	s.frame(s.told, true, func(buf []byte) []byte {
		return fmt.Appendf(buf, `{"type":"BOOKMARK","object":{"kind":"Bookmark","apiVersion":"queries.decorum-go.github.io/v1","metadata":{"resourceVersion":"%d"%s}}}`+"\n",
			s.told, annotations)
	})
}

// flush sends the buffer.
func (s *manyStream) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	err := s.out.Send(s.buf, nil, nil)
	s.buf = s.buf[:0]
	if err != nil {
		return context.Canceled // the client is gone or too slow
	}
	return nil
}

// hurry limits the current write and wakes a waiting stream, because the API ends.
func (s *manyStream) hurry() {
	s.out.Hurry()
	s.wake()
}

func (s *manyStream) close() {
	s.stop()
	s.merged.Close()
	if s.out != nil {
		for i := range s.hurried {
			s.hurried[i].Stop()
		}
		s.out.Close()
	}
}

// end sends err as the last event, unless the stream ends as liveWatch.end allows without one.
func (s *manyStream) end(err error) error {
	quiet := []error{context.DeadlineExceeded, context.Canceled, watch.ErrClosed}
	if err == nil || resource.IsRetired(err) ||
		slices.ContainsFunc(quiet, func(q error) bool { return errors.Is(err, q) }) {
		_ = s.flush()
		return nil
	}
	body, failed := codec.EncodeOwn(&status.From(err).Status)
	if failed != nil {
		return failed
	}
	s.frame(0, false, func(buf []byte) []byte {
		buf, failed = s.Parts[0].Events.AppendError(buf, body)
		return buf
	})
	_ = s.flush()
	return failed
}
