package apitest

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// ProtobufFrame reads an event of Protobuf.
func ProtobufFrame(t testing.TB) func(io.Reader) []byte {
	return func(r io.Reader) []byte {
		var length [4]byte
		_, err := io.ReadFull(r, length[:])
		require.NoError(t, err)
		event := make([]byte, binary.BigEndian.Uint32(length[:]))
		_, err = io.ReadFull(r, event)
		require.NoError(t, err)
		return event
	}
}

// Watching is a watch that is being answered, in a bubble of synctest: its events are there when everybody waits.
type Watching struct {
	t      *testing.T
	Writer *streamWriter
	Stop   context.CancelFunc
	Done   chan struct{}
}

// streamWriter holds back what has not been flushed, as a server does.
type streamWriter struct {
	mu      sync.Mutex
	Headers http.Header
	code    int
	pending bytes.Buffer
	flushed bytes.Buffer
	blocked chan struct{} // a Write waits until it is closed, like that to a client who does not read
}

func (w *streamWriter) Header() http.Header { return w.Headers }

func (w *streamWriter) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.code = code
}

func (w *streamWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	blocked := w.blocked
	w.mu.Unlock()
	if blocked != nil {
		<-blocked
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending.Write(b)
}

func (w *streamWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.pending.WriteTo(&w.flushed)
}

// SetWriteDeadline is there because a stream needs one. A blocked Write waits all the same.
func (w *streamWriter) SetWriteDeadline(time.Time) error { return nil }

func (w *streamWriter) Block(c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocked = c
}

// OpenWatch opens a watch and returns when it waits for events.
func OpenWatch(t *testing.T, h http.Handler, target string, headers ...string) *Watching {
	t.Helper()
	s := RequestWatch(t, h, target, headers...)
	if code := s.Code(); code != 200 {
		s.Writer.mu.Lock()
		defer s.Writer.mu.Unlock()
		require.Equal(t, 200, code, s.Writer.pending.String())
	}
	return s
}

// RequestWatch asks for a watch and returns when it waits, or has ended.
func RequestWatch(t *testing.T, h http.Handler, target string, headers ...string) *Watching {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &Watching{t: t, Writer: &streamWriter{Headers: http.Header{}}, Stop: stop, Done: make(chan struct{})}
	r := httptest.NewRequest("GET", target, nil).WithContext(ctx)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		defer close(s.Done)
		h.ServeHTTP(s.Writer, r)
	}()
	t.Cleanup(func() {
		stop()
		<-s.Done
	})
	synctest.Wait()
	return s
}

// Code is that of the answer, 0 as long as nothing was answered.
func (s *Watching) Code() int {
	synctest.Wait()
	s.Writer.mu.Lock()
	defer s.Writer.mu.Unlock()
	return s.Writer.code
}

// Events are those that have come since the last call, one JSON text each.
func (s *Watching) Events() []string {
	s.t.Helper()
	synctest.Wait()
	s.Writer.mu.Lock()
	defer s.Writer.mu.Unlock()
	text := s.Writer.flushed.String()
	s.Writer.flushed.Reset()
	if text == "" {
		return nil
	}
	require.True(s.t, strings.HasSuffix(text, "}\n"), "each event is a line: %q", text)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Want asserts that exactly these events have come since the last call.
func (s *Watching) Want(events ...string) {
	s.t.Helper()
	got := s.Events()
	require.JSONEq(s.t, "["+strings.Join(events, ",")+"]", Unmanaged(s.t, "["+strings.Join(got, ",")+"]"))
}

// Ended reports whether the watch is over.
func (s *Watching) Ended() bool {
	synctest.Wait()
	select {
	case <-s.Done:
		return true
	default:
		return false
	}
}

// Event is the JSON of an event.
func Event(kind, object string) string { return `{"type":"` + kind + `","object":` + object + `}` }

// Added is the JSON of the event that a Widget was created.
func Added(s StoredWidget) string { return Event("ADDED", s.String()) }

// Modified is the JSON of the event that a Widget has changed.
func Modified(s StoredWidget) string { return Event("MODIFIED", s.String()) }

// Deleted is the JSON of the event that a Widget is gone.
func Deleted(s StoredWidget) string { return Event("DELETED", s.String()) }

// Bookmark is the JSON of a bookmark among events of Widgets.
func Bookmark(rv string) string {
	return Event("BOOKMARK", `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"`+rv+`"}}`)
}

// InitialEventsEnd is the JSON of the bookmark that ends the initial events.
func InitialEventsEnd(rv string) string {
	return Event("BOOKMARK",
		`{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"`+rv+
			`","annotations":{"k8s.io/initial-events-end":"true"}}}`)
}
