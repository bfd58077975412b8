package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// Header values that are the same for many answers. net/http reads them and nobody writes to them.
var (
	headerJSON    = []string{mediaJSON}
	headerNoCache = []string{"no-cache, private"}
)

// writeRaw sends a body as it is.
func (q *request) writeRaw(code int, media string, body []byte) error {
	h := q.w.Header()
	if media == mediaJSON {
		h["Content-Type"] = headerJSON
	} else {
		h["Content-Type"] = []string{media}
	}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = headerNoCache
	}
	q.addWarnings()
	q.wrote = true
	if code == http.StatusOK && q.compresses(len(body)) {
		q.w.WriteHeader(code)
		return compressed(q.body(), func(w io.Writer) error {
			_, _ = w.Write(body)
			return nil
		})
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	q.w.WriteHeader(code)
	_, _ = q.body().Write(body) // a client that has gone away is no error of ours
	return nil
}

// writeJSON sends a JSON body in the media type that was negotiated.
func (q *request) writeJSON(code int, rep representation, body []byte) error {
	switch {
	case rep.media == mediaProtobuf:
		out, err := encodeProtobuf(rep.wire, body)
		if err != nil {
			return err
		}
		return q.writeRaw(code, mediaProtobuf, out)
	case rep.media == mediaYAML && !legible(body):
		return q.writeRaw(code, mediaYAML, body) // JSON is YAML
	case rep.media == mediaYAML:
		out, err := codec.AppendYAML(nil, body)
		if err != nil {
			return err
		}
		return q.writeRaw(code, mediaYAML, out)
	case rep.media == mediaCBOR:
		out, err := q.api.options.CBOR.AppendFromJSON(nil, body)
		if err != nil {
			return err
		}
		return q.writeRaw(code, mediaCBOR, out)
	case rep.pretty && legible(body):
		var out bytes.Buffer
		if err := json.Indent(&out, body, "", "  "); err != nil {
			return err
		}
		return q.writeRaw(code, mediaJSON, append(out.Bytes(), '\n'))
	}
	return q.writeRaw(code, mediaJSON, body)
}

// writeObject sends one object, given as stored JSON, as the client wants to see it.
func (q *request) writeObject(code int, rep representation, object []byte) error {
	switch rep.as {
	case asTable:
		body, err := q.table(rep, object)
		if err != nil {
			return err
		}
		return q.writeJSON(code, rep, body)
	case asPartial:
		body, err := appendPartial(nil, rep.metaVersion, object)
		if err != nil {
			return err
		}
		return q.writeJSON(code, rep, body)
	}
	return q.writeJSON(code, rep, object)
}

// writeOwn sends a struct of this library's.
func (q *request) writeOwn(code int, rep representation, v any) error {
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
	_ = q.writeOwn(status.CodeOf(e), q.statusRepresentation(), &e.Status)
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

// statusRepresentation is how a client gets an error. It is never transformed, and sent even to who accepts nothing that
// is served: then as JSON for people.
func (q *request) statusRepresentation() representation {
	accept := strings.Join(q.r.Header["Accept"], ",")
	if accept == "" {
		accept = mediaJSON
	}
	for _, c := range parseAccept(accept) {
		if c.media == mediaCBORSeq {
			c.media = mediaCBOR
		}
		for _, media := range q.api.media.served {
			if c.matches(media) && c.params["as"] == "" && c.params["g"] == "" && c.params["v"] == "" {
				return representation{media: media, wire: statusWire(), pretty: c.params["pretty"] == "1" || q.wantsPretty()}
			}
		}
	}
	return representation{media: mediaJSON, pretty: true}
}

const (
	// maxWarningRunes bounds all warnings of an answer together; beyond it each is cut to maxWarningCut.
	maxWarningRunes = 4096
	maxWarningCut   = 256
)

// addWarnings writes the Warning headers (RFC 9111, code 299), each text once. Beyond the bound it begins anew with what
// it has, each text cut, and goes on with further ones, cut as well, until they reach the bound.
func (q *request) addWarnings() {
	if len(q.warnings.Texts) == 0 {
		return
	}
	var texts []string
	used, cutting := 0, false
	seen := map[string]bool{}
	for _, text := range q.warnings.Texts {
		if text == "" || seen[text] || cutting && used >= maxWarningRunes {
			continue
		}
		seen[text] = true
		texts = append(texts, text)
		if n := utf8.RuneCountInString(text); cutting {
			used += min(n, maxWarningCut)
		} else if used += n; used > maxWarningRunes {
			used, cutting = 0, true
			for _, earlier := range texts {
				used += min(utf8.RuneCountInString(earlier), maxWarningCut)
			}
		}
	}
	for _, text := range texts {
		if runes := []rune(text); cutting && len(runes) > maxWarningCut {
			text = string(runes[:maxWarningCut])
		}
		q.w.Header().Add("Warning", "299 - "+quoteWarning(text))
	}
}

// quoteWarning makes text a quoted-string without control characters.
func quoteWarning(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case unicode.IsControl(r):
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
