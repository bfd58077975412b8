package stream

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/status"
)

// Body is the output of a watch or of a host in the body of an answer, chunked with HTTP/1.1 and in frames of HTTP/2.
type Body struct {
	writer   http.ResponseWriter
	patience time.Duration
	ending   *delivery.Ending
	held     *delivery.Held
	frames   bool      // see NewBody
	deadline time.Time // when the current writes must have ended; not set if the answer consists of frames
}

// NewBody returns the body of an answer that has not begun. A client that does not take a piece within patience, or
// half as long again, counts as gone. frames says that the answer consists of frames of HTTP/2.
func NewBody(w http.ResponseWriter, frames bool, patience time.Duration, ending *delivery.Ending,
	held *delivery.Held) (*Body, error) {
	if _, err := Control(w); err != nil {
		return nil, err
	}
	return &Body{writer: w, frames: frames, patience: patience, ending: ending, held: held}, nil
}

// control controls the writer. A controller that the body kept would be memory of every idle watch.
func (b *Body) control() *http.ResponseController { return http.NewResponseController(b.writer) }

// Begin sends the header at once.
func (b *Body) Begin() {
	b.writer.WriteHeader(http.StatusOK)
	_ = b.control().Flush() // a client that is gone is noticed when there is something to send
}

// EventByEvent implements [delivery.Output].
func (b *Body) EventByEvent() bool { return false }

// Send implements [delivery.Output].
func (b *Body) Send(events, object, tail []byte) error {
	if b.ending.Err() != nil { // it has been hurried, but this may be its last word
		b.Hurry()
	}
	for _, part := range [...][]byte{events, object, tail} {
		for piece := range slices.Chunk(part, delivery.PieceSize) {
			if err := b.write(piece); err != nil {
				return err
			}
		}
	}
	err := b.control().Flush()
	if b.frames { // with HTTP/2, a deadline that passes ends the stream even if nothing is being written
		b.limit(time.Time{})
	}
	return err
}

// limit sets the deadline of the client, unless the API ends.
func (b *Body) limit(deadline time.Time) {
	if b.ending.Err() != nil {
		return
	}
	_ = b.control().SetWriteDeadline(deadline)
	if b.ending.Err() != nil { // Hurry may have come before
		b.Hurry()
	}
}

// write gives the client time for each piece, and none once the API has ended. To set a deadline takes a noticeable
// part of the time of a short write, so with HTTP/1.1 one deadline serves several writes.
func (b *Body) write(piece []byte) error {
	switch now := time.Now(); {
	case b.frames:
		b.limit(now.Add(b.patience))
	case b.deadline.Sub(now) < b.patience:
		b.deadline = now.Add(b.patience + b.patience/2)
		b.limit(b.deadline)
	}
	to := io.Writer(b.writer)
	if b.held.Now != nil {
		to = b.held.Now.Writer(to)
	}
	_, err := to.Write(piece)
	return err
}

// Hurry implements [delivery.Output].
func (b *Body) Hurry() { _ = b.control().SetWriteDeadline(time.Now().Add(delivery.StuckAtEnd)) }

// Cut implements [delivery.Output].
func (b *Body) Cut() { _ = b.control().SetWriteDeadline(time.Now()) }

// Close implements [delivery.Output]. It leaves the connection ready for the next request.
func (b *Body) Close() { _ = b.control().SetWriteDeadline(time.Time{}) }

// Control returns the controller of a writer that can carry a stream, and lifts the deadlines that the host's server
// sets for short requests. It refuses a writer that cannot be flushed or has no deadlines of its own: nothing could end
// the stream of a client that does not read.
func Control(w http.ResponseWriter) (*http.ResponseController, error) {
	control := http.NewResponseController(w)
	if !canFlush(w) || errors.Is(control.SetWriteDeadline(time.Time{}), http.ErrNotSupported) {
		return nil, status.InternalError(errors.New("a stream needs a ResponseWriter that can be flushed and has deadlines: a wrapper around it must have a method Unwrap"))
	}
	_ = control.SetReadDeadline(time.Time{}) // a writer without read deadlines has none to lift
	return control, nil
}

// canFlush reports whether a ResponseController will find a way to flush.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}
