package delivery_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// rawWatch opens a watch on a connection of which nothing but the header is ever read.
func rawWatch(t testing.TB, address, target string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target)
	require.NoError(t, err)
	line := make([]byte, len("HTTP/1.1 200"))
	_, err = io.ReadFull(conn, line)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 200", string(line))
	return conn
}

// tightListener accepts connections that take little before their reader has read it, and counts the writes that wait.
type tightListener struct {
	net.Listener
	writing atomic.Int64
}

func (l *tightListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &tightConn{conn, &l.writing}, conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
}

type tightConn struct {
	net.Conn
	writing *atomic.Int64
}

func (c *tightConn) Write(p []byte) (int, error) {
	c.writing.Add(1)
	defer c.writing.Add(-1)
	return c.Conn.Write(p)
}

// unread is an API with watches on connections that nobody reads.
type unread struct {
	*apitest.ThingServer
	listener *tightListener
	server   *httptest.Server
	running  *atomic.Int64 // watches whose handlers have not returned
}

func newUnread(t *testing.T, watches int, logBytes int64, selector string) unread {
	t.Helper()
	store := apitest.CloseAtEnd(t, storage.NewMemory(storage.Options{MaxLogBytes: logBytes}))
	s := unread{ThingServer: &apitest.ThingServer{API: apitest.Start(t, rest.Options{Store: store},
		apitest.ThingResource()), Store: store}}
	s.running = new(atomic.Int64)
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.Add(1)
		defer s.running.Add(-1)
		s.API.ServeHTTP(w, r)
	}))
	s.listener = &tightListener{Listener: s.server.Listener}
	s.server.Listener = s.listener
	s.server.Start()
	t.Cleanup(func() { s.close(t) })
	for range watches {
		rawWatch(t, s.listener.Addr().String(), apitest.Things+"?watch=1"+selector)
	}
	return s
}

// write changes an object and returns how long that took.
func (s unread) write(t *testing.T, name string, n int) time.Duration {
	body := fmt.Sprintf(`{"spec":{"size":%d}}`, n)
	start := time.Now()
	w := s.Do("PATCH", apitest.Things+"/"+name, body, "Content-Type", "application/merge-patch+json")
	took := time.Since(start)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	return took
}

func (s unread) close(t *testing.T) (took time.Duration) {
	start := time.Now()
	require.NoError(t, apitest.Within(t, "Close with watches that nobody reads", apitest.InBackground(s.API.Close)))
	took = time.Since(start)
	s.server.CloseClientConnections()
	s.server.Close()
	return took
}

// Watchers that do not read what they have asked for cost a writer no more than watchers that have nothing to read.
func TestUnreadWatchesSlowNoWriter(t *testing.T) {
	const watches, objectSize, logBytes, writes = 200, 50 << 10, 2 << 20, 400
	idle := newUnread(t, watches, logBytes, "&fieldSelector=metadata.name%3Dnone")
	stuck := newUnread(t, watches, logBytes, "")
	before := apitest.HeapInUse()
	for _, s := range []unread{idle, stuck} {
		require.Equal(t, http.StatusCreated,
			s.Do("POST", apitest.Things, string(apitest.PaddedThing("big", objectSize))).Code)
		s.MustCreate(t, "small")
	}

	median := func(times []time.Duration) time.Duration { return slices.Sorted(slices.Values(times))[len(times)/2] }
	compare := func(when string) {
		var besideIdle, besideStuck []time.Duration
		for n := range writes { // in turns, so that a busy machine slows both
			besideIdle = append(besideIdle, idle.write(t, "small", n))
			besideStuck = append(besideStuck, stuck.write(t, "small", n))
		}
		t.Logf("%s: a write takes %v beside %d watchers that have nothing to read, %v beside as many that never read", when,
			median(besideIdle), watches, median(besideStuck))
		require.Less(t, median(besideStuck), median(besideIdle)*3/2, "%s: a watcher slows no writer", when)
	}
	change := func(times int) { // more than the connections can hold
		for n := range times {
			stuck.write(t, "big", n)
		}
		// A system that buffers more than asked for lets a few write on. Their watches end with 410 when the log has passed
		// them.
		apitest.Await(t, "every watcher holds up what is written to it", func() bool {
			return stuck.listener.writing.Load() == stuck.running.Load()
		})
		require.Greater(t, stuck.running.Load(), int64(watches/2), "watches that still write")
	}
	change(10)
	compare("while the log holds what they have not read")
	change(2 * logBytes / objectSize)
	compare("when the log has gone on without them")

	grown := apitest.HeapInUse() - before
	closing := stuck.close(t)
	t.Logf("the heap grew by %d KB; Close took %v", grown>>10, closing)
	require.Less(t, grown, int64(2*logBytes+watches*4*objectSize),
		"a watcher holds one write of events, not all that it has missed")
	require.Less(t, closing, 10*time.Second, "nobody waits for them at the end")
}
