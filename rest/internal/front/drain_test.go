package front_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// During the drain, an API serves everything but says that it is not ready. Then its watches end as complete answers.
func TestShutdownDrainsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{DrainTime: 10 * time.Second})
		server := apitest.ServeOnPipes(t, s.API)
		stream := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1")
		assert.Empty(t, s.Do("GET", apitest.Things, "").Header.Get("Connection"))

		begin := time.Now()
		ended := apitest.InBackground(func() error { return s.API.Shutdown(t.Context()) })
		apitest.LetPass(9 * time.Second)
		assert.Equal(t, 500, s.Do("GET", "/readyz", "").Code)
		assert.Equal(t, 200, s.Do("GET", "/livez", "").Code)
		s.MustCreate(t, "late")
		event, thing := stream.Next(t)
		assert.Equal(t, apimeta.EventAdded, event)
		assert.Equal(t, "late", thing.Name)
		assert.Equal(t, "close", s.Do("GET", apitest.Things, "").Header.Get("Connection"))

		require.NoError(t, <-ended)
		assert.Equal(t, 10*time.Second, time.Since(begin))
		assert.NoError(t, stream.Drained(), "the watch ends without an error event")
		assert.Equal(t, 503, s.Do("GET", apitest.Things, "").Code)
	})
}

// The time of the drain counts from its first announcement, and ends with the context of Shutdown or with Close.
func TestEndOfTheDrain(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(api *rest.API) error
		want time.Duration
	}{
		"after its time": {func(api *rest.API) error {
			api.Drain()
			apitest.LetPass(4 * time.Second)
			api.Drain()
			return api.Shutdown(context.Background())
		}, 10 * time.Second},
		"context": {func(api *rest.API) error {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			defer cancel()
			return api.Shutdown(ctx)
		}, 3 * time.Second},
		"close": {func(api *rest.API) error {
			ended := apitest.InBackground(func() error { return api.Shutdown(context.Background()) })
			apitest.LetPass(time.Second)
			assert.NoError(t, api.Close())
			return <-ended
		}, time.Second},
		"close at once": {(*rest.API).Close, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.New(t, rest.Options{DrainTime: 10 * time.Second})
				begin := time.Now()
				assert.NoError(t, c.end(api), "no request is in flight")
				assert.Equal(t, c.want, time.Since(begin))
				assert.Equal(t, 503, apitest.Do(t, api, "GET", "/api", "").Code)
			})
		})
	}
}

// A draining API makes its clients open new connections, also those of HTTP/2.
func TestDrainMovesConnections(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			server := httptest.NewUnstartedServer(api)
			server.EnableHTTP2 = protocol == "HTTP/2.0"
			server.StartTLS()
			defer server.Close()
			reuses := func() (reused bool) {
				trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
				r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "GET",
					server.URL+apitest.Widgets, nil)
				require.NoError(t, err)
				answer, err := server.Client().Do(r)
				require.NoError(t, err)
				defer answer.Body.Close()
				_, err = io.Copy(io.Discard, answer.Body)
				require.NoError(t, err)
				require.Equal(t, protocol, answer.Proto)
				return reused
			}
			reuses()
			assert.True(t, reuses())
			api.Drain()
			reuses() // the answer asks for another connection
			apitest.Await(t, "a new connection", func() bool { return !reuses() })
		})
	}
}
