package front

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/internal/body"
	"github.com/decorum-go/decorum/rest/internal/deadline"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/inprocess"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// request is one request on its way through the stages. What it asks for, who asks and what has been answered are three
// values. A test shows that only the stages, and the functions in the file of a value, set what is in it.
type request struct {
	api *Front        // the HTTP side of the API to which it was sent
	r   *http.Request // its context has the user, and what observers add
	asked
	requester
	answer

	handle   handler
	refused  error // the first error of a stage
	done     bool  // the remaining stages are skipped
	admitted bool  // the request may go on, even if it has not entered
	entered  bool  // the flight is registered
	watches  bool  // the request is a watch that has begun

	flight   delivery.Flight
	outer    *request      // has made this one, see ServeInside
	heir     *request      // answers in the place of this request, which a hook holds; see inTime
	observed *observed     // nil if nobody observes the API
	behind   atomic.Uint64 // of a watch, see [delivery.Watch]
}

// enter is a stage. The API may have given up or replaced the resource since the stage find.
func (q *request) enter() error {
	err := q.api.flights.Enter(&q.flight, q, q.resource())
	for errors.Is(err, resource.ErrRetired) {
		_ = q.find()
		err = q.api.flights.Enter(&q.flight, q, q.resource())
	}
	q.entered = err == nil
	if q.res != nil && q.res.Kind.Warning != "" {
		q.w.Header().Add("Warning", media.Warning(q.res.Kind.Warning))
	}
	if q.isHealth() {
		err = nil
	}
	q.admitted = err == nil
	return err
}

// act is a stage.
func (q *request) act() error { return q.handle(q) }

// answering returns the request that answers the client: this one, or its heir.
func (q *request) answering() *request {
	if q.heir != nil {
		return q.heir
	}
	return q
}

// leave ends the request. A hook that holds it does so otherwise.
func (q *request) leave() {
	if q.heir == nil {
		q.api.flights.Leave(&q.flight)
	}
}

// negotiate picks the form of the answer to a write. It returns a mismatch as an error at once, because a write must
// not happen if the API cannot answer it.
func (q *request) negotiate(e media.Endpoint) (*media.Representation, error) {
	return q.negotiateOf(q.kind(), e)
}

// negotiateOf is negotiate for an answer of another kind than that of the path.
func (q *request) negotiateOf(kind *media.Kind, e media.Endpoint) (*media.Representation, error) {
	rep, err := q.api.types.Negotiate(kind, e, q.accepted())
	if err != nil {
		return nil, err
	}
	return rep, rep.Mismatch
}

// negotiateRead picks the form of the answer to a read. Its caller reports Mismatch only after errors in the options
// and a missing object, which is the order of kube-apiserver.
func (q *request) negotiateRead(e media.Endpoint) (*media.Representation, error) {
	return q.api.types.Negotiate(q.kind(), e, q.accepted())
}

// accepted returns what the request says about the form of its answer.
func (q *request) accepted() media.Accepted {
	return media.Accepted{Accept: q.r.Header["Accept"], Pretty: q.wantsPretty(),
		Include: apimeta.IncludeObjectPolicy(q.query.Get("includeObject"))}
}

func (q *request) wantsPretty() bool {
	return media.ForPeople(q.query.Get("pretty"), q.r.UserAgent())
}

// namespace returns the namespace in the URL. It is empty if the URL spans all namespaces, and for a cluster-scoped
// resource.
func (q *request) namespace() (string, error) {
	if !q.res.Kind.Namespaced {
		return "", nil
	}
	namespace := q.at.namespace
	if namespace == "" {
		return "", nil
	}
	if msgs := apimeta.ValidatePathSegmentName(namespace); len(msgs) > 0 {
		return "", status.BadRequest(fmt.Sprintf("Namespace parameter invalid: %q: %s", namespace, strings.Join(msgs, ", ")))
	}
	return namespace, nil
}

// objectName returns the namespace and the name of the object in the URL.
func (q *request) objectName() (namespace, name string, err error) {
	if namespace, err = q.namespace(); err != nil {
		return "", "", err
	}
	if q.res.Kind.Namespaced && namespace == "" {
		return "", "", status.ResourceNotFound()
	}
	if name = q.at.name; name == "" {
		return "", "", status.ResourceNotFound()
	}
	if msgs := apimeta.ValidatePathSegmentName(name); len(msgs) > 0 {
		return "", "", status.BadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", name, strings.Join(msgs, ", ")))
	}
	return namespace, name, nil
}

// context returns the context for hooks. Reads without hooks do not call it, which saves its allocation.
func (q *request) context() context.Context { return context.WithValue(q.r.Context(), keys.Call{}, q) }

// withTimeout returns the context of the request, bounded by the time limit of the API and by its parameter timeout. The
// caller calls the returned function.
func (q *request) withTimeout() (context.Context, context.CancelFunc, error) {
	timeout, err := q.timeout()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := deadline.After(q.context(), timeout)
	return ctx, cancel, nil
}

// timeout returns the value of the parameter timeout, at most the time limit of the API.
func (q *request) timeout() (time.Duration, error) {
	limit, value := q.api.options.RequestTimeout, q.query.Get("timeout")
	if value == "" {
		return limit, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, status.BadRequest("invalid timeout specified in the request URL - " + words.NotADuration(value))
	}
	if d > 0 && d < limit {
		return d, nil
	}
	return limit, nil
}

// readBody reads the body of the request, and shows it to observers.
func (q *request) readBody() ([]byte, error) {
	data, err := q.receiveBody()
	if data != nil {
		q.observed.read(data)
	}
	return data, err
}

// receiveBody reads the body of the request, up to MaxBodyBytes. Meanwhile the request gives its place to others,
// because the client may be slow.
func (q *request) receiveBody() ([]byte, error) {
	if q.r.Body == nil || q.r.Body == http.NoBody {
		return nil, nil
	}
	flights := q.api.flights
	if err := flights.Receive(&q.flight); err != nil {
		return nil, err
	}
	data, err := body.Read(q.w, q.r, q.api.options.MaxBodyBytes,
		func(bytes int64) error { return flights.Received(&q.flight, bytes) })
	if err != nil {
		return nil, err
	}
	return data, flights.Resume(q.r.Context(), &q.flight)
}

// bodyFormat returns the format of the body. message is what a body in Protobuf contains.
func (q *request) bodyFormat(message media.Message) body.Format {
	return body.Format{Type: body.Type(q.r), Message: message, NumbersAsText: q.res.Schema.ReadsNumbers(),
		CBOR: q.api.options.CBOR}
}

// isHealth reports whether the request is a health check. The API answers those even if it refuses other requests,
// because it is overloaded or closing.
func (q *request) isHealth() bool {
	path := q.r.URL.Path
	return strings.HasPrefix(path, "/healthz") || strings.HasPrefix(path, "/livez") || strings.HasPrefix(path, "/readyz")
}

// Name implements [delivery.Request].
func (q *request) Name() string { return q.r.Method + " " + q.r.URL.Path }

// Hurry implements [delivery.Request]. A network connection is closed by the host's server, but a response of
// RoundTripper has no server.
func (q *request) Hurry() { inprocess.Hurry(q.w, delivery.StuckAtEnd) }
