//go:build unix

package growth_test

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// namespaces is over how many namespaces the objects are spread.
const namespaces = 10

// thingsIn is the path of the Things in a namespace.
func thingsIn(namespace int) string {
	return fmt.Sprintf("%s/namespaces/ns%d/things", apitest.ThingsV1, namespace)
}

// thing is the path of the n-th Thing.
func thing(n int) string { return fmt.Sprintf("%s/n%09d", thingsIn(n%namespaces), n) }

// crowd serves so many Things of about 2 KB each.
func crowd(t *testing.T, objects int) *apitest.ThingServer {
	s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{CacheBytes: -1}})
	const unnumbered = "n000000000"
	body := apitest.PaddedThing(unnumbered, apitest.BenchObject)
	at := bytes.Index(body, []byte(unnumbered))
	var in [namespaces]*apitest.ThingWriter
	for i := range in {
		in[i] = apitest.NewThingWriter(s.API, http.MethodPost, thingsIn(i), apitest.TypeJSON)
	}
	for n := range objects {
		copy(body[at:], fmt.Sprintf("n%09d", n))
		require.Equal(t, http.StatusCreated, in[n%namespaces].Send(body))
	}
	runtime.GC()
	return s
}

// someOf returns n of the objects, spread over all of them.
func someOf(objects, n int) []int {
	some := make([]int, n)
	for i := range some {
		some[i] = i * 7919 % objects
	}
	return some
}

// withObjects measures requests beside a growing number of objects, and how long a compaction of as many changes holds
// up a reader.
func withObjects(t *testing.T, p plan) []figures {
	f := figures{name: "objects", of: "objects", unit: "µs", aim: 1.3, aimed: 4, at: p.objects}
	pauses := figures{name: "compaction", of: "changes in the history", unit: "ms", absolute: true, aim: 5, aimed: 1}
	for _, objects := range p.objects {
		t.Run(fmt.Sprint(objects, " objects"), func(t *testing.T) {
			s := crowd(t, objects)
			pauses.at = append(pauses.at, s.API.Stats().Store.History.Changes)
			pauses.add("longest GET during the compaction", compaction(t, s).Seconds()*1000)
			some := someOf(objects, p.operations)
			f.add("GET", gets(t, s, some))
			f.add("PUT", puts(t, s, some))
			f.add("page of 500", pages(t, s))
			f.add("change that reaches the watch of a namespace", watched(t, s, some))
		})
	}
	return []figures{f, pauses}
}

func gets(t *testing.T, s *apitest.ThingServer, some []int) float64 {
	writers := make([]*apitest.ThingWriter, len(some))
	for i, n := range some {
		writers[i] = apitest.NewThingWriter(s.API, http.MethodGet, thing(n), "")
	}
	const times = 5
	return least(times*len(some), again(func() {
		for range times {
			for _, w := range writers {
				w.Send(nil)
				require.Less(t, apitest.BenchObject, w.Answer.Bytes)
			}
		}
	}))
}

func puts(t *testing.T, s *apitest.ThingServer, some []int) float64 {
	size, before := 3, s.Store.Revision()
	cost := least(len(some), func() func() {
		bodies := make([][]byte, len(some))
		writers := make([]*apitest.ThingWriter, len(some))
		for i, n := range some {
			object := s.Do(http.MethodGet, thing(n), "").Body
			bodies[i] = bytes.Replace([]byte(object), fmt.Appendf(nil, `"size":%d}`, size),
				fmt.Appendf(nil, `"size":%d}`, size+1), 1)
			writers[i] = apitest.NewThingWriter(s.API, http.MethodPut, thing(n), apitest.TypeJSON)
		}
		size++
		return func() {
			for i, w := range writers {
				require.Equal(t, http.StatusOK, w.Send(bodies[i]))
			}
		}
	})
	require.EqualValues(t, rounds*len(some), s.Store.Revision()-before)
	return cost
}

func pages(t *testing.T, s *apitest.ThingServer) float64 {
	const n = 20
	w := apitest.NewThingWriter(s.API, http.MethodGet, thingsIn(namespaces/2)+"?limit=500", "")
	return least(n, again(func() {
		for range n {
			w.Send(nil)
			require.Less(t, apitest.BenchObject, w.Answer.Bytes)
		}
	}))
}

func watched(t *testing.T, s *apitest.ThingServer, some []int) float64 {
	const namespace = namespaces / 2
	w := openWatches(t, s, func(int) string { return thingsIn(namespace) }, 1)
	defer w.close()
	var inside []*apitest.ThingWriter
	for _, n := range some {
		inside = append(inside, patcher(s, thing(n/namespaces*namespaces+namespace)))
	}
	return least(len(inside), again(func() {
		for _, of := range inside {
			w.expect(1)
			change(t, of)
			w.wait()
		}
	}))
}

// compaction compacts the whole history, and returns for how long that holds up a reader, in processor time of the
// process: while the reader waits for the lock, only the compaction uses the processor.
func compaction(t *testing.T, s *apitest.ThingServer) time.Duration {
	get := apitest.NewThingWriter(s.API, http.MethodGet, thing(0), "")
	running, ended, longest := make(chan struct{}), make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for first := true; ; first = false {
			most = max(most, apitest.ProcessorTime(func() { get.Send(nil) }))
			if first {
				close(running)
			}
			select {
			case <-ended:
				longest <- most
				return
			default:
			}
		}
	}()
	<-running
	err := s.Store.Compact(t.Context(), s.Store.Revision())
	close(ended)
	most := <-longest
	require.NoError(t, err)
	require.Zero(t, s.API.Stats().Store.History.Changes)
	return most
}
