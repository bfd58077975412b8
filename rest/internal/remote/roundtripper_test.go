package remote_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

func TestRoundTripper(t *testing.T) {
	client := func(h http.HandlerFunc) *http.Client { return &http.Client{Transport: rest.RoundTripper(h)} }

	t.Run("an answer is what the handler wrote", func(t *testing.T) {
		c := client(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Path", r.RequestURI)
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write(body)
		})
		resp, err := c.Post("http://anything/a/b?c=d", "text/plain", strings.NewReader("hello"))
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "hello", string(body))
		assert.Equal(t, http.StatusTeapot, resp.StatusCode)
		assert.Equal(t, "/a/b?c=d", resp.Header.Get("X-Path"))
	})

	t.Run("a stream is seen as it is written, and ends with its reader", func(t *testing.T) {
		ended := make(chan error, 1)
		next := make(chan struct{})
		c := client(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
			for {
				select {
				case <-next:
					_, _ = io.WriteString(w, "line\n")
				case <-r.Context().Done():
					ended <- r.Context().Err()
					return
				}
			}
		})
		go func() { next <- struct{}{} }()
		resp, err := c.Get("http://anything/")
		require.NoError(t, err)
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "line\n", line)
		require.NoError(t, resp.Body.Close())
		assert.ErrorIs(t, <-ended, context.Canceled)
	})

	t.Run("the end of the context ends the wait for a handler that says nothing", func(t *testing.T) {
		release := make(chan struct{})
		c := client(func(http.ResponseWriter, *http.Request) { <-release })
		defer close(release)
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://anything/", nil)
		require.NoError(t, err)
		_, err = c.Do(req)
		assert.ErrorIs(t, err, context.Canceled)
	})

	t.Run("an answer of a handler that returns because the context ends is an error", func(t *testing.T) {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://anything/", nil)
			require.NoError(t, err)
			_, err = client(func(http.ResponseWriter, *http.Request) { cancel() }).Do(req)
			require.ErrorIs(t, err, context.Canceled)
		}
	})

	t.Run("a body whose handler returns because the context ends is incomplete", func(t *testing.T) {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://anything/", nil)
			require.NoError(t, err)
			resp, err := client(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, "half")
				cancel()
			}).Do(req)
			require.NoError(t, err)
			_, err = io.ReadAll(resp.Body)
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, resp.Body.Close())
		}
	})

	t.Run("an answer to HEAD has no body", func(t *testing.T) {
		resp, err := client(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			_, err := io.WriteString(w, "hello")
			assert.NoError(t, err)
		}).Head("http://anything/")
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Empty(t, body)
		assert.EqualValues(t, 5, resp.ContentLength)
	})

	t.Run("informational responses are dropped", func(t *testing.T) {
		resp, err := client(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusTeapot)
		}).Get("http://anything/")
		require.NoError(t, err)
		defer resp.Body.Close()
		assert.Equal(t, http.StatusTeapot, resp.StatusCode)
	})

	t.Run("runtime.Goexit in a handler aborts the response", func(t *testing.T) {
		resp, err := client(func(http.ResponseWriter, *http.Request) { runtime.Goexit() }).Get("http://anything/")
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
		assert.ErrorContains(t, err, "broke off")
	})

	t.Run("an aborted answer is an error of its reader", func(t *testing.T) {
		c := client(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		})
		resp, err := c.Get("http://anything/")
		require.NoError(t, err)
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
		assert.Error(t, err)
	})
}
