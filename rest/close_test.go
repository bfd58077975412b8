package rest_test

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
	"github.com/decorum-go/decorum/status"
)

// flushing is a host's middleware that can be flushed, and leads nowhere else.
type flushing struct{ wrapped }

func (w *flushing) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

// behindFlush serves h behind such a middleware.
func behindFlush(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(&flushing{wrapped{ResponseWriter: w}}, r) })
}

// A stream on a writer that has no deadlines could not be ended while its client does not read.
func TestStreamsNeedDeadlines(t *testing.T) {
	things := thingResource()
	things.Subresources = []rest.SubresourceOf[Thing]{
		thingLog{Name: "log", Output: func(_ context.Context, _ *Thing, _ *LogOptions, out io.Writer) error {
			_, err := io.WriteString(out, "line")
			return err
		}},
		rest.Stream[Thing, struct{}]{Name: "proxy", Serve: func(w http.ResponseWriter, _ *http.Request, _ *Thing, _ *struct{}) {
			_, _ = io.WriteString(w, "page")
		}},
	}
	s := newThingServer(t, rest.Options{}, things)
	s.mustCreate(t, "a")
	for _, target := range []string{"?watch=1", "/a/log", "/a/proxy/"} {
		got := statusOf(t, ask(behindFlush(s.api), newRequest("GET", thingsIn+target, nil)))
		assert.Equal(t, status.ReasonInternalError, got.Reason, target)
		assert.Contains(t, got.Message, "Unwrap", target)
	}
	require.Equal(t, http.StatusOK, ask(behindFlush(s.api), newRequest("GET", thingsIn, nil)).Code, "all else needs none")
	for target, want := range map[string]string{"/a/log": "line", "/a/proxy/": "page"} {
		assert.Equal(t, want, ask(behindUnwrap(s.api), newRequest("GET", thingsIn+target, nil)).Body)
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

func TestCloseBesideClientsThatDoNotRead(t *testing.T) {
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
		{"an object in process, behind a middleware", inProcess(behindUnwrap, slabs+"/s0", true), ""},
		{"a watch over HTTP", overHTTP(plain, watch), ""},
		{"a watch over HTTP, behind a middleware", overHTTP(behindUnwrap, watch), ""},
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

// Whatever waits for the host's own code is named as well.
func TestCloseBesideHostsThatDoNotReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, entered, release := blockingThings(t, rest.Options{})
		s.mustCreate(t, "a")
		written := inBackground(func() int { return s.do("POST", thingsIn, thingJSON("slow", "{}")).Code })
		<-entered
		left := make(chan struct{})
		go func() {
			defer close(left)
			for range clientFor[Thing](t, s.api).Watch(t.Context(), rest.WatchOptions{}) {
				<-release
			}
		}()
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		err := s.api.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(began), "Shutdown waits as long as it is told to")
		began = time.Now()
		err = s.api.Close()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "POST "+thingsIn)
		require.ErrorContains(t, err, "calls in process: 1")
		require.Less(t, time.Since(began), 5*time.Second)

		close(release)
		require.Equal(t, http.StatusCreated, <-written, "the host's store is open")
		<-left
		require.NoError(t, s.api.Close(), "nothing is left")
	})
}

// Close lets go of what the API owns, whatever is left.
func TestCloseClosesTheStoreItOwns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		things := thingResource()
		things.Hooks.Validate = func(context.Context, *Thing, *Thing) status.FieldErrors {
			close(entered)
			<-release
			return nil
		}
		api, err := rest.New(rest.Options{}, things)
		require.NoError(t, err)
		s := &thingServer{api: api}
		written := inBackground(func() int { return s.do("POST", thingsIn, thingJSON("a", "{}")).Code })
		<-entered
		require.Error(t, api.Close())
		close(release)
		require.Equal(t, http.StatusServiceUnavailable, <-written)
	})
}
