package console_test

import (
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// The console shows a server of the Kubernetes API, with its own kinds and those of definitions of public projects,
// behind the proxy of a host that has the credentials.
func TestClusterBehindAProxy(t *testing.T) {
	if browserPath() == "" {
		openPage(t, "") // skips before the server is built, which takes a while
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	start(t, "k8s/kubeapi", "--kubeconfig", file)
	config, err := kubeconfig.Load(kubeconfig.Options{}, file)
	require.NoError(t, err)
	target, err := url.Parse(config.Server.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval, proxy.Transport = -1, config.Server.HTTP.Transport
	proxy.ErrorLog = log.New(io.Discard, "", 0) // a page that leaves a view ends its requests
	host := serve(t, proxy)

	applied := 0
	for _, path := range definitions(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.Contains(string(text), "\nkind: CustomResourceDefinition") {
			continue
		}
		send(t, http.MethodPost, host+"/platform/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml",
			string(text))
		applied++
	}
	require.NotZero(t, applied)

	p := openPage(t, host)
	p.awaitText(".group h2", "core")
	p.awaitText(".cards a", "ConfigMap")
	p.clickText(".side a", "customresourcedefinitions")
	p.await(fmt.Sprintf("document.querySelectorAll('tbody tr').length === %d", applied))
	p.open("#/api/v1/namespaces")
	p.awaitText("tbody tr", "kube-system")
	p.open("#/apis/apps/v1/namespaces/default/deployments")
	p.awaitText(".note", "There are no deployments here.")
	send(t, http.MethodPost, host+"/platform/apis/apps/v1/namespaces/default/deployments", "application/json",
		`{"apiVersion":"apps/v1","kind":"Deployment",
		"metadata":{"name":"web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
		"spec":{"containers":[{"name":"web","image":"web:1"}]}}}}`)
	p.awaitText("tbody tr", "web")
	p.open("#/apis/apps/v1/namespaces/default/deployments/web?tab=document")
	p.clickText(".lines .row", `image: web:1`)
	p.awaitText(".field", "spec.template.spec.containers[0].image")
	p.awaitText(".field .text", "Container image name")
	p.awaitText(".field .setters", "Go-http-client")
	p.clickText("[role=tab]", "subresources")
	p.clickText(".subresources li:nth-child(1) button", "Read")
	p.awaitText(".subresources pre", "kind: Scale")
	assert.Empty(t, p.texts(".failure"))

	p.clickText(".actions button", "Scale")
	p.fill("#replicas", "3")
	p.awaitText(".difference ins", "replicas: 3")
	p.clickText("dialog button", "Scale")
	p.await("!document.querySelector('dialog')")
	p.clickText("[role=tab]", "edit")
	p.replaceYAML("image: web:1", "image: web:2")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "image: web:2")
	p.clickText("dialog button", "Save")
	p.awaitText(".lines", "image: web:2")
	p.awaitText(".lines", "replicas: 3")
	send(t, http.MethodPatch, host+"/platform/apis/apps/v1/namespaces/default/deployments/web/status", "application/merge-patch+json",
		`{"status":{"conditions":[{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"},
		{"type":"Available","status":"False","reason":"MinimumReplicasUnavailable"}]}}`)
	p.open("#/")
	p.awaitText(".attention .summary", "1 object")
	p.awaitText(".troubles ul li", "Available is FalseMinimumReplicasUnavailable")
	p.awaitText(".attention .note", "Changes appear within about")
	assert.NotContains(t, p.texts(".attention .note")[0], "could not read")
	p.open("#/api/v1/namespaces/default/configmaps?new=1")
	p.fill(`[id="field-metadata.name"]`, "settings")
	p.fill(`[id="field-data[\"+\"]"]`, "colour")
	p.fill(`[id="field-data.colour"]`, "green")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "colour: green")
	p.clickText("dialog button", "Create")
	p.awaitText("h1", "settings")
}

// definitions returns the files of definitions beside the repository, or that of the quickstart.
func definitions(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("DECORUM_CRDS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "crds")
	}
	standard := filepath.Join(folder, "gateway-api", "config", "crd", "standard")
	var files []string
	err := filepath.WalkDir(standard, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return []string{filepath.Join("..", "..", "..", "examples", "quickstart", "definition.yaml")}
	}
	return files
}
