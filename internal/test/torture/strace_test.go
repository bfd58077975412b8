package torture

import (
	"bufio"
	"context"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// call is a system call of a child that writes to the file, changes its size, syncs it, or reports something.
type call struct {
	name    string
	thread  string
	failed  bool
	begins  bool // the call has begun
	ends    bool // the call has ended
	unknown bool // the process died in the call
	at      int64
	data    []byte
}

// trace runs a child under strace, which injects faults, and returns its calls in order. The child must kill itself.
func trace(ctx context.Context, t *testing.T, path, inject string, environment ...string) []call {
	// A trace needs strace and the permission to trace another process. Containers often have neither, so make test leaves
	// it out.
	if os.Getenv("DECORUM_TORTURE") == "" {
		t.Skip("make soak runs it, because not every machine has strace and permits a process to trace another one")
	}
	log := filepath.Join(t.TempDir(), "strace")
	args := []string{"-f", "-qq", "-y", "-xx", "-s", "8388608", "-o", log, "-e", "signal=none", "--seccomp-bpf",
		"-e", "trace=pwrite64,ftruncate,fdatasync,fsync,write", "-e", "inject=" + inject, os.Args[0]}
	cmd := exec.CommandContext(ctx, "strace", args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout = io.Discard
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	require.ErrorContains(t, err, "signal: killed", "%s", &stderr)
	file, err := os.Open(log)
	require.NoError(t, err)
	defer file.Close()
	var calls []call
	for reader := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := reader.ReadString('\n')
		if err == io.EOF {
			return calls
		}
		require.NoError(t, err)
		if c, ok := parseCall(t, path, line); ok {
			calls = append(calls, c)
		}
	}
}

var aligned = regexp.MustCompile(`\) += `)

// parseCall parses a line of strace.
func parseCall(t *testing.T, path, line string) (c call, ok bool) {
	thread, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = aligned.ReplaceAllString(strings.TrimSpace(rest), ") = ")
	rest = strings.Replace(rest, "<detached ...>", "<unfinished ...>", 1) // the thread died first
	c = call{thread: thread, failed: failed(rest), unknown: unknown(rest),
		ends: !strings.HasSuffix(rest, "<unfinished ...>")}
	if name, after, resumed := strings.Cut(strings.TrimPrefix(rest, "<... "), " resumed>"); resumed &&
		strings.HasPrefix(rest, "<... ") {
		c.name, c.failed, c.unknown = name, failed(after), !strings.Contains(after, "= ") || unknown(after)
		return c, true
	}
	name, arguments, called := strings.Cut(rest, "(")
	if !called {
		return c, false
	}
	c.name, c.begins = name, true
	if strings.HasPrefix(arguments, " <unfinished") {
		return c, false // the process died before the call
	}
	fd, file, _ := strings.Cut(arguments, "<")
	file, arguments, _ = strings.Cut(file, ">")
	if string(unhex(t, file)) != path && (c.name != "write" || fd != "1") {
		c.name = "" // a call on another file, but it may end an unfinished call
		return c, false
	}
	arguments, _, _ = strings.Cut(arguments, " <unfinished")
	arguments, _, _ = strings.Cut(arguments, ") = ")
	parts := strings.Split(strings.TrimPrefix(arguments, ", "), ", ")
	switch c.name {
	case "pwrite64":
		c.data = unhex(t, strings.Trim(parts[0], `"`))
		require.Equal(t, strconv.Itoa(len(c.data)), parts[1])
		c.at = int64(revisionOf(parts[2]))
	case "write":
		c.data = unhex(t, strings.Trim(parts[0], `"`))
	case "ftruncate":
		c.at = int64(revisionOf(parts[0]))
	}
	return c, true
}

// failed reports whether strace made a call fail.
func failed(line string) bool {
	return strings.Contains(line, "= -1 ") && strings.HasSuffix(line, "(INJECTED)")
}

// unknown reports whether the outcome of a call is unknown. If a process dies in a call, strace may report an error
// although the call has written.
func unknown(line string) bool {
	return strings.Contains(line, "= ?") || strings.Contains(line, "= -1 ") && !failed(line)
}

func unhex(t *testing.T, text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	require.NoError(t, err, "%.100s", text)
	return b
}
