package stream_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/stream"
)

// patient is a recorder with deadlines, which it always meets.
type patient struct{ *httptest.ResponseRecorder }

func (patient) SetWriteDeadline(time.Time) error { return nil }

// A reverse proxy whose backend fails breaks its answer off with a panic. Nothing may be left to hurry: the connection
// can belong to another request by then.
func TestAProxyThatBreaksOffIsNotHurried(t *testing.T) {
	for name, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"in the answer": func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusOK)
			panic(http.ErrAbortHandler)
		},
		"before it": func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{hurries: map[*func()]bool{}}
			call := h.call(patient{httptest.NewRecorder()}, httptest.NewRequest("GET", "/a", nil))
			assert.PanicsWithValue(t, http.ErrAbortHandler, func() { _ = stream.Proxy(context.Background(), call, "/", serve) })
			assert.Equal(t, name == "in the answer", call.Begun)
			assert.Zero(t, h.hurried())
		})
	}
}
