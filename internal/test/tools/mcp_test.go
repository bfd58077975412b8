package tools_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	tool      string
	arguments string // an object of JSON; " stands for '
	says      string // a part of the answer
	fails     bool
}

func (s *mcp) do(t *testing.T, tasks []task) {
	t.Helper()
	for _, task := range tasks {
		result := s.ask(t, "tools/call", map[string]any{"name": task.tool,
			"arguments": json.RawMessage(strings.ReplaceAll(task.arguments, "'", `"`))})
		var text strings.Builder
		for _, c := range result.Content {
			text.WriteString(c.Text)
		}
		assert.Equal(t, task.fails, result.IsError, "%s %s: %s", task.tool, task.arguments, text.String())
		assert.Contains(t, strings.Join(strings.Fields(text.String()), " "), task.says, "%s %s", task.tool, task.arguments)
	}
}

// The MCP server kubernetes-mcp-server, which an assistant calls, does twenty tasks on each of the two APIs.
func TestMCPServer(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("NOT RUN: the test knows the path of the program for Linux on amd64 only")
	}
	program := filepath.Join(npm(t, mcpServer), "node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64")

	t.Run("plain host", func(t *testing.T) {
		const database = `'apiVersion': 'platform.example.com/v1', 'kind': 'Database'`
		startMCP(t, program, kubeconfig(t, quickstart(t))).do(t, []task{
			{tool: "configuration_view", arguments: `{}`, says: "current-context: host"},
			{tool: "namespaces_list", arguments: `{}`, says: "v1 Namespace default Active"},
			{tool: "resources_create_or_update", says: "phase: Active",
				arguments: `{'resource': '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}'}`},
			{tool: "resources_create_or_update", says: "storageGiB: 10",
				arguments: `{'resource': '{apiVersion: platform.example.com/v1, kind: Database, metadata: {name: orders, namespace: shop, labels: {team: a}}, spec: {engine: postgres}}'}`},
			{tool: "resources_list", says: "shop platform.example.com/v1 Database orders postgres 1", arguments: `{` + database + `}`},
			{tool: "resources_list", says: "orders", arguments: `{` + database + `, 'namespace': 'shop', 'labelSelector': 'team=a'}`},
			{tool: "resources_list", arguments: `{` + database + `, 'namespace': 'shop', 'labelSelector': 'team=b'}`},
			{tool: "resources_list", says: "orders", arguments: `{` + database + `, 'fieldSelector': 'spec.engine=postgres'}`},
			{tool: "resources_get", says: "engine: postgres", arguments: `{` + database + `, 'namespace': 'shop', 'name': 'orders'}`},
			{tool: "resources_create_or_update", says: "generation: 2",
				arguments: `{'resource': '{apiVersion: platform.example.com/v1, kind: Database, metadata: {name: orders, namespace: shop}, spec: {engine: postgres, replicas: 3}}'}`},
			{tool: "resources_create_or_update", says: `spec.engine: Unsupported value: "oracle"`, fails: true,
				arguments: `{'resource': '{apiVersion: platform.example.com/v1, kind: Database, metadata: {name: bad, namespace: shop}, spec: {engine: oracle}}'}`},
			{tool: "resources_create_or_update", says: "message: three replicas",
				arguments: `{'resource': '{apiVersion: v1, kind: Event, metadata: {name: orders.1, namespace: shop}, involvedObject: {kind: Database, namespace: shop, name: orders}, reason: Scaled, message: three replicas, type: Normal}'}`},
			{tool: "events_list", says: "Message: three replicas", arguments: `{'namespace': 'shop'}`},
			{tool: "resources_get", says: `databases.platform.example.com "none" not found`, fails: true,
				arguments: `{` + database + `, 'namespace': 'shop', 'name': 'none'}`},
			{tool: "resources_scale", says: "not found", fails: true, arguments: `{` + database + `, 'namespace': 'shop', 'name': 'orders'}`},
			{tool: "resources_delete", says: "deleted", arguments: `{` + database + `, 'namespace': 'shop', 'name': 'orders'}`},
			{tool: "resources_list", arguments: `{` + database + `, 'namespace': 'shop'}`},
			{tool: "resources_delete", says: "deleted", arguments: `{'apiVersion': 'v1', 'kind': 'Namespace', 'name': 'shop'}`},
			{tool: "pods_list", says: `no matches for kind "Pod"`, fails: true, arguments: `{}`},
			{tool: "nodes_top", says: "metrics API is not available", fails: true, arguments: `{}`},
		})
	})
	t.Run("kubeapi", func(t *testing.T) {
		startMCP(t, program, kubeapi(t)).do(t, []task{
			{tool: "namespaces_list", arguments: `{}`, says: "v1 Namespace kube-system Active"},
			{tool: "resources_create_or_update", says: "phase: Active",
				arguments: `{'resource': '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}'}`},
			{tool: "pods_run", says: "kind: Pod", arguments: `{'image': 'nginx', 'name': 'web', 'namespace': 'shop', 'port': 80}`},
			{tool: "pods_list", says: "shop v1 Pod web 0/1 Pending", arguments: `{}`},
			{tool: "pods_list_in_namespace", says: "web", arguments: `{'namespace': 'shop', 'labelSelector': 'app.kubernetes.io/name=web'}`},
			{tool: "pods_get", says: "phase: Pending", arguments: `{'namespace': 'shop', 'name': 'web'}`},
			{tool: "pods_log", says: "has not logged any message yet", arguments: `{'namespace': 'shop', 'name': 'web'}`},
			{tool: "pods_exec", says: "pod web does not have a host assigned", fails: true,
				arguments: `{'namespace': 'shop', 'name': 'web', 'command': ['ls']}`},
			{tool: "resources_create_or_update", says: "progressDeadlineSeconds: 600",
				arguments: `{'resource': '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}}'}`},
			{tool: "resources_scale", says: "replicas: 3",
				arguments: `{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'namespace': 'shop', 'name': 'web', 'scale': 3}`},
			{tool: "resources_list", says: "web 0/3", arguments: `{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'namespace': 'shop'}`},
			{tool: "resources_create_or_update", says: "color: blue",
				arguments: `{'resource': '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {color: blue}}'}`},
			{tool: "resources_create_or_update", says: "color: green",
				arguments: `{'resource': '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {color: green}}'}`},
			{tool: "resources_create_or_update", says: "message: pulled",
				arguments: `{'resource': '{apiVersion: v1, kind: Event, metadata: {name: web.1, namespace: shop}, involvedObject: {kind: Pod, namespace: shop, name: web}, reason: Pulled, message: pulled, type: Normal}'}`},
			{tool: "events_list", says: "Message: pulled", arguments: `{'namespace': 'shop', 'fieldSelector': 'involvedObject.name=web'}`},
			{tool: "resources_create_or_update", says: "plural: ships",
				arguments: `{'resource': '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ships.example.com}, spec: {group: example.com, scope: Namespaced, names: {plural: ships, kind: Ship}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {guns: {type: integer}}}}}}}]}}'}`},
			{tool: "resources_create_or_update", says: "guns: 100",
				arguments: `{'resource': '{apiVersion: example.com/v1, kind: Ship, metadata: {name: victory, namespace: shop}, spec: {guns: 100}}'}`},
			{tool: "resources_list", says: "victory", arguments: `{'apiVersion': 'example.com/v1', 'kind': 'Ship'}`},
			{tool: "pods_delete", says: "deleted", arguments: `{'namespace': 'shop', 'name': 'web'}`},
			{tool: "resources_delete", says: "deleted", arguments: `{'apiVersion': 'v1', 'kind': 'Namespace', 'name': 'shop'}`},
		})
	})
}
