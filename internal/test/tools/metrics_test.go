package tools_test

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kube-state-metrics finds a kind by its CustomResourceDefinition, and exports fields of its objects as metrics. A host
// shows the definition of a kind with crd.Options.Compiled.
func TestKubeStateMetrics(t *testing.T) {
	program := build(t, kubeStateMetrics)
	t.Run("plain host", func(t *testing.T) {
		url := widgetHost(t)
		first := `{apiVersion: example.com/v1, kind: Widget, metadata: {name: first}, spec: {size: 80}}`
		post(t, url+widgets, first)
		metrics := startMetrics(t, program, "--custom-resource-state-only", "--apiserver", url)
		metrics.await(t, `widget_size{customresource_group="example.com",customresource_kind="Widget",`+
			`customresource_version="v1",name="first"} 80`)
		post(t, url+widgets, strings.NewReplacer("first", "second", "80", "64").Replace(first))
		metrics.await(t, `name="second"} 64`)
	})
	t.Run("kubeapi", func(t *testing.T) {
		path := kubeapi(t)
		kubectl, err := kubectl()
		require.NoError(t, err)
		apply := command{input: widgetDefinition(t)}
		apply.run(t, kubectl, "--kubeconfig", path, "apply", "-f", "-")
		apply.run(t, kubectl, "--kubeconfig", path, "wait", "--for=condition=Established", "crd/widgets.example.com")
		apply.input = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: first}, spec: {size: 80}}\n---" + deployment
		apply.run(t, kubectl, "--kubeconfig", path, "apply", "-f", "-")
		metrics := startMetrics(t, program, "--kubeconfig", path)
		metrics.await(t, `name="first"} 80`)
		metrics.await(t, `kube_deployment_spec_replicas{namespace="default",deployment="web"} 2`)
		metrics.await(t, `kube_namespace_status_phase{namespace="kube-system",phase="Active"} 1`)
	})
}

const widgetMetrics = `
kind: CustomResourceStateMetrics
spec:
  resources:
  - groupVersionKind: {group: example.com, version: v1, kind: Widget}
    metricNamePrefix: widget
    labelsFromPath: {name: [metadata, name]}
    metrics:
    - name: size
      help: The size of the widget.
      each: {type: Gauge, gauge: {path: [spec, size]}}
`

// exporter is a running kube-state-metrics.
type exporter struct{ url, log string }

func startMetrics(t *testing.T, program string, args ...string) exporter {
	t.Helper()
	address := port(t)
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	cmd := exec.Command(program, append(args, "--custom-resource-state-config-file", write(t, dir, "config.yaml", widgetMetrics),
		"--host", "127.0.0.1", "--port", address, "--telemetry-host", "127.0.0.1", "--telemetry-port", port(t))...)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
		assert.NoError(t, log.Close())
	})
	return exporter{url: "http://127.0.0.1:" + address + "/metrics", log: log.Name()}
}

// await waits until the exporter shows a line.
func (e exporter) await(t *testing.T, line string) {
	t.Helper()
	var body bytes.Buffer
	assert.Eventually(t, func() bool {
		answer, err := http.Get(e.url)
		if err != nil { // it does not listen yet
			return false
		}
		defer answer.Body.Close()
		body.Reset()
		_, err = body.ReadFrom(answer.Body)
		return err == nil && strings.Contains(body.String(), line)
	}, patience, 100*time.Millisecond)
	require.Contains(t, body.String(), line, "%s", read(t, e.log))
}

// port returns a port of the loopback interface that was free a moment ago.
func port(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}
