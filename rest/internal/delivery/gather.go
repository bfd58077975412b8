package delivery

import (
	"context"
	"runtime"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/watch"
)

// writesInTurn is how many writes a watch makes before others get their turn. Turns of one write would make a burst a third
// dearer.
const writesInTurn = 5

// buffer is where events gather until they are worth a write.
type buffer struct {
	chunk *[]byte // borrowed while there is something to send
	buf   []byte  // what has gathered in it
	sent  int     // writes in this turn
	err   error   // the client is gone
}

// event adds an event, and sends what has gathered if there is enough of it.
func (s *stream) event(e resource.Event) error {
	if err := s.show(e); err != nil {
		return err
	}
	if s.gathered(); s.err != nil {
		return context.Canceled
	}
	return nil
}

// show adds an event as the version of the watch shows it.
func (s *stream) show(e resource.Event) error {
	stored := e.Object
	var err error
	if e.Object, err = s.resource.Show(stored); err != nil {
		return err
	}
	s.borrow()
	if s.events.IsLarge(e.Object) {
		return s.showLarge(e, e.Object == stored)
	}
	s.buf, err = s.events.Append(s.buf, e, s.live)
	return err
}

func (s *stream) bookmark(at watch.Revision, initialEventsEnd bool) (err error) {
	s.borrow()
	s.buf, err = s.events.AppendBookmark(s.buf, at, initialEventsEnd)
	return err
}

// showLarge adds an event about a whole object that is larger than a chunk, without a copy of it. stored says that the record
// is the one in the store.
func (s *stream) showLarge(event media.Event, stored bool) error {
	large, err := s.events.AppendLarge(s.buf, event)
	if err != nil {
		return err
	}
	defer large.Done()
	s.buf = large.Head
	if s.held.Now == nil {
		bytes := Bytes{Expired: Copied, Cut: s.out.Cut}
		if stored && large.Stored {
			bytes.Expired, bytes.Final = s.follower.Err, true
		}
		defer s.held.Hold(bytes, len(large.Object)).Release()
	}
	s.flushWith(large.Object, large.Tail)
	return nil
}

// gathered sends what has gathered if it is worth a write, or is a message of its own. Who has much to send lets others go
// first now and then: a request that waits for its turn is not to wait for all that many watches have to send.
func (s *stream) gathered() {
	if len(s.buf) >= media.ChunkSize || s.out.EventByEvent() {
		s.flush()
	}
	if s.sent >= writesInTurn && len(s.buf) == 0 {
		s.sent = 0
		s.giveBack() // those who take turns use the same few buffers
		runtime.Gosched()
	}
}

// flush writes what has gathered, in one Write.
func (s *stream) flush() { s.flushWith(nil, "") }

// flushWith is flush where the last event goes on with an object and a tail.
func (s *stream) flushWith(object []byte, tail string) {
	if s.err != nil || len(s.buf) == 0 {
		return
	}
	s.err = s.out.Send(s.buf, object, []byte(tail))
	s.buf = s.buf[:0]
	s.sent++
}

// borrow sees to it that there is a buffer.
func (s *stream) borrow() {
	if s.chunk == nil {
		s.chunk = media.BorrowChunk()
		s.buf = *s.chunk
	}
}

// giveBack returns the buffer: while nothing happens a watch holds none, and no copy of what it has sent.
func (s *stream) giveBack() {
	s.events.Forget()
	if s.chunk != nil {
		media.ReturnChunk(s.chunk, s.buf)
	}
	s.chunk, s.buf = nil, nil
}
