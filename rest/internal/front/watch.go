package front

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

// watch streams what changes until the watch ends (API concepts, Efficient detection of changes).
func (q *request) watch() error {
	rep, p, err := q.beginList(media.EventStream, access.VerbWatch)
	if err == nil && q.at.watched && q.at.name != "" {
		err = q.selectObject(p)
	}
	if err != nil {
		return err
	}
	w, err := q.readWatch(rep, p)
	if err != nil {
		return err
	}
	ctx, release := q.guarded(q.r.Context())
	defer release()
	gone := context.CancelFunc(func() {})
	if stream.WantsSocket(q.r) { // the request's context does not end with a WebSocket
		ctx, gone = context.WithCancel(ctx)
	}
	defer gone()
	if q.api.options.Limiter == nil {
		q.stay() // a watch does not count for MaxInFlight
	}
	keeps := q.flight.HasSeats() && w.From.Existing // its seats, until it has sent the objects
	if keeps {
		w.Free, w.Waits = q.stay, q.stay
		w.Resumes = func(ctx context.Context) error { return q.api.flights.Continue(ctx, &q.flight) }
	}
	q.api.flights.Locked(func() { q.watches = true })
	return w.Deliver(ctx, func() (delivery.Output, error) {
		if !keeps {
			q.stay()
		}
		out, err := q.openWatch(rep, gone)
		if err == nil {
			q.forget()
		}
		return out, err
	})
}

// stay gives up the place of a watch.
func (q *request) stay() { q.api.flights.Stay(&q.flight, false) }

// readWatch reads a request for a watch.
func (q *request) readWatch(rep *media.Representation, p *resource.ListParameters) (*delivery.Watch, error) {
	namespace, err := q.namespace()
	if err != nil {
		return nil, err
	}
	from, err := q.res.Service.Beginning(q.caller(q.r.Context()), namespace, service.Parsed(p))
	if err != nil {
		return nil, err
	}
	events, err := media.NewEvents(q.res.Media, rep, stream.WantsSocket(q.r))
	if err != nil {
		return nil, err
	}
	if !rep.Streams() {
		return nil, status.NotAcceptable(q.api.types.Streamed)
	}
	if rep.Mismatch != nil {
		return nil, rep.Mismatch
	}
	return &delivery.Watch{
		Resource: q.res.Resource, From: from, Events: events, Bookmarks: p.AllowWatchBookmarks, Seconds: p.TimeoutSeconds,
		Ending: q.api.ending, Held: &q.held, Sent: q.observed.sentFunc(), Listed: q.observed.listedFunc(), Behind: &q.behind,
	}, nil
}

// openWatch begins the answer. gone is called when the client leaves without the request's context noticing.
func (q *request) openWatch(rep *media.Representation, gone context.CancelFunc) (delivery.Output, error) {
	if stream.WantsSocket(q.r) {
		conn, begun, err := stream.Upgrade(q.w, q.r, nil)
		q.begun(begun)
		if err != nil {
			return nil, err
		}
		return stream.NewEventSocket(conn, rep.Media == media.JSON, q.api.ending, &q.held, gone), nil
	}
	contentType := headerJSON
	if rep.Media != media.JSON {
		contentType = []string{rep.WatchType()}
	}
	body, err := q.newBody(contentType, delivery.StuckAfter)
	if err != nil {
		return nil, err
	}
	body.Begin()
	return body, nil
}

// newBody prepares an answer whose body is written little by little. A client that does not take a piece within
// patience, or half as long again, counts as gone.
func (q *request) newBody(contentType []string, patience time.Duration) (*stream.Body, error) {
	body, err := stream.NewBody(q.w, q.r.ProtoMajor >= 2, patience, q.api.ending, &q.held)
	if err != nil {
		return nil, err
	}
	h := q.w.Header()
	h["Content-Type"], h["Cache-Control"] = contentType, headerNoCache
	q.begin()
	return body, nil
}
