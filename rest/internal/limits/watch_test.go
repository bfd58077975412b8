//go:build unix

package limits_test

import (
	"fmt"
	"net/http"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// changed is the object that changes.
const changed = apitest.Things + "/n000000"

// changes returns a function that changes an object, and returns how many bytes the event of the change has.
func changes(b *testing.B, s *apitest.ThingServer, object string) func() int64 {
	w := apitest.NewThingWriter(s.API, "PATCH", object, "application/merge-patch+json")
	size := 100_000
	return func() int64 {
		size++
		require.Equal(b, http.StatusOK, w.Send([]byte(`{"spec":{"size":`+strconv.Itoa(size)+`}}`)))
		line := int64(w.Answer.Bytes) // the object and the end of the line
		return line + int64(len(`{"type":"MODIFIED","object":}`))
	}
}

// mostFiles returns how many files this process may open for streams. The runtime has raised the limit as far as it
// may.
func mostFiles(b *testing.B) int {
	b.Helper()
	var limit syscall.Rlimit
	require.NoError(b, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	const others = 100
	return int(min(limit.Max, 1<<20)) - others
}

// mostStreams returns n, or how many streams the files of one process suffice for. Each side and its clients can have
// processes of their own.
func mostStreams(b *testing.B, n int) int {
	b.Helper()
	fit := mostFiles(b)
	if fit < n {
		fmt.Printf("NOT RUN: %d streams, for which a process may not open enough files (see ulimit -Hn); it opens %d\n", n, fit)
	}
	return min(n, fit)
}

// Each operation is one change that reaches all streams. Limit: the same change of an object that nobody watches, then
// one Write and one Flush of as many bytes in each stream.
func BenchmarkWatch(b *testing.B) {
	for _, streams := range []int{200, 5000, mostStreams(b, 10_000)} {
		b.Run(fmt.Sprintf("streams=%d", streams), func(b *testing.B) {
			s := apitest.NewThingServer(b, rest.Options{})
			unwatched := apitest.NewThingServer(b, rest.Options{})
			s.Fill(b, 1)
			unwatched.Fill(b, 1)
			change, changeUnwatched := changes(b, s, changed), changes(b, unwatched, changed)
			size := change()
			changeUnwatched()
			from := "?watch=1&resourceVersion=" + fmt.Sprint(s.Store.Revision())
			api, bare := serve(b, s.API), bareSideOf(b, streams, size)
			ours := apitest.StartClients(b).Caller(api, apitest.Things+from, apitest.TypeJSON, streams)
			its := apitest.StartClients(b).Caller(bare.address, "/", apitest.TypeJSON, streams)
			its.Follow(0, func() {})
			ours.Follow(0, func() {})
			apitest.Compare(b, 20_000/streams+1, func(n int) {
				for range n {
					size := change() // the next generation and the next revision may have a digit more
					bare.nothing()
					ours.Follow(size, func() {})
				}
			}, func(n int) {
				for range n {
					changeUnwatched()
					bare.send()
					its.Follow(size, func() {})
				}
			}, bare.process...)
			b.ReportMetric(1.12, "aim")
		})
	}
}
