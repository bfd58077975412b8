//go:build unix

package rest_test

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// idleStreams opens streams and returns the memory that each takes while nothing happens: heap and stacks, on both ends.
func idleStreams(b *testing.B, h http.Handler, target string, count int, settled func()) float64 {
	b.Helper()
	server := thingHTTP(b, h)
	used := func() float64 {
		for range 6 { // each halves a stack at most
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc + m.StackInuse)
	}
	before := used()
	conns := make([]net.Conn, count)
	for i := range conns {
		var err error
		conns[i], err = net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(b, err)
		_, err = fmt.Fprintf(conns[i], "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target)
		require.NoError(b, err)
		head, err := readHead(conns[i])
		require.NoError(b, err)
		require.Contains(b, head, "200 OK")
	}
	settled()
	each := (used() - before) / float64(count)
	for _, c := range conns {
		require.NoError(b, c.Close())
	}
	return each
}

// The memory of an idle watch that has shown an event. Limit: a handler of net/http that has written the same and waits for
// its client to leave. Target: 1.1.
func BenchmarkMemoryPerWatch(b *testing.B) {
	const streams = 2000
	s := newThingServer(b, rest.Options{})
	s.fill(b, 1)
	write := newThingWriter(s.api, "PATCH", thingsIn+"/n000000", "application/merge-patch+json")
	frame := s.do("GET", thingsIn+"/n000000", "").Body.Bytes()
	for i := 0; b.Loop(); i++ {
		ours := idleStreams(b, s.api, thingsIn+"?watch=1&resourceVersion="+fmt.Sprint(s.store.Revision()), streams, func() {
			for n := range 3 {
				require.Equal(b, http.StatusOK, write.send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, 10*i+n+1)))
			}
		})
		var open sync.WaitGroup
		open.Add(streams)
		limit := idleStreams(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			control := http.NewResponseController(w)
			_ = control.Flush()
			for range 3 {
				_, _ = w.Write(frame)
				_ = control.Flush()
			}
			open.Done()
			<-r.Context().Done()
		}), "/", streams, open.Wait)
		b.ReportMetric(ours/1024, "KiB/watch")
		b.ReportMetric(limit/1024, "KiB/stream")
		b.ReportMetric(ours/limit, "ratio")
	}
}
