//go:build !race && unix

package delivery_test

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// idleStreams opens streams of a handler that is mounted as hosts do it, lets events happen, and returns the memory
// that each stream takes when it has sent that many bytes of them: heap and stacks, on both ends.
func idleStreams(tb testing.TB, h http.Handler, target string, count int, happen func(), sent int) float64 {
	tb.Helper()
	mux := http.NewServeMux()
	mux.Handle("/mounted/", http.StripPrefix("/mounted", h))
	server := httptest.NewServer(mux)
	defer server.Close()
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
		require.NoError(tb, err)
		_, err = fmt.Fprintf(conns[i], "GET /mounted%s HTTP/1.1\r\nHost: x\r\n\r\n", target)
		require.NoError(tb, err)
		head, err := apitest.ReadHead(conns[i])
		require.NoError(tb, err)
		require.Contains(tb, head, "200 OK")
	}
	happen()
	for _, c := range conns {
		_, err := io.CopyN(io.Discard, c, int64(sent))
		require.NoError(tb, err)
	}
	each := (used() - before) / float64(count)
	for _, c := range conns {
		require.NoError(tb, c.Close())
	}
	return each
}

// watchMemory is what an idle watch takes that has shown events, and what a handler of net/http takes that has written
// the same and waits for its client to leave.
func watchMemory(tb testing.TB, streams int) (ours, limit float64) {
	s := apitest.NewThingServer(tb, rest.Options{})
	s.Fill(tb, 1)
	write := apitest.NewThingWriter(s.API, "PATCH", apitest.Things+"/n000000", "application/merge-patch+json")
	require.Equal(tb, http.StatusOK, write.Send([]byte(`{"spec":{"size":0}}`))) // what the first one takes is nobody's
	frame := []byte(s.Do("GET", apitest.Things+"/n000000", "").Body)
	const events = 3
	bare := func() float64 {
		return idleStreams(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			control := http.NewResponseController(w)
			_ = control.Flush()
			for range events {
				_, _ = w.Write(frame)
				_ = control.Flush()
			}
			<-r.Context().Done()
		}), "/", streams, func() {}, events*len(frame))
	}
	bare() // a goroutine that has ended leaves memory for the next
	ours = idleStreams(tb, s.API, apitest.Things+"?watch=1&resourceVersion="+fmt.Sprint(s.Store.Revision()), streams,
		func() {
			for n := range events {
				require.Equal(tb, http.StatusOK, write.Send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, n+1)))
			}
		}, events*len(frame))
	return ours, bare()
}

// Limit: a handler of net/http that has written the same. Target: 1.1.
func BenchmarkMemoryPerWatch(b *testing.B) {
	for b.Loop() {
		ours, limit := watchMemory(b, 2000)
		b.ReportMetric(ours/1024, "KiB/watch")
		b.ReportMetric(limit/1024, "KiB/stream")
		b.ReportMetric(ours/limit, "ratio")
	}
}

func TestAnIdleWatchTakesTheMemoryOfAnIdleStream(t *testing.T) {
	const target = 1.1
	ratio := math.Inf(1)
	for range 8 { // the best counts, because the collector and a busy machine disturb a measurement
		ours, limit := watchMemory(t, 1000)
		t.Logf("an idle watch takes %.0f bytes, an idle stream of net/http %.0f", ours, limit)
		if ratio = min(ratio, ours/limit); ratio < target {
			return
		}
	}
	require.Less(t, ratio, target)
}
