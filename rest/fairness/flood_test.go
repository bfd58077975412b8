//go:build unix

package fairness_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// The variables by which the test asks for load from another process: the server to flood, or how many cores to keep
// busy.
const (
	floodVariable = "DECORUM_FAIRNESS_FLOOD"
	burnVariable  = "DECORUM_FAIRNESS_BURN"
)

// TestMain runs the tests, or makes load until the standard input ends.
func TestMain(m *testing.M) {
	server, cores := os.Getenv(floodVariable), os.Getenv(burnVariable)
	if server == "" && cores == "" {
		os.Exit(m.Run())
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if server != "" {
		flood(ctx, server)
		return
	}
	n, err := strconv.ParseFloat(cores, 64)
	if err != nil {
		panic(err)
	}
	burn(ctx, n)
}

// send sends a request and reads the first bytes of the answer, or all of it.
func send(ctx context.Context, method, url, user, body string, all bool) (code int, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("User", user)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if all {
		_, err = io.Copy(io.Discard, answer.Body)
	} else {
		_, err = bufio.NewReader(answer.Body).ReadSlice('\n')
	}
	return answer.StatusCode, err
}

// senders is how many requests the flood has under way at once.
const senders = 32

// flood sends lists, writes and watches as fast as they are answered.
func flood(ctx context.Context, server string) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = senders
	var running sync.WaitGroup
	for i := range senders {
		running.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				switch i % 3 {
				case 0:
					_, _ = send(ctx, "GET", server+path, "flood", "", true)
				case 1:
					_, _ = send(ctx, "POST", server+path, "flood", apitest.WidgetBody(fmt.Sprintf(`"name":"flood-%d"`, i)), true)
					_, _ = send(ctx, "DELETE", fmt.Sprintf("%s%s/flood-%d", server, path, i), "flood", "", true)
				default:
					_, _ = send(ctx, "GET", server+path+"?watch=1", "flood", "", false)
				}
			}
		})
	}
	running.Wait()
}

// burn uses so many cores.
func burn(ctx context.Context, cores float64) {
	began := time.Now()
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for ctx.Err() == nil {
				if cpuTime(syscall.RUSAGE_SELF).Seconds() >= cores*time.Since(began).Seconds() {
					<-time.After(time.Millisecond)
					continue
				}
				for until := time.Now().Add(time.Millisecond); time.Now().Before(until); {
				}
			}
		})
	}
	running.Wait()
}

// cpuTime returns the CPU time that this process has used, or that of the children it has waited for.
func cpuTime(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// beside runs f while another process makes load.
func beside(t *testing.T, load string, f func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env, cmd.Stderr = append(os.Environ(), load), os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	f()
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// stopwatch is a Limiter that measures how long the requests of one user wait for their seats.
type stopwatch struct {
	rest.Limiter
	user  string
	mu    sync.Mutex
	waits []time.Duration
}

func (s *stopwatch) Limit(r rest.LimitedRequest) rest.Seats {
	seats := s.Limiter.Limit(r)
	if r.Access.User.Name != s.user {
		return seats
	}
	return timed{seats, s}
}

type timed struct {
	rest.Seats
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

// quietly sends reads and writes of one user at fixed times, whether or not earlier ones have been answered, and
// returns how long each took from its time on.
func quietly(t *testing.T, server, user string, rate int, duration time.Duration) (took []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var running sync.WaitGroup
	began := time.Now()
	for i := range int(duration.Seconds() * float64(rate)) {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		<-time.After(time.Until(due))
		running.Go(func() {
			method, url, body := "GET", server+path+"/object-1", ""
			if i%10 == 0 {
				method, url, body = "POST", server+path, apitest.WidgetBody(fmt.Sprintf(`"name":"quiet-%d"`, time.Now().UnixNano()))
			}
			code, err := send(t.Context(), method, url, user, body, true)
			d := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, d)
			assert.NoError(t, err)
			assert.Less(t, code, 300)
		})
	}
	running.Wait()
	return took
}

// p99 returns the 99th percentile.
func p99(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)*99/100]
}

func median(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }

// A user who sends little notices nothing of a flood of lists, writes and watches but the CPU that it takes: in the
// median of five runs, the 99th percentile of the wait for a seat is at most 5 ms, and that of the whole request is at
// most 1.5 times what it is beside as much load of the CPU that does not call the server. DECORUM_FAIRNESS is how long
// each of the ten measurements takes.
func TestQuietUserBesideAFlood(t *testing.T) {
	text := os.Getenv("DECORUM_FAIRNESS")
	if text == "" {
		// Beside other tests, the measured times would say nothing about fairness.
		t.Skip("set DECORUM_FAIRNESS, as make soak does: the test measures times on an otherwise idle machine")
	}
	duration, err := time.ParseDuration(text)
	require.NoError(t, err, "DECORUM_FAIRNESS")
	const runs, rate, objects = 5, 100, 500
	o := fairness.Options{Seats: 2 * runtime.GOMAXPROCS(0), Levels: []fairness.Level{fairness.DefaultLevel()}}
	limiter, err := fairness.New(o)
	require.NoError(t, err)
	watched := &stopwatch{Limiter: limiter, user: "quiet"}
	api := apitest.Start(t, rest.Options{Plugins: []rest.Plugin{rest.Parts{Name: "stopwatch", Limiter: watched}}},
		apitest.WidgetResource())
	server := httptest.NewServer(byHeader(api))
	defer server.Close()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = senders
	for i := range objects {
		name := fmt.Sprintf(`"name":"object-%d","annotations":{"text":"%s"}`, i, strings.Repeat("x", 1000))
		code, err := send(t.Context(), "POST", server.URL+path, "setup", apitest.WidgetBody(name), true)
		require.NoError(t, err)
		require.Equal(t, 201, code)
	}
	var waits, ratios []float64
	for run := range runs {
		watched.waits = nil
		var flooded, burdened []time.Duration
		used, began := -cpuTime(syscall.RUSAGE_SELF)-cpuTime(syscall.RUSAGE_CHILDREN), time.Now()
		beside(t, floodVariable+"="+server.URL, func() { flooded = quietly(t, server.URL, "quiet", rate, duration) })
		used += cpuTime(syscall.RUSAGE_SELF) + cpuTime(syscall.RUSAGE_CHILDREN)
		cores := used.Seconds() / time.Since(began).Seconds()
		wait := p99(watched.waits)
		beside(t, fmt.Sprintf("%s=%f", burnVariable, cores),
			func() { burdened = quietly(t, server.URL, "quiet", rate, duration) })
		ratio := float64(p99(flooded)) / float64(p99(burdened))
		t.Logf("run %d: %.2f cores; p99 of the wait for a seat %v; p99 of the request beside the flood %v, beside the load %v, ratio %.2f",
			run+1, cores, wait, p99(flooded), p99(burdened), ratio)
		waits, ratios = append(waits, wait.Seconds()), append(ratios, ratio)
	}
	for _, f := range limiter.State().Flows {
		t.Logf("%s: %d dispatched, %d refused", f.Name, f.Dispatched, f.QueueFull+f.TimeOut+f.ConcurrencyLimit)
	}
	t.Logf("median: wait %.2f ms, ratio %.2f", 1000*median(waits), median(ratios))
	assert.LessOrEqual(t, median(waits), 0.005, "p99 of the wait for a seat, in seconds")
	assert.LessOrEqual(t, median(ratios), 1.5, "p99 of the request beside the flood, over that beside the load")
}
