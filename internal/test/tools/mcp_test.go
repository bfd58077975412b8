package tools_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// mcp is a session with an MCP server, which speaks JSON-RPC on its standard input and output.
type mcp struct {
	in      io.Writer
	answers *bufio.Reader
	log     string
	last    int
}

func startMCP(t *testing.T, program, kubeconfig string) *mcp {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // a test ends its context before its cleanups
	cmd := exec.CommandContext(ctx, program, "--kubeconfig", kubeconfig)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		_ = cmd.Wait() // its status at the end of its input is not the subject
		cancel()
		assert.NoError(t, log.Close())
	})
	s := &mcp{in: in, answers: bufio.NewReader(out), log: log.Name()}
	s.ask(t, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "decorum", "version": "1"}})
	s.send(t, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return s
}

func (s *mcp) send(t *testing.T, message map[string]any) {
	t.Helper()
	line, err := json.Marshal(message)
	require.NoError(t, err)
	_, err = s.in.Write(append(line, '\n'))
	require.NoError(t, err)
}

// answer is what the tests read of a result.
type answer struct {
	Content []struct{ Text string }
	IsError bool
}

// ask sends a request, and returns the result.
func (s *mcp) ask(t *testing.T, method string, params any) (result answer) {
	t.Helper()
	s.last++
	s.send(t, map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params})
	for {
		line, err := s.answers.ReadBytes('\n')
		require.NoError(t, err, "%s", read(t, s.log))
		var message struct {
			ID     any
			Error  any
			Result answer
		}
		require.NoError(t, json.Unmarshal(line, &message), "%s", line)
		if message.ID != float64(s.last) { // a notification
			continue
		}
		require.Nil(t, message.Error)
		return message.Result
	}
}

// task is a call of a tool of the server.
type task struct {
	Tool        string
	Arguments   map[string]any
	Manifest    map[string]any // becomes the argument resource
	Says, Never string         // parts that the answer contains, and does not contain
	Fails       bool
}

// do does the tasks of a file.
func (s *mcp) do(t *testing.T, file string) {
	t.Helper()
	var tasks []task
	require.NoError(t, yaml.UnmarshalStrict([]byte(read(t, file)), &tasks))
	require.Len(t, tasks, 20)
	for _, task := range tasks {
		arguments := map[string]any{}
		maps.Copy(arguments, task.Arguments)
		if task.Manifest != nil {
			text, err := yaml.Marshal(task.Manifest)
			require.NoError(t, err)
			arguments["resource"] = string(text)
		}
		result := s.ask(t, "tools/call", map[string]any{"name": task.Tool, "arguments": arguments})
		var text strings.Builder
		for _, c := range result.Content {
			text.WriteString(c.Text)
		}
		words := strings.Join(strings.Fields(text.String()), " ")
		assert.Equal(t, task.Fails, result.IsError, "%s %s: %s", task.Tool, arguments, words)
		assert.Contains(t, words, task.Says, "%s %s", task.Tool, arguments)
		if task.Never != "" {
			assert.NotContains(t, words, task.Never, "%s %s", task.Tool, arguments)
		}
	}
}

// The MCP server kubernetes-mcp-server, which an assistant calls, does twenty tasks on each of the two APIs.
func TestMCPServer(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		// npm installs the program for each platform in a package of its own.
		t.Skip("NOT RUN: the test knows the path of the program for Linux on amd64 only")
	}
	const path = "node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64"
	program := filepath.Join(npm(t, mcpServer), path)
	t.Run("plain host", func(t *testing.T) {
		startMCP(t, program, kubeconfig(t, quickstart(t))).do(t, "testdata/mcp-host.yaml")
	})
	t.Run("kubeapi", func(t *testing.T) {
		startMCP(t, program, kubeapi(t)).do(t, "testdata/mcp-kubeapi.yaml")
	})
}
