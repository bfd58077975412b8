package e2e_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds every command, so that a hang is a failure with a name.
const patience = time.Minute

// namespace is where the commands work; every server has its own.
const namespace = "e2e"

// host is a program that serves an API, and how it is started.
type host struct {
	program    string
	args       []string
	namespaces bool // it serves namespaces: a namespace must be made before it can hold something
}

// name tells the host from the others in the names of tests.
func (h host) name() string { return strings.Join(append([]string{h.program}, h.args...), "") }

// server is a running host and a kubectl that knows nothing but its URL.
type server struct {
	url     string
	kubectl *kubectl
	home    string // an empty home: no kubeconfig, no cache of another server
}

// startServer runs the host until the test ends, then interrupts it as a
// person would and expects it to end by itself, without an error.
func startServer(t *testing.T, h host, k *kubectl) *server {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, filepath.Join(programs, h.program), append([]string{"--listen", "127.0.0.1:0"}, h.args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	lines := bufio.NewReader(stdout)
	first, readErr := lines.ReadString('\n')
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(io.Discard, lines)
	}()
	t.Cleanup(func() {
		interrupt()
		<-drained
		// An interrupt that ends the program with status 0 is reported as the context's end.
		if err := cmd.Wait(); err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		}
		assert.Equal(t, 0, cmd.ProcessState.ExitCode(), "%s ends cleanly when interrupted: %s", h.program, cmd.ProcessState)
	})
	require.NoError(t, readErr)
	url, ok := strings.CutPrefix(strings.TrimSpace(first), "ready ")
	require.True(t, ok, "the first line is %q", first)
	s := &server{url: url, kubectl: k, home: t.TempDir()}
	if h.namespaces {
		s.run(t, "create", "namespace", namespace)
	}
	return s
}

// command is kubectl as a person at a fresh machine would run it, but that
// the namespace is ours unless the arguments name another.
func (s *server) command(ctx context.Context, stdin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.kubectl.program, append([]string{"--server", s.url, "--namespace", namespace}, args...)...)
	cmd.Env = []string{
		"HOME=" + s.home,
		"TMPDIR=" + s.home,
		"KUBECONFIG=" + filepath.Join(s.home, "none"),
		"PATH=" + os.Getenv("PATH"),
		"EDITOR=sh " + filepath.Join(s.home, "editor"),
	}
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Dir = s.home
	return cmd
}

// run runs a command that must succeed and returns what it printed.
func (s *server) run(t *testing.T, args ...string) string {
	t.Helper()
	return s.feed(t, "", args...)
}

// feed is run with a standard input, for `-f -`.
func (s *server) feed(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, err := s.try(t, stdin, args...)
	require.NoError(t, err, "kubectl %s\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout
}

// refused runs a command that must fail and returns its complaint.
func (s *server) refused(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, err := s.try(t, stdin, args...)
	require.Error(t, err, "kubectl %s should fail, but printed:\n%s", strings.Join(args, " "), stdout)
	return stderr
}

// exits runs a command that must end with the status and returns what it printed.
func (s *server) exits(t *testing.T, status int, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, err := s.try(t, stdin, args...)
	got := 0
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		got = exit.ExitCode()
	}
	require.Equal(t, status, got, "exit status of kubectl %s\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout
}

// file puts a file for a command to read into its working directory.
func (s *server) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.home, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// edits makes an editor that carries out a sed script.
func (s *server) edits(t *testing.T, script string) {
	t.Helper()
	s.file(t, "editor", "sed '"+script+"' \"$1\" >edited && cat edited >\"$1\"\n")
}

func (s *server) try(t *testing.T, stdin string, args ...string) (string, string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr strings.Builder
	cmd := s.command(ctx, stdin, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return stdout.String(), stderr.String(), err
}

// background starts a command and returns its lines as they come. wait ends
// when the command has ended, with its error; the test's end kills it.
func (s *server) background(t *testing.T, args ...string) (lines <-chan string, wait func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	cmd := s.command(ctx, "", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	out := make(chan string, 1000)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(out)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			out <- scanner.Text()
		}
		err = cmd.Wait()
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Logf("kubectl %s: %s", strings.Join(args, " "), stderr.String())
		}
	})
	return out, func() error {
		<-ended
		return err
	}
}

// await reads lines until one holds all the words, in order.
func await(t *testing.T, lines <-chan string, words ...string) {
	t.Helper()
	var seen []string
	for line := range lines {
		seen = append(seen, line)
		if holds(line, words...) {
			return
		}
	}
	require.Fail(t, "the output ended", "no line with %q in:\n%s", words, strings.Join(seen, "\n"))
}

// holds says whether the line has the words as columns, in order.
func holds(line string, words ...string) bool {
	for _, column := range strings.Fields(line) {
		if len(words) > 0 && column == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// assertLine expects a line with the words as columns, in order.
func assertLine(t *testing.T, out string, words ...string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if holds(line, words...) {
			return
		}
	}
	assert.Fail(t, "no such line", "no line with %q in:\n%s", words, out)
}
