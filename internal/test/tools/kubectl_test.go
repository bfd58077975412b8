package tools_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/pagetest"
)

// kubectl needs only the address of a plain host. `make e2e` tests much more.
func TestKubectl(t *testing.T) {
	program, err := kubectl()
	require.NoError(t, err)
	t.Run("plain host", func(t *testing.T) {
		url := quickstart(t)
		run := func(args ...string) string {
			return command{}.run(t, program, append([]string{"--server", url}, args...)...)
		}
		assert.Contains(t, run("apply", "-f", root+"/examples/quickstart/sample.yaml"), "orders created")
		assert.Contains(t, run("wait", "--for=condition=Ready", "database/orders"), "condition met")
		assert.Contains(t, run("get", "db"), "postgres")
		assert.Contains(t, run("explain", "database.spec.replicas"), "How many instances run.")
		assert.Contains(t, run("delete", "db", "orders"), "deleted")
	})
	t.Run("kubeapi", func(t *testing.T) {
		path := kubeapi(t)
		run := func(args ...string) string {
			return command{input: deployment}.run(t, program, append([]string{"--kubeconfig", path}, args...)...)
		}
		assert.Contains(t, run("apply", "-f", "-"), "web created")
		assert.Contains(t, run("scale", "deployment", "web", "--replicas", "5"), "web scaled")
		assert.Contains(t, run("get", "deployments"), "0/5")
		assert.Contains(t, run("auth", "can-i", "delete", "pods"), "yes")
		assert.Contains(t, run("delete", "deployment", "web"), "deleted")
	})
}

// helm renders a chart for a plain host, and kubectl applies it. An installation also needs a host that serves Secrets:
// see internal/test/helm.
func TestHelmTemplate(t *testing.T) {
	helm := filepath.Join(programs, "helm")
	require.NoError(t, pagetest.Build(helm, root+"/internal/test/helm", "helm.sh/helm/v4/cmd/helm", "-ldflags=-s -w"))
	kubectl, err := kubectl()
	require.NoError(t, err)
	url, home := quickstart(t), t.TempDir()
	env := []string{"HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_CACHE_HOME=" + home, "HELM_DATA_HOME=" + home}
	manifests := command{env: env}.run(t, helm, "template", "shop", "testdata/shop", "--set", "replicas=3")
	assert.Contains(t, command{input: manifests}.run(t, kubectl, "--server", url, "apply", "-f", "-"), "shop created")
	assert.Contains(t, command{}.run(t, kubectl, "--server", url, "get", "db", "shop", "-o", "jsonpath={.spec.replicas}"), "3")
}
