package apitest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// NewRequest is a request as a server would read it from a socket: nothing in target is cleaned.
func NewRequest(method, target string, body io.Reader, header ...string) *http.Request {
	r := httptest.NewRequest(method, "/", body)
	path, query, _ := strings.Cut(target, "?")
	r.RequestURI = target
	r.URL.Path, r.URL.RawQuery = path, query
	if plain, err := url.PathUnescape(path); err == nil {
		r.URL.Path, r.URL.RawPath = plain, path
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", TypeJSON)
	}
	return r
}

// Recorder is httptest's, with the deadlines that a stream needs of a ResponseWriter. It takes every write, so it
// always meets them.
type Recorder struct{ *httptest.ResponseRecorder }

// NewRecorder returns a recorder without an answer.
func NewRecorder() Recorder { return Recorder{httptest.NewRecorder()} }

func (Recorder) SetWriteDeadline(time.Time) error { return nil }

// Ask sends a request to a handler, without a connection.
func Ask(h http.Handler, r *http.Request) Answer {
	w := NewRecorder()
	h.ServeHTTP(w, r)
	return AnswerOf(w.ResponseRecorder)
}

// Do sends a request. The headers are pairs; without a Content-Type among them a body is JSON.
func Do(t testing.TB, h http.Handler, method, target, body string, headers ...string) Answer {
	t.Helper()
	return Ask(h, NewRequest(method, target, TextOf(body), headers...))
}

// TextOf is the body of a request: none if the text is empty.
func TextOf(body string) io.Reader {
	if body == "" {
		return nil
	}
	return strings.NewReader(body)
}

// Must is do for a step that only prepares a test.
func Must(t testing.TB, h http.Handler, method, target, body string, headers ...string) Answer {
	t.Helper()
	a := Do(t, h, method, target, body, headers...)
	require.Less(t, a.Code, 300, "%s %s: %s", method, target, a.Body)
	return a
}
