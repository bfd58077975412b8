package rest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
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
	// A watch ends by itself after a time between these, so that clients spread over the replicas of a host again.
	minWatchTime = 30 * time.Minute
	maxWatchTime = 60 * time.Minute
	// writesInTurn is how many writes a watch makes before others get their turn. Turns of one write would make a burst a third
	// dearer.
	writesInTurn = 5
	// lastBookmark is how long before its end a watch sends one more.
	lastBookmark = 2 * time.Second
	// stuckAfter is how long one write may take before the client counts as gone.
	stuckAfter = time.Minute
	// stuckAtEnd is how long it may take when the server is shutting down.
	stuckAtEnd = time.Second
)

// watchStream is a watch that is being answered. Its follower is a position in the store's log, which holds no queue, so that a
// client that stops reading holds up nobody and is told 410 when it has fallen behind.
//
// A watch is mostly idle, and there may be many. What it has of its own while it waits is this, one timer and one channel.
type watchStream struct {
	q         *request
	ctx       context.Context
	cancel    context.CancelFunc
	deadline  time.Time
	events    media.Events
	bookmarks bool
	live      bool           // the client knows what was there
	after     watch.Revision // what the client knows of
	follower  resource.Follower
	out       watchOutput
	hurried   hurried
	alarm     chan struct{} // one for all that a watch wakes up for: each that it waits on takes memory
	timer     *time.Timer   // sets off the alarm at next
	next      time.Time     // when a bookmark is due, or the end
	chunk     *[]byte       // borrowed while there is something to send
	buf       []byte        // what has gathered in it
	sent      int           // writes in this turn
	err       error         // the client is gone
}

// watch streams what changes (API concepts, Efficient detection of changes).
func (q *request) watch(rep media.Representation, p *resource.ListParameters) error {
	b, err := q.watchBeginning(rep, p)
	if err != nil {
		return err
	}
	s := b.watchStream
	defer s.close()
	if b.ahead {
		if err := b.begin(); err != nil {
			return err
		}
	}
	if err := b.open(); err != nil {
		return err
	}
	if !b.ahead {
		err = b.begin()
	}
	if err == nil {
		err = b.sendBeginning()
	}
	if err == nil {
		err = s.follow()
	}
	return s.end(err)
}

// follow sends what happens from now on until the watch ends. What it does is done in functions that have returned while it
// waits, since its stack is memory too.
func (s *watchStream) follow() error {
	s.q.query, s.q.params = nil, nil // they have been read
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
func (s *watchStream) catchUp() error {
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
		if s.q.api.closing() {
			return errEnding
		}
		if due {
			s.setTimer()
		}
	}
	if s.send(); s.err != nil {
		return context.Canceled
	}
	s.giveBack()
	s.follower.Ready()
	return nil
}

// setTimer lets the watch wake up for the next bookmark: after a period, jittered so that watches do not tick together, or
// shortly before the end. Where there are none, or none is left, it is for the end.
func (s *watchStream) setTimer() {
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
func (s *watchStream) wake() {
	select {
	case s.alarm <- struct{}{}:
	default:
	}
}

// hurry keeps a client that does not read from holding up the shutdown, and ends a watch that waits.
func (s *watchStream) hurry() {
	s.out.hurry()
	s.wake()
}

// becomeWatch takes the request out of the bound on short requests.
func (q *request) becomeWatch() {
	q.isWatch = true
	q.api.leaveShort()
}

// close lets go of all that the stream has.
func (s *watchStream) close() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.follower.Close()
	if s.out != nil {
		s.hurried.stop()
		s.giveBack()
		s.out.close()
	}
	s.cancel()
}

// gathered sends what has gathered if it is worth a write, or is a message of its own. Who has much to send lets others go
// first now and then: a request that waits for its turn is not to wait for all that many watches have to send.
func (s *watchStream) gathered() {
	if len(s.buf) >= media.ChunkSize || s.out.eventByEvent() {
		s.send()
	}
	if s.sent >= writesInTurn && len(s.buf) == 0 {
		s.sent = 0
		s.giveBack() // those who take turns use the same few buffers
		runtime.Gosched()
	}
}

// send writes what has gathered, in one Write.
func (s *watchStream) send() { s.sendWith(nil, "") }

// sendWith is send where the last event goes on with an object and a tail.
func (s *watchStream) sendWith(object []byte, tail string) {
	if s.err != nil || len(s.buf) == 0 {
		return
	}
	s.err = s.out.send(s.buf, object, []byte(tail))
	s.buf = s.buf[:0]
	s.sent++
}

// borrow sees to it that there is a buffer.
func (s *watchStream) borrow() {
	if s.chunk == nil {
		s.chunk = media.BorrowChunk()
		s.buf = *s.chunk
	}
}

// giveBack returns the buffer: while nothing happens a watch holds none, and no copy of what it has sent.
func (s *watchStream) giveBack() {
	s.events.Forget()
	if s.chunk != nil {
		media.ReturnChunk(s.chunk, s.buf)
	}
	s.chunk, s.buf = nil, nil
}

// end sends an error as the stream's last event. The end of its time, of the client and of the server are none. It returns an error
// where the stream breaks off in the midst of an event.
func (s *watchStream) end(err error) error {
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
	s.send()
	if late := (*status.Error)(nil); errors.As(s.err, &late) {
		return s.err
	}
	return nil
}

var errEnding = fmt.Errorf("the server is shutting down: %w", watch.ErrClosed)

// gatherNews adds what has happened since the last time, not more than a poll tells, and a bookmark if one is due. It
// returns false if nothing has happened.
func (s *watchStream) gatherNews(bookmark bool) (more bool, err error) {
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

// event adds an event, and sends what has gathered if there is enough of it.
func (s *watchStream) event(e resource.Event) error {
	if err := s.show(e); err != nil {
		return err
	}
	if s.gathered(); s.err != nil {
		return context.Canceled
	}
	return nil
}

// show adds an event as the version of the watch shows it.
func (s *watchStream) show(e resource.Event) error {
	stored := e.Object
	var err error
	if e.Object, err = s.q.res.Show(stored); err != nil {
		return err
	}
	s.borrow()
	if s.events.IsLarge(e.Object) {
		return s.showLarge(e, e.Object == stored)
	}
	s.buf, err = s.events.Append(s.buf, e, s.live)
	return err
}

func (s *watchStream) bookmark(at watch.Revision, initialEventsEnd bool) (err error) {
	s.borrow()
	s.buf, err = s.events.AppendBookmark(s.buf, at, initialEventsEnd)
	return err
}
