package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var streamHost = host{program: "streamhost", namespaces: true}

// The test runs the kubectl commands that connect to a container.
func TestStreams(t *testing.T) {
	commands := []struct {
		name string
		run  func(t *testing.T, s *server)
	}{
		{"logs", logs},
		{"logs-follow", logsFollow},
		{"exec", execs},
		{"exec-stdin", execStdin},
		{"attach", attach},
		{"cp", cp},
		{"spdy", refusesSPDY},
		{"proxy", podProxy},
	}
	for _, k := range kubectls {
		t.Run(k.version, func(t *testing.T) {
			for _, c := range commands {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					s := startServer(t, streamHost, k)
					s.feed(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: main, image: none, stdin: true}]}\n", "create", "-f", "-")
					c.run(t, s)
				})
			}
		})
	}
}

func logs(t *testing.T, s *server) {
	assert.Equal(t, "started\n", s.run(t, "logs", "one"))
	assert.Equal(t, "started\n", s.run(t, "logs", "one", "-c", "main", "--tail=5"))
	assert.Empty(t, s.run(t, "logs", "one", "--tail=0"))
	assert.Contains(t, s.refused(t, "", "logs", "one", "-c", "other"), "container other is not valid for pod one")
	assert.Contains(t, s.refused(t, "", "logs", "two"), `pods "two" not found`)
}

func logsFollow(t *testing.T, s *server) {
	lines, _ := s.background(t, "logs", "-f", "one", "--tail=1")
	await(t, lines, "started")
	s.feed(t, "hello\nworld\n", "attach", "-i", "one")
	await(t, lines, "hello")
	await(t, lines, "world")
	assert.Equal(t, "world\n", s.run(t, "logs", "one", "--tail=1"))
}

func execs(t *testing.T, s *server) {
	assert.Equal(t, "a b\n", s.run(t, "exec", "one", "--", "echo", "a", "b"))
	stdout, stderr, err := s.try(t, "", "exec", "one", "--", "sh", "-c", "echo out; echo err >&2")
	require.NoError(t, err)
	assert.Equal(t, "out\n", stdout)
	assert.Equal(t, "err\n", stderr)

	assert.Equal(t, "out\n", s.exits(t, 42, "", "exec", "one", "--", "sh", "-c", "echo out; exit 42"))
	assert.Contains(t, s.refused(t, "", "exec", "one", "--", "no-such-command"), "no-such-command")
	assert.Contains(t, s.refused(t, "", "exec", "one", "-c", "other", "--", "true"),
		"container other is not valid for pod one")
	assert.Contains(t, s.refused(t, "", "exec", "two", "--", "true"), `pods "two" not found`)
}

func execStdin(t *testing.T, s *server) {
	text := strings.Repeat("0123456789abcdef", 1<<16) // one megabyte
	assert.Equal(t, text, s.feed(t, text, "exec", "-i", "one", "--", "cat"))
	assert.Equal(t, "1048576\n", strings.TrimLeft(s.feed(t, text, "exec", "-i", "one", "--", "sh", "-c", "wc -c"), " "))
	assert.Equal(t, "done\n", s.feed(t, text, "exec", "-i", "one", "--", "echo", "done"),
		"a command need not read its input")
}

func attach(t *testing.T, s *server) {
	assert.Equal(t, "hello\n", s.feed(t, "hello\n", "attach", "-i", "one"))
	assert.Equal(t, "started\nhello\n", s.run(t, "logs", "one"))
}

func cp(t *testing.T, s *server) {
	text := strings.Repeat("content\n", 100_000)
	s.file(t, "folder/file", text)
	s.run(t, "cp", "folder", "one:copy")
	assert.Equal(t, "file\n", s.run(t, "exec", "one", "--", "ls", "copy"))
	s.run(t, "cp", "one:copy/file", "back")
	back, err := os.ReadFile(filepath.Join(s.home, "back"))
	require.NoError(t, err)
	assert.Equal(t, text, string(back))
}

// The host rejects SPDY by name. kubectl uses nothing else to forward ports, and uses it for commands if the user asks
// for it.
func refusesSPDY(t *testing.T, s *server) {
	s.feed(t, `{"status":{"phase":"Running"}}`, "patch", "pod", "one", "--subresource=status", "--type=merge",
		"--patch-file=/dev/stdin")
	assert.Contains(t, s.refused(t, "", "port-forward", "one", ":80"),
		"portforward is served over WebSocket, not SPDY/3.1")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := s.command(ctx, "", "exec", "one", "--", "true")
	cmd.Env = append(cmd.Env, "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "exec is served over WebSocket, not SPDY/3.1: use a newer client")
}

func podProxy(t *testing.T, s *server) {
	const path = "/api/v1/namespaces/" + namespace + "/pods/one/proxy"
	assert.Equal(t, "GET /a/b of one\n", s.run(t, "get", "--raw", s.rawPath(t, path+"/a/b")))
	assert.Equal(t, "GET / of one\n", s.run(t, "get", "--raw", s.rawPath(t, path)), "through a redirect")
	assert.Equal(t, "POST /x of one\n", s.feed(t, "{}", "create", "--raw", s.rawPath(t, path+"/x"), "-f", "-"))
	assert.Equal(t, "DELETE /x of one\n", s.run(t, "delete", "--raw", s.rawPath(t, path+"/x")))
}
