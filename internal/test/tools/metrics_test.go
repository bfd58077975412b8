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
		url := harbor(t)
		victory := `{apiVersion: fleet.example.com/v1, kind: Ship, metadata: {name: victory}, spec: {guns: 104}}`
		post(t, url+ships, victory)
		metrics := startMetrics(t, program, "--custom-resource-state-only", "--apiserver", url)
		metrics.await(t, `ship_guns{customresource_group="fleet.example.com",customresource_kind="Ship",`+
			`customresource_version="v1",name="victory"} 104`)
		post(t, url+ships, strings.NewReplacer("victory", "vasa", "104", "64").Replace(victory))
		metrics.await(t, `name="vasa"} 64`)
	})
	t.Run("kubeapi", func(t *testing.T) {
		path := kubeapi(t)
		kubectl, err := kubectl()
		require.NoError(t, err)
		apply := command{input: shipDefinition}
		apply.run(t, kubectl, "--kubeconfig", path, "apply", "-f", "-")
		apply.run(t, kubectl, "--kubeconfig", path, "wait", "--for=condition=Established", "crd/ships.fleet.example.com")
		apply.input = "{apiVersion: fleet.example.com/v1, kind: Ship, metadata: {name: victory}, spec: {guns: 104}}\n---" + deployment
		apply.run(t, kubectl, "--kubeconfig", path, "apply", "-f", "-")
		metrics := startMetrics(t, program, "--kubeconfig", path)
		metrics.await(t, `name="victory"} 104`)
		metrics.await(t, `kube_deployment_spec_replicas{namespace="default",deployment="web"} 2`)
		metrics.await(t, `kube_namespace_status_phase{namespace="kube-system",phase="Active"} 1`)
	})
}

const shipDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.fleet.example.com}
spec:
  group: fleet.example.com
  scope: Namespaced
  names: {plural: ships, singular: ship, kind: Ship, listKind: ShipList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {guns: {type: integer, format: int32}}}}
`

const shipMetrics = `
kind: CustomResourceStateMetrics
spec:
  resources:
  - groupVersionKind: {group: fleet.example.com, version: v1, kind: Ship}
    metricNamePrefix: ship
    labelsFromPath: {name: [metadata, name]}
    metrics:
    - name: guns
      help: The number of guns.
      each: {type: Gauge, gauge: {path: [spec, guns]}}
`

// exporter is a running kube-state-metrics.
type exporter struct{ url, log string }

func startMetrics(t *testing.T, program string, args ...string) exporter {
	t.Helper()
	address := port(t)
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	cmd := exec.Command(program, append(args, "--custom-resource-state-config-file", write(t, dir, "config.yaml", shipMetrics),
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
