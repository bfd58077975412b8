//go:build unix

package fairness_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// The variables by which the benchmark asks for a client or for load in another process: the server to flood, the
// server to use quietly and for how long, or how many cores to keep busy.
const (
	floodVariable    = "DECORUM_FAIRNESS_FLOOD"
	quietVariable    = "DECORUM_FAIRNESS_QUIET"
	durationVariable = "DECORUM_FAIRNESS"
	burnVariable     = "DECORUM_FAIRNESS_BURN"
)

// TestMain runs the tests, or is the quiet user, or makes load until the standard input ends.
func TestMain(m *testing.M) {
	flooded, quiet, cores := os.Getenv(floodVariable), os.Getenv(quietVariable), os.Getenv(burnVariable)
	switch {
	case flooded != "":
		flood(untilInputEnds(), flooded)
	case quiet != "":
		beQuiet(quiet)
	case cores != "":
		n, err := strconv.ParseFloat(cores, 64)
		if err != nil {
			panic(err)
		}
		burn(untilInputEnds(), n)
	default:
		os.Exit(m.Run())
	}
}

func untilInputEnds() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return ctx
}

// process returns a command that starts this program again, as what the variables say.
func process(ctx context.Context, variables ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	cmd.Env, cmd.Stderr = append(os.Environ(), variables...), os.Stderr
	return cmd
}

// beside runs f while another process makes load, and returns the CPU time of that process.
func beside(t testing.TB, load string, f func()) time.Duration {
	t.Helper()
	cmd := process(t.Context(), load)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	f()
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// senders is how many requests the flood has under way at once.
const senders = 32

// flood sends lists, writes and watches as fast as they are answered.
func flood(ctx context.Context, server string) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = senders
	var running sync.WaitGroup
	for i := range senders {
		running.Go(func() {
			for ctx.Err() == nil {
				switch i % 3 {
				case 0:
					_, _, _ = send(ctx, listing, server, "flood", "")
				case 1:
					_, _, _ = send(ctx, creating, server, "flood", fmt.Sprintf("flood-%d", i))
					_, _, _ = send(ctx, deleting, server, "flood", fmt.Sprintf("flood-%d", i))
				default:
					_, _, _ = send(ctx, following, server, "flood", "")
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
				if cpuTime().Seconds() >= cores*time.Since(began).Seconds() {
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

// rate is how many requests the quiet user sends in a second.
const rate = 100

// quietly lets a user in another process send reads and writes, and returns how long each took.
func quietly(t testing.TB, server string) (took []time.Duration) {
	t.Helper()
	duration := cmp.Or(os.Getenv(durationVariable), "1s")
	out, err := process(t.Context(), quietVariable+"="+server, durationVariable+"="+duration).Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &took))
	return took
}

// beQuiet sends reads and writes at fixed times, whether or not earlier ones have been answered, and prints how long
// each took from its time on.
func beQuiet(server string) {
	duration, err := time.ParseDuration(os.Getenv(durationVariable))
	if err != nil {
		panic(err)
	}
	took := make([]time.Duration, int(duration.Seconds()*rate))
	var running sync.WaitGroup
	began := time.Now()
	for i := range took {
		due := began.Add(time.Duration(i) * time.Second / rate)
		<-time.After(time.Until(due))
		running.Go(func() {
			k, name := getting, "object-1"
			if i%10 == 0 {
				k, name = creating, fmt.Sprintf("quiet-%d", time.Now().UnixNano())
			}
			code, _, err := send(context.Background(), k, server, "quiet", name)
			took[i] = time.Since(due)
			if err != nil || code >= 300 {
				panic(fmt.Sprint(code, err))
			}
		})
	}
	running.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(took); err != nil {
		panic(err)
	}
}

// kind is a kind of requests. The values are methods, except those of reads and watches.
type kind string

const (
	getting   kind = "GET object"
	listing   kind = "GET"
	creating  kind = "POST"
	deleting  kind = "DELETE"
	following kind = "GET watch"
)

// kindOf returns the kind of a request.
func kindOf(r *http.Request) kind {
	switch {
	case r.URL.RawQuery != "":
		return following
	case r.Method == "GET" && r.URL.Path != path:
		return getting
	}
	return kind(r.Method)
}

// send sends a request and reads the answer, or the first line of a watch.
func send(ctx context.Context, k kind, server, user, name string) (code int, answer []byte, err error) {
	method, url, body := string(k), server+path, ""
	switch k {
	case getting:
		method, url = "GET", url+"/"+name
	case creating:
		body = apitest.WidgetBody(fmt.Sprintf(`"name":"%s"`, name))
	case deleting:
		url += "/" + name
	case following:
		method, url = "GET", url+"?watch=1"
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("User", user)
	r.Header.Set("Accept-Encoding", "gzip") // and the client does not decompress
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer got.Body.Close()
	if k == following {
		answer, err = bufio.NewReader(got.Body).ReadBytes('\n')
	} else {
		answer, err = io.ReadAll(got.Body)
	}
	return got.StatusCode, answer, err
}
