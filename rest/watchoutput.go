package rest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/stream"
)

// watchOutput is how the events of a watch reach its client.
type watchOutput interface {
	// send writes encoded events; object, which may be nil, and tail are the rest of the last one. It fails when the client has left or
	// does not read.
	send(events, object, tail []byte) error
	// eventByEvent says that send takes one event at a time.
	eventByEvent() bool
	// hurry cuts the write under way short, because the server is shutting down, and cut does so at once.
	hurry()
	cut()
	// close ends the stream in an orderly way.
	close()
}

// openWatch begins the answer. gone is called when the client leaves without the request's context noticing.
func (q *request) openWatch(rep media.Representation, gone context.CancelFunc) (watchOutput, error) {
	if stream.WantsSocket(q.r) {
		return q.openSocket(rep.Media == media.JSON, gone)
	}
	contentType := headerJSON
	switch rep.Media {
	case media.Protobuf:
		contentType = []string{media.Protobuf + media.OfStream}
	case media.CBOR:
		contentType = []string{media.CBORSequence}
	}
	return q.openResponse(contentType, stuckAfter)
}

// responseOutput streams in the body of the answer, chunked with HTTP/1.1 and in frames of HTTP/2.
type responseOutput struct {
	q        *request
	control  *http.ResponseController
	patience time.Duration // how long one write may take
}

// openResponse sends the header at once. A client that does not take a piece within patience counts as gone.
func (q *request) openResponse(contentType []string, patience time.Duration) (*responseOutput, error) {
	control, err := stream.Control(q.w)
	if err != nil {
		return nil, err
	}
	h := q.w.Header()
	h["Content-Type"], h["Cache-Control"] = contentType, headerNoCache
	q.wrote = true
	q.w.WriteHeader(http.StatusOK)
	_ = control.Flush() // a client that is gone is noticed when there is something to send
	return &responseOutput{q: q, control: control, patience: patience}, nil
}

func (o *responseOutput) eventByEvent() bool { return false }

func (o *responseOutput) send(events, object, tail []byte) error {
	if o.q.api.closing() { // it has been hurried, but this may be its last word
		o.hurry()
	}
	for _, part := range [...][]byte{events, object, tail} {
		for piece := range slices.Chunk(part, pieceSize) {
			if err := o.write(piece); err != nil {
				return err
			}
		}
	}
	return o.control.Flush()
}

// write gives the client time for each piece, and none once the API has ended.
func (o *responseOutput) write(piece []byte) error {
	if !o.q.api.closing() {
		_ = o.control.SetWriteDeadline(time.Now().Add(o.patience))
		if o.q.api.closing() { // hurry may have come before
			o.hurry()
		}
	}
	_, err := o.q.body().Write(piece)
	return err
}

func (o *responseOutput) hurry() { _ = o.control.SetWriteDeadline(time.Now().Add(stuckAtEnd)) }

func (o *responseOutput) cut() { _ = o.control.SetWriteDeadline(time.Now()) }

func (o *responseOutput) close() { _ = o.control.SetWriteDeadline(time.Time{}) }
