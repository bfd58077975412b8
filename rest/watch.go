package rest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

// watch streams what changes until the watch ends (API concepts, Efficient detection of changes).
func (q *request) watch() error {
	rep, p, err := q.beginList(media.EventStream, Watch)
	if err == nil && q.ofPath {
		err = q.selectObject(p)
	}
	if err != nil {
		return err
	}
	w, err := q.readWatch(rep, p)
	if err != nil {
		return err
	}
	ctx, gone := q.r.Context(), context.CancelFunc(func() {})
	if stream.WantsSocket(q.r) { // whose end the request's context does not know
		ctx, gone = context.WithCancel(ctx)
	}
	defer gone()
	q.becomeWatch()
	return w.Deliver(ctx, func() (delivery.Output, error) {
		out, err := q.openWatch(rep.Media, gone)
		if err == nil {
			q.query, q.params = nil, nil // they have been read
		}
		return out, err
	})
}

// readWatch reads a request for a watch.
func (q *request) readWatch(rep *media.Representation, p *resource.ListParameters) (*delivery.Watch, error) {
	namespace, err := q.namespace()
	if err != nil {
		return nil, err
	}
	from, err := q.res.BeginningOf(namespace, *p)
	if err != nil {
		return nil, err
	}
	events, err := media.NewEvents(q.kind, rep, stream.WantsSocket(q.r))
	if err != nil {
		return nil, err
	}
	if rep.Media == media.YAML {
		return nil, status.NotAcceptable(q.api.types.Streamed)
	}
	if rep.Mismatch != nil {
		return nil, rep.Mismatch
	}
	return &delivery.Watch{
		Resource: q.res.Resource, From: from, Events: events, Bookmarks: p.AllowWatchBookmarks, Seconds: p.TimeoutSeconds,
		Ending: q.api.ending, Held: &q.held,
	}, nil
}

// becomeWatch takes the request out of the bound on short requests.
func (q *request) becomeWatch() {
	q.isWatch = true
	q.api.leaveShort()
}

// openWatch begins the answer. gone is called when the client leaves without the request's context noticing.
func (q *request) openWatch(mediaType string, gone context.CancelFunc) (delivery.Output, error) {
	if stream.WantsSocket(q.r) {
		return q.openSocket(mediaType == media.JSON, gone)
	}
	contentType := headerJSON
	switch mediaType {
	case media.Protobuf:
		contentType = []string{media.Protobuf + media.OfStream}
	case media.CBOR:
		contentType = []string{media.CBORSequence}
	}
	return q.openResponse(contentType, delivery.StuckAfter)
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

func (o *responseOutput) EventByEvent() bool { return false }

func (o *responseOutput) Send(events, object, tail []byte) error {
	if o.q.api.closing() { // it has been hurried, but this may be its last word
		o.Hurry()
	}
	for _, part := range [...][]byte{events, object, tail} {
		for piece := range slices.Chunk(part, delivery.PieceSize) {
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
			o.Hurry()
		}
	}
	_, err := o.q.body().Write(piece)
	return err
}

func (o *responseOutput) Hurry() { _ = o.control.SetWriteDeadline(time.Now().Add(delivery.StuckAtEnd)) }

func (o *responseOutput) Cut() { _ = o.control.SetWriteDeadline(time.Now()) }

func (o *responseOutput) Close() { _ = o.control.SetWriteDeadline(time.Time{}) }
