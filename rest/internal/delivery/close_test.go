package delivery_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// flushing is a host's middleware that can be flushed, and leads nowhere else.
type flushing struct{ apitest.Wrapped }

func (w *flushing) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

// behindFlush serves h behind such a middleware.
func behindFlush(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&flushing{apitest.Wrapped{ResponseWriter: w}}, r)
	})
}

// A stream on a writer that has no deadlines could not be ended while its client does not read.
func TestStreamsNeedDeadlines(t *testing.T) {
	things := apitest.ThingResource()
	things.Subresources = []rest.SubresourceOf[apitest.Thing]{
		apitest.ThingLog{Name: "log",
			Output: func(_ context.Context, _ *apitest.Thing, _ *apitest.LogOptions, out io.Writer) error {
				_, err := io.WriteString(out, "line")
				return err
			}},
		rest.Stream[apitest.Thing, struct{}]{Name: "proxy",
			Serve: func(w http.ResponseWriter, _ *http.Request, _ *apitest.Thing, _ *struct{}) {
				_, _ = io.WriteString(w, "page")
			}},
	}
	s := apitest.NewThingServer(t, rest.Options{}, things)
	s.MustCreate(t, "a")
	for _, target := range []string{"?watch=1", "/a/log", "/a/proxy/"} {
		got := apitest.StatusOf(t, apitest.Ask(behindFlush(s.API), apitest.NewRequest("GET", apitest.Things+target, nil)))
		assert.Equal(t, status.ReasonInternalError, got.Reason, target)
		assert.Contains(t, got.Message, "Unwrap", target)
	}
	require.Equal(t, http.StatusOK, apitest.Ask(behindFlush(s.API), apitest.NewRequest("GET", apitest.Things, nil)).Code,
		"all else needs none")
	for target, want := range map[string]string{"/a/log": "line", "/a/proxy/": "page"} {
		assert.Equal(t, want, apitest.Ask(apitest.BehindUnwrap(s.API),
			apitest.NewRequest("GET", apitest.Things+target, nil)).Body)
	}
}

// closeUnread closes an API while a request is under way whose client reads nothing, or little, of the answer.
func closeUnread(t *testing.T, open func(t *testing.T, s *slabServer)) (took time.Duration, err error) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlabServer(t, 64<<20)
		for i := range 8 {
			s.create(t, fmt.Sprintf("s%d", i), 100<<10)
		}
		open(t, s)
		synctest.Wait()
		began := time.Now()
		err = s.api.Close()
		took = time.Since(began)
	})
	return took, err
}

func TestCloseBesideUnreadAnswers(t *testing.T) {
	inProcess := func(wrap func(http.Handler) http.Handler, target string, ends bool) func(*testing.T, *slabServer) {
		return func(t *testing.T, s *slabServer) {
			client := http.Client{Transport: rest.RoundTripper(wrap(s.api))}
			response, err := client.Get("http://x" + target)
			require.NoError(t, err)
			require.Equal(t, 200, response.StatusCode)
			t.Cleanup(func() {
				if _, err := io.Copy(io.Discard, response.Body); ends {
					assert.Error(t, err, "it is not whole")
				}
				_ = response.Body.Close()
			})
		}
	}
	overHTTP := func(wrap func(http.Handler) http.Handler, target string) func(*testing.T, *slabServer) {
		return func(t *testing.T, s *slabServer) {
			s.serve(t, wrap(s.api))
			s.get(t, target).begun(t)
		}
	}
	plain := func(h http.Handler) http.Handler { return h }
	const watch = slabs + "?watch=1"
	for _, c := range []struct {
		name string
		open func(*testing.T, *slabServer)
		left string // what Close does not end
	}{
		{"a watch in process", inProcess(plain, watch, true), ""},
		{"a list in process", inProcess(plain, slabs, true), ""},
		{"an object in process, behind a middleware", inProcess(apitest.BehindUnwrap, slabs+"/s0", true), ""},
		{"a watch over HTTP", overHTTP(plain, watch), ""},
		{"a watch over HTTP, behind a middleware", overHTTP(apitest.BehindUnwrap, watch), ""},
		{"a list over HTTP", overHTTP(plain, slabs), "GET " + slabs},
		{"a list behind a middleware that leads nowhere", overHTTP(behindFlush, slabs), "GET " + slabs},
		{"a list in process behind a middleware that leads nowhere", inProcess(behindFlush, slabs, false), "GET " + slabs},
	} {
		t.Run(c.name, func(t *testing.T) {
			took, err := closeUnread(t, c.open)
			assert.Less(t, took, 5*time.Second)
			if c.left == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, c.left)
		})
	}
}

// The error of Close also names the requests that wait for code of the host.
func TestCloseBesideStuckHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, entered, release := apitest.NewBlockingThings(t, rest.Options{})
		s.MustCreate(t, "a")
		written := apitest.InBackground(func() int {
			return s.Do("POST", apitest.Things, apitest.ThingBody("slow", "{}")).Code
		})
		<-entered
		left := make(chan struct{})
		go func() {
			defer close(left)
			for range apitest.ClientFor[apitest.Thing](t, s.API).Watch(t.Context(), rest.WatchOptions{}) {
				<-release
			}
		}()
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		err := s.API.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(began), "Shutdown waits as long as it is told to")
		began = time.Now()
		err = s.API.Close()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "POST "+apitest.Things)
		require.ErrorContains(t, err, "calls in process: 1")
		require.Equal(t, 4*time.Second, time.Since(began))

		close(release)
		require.Equal(t, http.StatusCreated, <-written, "the host's store is open")
		<-left
		require.NoError(t, s.API.Close(), "nothing is left")
	})
}

// Close lets go of what the API owns, whatever is left.
func TestCloseClosesTheStoreItOwns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		things := apitest.ThingResource()
		things.Hooks.Validate = func(context.Context, *apitest.Thing, *apitest.Thing) (status.FieldErrors, error) {
			close(entered)
			<-release
			return nil, nil
		}
		api, err := rest.New(rest.Options{}, things)
		require.NoError(t, err)
		s := &apitest.ThingServer{API: api}
		written := apitest.InBackground(func() int { return s.Do("POST", apitest.Things, apitest.ThingBody("a", "{}")).Code })
		<-entered
		require.Error(t, api.Close())
		close(release)
		require.Equal(t, http.StatusServiceUnavailable, <-written)
	})
}
