package rest

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/status"
)

// Header values that are the same for many answers. net/http reads them and nobody writes to them.
var (
	headerJSON    = []string{media.JSON}
	headerNoCache = []string{"no-cache, private"}
)

// writeRaw sends a body as it is.
func (q *request) writeRaw(code int, contentType string, body []byte) error {
	h := q.w.Header()
	if contentType == media.JSON {
		h["Content-Type"] = headerJSON
	} else {
		h["Content-Type"] = []string{contentType}
	}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = headerNoCache
	}
	if len(q.warnings.Texts) > 0 {
		for _, value := range media.Warnings(q.warnings.Texts) {
			h.Add("Warning", value)
		}
	}
	q.wrote = true
	if code == http.StatusOK && len(body) > media.CompressAbove && q.compresses() {
		q.w.WriteHeader(code)
		return media.Compressed(q.body(), func(w io.Writer) error {
			_, _ = w.Write(body)
			return nil
		})
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	q.w.WriteHeader(code)
	_, _ = q.body().Write(body) // a client that has gone away is no error of ours
	return nil
}

// compresses reports whether a large answer goes out compressed, and says so in its headers.
func (q *request) compresses() bool {
	if !media.AcceptsGzip(q.r.Header["Accept-Encoding"]) {
		return false
	}
	h := q.w.Header()
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
	return true
}

// writeJSON sends a JSON body in the media type that was negotiated.
func (q *request) writeJSON(code int, rep *media.Representation, body []byte) error {
	if !rep.IsPlain() {
		var err error
		if body, err = rep.Encode(body); err != nil {
			return err
		}
	}
	return q.writeRaw(code, rep.Media, body)
}

// writeObject sends one object, given as stored JSON, as the client wants to see it.
func (q *request) writeObject(code int, rep *media.Representation, object []byte) error {
	if rep.Form != media.Whole {
		var err error
		if object, err = q.kind.Transform(rep, object); err != nil {
			return err
		}
	}
	return q.writeJSON(code, rep, object)
}

// writeOwn sends a struct of this library's.
func (q *request) writeOwn(code int, rep *media.Representation, v any) error {
	body, err := codec.EncodeOwn(v)
	if err != nil {
		return err
	}
	return q.writeJSON(code, rep, body)
}

// fail answers with a Status. An error that is none becomes a 500 without its text, which goes to the log. Where the
// answer has begun there is nothing left but to break off.
func (q *request) fail(err error) {
	e := q.failure(err)
	if q.wrote {
		panic(http.ErrAbortHandler) // the client must not take what it has for the whole
	}
	if d := e.Status.Details; d != nil && d.RetryAfterSeconds > 0 {
		q.w.Header().Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	q.warnings.Texts = q.warnings.Texts[:q.warnings.Always]
	q.w.Header().Del("Content-Encoding") // of the answer that did not come
	_ = q.writeOwn(status.CodeOf(e), q.api.types.NegotiateStatus(q.asked()), &e.Status)
}

// failure is what a client is told of an error; what it is not told goes to the log.
func (q *request) failure(err error) *status.Error {
	e := status.From(err)
	if e.Status.Code < http.StatusInternalServerError || q.expected(e) {
		return e
	}
	attrs := []slog.Attr{slog.String("method", q.r.Method), slog.String("path", q.r.URL.Path), slog.Any("error", err)}
	if told, ok := errors.AsType[*status.Error](err); ok && errors.Unwrap(told) != nil {
		attrs = append(attrs, slog.Any("cause", errors.Unwrap(told)))
	}
	q.api.options.Logger.LogAttrs(q.r.Context(), slog.LevelError, "request failed", attrs...)
	return e
}

// expected reports whether an error of the server says only that the client has left, that the API ends, or that the
// client asks for what is not there yet.
func (q *request) expected(e *status.Error) bool {
	return q.r.Context().Err() != nil || q.api.closing() && status.IsServiceUnavailable(e) || status.IsTooLargeResourceVersion(e)
}

// Error answers a request with an error as the API itself does: as a Status in the form that the client accepts, and with the text
// of an error that is none of package status in the log only. It is for the host's middleware, which refuses a request before the API
// sees it.
func (a *API) Error(w http.ResponseWriter, r *http.Request, err error) {
	q := &request{api: a, w: w, r: r}
	_ = q.readQuery() // a query that does not parse asks for nothing
	q.fail(err)
}
