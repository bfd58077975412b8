package apitest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Unread is a request whose client reads nothing of the body before Read is called.
type Unread struct {
	Header http.Header
	Code   int

	begun, reads, done chan struct{}
	once               sync.Once
}

// SendUnread sends a request, and returns when its answer has begun.
func SendUnread(t testing.TB, h http.Handler, method, target string, headers ...string) *Unread {
	t.Helper()
	u := &Unread{Header: http.Header{}, begun: make(chan struct{}), reads: make(chan struct{}), done: make(chan struct{})}
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		defer close(u.done)
		h.ServeHTTP(unreadWriter{u}, r)
	}()
	t.Cleanup(u.Read)
	Within(t, "the answer begins", u.begun)
	return u
}

// Read reads the answer to its end.
func (u *Unread) Read() {
	u.once.Do(func() { close(u.reads) })
	<-u.done
}

type unreadWriter struct{ *Unread }

func (w unreadWriter) Header() http.Header { return w.Unread.Header }

func (w unreadWriter) WriteHeader(code int) {
	w.Code = code
	close(w.begun)
}

func (w unreadWriter) Write(b []byte) (int, error) {
	<-w.reads
	return len(b), nil
}

func (w unreadWriter) SetWriteDeadline(time.Time) error { return nil }
