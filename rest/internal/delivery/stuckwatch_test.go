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

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
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

func newUnread(t testing.TB, watches int, logBytes int64, selector string) unread {
	t.Helper()
	store := apitest.CloseAtEnd(t, memory.New(storage.Options{MaxLogBytes: logBytes}))
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
func (s unread) write(t testing.TB, name string, n int) time.Duration {
	body := fmt.Sprintf(`{"spec":{"size":%d}}`, n)
	start := time.Now()
	w := s.Do("PATCH", apitest.Things+"/"+name, body, "Content-Type", "application/merge-patch+json")
	took := time.Since(start)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	return took
}

// fill stores an object of that many bytes, and a small one.
func (s unread) fill(t testing.TB, size int) {
	require.Equal(t, http.StatusCreated, s.Do("POST", apitest.Things, string(apitest.PaddedThing("big", size))).Code)
	s.MustCreate(t, "small")
}

// change changes the large object more often than the connections can hold, and waits until no watch goes on.
func (s unread) change(t testing.TB, times int) {
	for n := range times {
		s.write(t, "big", n)
	}
	// A system that buffers more than asked for lets a few write on. Their watches end with 410 when the log has passed
	// them.
	apitest.Await(t, "every watcher holds up what is written to it", func() bool {
		return s.listener.writing.Load() == s.running.Load()
	})
}

func (s unread) close(t testing.TB) {
	apitest.Close(t, s.API)
	s.server.CloseClientConnections()
	s.server.Close()
}

// Watchers that do not read what they have asked for hold one write of events each, and not all that they have missed.
func TestUnreadWatchesTakeLittleMemory(t *testing.T) {
	const watches, objectSize, logBytes = 200, 50 << 10, 2 << 20
	stuck := newUnread(t, watches, logBytes, "")
	before := heaptest.InUse()
	stuck.fill(t, objectSize)
	stuck.change(t, 10)
	require.Greater(t, stuck.running.Load(), int64(watches/2), "watches that still write")
	stuck.change(t, 2*logBytes/objectSize)
	grown := heaptest.InUse() - before
	t.Logf("the heap grew by %d KB", grown>>10)
	require.Less(t, grown, int64(2*logBytes+watches*4*objectSize))
}

// BenchmarkWritesBesideUnreadWatches compares, in turns, a write beside watchers that do not read what they have asked
// for with one beside as many watchers that have nothing to read. It reports the ratios of the medians, while the log
// holds what the watchers have not read, and when it has gone on without them. The target is 1.1.
func BenchmarkWritesBesideUnreadWatches(b *testing.B) {
	const watches, objectSize, logBytes, writes = 200, 50 << 10, 2 << 20, 400
	idle := newUnread(b, watches, logBytes, "&fieldSelector=metadata.name%3Dnone")
	stuck := newUnread(b, watches, logBytes, "")
	idle.fill(b, objectSize)
	stuck.fill(b, objectSize)
	ratio := func() float64 {
		var besideIdle, besideStuck []time.Duration
		for n := range writes {
			besideIdle = append(besideIdle, idle.write(b, "small", n))
			besideStuck = append(besideStuck, stuck.write(b, "small", n))
		}
		slices.Sort(besideIdle)
		slices.Sort(besideStuck)
		return float64(besideStuck[writes/2]) / float64(besideIdle[writes/2])
	}
	stuck.change(b, 10)
	b.ReportMetric(ratio(), "ratio-held")
	stuck.change(b, 2*logBytes/objectSize)
	b.ReportMetric(ratio(), "ratio-behind")
	b.ReportMetric(0, "ns/op")
}
