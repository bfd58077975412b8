package front

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// Header values that many answers share, so nobody may change them. net/http only reads them.
var (
	headerJSON    = []string{media.JSON}
	headerNoCache = []string{"no-cache, private"}
	headerNoSniff = []string{"nosniff"}
)

// newline ends an answer in compact JSON. As in kube-apiserver, indented JSON ends without one.
var newline = []byte("\n")

// answer is what may be answered, and what has been. The functions of this file set what is in it.
type answer struct {
	w        http.ResponseWriter // nil once an heir answers
	auditID  [1]string           // the value of a header, without an allocation of its own
	length   [1]string           // of the body, likewise
	wrote    bool                // the answer has begun
	logged   bool                // the log has the failure already
	held     delivery.Held
	warnings write.Warnings
}

// begin notes that the answer begins.
func (a *answer) begin() { a.wrote = true }

// begun notes that the answer has begun, if it has.
func (a *answer) begun(has bool) { a.wrote = a.wrote || has }

// writeTo replaces the writer. The lock is needed because Shutdown reads it.
func (q *request) writeTo(w http.ResponseWriter) { q.api.flights.Locked(func() { q.w = w }) }

// setHeader is a stage.
func (q *request) setHeader() error {
	q.w.Header()["X-Content-Type-Options"] = headerNoSniff
	q.setAuditID()
	return nil
}

// setAuditID gives the request its audit ID: the one that the host's middleware has put into the answer, or the one
// that the client has sent, or a new one.
func (q *request) setAuditID() {
	h := q.w.Header()
	if set := h[auditIDHeader]; len(set) > 0 {
		q.auditID[0] = set[0]
		return
	}
	if sent := q.r.Header[auditIDHeader]; len(sent) > 0 && isAuditID(sent[0]) {
		q.auditID[0] = sent[0]
	} else {
		q.auditID[0] = newAuditID()
	}
	h[auditIDHeader] = q.auditID[:]
}

// refuse is a stage. All failures but panics end here.
func (q *request) refuse() error {
	if q.refused != nil {
		q.answering().fail(q.refused)
	}
	return nil
}

// answerWriter returns the writer of the body of the answer.
func (a *answer) answerWriter() io.Writer {
	if a.held.Now != nil {
		return a.held.Now.Writer(a.w)
	}
	return a.w
}

// writeRaw sends a body unchanged and its end, with the headers and warnings of the response. Only this response may
// keep the body in memory, because it can be an encoding or an old state of an object. The API therefore aborts a large
// response if the client is too slow.
func (q *request) writeRaw(code int, contentType string, body, end []byte) error {
	if q.held.Now != nil || len(body) <= media.ChunkSize {
		return q.writeBody(code, contentType, body, end)
	}
	return q.hold(delivery.Copied, len(body), func() error { return q.writeBody(code, contentType, body, end) })
}

// hold runs write, and aborts the response if the client is too slow. While write runs, the response keeps about size
// bytes in memory. expired returns an error once the store no longer holds these bytes itself.
func (q *request) hold(expired func() error, size int, write func() error) error {
	cut := func() { _ = http.NewResponseController(q.w).SetWriteDeadline(time.Now()) }
	bytes := delivery.Bytes{Expired: expired, Cut: cut}
	if q.flight.HasSeats() {
		bytes.Waits = q.deliver // until then, the API may have to compress or to encode the answer
		bytes.Resumes = func() error { return q.api.flights.Continue(q.r.Context(), &q.flight) }
	} else {
		q.deliver()
	}
	holding := q.held.Hold(bytes, size)
	defer holding.Release()
	if err := write(); err != nil {
		return err
	}
	return holding.Ended()
}

// deliver gives up the place of the request and its seats, because its client reads.
func (q *request) deliver() { q.api.flights.Deliver(&q.flight) }

// sendWarnings adds the warnings of the request to the header of the answer.
func (q *request) sendWarnings() {
	if len(q.warnings.Texts) > 0 {
		for _, value := range media.Warnings(q.warnings.Texts) {
			q.w.Header().Add("Warning", value)
		}
	}
}

// writeBody sends the header, the body and its end. The body may be a stored object, to which nothing can be appended.
// It compresses a large body if the client accepts gzip. It never compresses an end alone.
func (q *request) writeBody(code int, contentType string, body, end []byte) error {
	h := q.w.Header()
	if contentType == media.JSON {
		h["Content-Type"] = headerJSON
	} else {
		h["Content-Type"] = []string{contentType}
	}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = headerNoCache
	}
	q.sendWarnings()
	q.begin()
	if code == http.StatusOK && len(body) > media.CompressAbove && q.compresses() {
		q.w.WriteHeader(code)
		return media.Compressed(q.answerWriter(), func(w io.Writer) error {
			_, _ = w.Write(body)
			_, _ = w.Write(end)
			return nil
		})
	}
	q.length[0] = strconv.Itoa(len(body) + len(end))
	h["Content-Length"] = q.length[:]
	q.w.WriteHeader(code)
	to := q.answerWriter()
	if _, err := to.Write(body); err == nil && len(end) > 0 { // an error means that the client has left
		_, _ = to.Write(end)
	}
	return nil
}

// compresses reports whether the client accepts gzip, and sets the headers of a compressed answer.
func (q *request) compresses() bool {
	if !media.AcceptsGzip(q.r.Header["Accept-Encoding"]) {
		return false
	}
	q.setCompressed()
	return true
}

// setCompressed sets the headers of a compressed answer.
func (q *request) setCompressed() {
	h := q.w.Header()
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
}

// writeJSON sends a JSON body in the negotiated media type.
func (q *request) writeJSON(code int, rep *media.Representation, body []byte) error {
	q.observed.answered(body)
	if rep.IsPlain() {
		return q.writeRaw(code, rep.Media, body, newline)
	}
	loan := q.lend()
	if err := loan.Take(int64(rep.Room(body))); err != nil {
		return err
	}
	defer loan.Release()
	body, err := rep.Encode(body)
	if err != nil {
		return err
	}
	loan.Keep(int64(len(body))) // the rest was for the encoding
	return q.writeRaw(code, rep.Media, body, nil)
}

// writeObject sends one object, given as stored JSON, in the form that the client asks for.
func (q *request) writeObject(code int, rep *media.Representation, object []byte) error {
	return q.writeObjectOf(q.kind(), code, rep, object)
}

// writeObjectOf is writeObject for an object of another kind than that of the path.
func (q *request) writeObjectOf(kind *media.Kind, code int, rep *media.Representation, object []byte) error {
	if rep.IsStored() {
		return q.writeJSON(code, rep, object)
	}
	loan := q.lend()
	if len(object) > media.ChunkSize {
		if err := loan.Take(2 * int64(len(object))); err != nil { // the buffer doubles when it grows
			return err
		}
		defer loan.Release()
	}
	object, err := kind.Transform(rep, object)
	if err != nil {
		return err
	}
	loan.Keep(int64(cap(object)))
	return q.writeJSON(code, rep, object)
}

// writeOwn sends a value of one of this library's own types. Its size depends on what the host declares, or has a limit
// of its own. If clients choose it, the caller has taken it from the budget.
func (q *request) writeOwn(code int, rep *media.Representation, v any) error {
	body, err := codec.EncodeOwn(v)
	if err != nil {
		return err
	}
	return q.writeJSON(code, rep, body)
}

// fail answers with err as a Status. If the answer has already begun, it panics with [http.ErrAbortHandler] instead,
// and the server closes the connection.
func (q *request) fail(err error) {
	e := q.failure(err)
	q.observed.failed(err, &e.Status)
	if q.wrote {
		panic(http.ErrAbortHandler) // otherwise the client would take the part it has for the whole
	}
	// The answer for a path of a resource has no Allow, as that of Kubernetes. Whoever serves a path outside of the API's
	// own knows its methods.
	if q.serving != nil && q.res == nil && q.r.Method != http.MethodGet &&
		status.CodeOf(e) == http.StatusMethodNotAllowed {
		q.w.Header().Set("Allow", http.MethodGet)
	}
	if d := e.Status.Details; d != nil && d.RetryAfterSeconds > 0 {
		q.w.Header().Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	q.warnings.Texts = q.warnings.Texts[:q.warnings.Always]
	q.w.Header().Del("Content-Encoding") // was set for the answer that failed
	err = q.writeOwn(status.CodeOf(e), q.api.types.NegotiateStatus(q.accepted()), &e.Status)
	if err != nil && !q.wrote { // no room for a large Status in another form
		_ = q.writeOwn(status.CodeOf(e), media.PlainJSON(false), &e.Status)
	}
}

// failure returns the error that the client sees. An error outside package status becomes a 500 without its text.
// failure logs errors of the server with their causes, which the client must not see, and every panic. A 503 without a
// cause is an answer that somebody chose, such as that of a hook whose backend is away on purpose. It tells the client
// everything, so it is a warning.
func (q *request) failure(err error) *status.Error {
	e := status.From(err)
	_, panicked := errors.AsType[*resource.PanicError](err)
	if status.CodeOf(e) < http.StatusInternalServerError || q.logged || q.expected(e) && !panicked {
		return e
	}
	level, message := slog.LevelError, "request failed"
	logged := errorlog.Bound(err)
	if panicked {
		logged = err // its stack has many lines, and shows no text of a client
	}
	attrs := []slog.Attr{safeText("method", q.r.Method), safeText("path", q.r.URL.Path),
		safeText("user", access.UserFrom(q.r.Context()).Name), slog.String("auditID", q.auditID[0]), slog.Any("error", logged)}
	told, ok := errors.AsType[*status.Error](err)
	switch {
	case ok && errors.Unwrap(told) != nil:
		attrs = append(attrs, slog.Any("cause", errorlog.Bound(errors.Unwrap(told))))
	case ok && (err == error(told) || withheld(err) == error(told)) && status.IsServiceUnavailable(told):
		level, message = slog.LevelWarn, "request refused"
	}
	q.api.options.Logger.LogAttrs(q.r.Context(), level, message, attrs...)
	return e
}

// withheld returns what another program said if err only reports that. Otherwise it returns nil.
func withheld(err error) error {
	if w, ok := err.(*errorlog.Withheld); ok {
		return w.Unwrap()
	}
	return nil
}

// safeText returns an attribute with a text that a client has chosen.
func safeText(key, value string) slog.Attr {
	return slog.String(key, errorlog.Safe(value, errorlog.MaxText))
}

// expected reports whether a 5xx is not a fault of the server: the client has left, the API shuts down or expects the
// resource, or the client asks for a future revision.
func (q *request) expected(e *status.Error) bool {
	ahead := q.api.closing() || q.serving != nil && q.res == nil
	return q.r.Context().Err() != nil || ahead && status.IsServiceUnavailable(e) || status.IsTooLargeResourceVersion(e)
}

// Error answers a request with an error, in a form that the client accepts.
func (a *Front) Error(w http.ResponseWriter, r *http.Request, err error) {
	q := &request{api: a, r: r, answer: answer{w: w}}
	q.setAuditID()
	_ = q.readQuery() // a malformed query asks for no form of the answer
	q.fail(err)
}
