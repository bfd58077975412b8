package delivery

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

const (
	// bookmarkPeriod is how often a bookmark tells a quiet watch how far it has come, give or take a quarter.
	bookmarkPeriod = time.Minute
	// lastBookmark is how long before its end a watch sends one more.
	lastBookmark = 2 * time.Second
)

// stream is a watch that is being answered. Its follower is a position in the store's log, which holds no queue, so that a client
// that stops reading holds up nobody and is told 410 when it has fallen behind.
//
// A watch is mostly idle, and there may be many. What it has of its own while it waits is this, one timer and one channel.
type stream struct {
	resource  *resource.Resource
	ending    *Ending
	held      *Held
	ctx       context.Context
	deadline  time.Time
	events    media.Events
	bookmarks bool
	live      bool           // the client knows what was there
	after     watch.Revision // what the client knows of
	follower  resource.Follower
	out       Output
	hurried   Hurried
	alarm     chan struct{} // one for all that a watch wakes up for: each that it waits on takes memory
	timer     *time.Timer   // sets off the alarm at next
	next      time.Time     // when a bookmark is due, or the end
	buffer
}

// follow sends what happens from now on until the watch ends. What it does is done in functions that have returned while it
// waits, since its stack is memory too.
func (s *stream) follow() error {
	for {
		if err := s.catchUp(); err != nil {
			return err
		}
		select {
		case <-s.alarm:
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
}

// catchUp does what there is to do, and asks to be told when there is more.
func (s *stream) catchUp() error {
	s.sent = 0
	for more := true; more; {
		due := !time.Now().Before(s.next)
		if due && !s.next.Before(s.deadline) {
			return context.DeadlineExceeded
		}
		var err error
		if more, err = s.gatherNews(due); err != nil {
			return err
		}
		if s.ending.Err() != nil {
			return ErrEnding
		}
		if due {
			s.setTimer()
		}
	}
	if s.flush(); s.err != nil {
		return context.Canceled
	}
	s.giveBack()
	s.follower.Ready()
	return nil
}

// gatherNews adds what has happened since the last time, not more than a poll tells, and a bookmark if one is due. It
// returns false if nothing has happened.
func (s *stream) gatherNews(bookmark bool) (more bool, err error) {
	more, err = s.follower.Poll(func(e resource.Event) error {
		s.after = e.Revision
		return s.event(e)
	})
	if err != nil {
		return false, err
	}
	// Polling has moved the position past what others wrote, so that a quiet watch does not fall out of the log.
	if position := s.follower.Position(); bookmark && position > s.after {
		if err := s.bookmark(position, false); err != nil {
			return false, err
		}
		s.after = position
	}
	return more, nil
}

// setTimer lets the watch wake up for the next bookmark: after a period, jittered so that watches do not tick together, or
// shortly before the end. Where there are none, or none is left, it is for the end.
func (s *stream) setTimer() {
	left := time.Until(s.deadline)
	s.next = s.deadline
	if s.bookmarks && left > lastBookmark {
		left = min(bookmarkPeriod*3/4+rand.N(bookmarkPeriod/2), left-lastBookmark)
		s.next = time.Now().Add(left)
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(left, s.wake)
	} else {
		s.timer.Reset(left)
	}
}

// wake makes the stream look what there is to do.
func (s *stream) wake() {
	select {
	case s.alarm <- struct{}{}:
	default:
	}
}

// hurry keeps a client that does not read from holding up the shutdown, and ends a watch that waits.
func (s *stream) hurry() {
	s.out.Hurry()
	s.wake()
}

// close lets go of all that the stream has.
func (s *stream) close() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.follower.Close()
	if s.out != nil {
		s.hurried.Stop()
		s.giveBack()
		s.out.Close()
	}
}

// end sends an error as the stream's last event. The end of its time, of the client and of the server are none. It returns an error
// where the stream breaks off in the midst of an event.
func (s *stream) end(err error) error {
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, watch.ErrClosed) {
		e := status.From(err)
		body, encodeErr := codec.EncodeOwn(&e.Status)
		if encodeErr != nil {
			return encodeErr
		}
		s.borrow()
		if s.buf, err = s.events.AppendError(s.buf, body); err != nil {
			return err
		}
	}
	s.flush()
	if late := (*status.Error)(nil); errors.As(s.err, &late) {
		return s.err
	}
	return nil
}
