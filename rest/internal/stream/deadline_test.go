package stream_test

import (
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/stream"
)

// deadlineWriter notes the deadlines of a connection.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	set     []time.Time
	writing func()
}

func (w *deadlineWriter) SetWriteDeadline(t time.Time) error {
	w.set = append(w.set, t)
	return nil
}

func (w *deadlineWriter) Write(p []byte) (int, error) {
	w.writing()
	return w.ResponseRecorder.Write(p)
}

// Each write has its time: a minute at least, and half a minute more at most. With HTTP/1.1, one deadline serves
// several writes. With HTTP/2, no deadline stays after a write.
func TestDeadlinesOfWrites(t *testing.T) {
	const events, pause = 10, 10 * time.Second
	for name, frames := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
				w.writing = func() {
					left := time.Until(w.set[len(w.set)-1])
					assert.GreaterOrEqual(t, left, time.Minute)
					assert.LessOrEqual(t, left, 90*time.Second)
				}
				body, err := stream.NewBody(w, frames, time.Minute, delivery.NewEnding(), &delivery.Held{})
				require.NoError(t, err)
				w.set = nil
				for range events {
					require.NoError(t, body.Send([]byte("event"), nil, nil))
					if frames {
						assert.Zero(t, w.set[len(w.set)-1])
					}
					apitest.LetPass(pause)
				}
				if !frames {
					assert.Len(t, w.set, 3)
				}
				body.Close()
				assert.Zero(t, w.set[len(w.set)-1], "the next request has the connection for itself")
			})
		})
	}
}
