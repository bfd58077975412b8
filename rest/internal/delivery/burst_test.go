package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// gatedStream is the answer to a watch. Its first write waits until gate is closed.
type gatedStream struct {
	header  http.Header
	entered chan struct{} // receives a value when the first write begins
	gate    chan struct{}
	writes  int
	events  int
	all     chan struct{} // closed when as many events as expected have been written
	expect  int
}

func (s *gatedStream) Header() http.Header              { return s.header }
func (s *gatedStream) WriteHeader(int)                  {}
func (s *gatedStream) Flush()                           {}
func (s *gatedStream) SetWriteDeadline(time.Time) error { return nil }

func (s *gatedStream) Write(p []byte) (int, error) {
	if s.writes++; s.writes == 1 {
		close(s.entered)
		<-s.gate
	}
	if s.events += strings.Count(string(p), "\n"); s.events == s.expect {
		close(s.all)
	}
	return len(p), nil
}

// A burst of changes reaches a client that is busy in a few writes, and not in one for each change.
func TestABurstOfChangesIsAFewWrites(t *testing.T) {
	const changes, atMost = 100, 10
	s := apitest.NewThingServer(t, rest.Options{})
	s.Fill(t, changes)
	stream := &gatedStream{
		header: http.Header{}, entered: make(chan struct{}), gate: make(chan struct{}), all: make(chan struct{}),
		expect: changes,
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	target := apitest.Things + "?watch=1&resourceVersion=" + fmt.Sprint(s.Store.Revision())
	go func() {
		defer close(ended)
		s.API.ServeHTTP(stream, apitest.NewRequest("GET", target, nil).WithContext(ctx))
	}()
	change := func(i int) {
		w := apitest.NewThingWriter(s.API, "PATCH", fmt.Sprintf("%s/n%06d", apitest.Things, i),
			"application/merge-patch+json")
		require.Equal(t, http.StatusOK, w.Send([]byte(`{"spec":{"size":7}}`)))
	}
	change(0)
	<-stream.entered
	for i := 1; i < changes; i++ {
		change(i)
	}
	close(stream.gate)
	<-stream.all
	stop()
	<-ended
	assert.LessOrEqual(t, stream.writes, atMost)
}
