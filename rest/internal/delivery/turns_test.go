package delivery_test

import (
	"bytes"
	"context"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// turnWriter notes after how many writes somebody else, who waits since the first one, gets a turn.
type turnWriter struct {
	apitest.Recorder
	writes       atomic.Int32
	events, want int
	turn         chan int32
	sent         func()
}

func (w *turnWriter) Write(p []byte) (int, error) {
	if w.writes.Add(1) == 1 {
		go func() { w.turn <- w.writes.Load() }()
	}
	if w.events += bytes.Count(p, []byte(`"type":"ADDED"`)); w.events == w.want {
		w.sent()
	}
	return len(p), nil
}

// A watch that has much to send does not send it in one go: many of them would keep everybody else from their turn.
func TestAWatchWithMuchToSendLetsOthersGoFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // there is one turn at a time
	const objects = 200
	for name, query := range map[string]string{"what is there": "?watch=1",
		"what has happened": "?watch=1&resourceVersion=1"} {
		t.Run(name, func(t *testing.T) {
			s := apitest.NewThingServer(t, rest.Options{})
			s.Fill(t, objects)
			ctx, sent := context.WithCancel(context.Background())
			defer sent()
			w := &turnWriter{Recorder: apitest.NewRecorder(), want: objects, turn: make(chan int32, 1), sent: sent}
			s.API.ServeHTTP(w, apitest.NewRequest(http.MethodGet, apitest.Things+query, nil).WithContext(ctx))
			require.Equal(t, objects, w.events)
			require.Greater(t, w.writes.Load(), int32(4))
			require.Less(t, <-w.turn, w.writes.Load())
		})
	}
}
