package delivery

import (
	"context"
	"runtime"

	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/watch"
)

// writesInTurn is how many writes a watch makes before it lets other goroutines run. With one write for each turn, a
// burst would cost a third more.
const writesInTurn = 5

// buffer gathers events until they are worth a write.
type buffer struct {
	chunk *[]byte // borrowed from package media; nil while there is nothing to send
	buf   []byte  // the gathered events, in chunk
	sent  int     // the number of writes in this turn
	err   error   // why the last write failed: the client is gone or too slow
}

// event adds an event to the buffer, and sends the buffer if it holds enough.
func (s *liveWatch) event(e follow.Event) error {
	if err := s.show(e); err != nil {
		return err
	}
	if s.gathered(); s.err != nil {
		return context.Canceled
	}
	return nil
}

// show adds an event to the buffer, with the object in the version of the watch.
func (s *liveWatch) show(e follow.Event) error {
	stored := e.Object
	var err error
	if e.Object, err = s.resource.Show(s.ctx, stored); err != nil {
		return err
	}
	s.borrow()
	if s.events.IsLarge(e.Object) {
		return s.showLarge(e, e.Object == stored && !s.resource.ConvertsOutside())
	}
	before := len(s.buf)
	s.buf, err = s.events.Append(s.ctx, s.buf, e, s.live)
	s.told(len(s.buf) - before)
	return err
}

// told reports an event in the buffer to those who observe the watch.
func (s *liveWatch) told(bytes int) {
	if s.sentEvent != nil {
		s.sentEvent(bytes)
	}
}

// bookmark adds a bookmark to the buffer.
func (s *liveWatch) bookmark(at watch.Revision, initialEventsEnd bool) (err error) {
	s.borrow()
	before := len(s.buf)
	s.buf, err = s.events.AppendBookmark(s.buf, at, initialEventsEnd)
	s.told(len(s.buf) - before)
	return err
}

// showLarge sends an event about a whole object that is larger than a chunk. It does not copy the object. stored says
// that the record is the store's own, so the object costs no memory while the store or its history holds it.
func (s *liveWatch) showLarge(event media.Event, stored bool) error {
	large, err := s.events.AppendLarge(s.ctx, s.buf, event)
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
	s.told(len(large.Head) + len(large.Object) + len(large.Tail))
	s.flushWith(large.Object, large.Tail)
	return nil
}

// gathered sends the buffer if it is worth a write, or if each event is a message. A watch with much to send yields now
// and then. Otherwise a request that waits for its turn would wait for all that many watches have to send.
func (s *liveWatch) gathered() {
	if len(s.buf) >= media.ChunkSize || s.out.EventByEvent() {
		s.flush()
	}
	if s.sent >= writesInTurn && len(s.buf) == 0 {
		s.sent = 0
		s.giveBack() // then watches that take turns share a few buffers
		runtime.Gosched()
	}
}

// flush sends the buffer in one write.
func (s *liveWatch) flush() { s.flushWith(nil, "") }

// flushWith sends the buffer, whose last event continues with an object and a tail.
func (s *liveWatch) flushWith(object []byte, tail string) {
	if s.err != nil || len(s.buf) == 0 {
		return
	}
	s.err = s.out.Send(s.buf, object, []byte(tail))
	s.buf = s.buf[:0]
	s.sent++
}

// borrow makes sure that the watch has a chunk.
func (s *liveWatch) borrow() {
	if s.chunk == nil {
		s.chunk = media.BorrowChunk()
		s.buf = *s.chunk
	}
}

// giveBack returns the chunk. A waiting watch holds no buffer and no copy of what it sent.
func (s *liveWatch) giveBack() {
	s.events.Forget()
	if s.chunk != nil {
		media.ReturnChunk(s.chunk, s.buf)
	}
	s.chunk, s.buf = nil, nil
}
