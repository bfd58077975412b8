//go:build unix

package limits_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// bareStreams is a handler of streams. On a signal, each of them sends the same bytes in one Write.
type bareStreams struct {
	payload []byte

	mu   sync.Mutex
	sent int             // how often all streams were told to send
	wake []chan struct{} // wake[i] is closed when all send for the time i
}

// turn returns the channel that is closed when all streams send for the time i.
func (s *bareStreams) turn(i int) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.wake) <= i {
		s.wake = append(s.wake, make(chan struct{}))
	}
	return s.wake[i]
}

func (s *bareStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", apitest.TypeJSON)
	w.WriteHeader(http.StatusOK)
	_ = control.Flush()
	for i := 0; ; i++ {
		select {
		case <-s.turn(i):
		case <-r.Context().Done():
			return
		}
		_, _ = w.Write(s.payload)
		_ = control.Flush()
	}
}

// send makes all streams send the payload once.
func (s *bareStreams) send() {
	close(s.turn(s.sent))
	s.sent++
}

// changed is the object that changes.
const changed = apitest.Things + "/n000000"

// changes returns a function that changes an object.
func changes(b *testing.B, s *apitest.ThingServer, object string) func() {
	w := apitest.NewThingWriter(s.API, "PATCH", object, "application/merge-patch+json")
	size := 100_000
	return func() {
		size++
		require.Equal(b, http.StatusOK, w.Send([]byte(`{"spec":{"size":`+strconv.Itoa(size)+`}}`)))
	}
}

// frameOf returns how many bytes the event of the last change of an object has.
func frameOf(s *apitest.ThingServer, object string) int64 {
	return int64(len(`{"type":"MODIFIED","object":` + s.Do("GET", object, "").Body + "}\n"))
}

// mostStreams returns n, or how many streams the files of this process suffice for, on both sides. The runtime has
// raised the limit as far as it may.
func mostStreams(b *testing.B, n int) int {
	b.Helper()
	var limit syscall.Rlimit
	require.NoError(b, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	const others = 100
	fit := (int(min(limit.Max, 1<<20)) - others) / 2
	if fit < n {
		fmt.Printf("NOT RUN: %d streams, for which this process may not open enough files (ulimit -Hn is %d); it opens %d\n",
			n, limit.Max, fit)
	}
	return min(n, fit)
}

// Each operation is one change that reaches all streams. Limit: the same change of an object that nobody watches, then
// one Write and one Flush of the same bytes in each stream.
func BenchmarkWatch(b *testing.B) {
	for _, streams := range []int{200, 5000, mostStreams(b, 10_000)} {
		b.Run(fmt.Sprintf("streams=%d", streams), func(b *testing.B) {
			s := apitest.NewThingServer(b, rest.Options{})
			unwatched := apitest.NewThingServer(b, rest.Options{})
			s.Fill(b, 1)
			unwatched.Fill(b, 1)
			change, changeUnwatched := changes(b, s, changed), changes(b, unwatched, changed)
			change()
			changeUnwatched()
			from := "?watch=1&resourceVersion=" + fmt.Sprint(s.Store.Revision())
			limit := &bareStreams{payload: make([]byte, frameOf(s, changed))}
			api, bare := serve(b, s.API), serve(b, limit)
			c := apitest.StartClients(b)
			ours := c.Caller(api, apitest.Things+from, apitest.TypeJSON, streams)
			its := c.Caller(bare, "/", apitest.TypeJSON, streams)
			its.Follow(0, func() {})
			ours.Follow(0, func() {})
			apitest.Compare(b, 4000/streams+1, func(n int) {
				for range n {
					// The next generation and the next revision may have a digit more.
					change()
					ours.Follow(frameOf(s, changed), func() {})
				}
			}, func(n int) {
				for range n {
					changeUnwatched()
					its.Follow(int64(len(limit.payload)), limit.send)
				}
			})
			b.ReportMetric(1.12, "aim")
		})
	}
}
