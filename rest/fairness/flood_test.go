//go:build unix

package fairness_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// stopwatch is a Limiter that measures how long the requests of one user wait for their seats.
type stopwatch struct {
	access.Limiter
	user  string
	mu    sync.Mutex
	waits []time.Duration
}

func (s *stopwatch) Limit(r access.LimitedRequest) access.Seats {
	seats := s.Limiter.Limit(r)
	if r.Access.User.Name != s.user {
		return seats
	}
	return timed{seats, s}
}

type timed struct {
	access.Seats
	by *stopwatch
}

func (s timed) Take(ctx context.Context) error {
	began := time.Now()
	err := s.Seats.Take(ctx)
	s.by.mu.Lock()
	defer s.by.mu.Unlock()
	s.by.waits = append(s.by.waits, time.Since(began))
	return err
}

// bare is a server of net/http alone. It answers requests with as many bytes as an API, after as much work. Requests of
// the flood need as many places as they need seats there, and those of others need none. So the quiet user waits there
// for what Go's runtime and the machine do beside the flood, and for nothing else.
type bare struct {
	answers map[kind]answer
	turn    sync.Mutex
	places  chan struct{}
}

// answer is how a bare server answers requests of a kind.
type answer struct {
	places, rounds int
	body           []byte
}

func (b *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := b.answers[kindOf(r)]
	if r.Header.Get("User") == "flood" {
		b.take(a.places)
		defer b.give(a.places)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	work(a.rounds)
	_, _ = w.Write(a.body)
}

// take waits for places, in the order of the calls.
func (b *bare) take(n int) {
	b.turn.Lock()
	defer b.turn.Unlock()
	for range n {
		b.places <- struct{}{}
	}
}

func (b *bare) give(n int) {
	for range n {
		<-b.places
	}
}

// work uses the processor for rounds of about 10 µs.
func work(rounds int) {
	text := make([]byte, 4<<10)
	for range rounds {
		crc32.Update(0, crc32.MakeTable(crc32.Koopman), text)
	}
}

// costs sends requests of all kinds one after the other, and returns how much CPU time one of each takes with its
// client, and what the last one of each was answered. A write before each list makes sure that no cache has the list.
func costs(t testing.TB, server string) (cost map[kind]time.Duration, answers map[kind][]byte) {
	const requests = 200
	cost, answers = map[kind]time.Duration{}, map[kind][]byte{}
	for i := range requests {
		for _, k := range []kind{creating, listing, following, getting, deleting} {
			name := fmt.Sprintf("measured-%d", i)
			if k == getting {
				name = "object-1"
			}
			before := cpuTime()
			_, body, err := send(t.Context(), k, server, "setup", name)
			cost[k] += (cpuTime() - before) / requests
			require.NoError(t, err)
			answers[k] = body
		}
	}
	return cost, answers
}

// bareLike returns a bare server that answers as another server does.
func bareLike(t testing.TB, server string, seats int) *bare {
	b := &bare{answers: map[kind]answer{}, places: make(chan struct{}, seats)}
	cost, answers := costs(t, server)
	for k, body := range answers {
		a := answer{places: 1, body: body}
		if k == following {
			a.body = append(body, answers[listing]...) // the client reads one line of many
		}
		if k == following || k == listing {
			a.places = min(seats, objects/objectsPerSeat)
		}
		b.answers[k] = a
	}
	idle := httptest.NewServer(b)
	defer idle.Close()
	without, _ := costs(t, idle.URL)
	const rounds = 1000
	began := cpuTime()
	work(rounds)
	round := (cpuTime() - began) / rounds
	for k, a := range b.answers {
		a.rounds = max(0, int((cost[k]-without[k])/round))
		b.answers[k] = a
		t.Logf("%-10s takes %v with its client, %v at a server without work", k, cost[k], without[k])
	}
	return b
}

// p99 returns the 99th percentile.
func p99(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)*99/100]
}

func median(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }

// objects is how many objects a list has. A list needs a seat for so many of them.
const objects, objectsPerSeat = 500, 100

// BenchmarkQuietUserBesideAFlood shows what a user who sends little notices of a flood of lists, writes and watches. It
// reports the medians of five runs: the 99th percentile of the wait for a seat, and the ratios of that of the whole
// request to those at a bare server beside the same flood, and beside as much load of the CPU that does not call the
// server. The aims are 5 ms and 1.5 times the bare server. DECORUM_FAIRNESS is how long each of the 15 measurements
// takes, by default a second. Run it with -benchtime 1x on an otherwise idle machine.
func BenchmarkQuietUserBesideAFlood(b *testing.B) {
	const runs = 5
	seats := 2 * runtime.GOMAXPROCS(0)
	limiter, err := fairness.New(fairness.Options{Seats: seats})
	require.NoError(b, err)
	watched := &stopwatch{Limiter: limiter, user: "quiet"}
	api := apitest.Start(b, rest.Options{Plugins: []rest.Plugin{rest.PluginParts{Name: "stopwatch", Limiter: watched}}},
		apitest.WidgetResource())
	server := httptest.NewServer(byHeader(api))
	defer server.Close()
	for i := range objects {
		name := fmt.Sprintf(`"name":"object-%d","annotations":{"text":"%s"}`, i, strings.Repeat("x", 1000))
		require.Equal(b, 201, apitest.Do(b, api, "POST", path, apitest.WidgetBody(name)).Code)
	}
	limit := httptest.NewServer(bareLike(b, server.URL, seats))
	defer limit.Close()

	// flooded returns how long the requests of the quiet user take beside the flood, and how many cores server and flood
	// use.
	flooded := func(server string) (took time.Duration, cores float64) {
		used, began := -cpuTime(), time.Now()
		var all []time.Duration
		used += beside(b, floodVariable+"="+server, func() { all = quietly(b, server) }) + cpuTime()
		return p99(all), used.Seconds() / time.Since(began).Seconds()
	}
	var waits, toLimit, toLoad []float64
	for run := range runs {
		watched.waits = nil
		ours, cores := flooded(server.URL)
		wait := p99(watched.waits)
		least, leastCores := flooded(limit.URL)
		var all []time.Duration
		beside(b, fmt.Sprintf("%s=%f", burnVariable, cores), func() { all = quietly(b, server.URL) })
		burdened := p99(all)
		b.Logf("run %d: p99 of the wait for a seat %v; of the request %v with %.2f cores, at a bare server %v with %.2f cores, beside the load %v",
			run+1, wait, ours, cores, least, leastCores, burdened)
		waits = append(waits, wait.Seconds())
		toLimit, toLoad = append(toLimit, float64(ours)/float64(least)), append(toLoad, float64(ours)/float64(burdened))
	}
	for _, f := range limiter.State().Flows {
		b.Logf("%s: %d dispatched, %d refused", f.Name, f.Dispatched, f.QueueFull+f.TimeOut+f.ConcurrencyLimit)
	}
	b.ReportMetric(1000*median(waits), "wait-ms")
	b.ReportMetric(median(toLimit), "ratio")
	b.ReportMetric(median(toLoad), "ratio-to-load")
	b.ReportMetric(float64(seats), "seats")
	b.ReportMetric(0, "ns/op")
}
