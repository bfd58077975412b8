package rest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/status"
)

// watchOutput is how the events of a watch reach its client.
type watchOutput interface {
	// send writes encoded events. It fails when the client has left or does not read.
	send(events []byte) error
	// eventByEvent says that send takes one event at a time.
	eventByEvent() bool
	// hurry cuts the write under way short, because the server is shutting down.
	hurry()
	// close ends the stream in an orderly way.
	close()
}

// openWatch begins the answer. gone is called when the client leaves without the request's context noticing.
func (q *request) openWatch(rep representation, gone context.CancelFunc) (watchOutput, error) {
	if wantsSocket(q.r) {
		return q.openSocket(rep.media == mediaJSON, gone)
	}
	media := headerJSON
	switch rep.media {
	case mediaProtobuf:
		media = []string{mediaProtobuf + ofStream}
	case mediaCBOR:
		media = []string{mediaCBORSeq}
	}
	return q.openResponse(media, stuckAfter)
}

// responseOutput streams in the body of the answer, chunked with HTTP/1.1 and in frames of HTTP/2.
type responseOutput struct {
	q        *request
	control  *http.ResponseController
	patience time.Duration // how long one write may take
}

// openResponse sends the header at once, and lifts the deadlines that the host's server has for short requests. A client
// that does not take a write within patience counts as gone.
func (q *request) openResponse(media []string, patience time.Duration) (*responseOutput, error) {
	if !canFlush(q.w) {
		return nil, status.InternalError(errors.New("a stream needs a ResponseWriter that can be flushed: a wrapper around it must have a method Unwrap"))
	}
	o := &responseOutput{q: q, control: http.NewResponseController(q.w), patience: patience}
	h := q.w.Header()
	h["Content-Type"], h["Cache-Control"] = media, headerNoCache
	q.wrote = true
	_ = o.control.SetReadDeadline(time.Time{}) // a writer without deadlines has none to lift
	_ = o.control.SetWriteDeadline(time.Time{})
	q.w.WriteHeader(http.StatusOK)
	_ = o.control.Flush() // a client that is gone is noticed when there is something to send
	return o, nil
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

func (o *responseOutput) eventByEvent() bool { return false }

func (o *responseOutput) send(events []byte) error {
	_ = o.control.SetWriteDeadline(time.Now().Add(o.patience))
	if o.q.api.closing() { // looked at after the deadline is set: hurry may have come before
		_ = o.control.SetWriteDeadline(time.Now().Add(stuckAtEnd))
	}
	if _, err := o.q.w.Write(events); err != nil {
		return err
	}
	return o.control.Flush()
}

func (o *responseOutput) hurry() { _ = o.control.SetWriteDeadline(time.Now().Add(stuckAtEnd)) }

func (o *responseOutput) close() { _ = o.control.SetWriteDeadline(time.Time{}) }
