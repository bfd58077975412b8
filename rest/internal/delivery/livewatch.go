package delivery

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// liveWatch is a watch in progress. Its follower is a position in the store's log and has no queue. So a client that
// stops reading holds up nobody; once it has fallen behind the log, it gets 410 Expired.
//
// There may be many watches, and most of them wait. While it waits, a watch consists of this struct, one timer and one
// channel. One goroutine runs it. Other goroutines only call wake and hurry.
type liveWatch struct {
	resource  *resource.Resource
	ending    *Ending
	held      *Held
	ctx       context.Context
	events    media.Events
	live      bool           // the existing objects have been sent
	after     watch.Revision // the last revision that the client knows
	follower  follow.Follower
	out       Output
	hurried   Hurried
	sentEvent func(bytes int)
	behind    *atomic.Uint64 // sentEvent and behind: see Watch
	alarms
	buffer
}

// follow sends changes until the watch ends. The work happens in functions that have returned while the watch waits,
// because a deep stack would take memory in every watch.
func (s *liveWatch) follow() error {
	for {
		if err := s.catchUp(); err != nil {
			return err
		}
		select {
		case <-s.alarm:
		case <-s.ctx.Done():
			return s.left()
		}
	}
}

// left returns the error of a watch whose context has ended: because the client has left, or because a right or the
// credentials of the user have ended, which the client has to know.
func (s *liveWatch) left() error {
	if cause := context.Cause(s.ctx); status.IsExpired(cause) {
		return cause
	}
	return s.ctx.Err()
}

// catchUp sends everything that has happened, and asks for an alarm when more happens.
func (s *liveWatch) catchUp() error {
	s.sent = 0
	retired := s.follower.Retired() // read before the last poll, which then sees everything that happened under the resource
	for more := true; more; {
		due := !time.Now().Before(s.next)
		if due && !s.next.Before(s.deadline) {
			return context.DeadlineExceeded
		}
		var err error
		if more, err = s.gatherNews(due); err != nil {
			return err
		}
		s.behind.Store(uint64(s.follower.Position()))
		// A poll mostly returns one change, the last one. A second poll would then find nothing.
		more = more && s.follower.Position() < s.resource.Store.Revision()
		// The API ends. Changes that are left reach the client when it reconnects elsewhere.
		if s.ending.Err() != nil {
			return ErrEnding
		}
		if s.ctx.Err() != nil {
			return s.left()
		}
		if due {
			s.setTimer()
		}
	}
	// The client has everything that happened under the resource as the watch knows it.
	if retired {
		return resource.ErrRetired
	}
	// The watch is about to wait. It sends what it has, gives its buffer back, and asks for an alarm.
	if s.flush(); s.err != nil {
		return context.Canceled
	}
	s.giveBack()
	s.behind.Store(0)
	s.follower.Ready()
	return nil
}

// gatherNews adds the events of one poll to the buffer and, if bookmark is true, a bookmark. It returns false if
// nothing has happened.
func (s *liveWatch) gatherNews(bookmark bool) (more bool, err error) {
	more, err = s.follower.Poll(func(e follow.Event) error {
		s.after = e.Revision
		return s.event(e)
	})
	if err != nil {
		return false, err
	}
	// Poll has moved the position past changes that the watch does not select. The bookmark tells the client, which can
	// then resume there.
	if position := s.follower.Position(); bookmark && position > s.after {
		if err := s.bookmark(position, false); err != nil {
			return false, err
		}
		s.after = position
	}
	return more, nil
}

// hurry limits the current write and wakes a waiting watch, because the API ends.
func (s *liveWatch) hurry() {
	s.out.Hurry()
	s.wake()
}

// close releases everything that the watch holds.
func (s *liveWatch) close() {
	s.stop()
	s.follower.Close()
	if s.out != nil {
		s.hurried.Stop()
		s.giveBack()
		s.out.Close()
	}
}

// end sends err as the last event of the watch, unless the watch ends because its time is over, the client has left,
// the server shuts down, or the API has given up or replaced the resource. Upstream too ends the watches of a custom
// resource without an event when its definition is deleted or changed, so that clients watch again. It returns an error
// if the answer breaks off within an event.
func (s *liveWatch) end(err error) error {
	err = s.follower.Reason(err)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, watch.ErrClosed) && !resource.IsRetired(err) {
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
