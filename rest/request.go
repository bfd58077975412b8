package rest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/internal/body"
	"github.com/decorum-go/decorum/rest/internal/deadline"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/inprocess"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// request is one request on its way through the handlers. Its handler owns it. Shutdown and Close also read r and w of
// other requests.
type request struct {
	api     *API
	serving *serving // what the API served when the path was last looked up
	res     *served  // nil for paths outside of all resources
	w       http.ResponseWriter
	r       *http.Request
	at      place
	kind    *media.Kind        // of the body and the answer: the resource's, or the subresource's own
	through *servedSubresource // the subresource in the path; nil for the object itself
	unknown bool               // the API serves nothing at the path
	ofPath  bool               // the path asks to watch its object

	asked  route.Question // see question
	isRead bool           // asked is set
	query  url.Values
	secret []string // the headers with credentials, which no stream receives
	allowance
	auditID  [1]string // the value of a header, without an allocation of its own
	length   [1]string // of the body, likewise
	wrote    bool      // the answer has begun
	logged   bool      // the log has the failure already
	outer    *request  // has made this one, see [API.ServeInside]
	heir     *request  // answers in the place of this request, which a hook holds; see inTime
	flight   delivery.Flight
	held     delivery.Held
	watches  bool // the request is a watch that has begun
	warnings write.Warnings
	observed *observed     // nil if nobody observes the API
	behind   atomic.Uint64 // of a watch, see [delivery.Watch]
}

// answerWriter returns the writer of the body of the answer.
func (q *request) answerWriter() io.Writer {
	if q.held.Now != nil {
		return q.held.Now.Writer(q.w)
	}
	return q.w
}

// readQuery parses the query. It refuses a malformed query as a whole: if it dropped only the malformed part, a DELETE
// could lose its selector and delete everything.
func (q *request) readQuery() error {
	if q.r.URL.RawQuery == "" {
		return nil
	}
	var err error
	if q.query, err = url.ParseQuery(q.r.URL.RawQuery); err != nil {
		return status.BadRequest("the query cannot be parsed: " + cmp.Or(words.NotAQuery(q.r.URL.RawQuery),
			"it has too many parameters"))
	}
	return nil
}

// needsUser reports whether the API has to find out who sends the request. Otherwise the host's middleware has done so.
func (q *request) needsUser() bool {
	return q.api.options.Authenticator != nil || len(identity.ImpersonationHeaders(q.r.Header)) > 0
}

// parameters returns the parsed query. If a parameter is repeated, callers use its first value.
func (q *request) parameters() url.Values { return q.query }

// recover turns a panic in a handler into a 500, so that one request cannot end the host's process. It passes on
// [http.ErrAbortHandler], with which a handler breaks its answer off.
func (q *request) recover() {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		if q.observed != nil {
			q.observed.end.Aborted = true
		}
		panic(p)
	}
	q.answering().fail(&resource.PanicError{Where: "a request", Value: p, Stack: debug.Stack()})
}

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
	rep, err := q.negotiateRead(e)
	if err != nil {
		return nil, err
	}
	return rep, rep.Mismatch
}

// negotiateRead picks the form of the answer to a read. Its caller reports Mismatch only after errors in the options
// and a missing object, which is the order of kube-apiserver.
func (q *request) negotiateRead(e media.Endpoint) (*media.Representation, error) {
	return q.api.types.Negotiate(q.kind, e, q.accepted())
}

// accepted returns what the request says about the form of its answer.
func (q *request) accepted() media.Accepted {
	return media.Accepted{Accept: q.r.Header["Accept"], Pretty: q.wantsPretty(),
		Include: apimeta.IncludeObjectPolicy(q.parameters().Get("includeObject"))}
}

func (q *request) wantsPretty() bool {
	return media.ForPeople(q.parameters().Get("pretty"), q.r.UserAgent())
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
func (q *request) context() context.Context { return context.WithValue(q.r.Context(), accessKey{}, q) }

// withTimeout returns the context of the request, bounded by [Options].RequestTimeout and by its parameter timeout. The
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
	limit, value := q.api.options.RequestTimeout, q.parameters().Get("timeout")
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
