package e2e_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/pagetest"
)

const patience = pagetest.Patience

// namespace is the namespace in which the commands work. Every server has its own.
const namespace = "e2e"

// host is a program that serves an API, and its arguments.
type host struct {
	program    string
	args       []string
	namespaces bool // it serves namespaces, so a namespace must be created before its objects
	kubeconfig bool // it prints the path of a kubeconfig on its second line, because clients need credentials
}

// name distinguishes the host from others in the names of tests.
func (h host) name() string { return strings.Join(append([]string{h.program}, h.args...), "") }

// server is a running host and a kubectl that knows only its URL, or its kubeconfig.
type server struct {
	url        string
	kubeconfig string // empty if the URL is enough
	kubectl    *kubectl
	home       string // an empty home directory: no kubeconfig, no cache of another server
}

// startServer runs the host until the test ends. It then interrupts the host, which must exit without an error.
func startServer(t *testing.T, h host, k *kubectl) *server {
	t.Helper()
	lines := []string{"ready"}
	if h.kubeconfig {
		lines = append(lines, "kubeconfig")
	}
	first := pagetest.Start(t, lines, filepath.Join(programs, h.program), append([]string{"--listen", "127.0.0.1:0"}, h.args...)...)
	s := &server{url: first[0], kubectl: k, home: t.TempDir()}
	if h.kubeconfig {
		s.kubeconfig = first[1]
	}
	if h.namespaces {
		s.run(t, "create", "namespace", namespace)
	}
	return s
}

// command returns a kubectl command that runs as on a new machine, in the namespace of the tests unless the arguments
// name another. A wait takes as long as any other command may, unless the arguments limit it: kubectl itself ends it
// after 30 seconds.
func (s *server) command(ctx context.Context, stdin string, args ...string) *exec.Cmd {
	if args[0] == "wait" {
		args = slices.Insert(slices.Clone(args), 1, "--timeout="+patience.String())
	}
	access, kubeconfig := []string{"--server", s.url}, filepath.Join(s.home, "none")
	if s.kubeconfig != "" {
		access, kubeconfig = nil, s.kubeconfig
	}
	cmd := exec.CommandContext(ctx, s.kubectl.program, slices.Concat(access, []string{"--namespace", namespace}, args)...)
	cmd.Env = []string{
		"HOME=" + s.home,
		"TMPDIR=" + s.home,
		"KUBECONFIG=" + kubeconfig,
		"PATH=" + os.Getenv("PATH"),
		"EDITOR=sh " + filepath.Join(s.home, "editor"),
	}
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Dir = s.home
	return cmd
}

// run runs a command that must succeed and returns its output.
func (s *server) run(t *testing.T, args ...string) string {
	t.Helper()
	return s.feed(t, "", args...)
}

// feed is run with standard input, for -f -.
func (s *server) feed(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, err := s.try(t, stdin, args...)
	require.NoError(t, err, "kubectl %s\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout
}

// refused runs a command that must fail and returns its error output.
func (s *server) refused(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	stdout, stderr, err := s.try(t, stdin, args...)
	require.Error(t, err, "kubectl %s should fail, but printed:\n%s", strings.Join(args, " "), stdout)
	return stderr
}

// exits runs a command that must exit with the given status and returns its output.
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

// file writes a file into the working directory of the commands.
func (s *server) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.home, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// edits installs an editor that runs a sed script.
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

// background starts a command and returns its lines as they arrive. wait returns the command's error once it has
// exited. The end of the test kills the command.
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

// await reads lines until one contains all words, in order.
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

// holds reports whether the columns of the line contain the words, in order.
func holds(line string, words ...string) bool {
	for _, column := range strings.Fields(line) {
		if len(words) > 0 && column == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// assertLine expects a line whose columns contain the words, in order.
func assertLine(t *testing.T, out string, words ...string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if holds(line, words...) {
			return
		}
	}
	assert.Fail(t, "no such line", "no line with %q in:\n%s", words, out)
}
