package apitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// LogStages sends n requests to the API in this process under Go's profiler. It logs how many microseconds of processor
// time each stage of a request takes, and each step of a write. The stage act contains the steps, unless the write runs
// in a goroutine of its own, because the kind has hooks. The rest is the time of net/http, of TLS and of the runtime.
func LogStages(b *testing.B, n int, send func(n int)) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "cpu")
	file, err := os.Create(path)
	require.NoError(b, err)
	if err := pprof.StartCPUProfile(file); err != nil { // go test -cpuprofile
		b.Log(err)
		return
	}
	took := ProcessorTime(func() { send(n) })
	pprof.StopCPUProfile()
	require.NoError(b, file.Close())
	b.Logf("µs for each request: %.1f; stages: %s; steps: %s", took.Seconds()*1e6/float64(n),
		callees(b, path, `front\.\(\*request\)\.pass$`, n), callees(b, path, `write\.\(\*Write\)\.step$`, n))
}

// The profiler lists the callers of a function above its own line, and what it calls below.
var (
	own    = regexp.MustCompile(`(?m)^ *[0-9.]+(us)? +[0-9.]+% +[0-9.]+% .*$`)
	callee = regexp.MustCompile(`(?m)^ +([0-9.]+)us +[0-9.]+% \|   \S*\.(\w+)( \(inline\))?$`)
)

// callees returns what the methods that a function calls took of each of n requests, the longest first.
func callees(b *testing.B, profile, function string, n int) string {
	b.Helper()
	program, err := os.Executable()
	require.NoError(b, err)
	out, err := exec.Command("go", "tool", "pprof", "-peek", function, "-unit", "us", "-edgefraction", "0", "-nodefraction", "0",
		program, profile).CombinedOutput()
	line := own.FindIndex(out)
	if line == nil { // a read takes no step, and the profiler fails if it finds no function
		require.Contains(b, string(out), "no matches found")
		return "none"
	}
	require.NoError(b, err)
	var all []string
	for _, m := range callee.FindAllSubmatch(out[line[1]:], -1) {
		us, err := strconv.ParseFloat(string(m[1]), 64)
		require.NoError(b, err)
		all = append(all, fmt.Sprintf("%s %.1f", m[2], us/float64(n)))
	}
	return strings.Join(all, ", ")
}
