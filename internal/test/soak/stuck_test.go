package soak

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// cacheBytes is the size of the caches of the API.
const cacheBytes = 4 << 20

// bulk is an API of Gadgets of any size, served over sockets and in process.
type bulk struct {
	api     *rest.API
	store   *memory.Store
	server  *httptest.Server
	callers []*caller
	written int64
}

func newBulk(t *testing.T, logBytes int64) *bulk {
	b := &bulk{store: memory.New(storage.Options{MaxLogBytes: logBytes})}
	var err error
	b.api, err = rest.New(rest.Options{Store: b.store, Limits: rest.Limits{CacheBytes: cacheBytes}}, gadgetDefinition())
	require.NoError(t, err)
	b.server = serveNarrowly(b.api)
	b.callers = []*caller{{client: &http.Client{Transport: rest.RoundTripper(b.api)}, root: "http://in.process"},
		{client: b.server.Client(), root: b.server.URL}}
	return b
}

// serveNarrowly serves over sockets with small buffers, so that a client that does not read soon blocks the server's
// write.
func serveNarrowly(h http.Handler) *httptest.Server {
	const buffer = 32 << 10
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			_ = c.(*net.TCPConn).SetWriteBuffer(buffer)
		}
	}
	server.Start()
	transport := server.Client().Transport.(*http.Transport)
	transport.DisableCompression = true
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(buffer)
		}
		return c, err
	}
	return server
}

func (b *bulk) end(t *testing.T) {
	require.NoError(t, b.api.Close())
	b.server.Close()
	require.NoError(t, b.store.Close())
}

// write stores a Gadget of about this size. Its generation is unique.
func (b *bulk) write(t *testing.T, name string, size int) {
	t.Helper()
	b.written++
	key := keyOf("a", name)
	_, err := b.store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) {
		return fmt.Appendf(nil,
			`{"apiVersion":"%s/v1","kind":"Gadget","metadata":{"name":%q,"namespace":"a","uid":%q,"resourceVersion":"","generation":%d},"spec":{"marks":{%q:1}}}`,
			group, name, name, b.written, strings.Repeat("x", size)), nil
	})
	require.NoError(t, err)
}

// stick opens a watch until ctx ends and reads only its first byte. The callers and forms take turns.
func (b *bulk) stick(ctx context.Context, t *testing.T, n int, after watch.Revision) {
	t.Helper()
	query := url.Values{"watch": {"true"}}
	if after > 0 {
		query.Set("resourceVersion", fmt.Sprint(after))
	}
	c := *b.callers[n%len(b.callers)]
	c.older = n/2%2 == 1
	accept := mediaJSON
	if n%5 == 4 {
		accept = mediaTable
		query.Set("includeObject", "Object")
	}
	body, err := c.open(ctx, "GET", path("", ""), query, mediaJSON, accept, nil)
	require.NoError(t, err)
	context.AfterFunc(ctx, func() { _ = body.Close() })
	_, err = io.ReadFull(body, make([]byte, 1)) // the server blocks while it writes the rest
	require.NoError(t, err)
}

// Watchers that never read must keep little memory alive, and must not affect those that do read.
func TestWatchersThatNeverRead(t *testing.T) {
	const logBytes, perWatcher = 4 << 20, 256 << 10
	for _, c := range []struct {
		name                    string
		watchers, objects, size int
		between                 int // number of writes of each object between two watchers
	}{
		{"each at another place in the history", 16, 8, 64 << 10, 5},
		{"all in one large object", 24, 1, 3 << 19, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBulk(t, logBytes)
			defer b.end(t)
			ctx, stop := context.WithCancel(t.Context())
			write := func(rounds int) {
				for range rounds {
					for i := range c.objects {
						b.write(t, fmt.Sprint("bulk-", i), c.size)
					}
				}
			}
			write(1)
			reader := newResumer(b.callers[1])
			reader.metadata = true
			var reading sync.WaitGroup
			defer reading.Wait()
			defer stop()
			reading.Go(func() { assert.NoError(t, reader.run(ctx)) })

			before := heaptest.InUse()
			after := b.store.Revision()
			write(1)
			for n := range c.watchers {
				if c.between > 0 {
					after = b.store.Revision()
					write(c.between)
				}
				if n%3 == 2 {
					b.stick(ctx, t, n, 0) // the client does not even read the first state
				} else {
					b.stick(ctx, t, n, after)
				}
			}
			for began := time.Now(); time.Since(began) < lasting(t, ofChapter/2); {
				write(1)
			}
			want := map[string]int64{}
			for i := range c.objects {
				want[fmt.Sprint("bulk-", i)] = b.written - int64(c.objects-1-i)
			}
			require.NoError(t, reader.shows(want, time.Now().Add(patience)))
			grown := heaptest.InUse() - before
			t.Logf("%d watchers that never read hold %d KB, with a history of %d KB and %d KB of converted objects", c.watchers,
				grown>>10, logBytes>>10, cacheBytes>>10)
			const forms = 8 // the number of forms of an object, before and after a change
			require.Less(t, grown, int64(logBytes+cacheBytes+forms*c.objects*c.size+c.watchers*perWatcher))
		})
	}
}
