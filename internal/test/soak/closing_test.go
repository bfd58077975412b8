package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// Close must end while clients leave streams unread, write and follow. It must leave no goroutine, and name the
// requests that only the host's server can end. The tests of package delivery bound how long it takes, by a clock of
// their own.
func TestCloseBesideStuckStreams(t *testing.T) {
	count := 0
	for began := time.Now(); count == 0 || time.Since(began) < lasting(t, ofChapter); count++ {
		closeBesideStuckStreams(t, count == 0)
	}
	t.Logf("closed %d times", count)
}

// unread holds the bodies of responses that no client reads.
type unread []io.Closer

func (u *unread) add(t *testing.T, c *caller, query url.Values) {
	t.Helper()
	body, err := c.open(context.Background(), "GET", path("", ""), query, mediaJSON, mediaJSON, nil)
	require.NoError(t, err)
	*u = append(*u, body)
}

func (u *unread) close() {
	for _, body := range *u {
		_ = body.Close()
	}
}

func closeBesideStuckStreams(t *testing.T, withList bool) {
	goroutines := runtime.NumGoroutine()
	b := newBulk(t, 64<<20)
	for i := range 40 {
		b.write(t, fmt.Sprint("bulk-", i), 400<<10)
	}
	watches := url.Values{"watch": {"true"}}
	var stuck unread
	defer stuck.close()
	wrapped := serveNarrowly(unwrapping(b.api))
	for _, c := range append(b.callers, &caller{client: wrapped.Client(), root: wrapped.URL},
		&caller{client: &http.Client{Transport: rest.RoundTripper(unwrapping(b.api))}, root: "http://in.process"}) {
		for range 4 {
			stuck.add(t, c, watches)
		}
	}
	stuck.add(t, b.callers[0], nil)
	flushing := &caller{client: &http.Client{Transport: rest.RoundTripper(flushing(b.api))}, root: "http://in.process"}
	_, err := flushing.open(context.Background(), "GET", path("", ""), watches, mediaJSON, mediaJSON, nil)
	require.Equal(t, status.ReasonInternalError, status.ReasonOf(err), "the API rejects a watch that it could not end: %v",
		err)
	if withList {
		stuck.add(t, b.callers[1], nil)
	}

	var busy sync.WaitGroup
	started := make(chan struct{}, 3)
	for _, act := range []func() error{
		func() error {
			g := newGadget("")
			g.GenerateName = "new-"
			_, err := resttest.Client[Gadget](t, b.api).Namespace("a").Create(context.Background(), g)
			return err
		},
		func() error {
			for _, err := range b.api.Objects().Follow(context.Background()) {
				if err != nil {
					return err
				}
				select {
				case started <- struct{}{}:
				default:
				}
			}
			return nil
		},
		func() error {
			_, err := b.callers[1].list(selector{}, url.Values{"limit": {"2"}}, mediaJSON)
			return err
		},
	} {
		busy.Go(func() {
			var err error
			for err == nil {
				err = act()
			}
			assert.True(t, status.IsServiceUnavailable(err) || errors.Is(err, context.Canceled), "%v", err)
		})
	}
	<-started

	err = b.api.Close()
	if withList {
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "GET "+path("", ""))
	} else {
		if errors.Is(err, context.DeadlineExceeded) { // a busy machine may need longer than Close waits
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			err = b.api.Shutdown(ctx)
		}
		require.NoError(t, err)
	}
	busy.Wait()
	stuck.close()
	for _, s := range []*httptest.Server{b.server, wrapped} {
		s.CloseClientConnections()
		s.Close()
		s.Client().CloseIdleConnections()
	}
	require.NoError(t, b.api.Close(), "no goroutine is left after the host's servers have stopped")
	require.NoError(t, b.store.Close())
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines are left, there were %d before:\n%s", runtime.NumGoroutine(), goroutines,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// unwrapping is a host's middleware whose writer unwraps to the server's.
func unwrapping(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(unwrappable{w}, r) })
}

type unwrappable struct{ http.ResponseWriter }

func (w unwrappable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// flushing is a host's middleware whose writer can flush but does not unwrap.
func flushing(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(flushable{w}, r) })
}

type flushable struct{ http.ResponseWriter }

func (w flushable) Flush() { w.ResponseWriter.(http.Flusher).Flush() }
