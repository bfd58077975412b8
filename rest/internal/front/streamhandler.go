package front

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// idleAfter is how long a stream may carry no bytes before the API ends it as forgotten. It is long, because a person
// may pause the output of a command and come back hours later.
const idleAfter = 4 * time.Hour

// stream answers a request for a subresource that is a stream.
func (q *request) stream(sub *Subresource) error {
	s := sub.Bytes
	switch method := q.r.Method; {
	case s.Way == ServeWay:
	case method == http.MethodGet:
	case method == http.MethodPost && s.Way != OutputWay:
	default:
		return status.MethodNotAllowed()
	}
	bound, err := q.bindStream(sub)
	if err != nil {
		return err
	}
	ctx, release := q.guarded(write.In(q.context(), q.api.env))
	defer release()
	ctx, cancel := q.api.ending.Until(ctx)
	defer cancel()
	if err := q.checkStream(ctx, bound); err != nil {
		return err
	}
	if s.Way == SessionWay || s.Way == ForwardWay {
		if err := stream.RequireSocket(q.r, sub.Name); err != nil {
			return err
		}
	}
	q.api.flights.Stay(&q.flight, true)
	call := q.streamCall()
	defer func() { q.begun(call.Begun) }()
	switch s.Way {
	case OutputWay:
		return stream.Output(ctx, call, func() (io.WriteCloser, error) { return q.openBody(s.Media) }, bound.Output)
	case SessionWay:
		wanted := stream.Wanted{Stdin: q.flag("stdin"), Stdout: q.flag("stdout"), Stderr: q.flag("stderr"),
			TTY: q.flag("tty")}
		return bound.Session(ctx, call, wanted)
	case ForwardWay:
		return stream.Forward(ctx, call, q.query["ports"], bound.Forward)
	default:
		return q.proxy(ctx, call, bound)
	}
}

// streamCall returns the request as package stream needs it.
func (q *request) streamCall() *stream.Call {
	return &stream.Call{
		Request: q.r, Writer: q.w, Secret: q.secret, Limits: stream.Limits{Idle: idleAfter, End: delivery.StuckAtEnd},
		AtEnd: func(hurry func()) func() {
			h := new(delivery.Hurried)
			q.api.ending.Hurry(h, hurry)
			return h.Stop
		},
		Ending: delivery.ErrEnding, Failure: q.failure,
	}
}

// openBody begins an answer that the host writes.
func (q *request) openBody(contentType string) (io.WriteCloser, error) {
	body, err := q.newBody([]string{contentType}, idleAfter)
	if err != nil {
		return nil, err
	}
	return body.ForHost(), nil
}

// proxy passes the request to the host's Serve, with the path that follows the subresource.
func (q *request) proxy(ctx context.Context, call *stream.Call, bound Bound) error {
	segments := strings.Count(kind.Path(q.res.GVK.GroupVersion())+"/plural/name/subresource", "/")
	if q.res.Kind.Namespaced {
		segments += 2
	}
	below := stream.Below(q.r.URL.EscapedPath(), segments)
	if url := stream.SlashURL(q.r, below); url != "" {
		q.w.Header().Set("Location", url)
		return q.writeRaw(http.StatusMovedPermanently, media.Text, nil, nil)
	}
	return stream.Proxy(ctx, call, below, bound.Serve)
}

// bindStream reads the object and the parameters of a request to a stream. It runs the admission hooks, except for an
// Output, which is a read.
func (q *request) bindStream(sub *Subresource) (Bound, error) {
	s := sub.Bytes
	namespace, name, err := q.objectName()
	if err != nil {
		return Bound{}, err
	}
	t := resource.Target{Namespace: namespace, Name: name, Through: sub.Subresource, Only: q.only}
	record, err := q.res.Get(q.r.Context(), t, 0)
	if err != nil {
		return Bound{}, err
	}
	text, err := record.JSON(q.r.Context())
	if err != nil {
		return Bound{}, err
	}
	parent, _, err := codec.DecodeJSON(text)
	if err != nil {
		return Bound{}, fmt.Errorf("stored object: %w", err)
	}
	options, err := readStreamOptions(s.Options, q.query)
	if err != nil {
		return Bound{}, err
	}
	if s.Way != OutputWay { // Output is a read
		if q.query.Has("dryRun") {
			return Bound{}, status.BadRequest("dryRun is not supported")
		}
		w := q.api.writes.New(q.res.Resource, t, write.Asked{})
		w.Warnings = &q.warnings
		ctx, cancel := context.WithTimeout(q.context(), q.api.options.RequestTimeout)
		defer cancel()
		options, err = inTime(ctx, q, func(ctx context.Context) (doc.Value, error) { return w.Connect(ctx, options) })
		if err != nil {
			return Bound{}, err
		}
	}
	return s.Bind(parent, options)
}

// checkStream runs the Check of a stream. The stream has no time limit, but what comes before it has one.
func (q *request) checkStream(ctx context.Context, bound Bound) error {
	ctx, cancel := context.WithTimeout(ctx, q.api.options.RequestTimeout)
	defer cancel()
	_, err := inTime(ctx, q, func(ctx context.Context) (struct{}, error) { return struct{}{}, bound.Check(ctx) })
	return err
}
