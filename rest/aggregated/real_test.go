package aggregated_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/realapitest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// deploy are the manifests of the example.
const deploy = "../../examples/aggregated/deploy/"

// eventually waits for other processes.
func eventually(t *testing.T, holds func() bool, what ...any) {
	t.Helper()
	require.Eventually(t, holds, realapitest.Patience, 100*time.Millisecond, what...)
}

// startReports starts kube-apiserver with the manifests of the example, and a server behind it.
func startReports(t *testing.T) (*realapitest.Server, *realapitest.Behind) {
	r := realapitest.Start(t)
	r.Permit()
	r.Kubectl("admin", "apply", "--server-side", "-f", deploy+"rbac.yaml", "-f", deploy+"users.yaml")
	r.Kubectl("admin", "apply", "--dry-run=server", "-f", deploy+"program.yaml")
	r.Kubectl("admin", "apply", "--server-side", "-f", deploy+"apiservice.yaml")
	s := r.Aggregate(t, "reports.example.com", rest.Options{}, reports())
	r.Available("v1.reports.example.com")
	return r, s
}

// With the manifests of the example, a server works behind kube-apiserver itself. kube-apiserver proxies everyday
// kubectl commands, the cluster grants rights, and the server refuses requests past the proxy. Both authorities rotate
// under load, and kube-apiserver stops and starts again.
func TestBehindKubeAPIServer(t *testing.T) {
	r, s := startReports(t)
	t.Run("everyday kubectl commands", func(t *testing.T) { kubectlWorks(t, r) })
	t.Run("rights", func(t *testing.T) { clusterGrantsRights(t, r) })
	t.Run("requests past the proxy", func(t *testing.T) { refusesDirectRequests(t, r, s) })
	t.Run("escalations through the proxy", func(t *testing.T) { refusesEscalations(t, r) })
	t.Run("authorities rotate under load", func(t *testing.T) { authoritiesRotate(t, r, s) })
	t.Run("kube-apiserver stops and starts again", func(t *testing.T) { kubeAPIServerRestarts(t, r, s) })
}

func kubectlWorks(t *testing.T, r *realapitest.Server) {
	sample := filepath.Join(t.TempDir(), "sample.yaml")
	require.NoError(t, os.WriteFile(sample, []byte("apiVersion: reports.example.com/v1\nkind: Report\n"+
		"metadata: {name: weekly, namespace: default}\nspec: {text: one}\n"), 0o600))
	assert.Contains(t, r.Kubectl("admin", "api-resources", "--api-group=reports.example.com"), "reports.example.com/v1")
	eventually(t, func() bool { // kube-apiserver fetches the schemas a little after the group is available
		out, err := r.Run("admin", "explain", "report.spec")
		return err == nil && strings.Contains(out, "text")
	})
	assert.Contains(t, r.Kubectl("admin", "apply", "-f", sample), "report.reports.example.com/weekly created")
	assert.Contains(t, r.Kubectl("admin", "apply", "--server-side", "--force-conflicts", "-f", sample),
		"serverside-applied")
	assert.Contains(t, r.Kubectl("admin", "get", "reports", "-A"), "weekly")
	assert.Contains(t, r.Kubectl("admin", "get", "report", "weekly", "-o", "yaml"), "text: one")
	watching, stop := r.Background("admin", "get", "reports", "--watch", "-o", "name")
	eventually(t, func() bool { return strings.Count(watching(), "weekly") == 1 })
	r.Kubectl("admin", "annotate", "report", "weekly", "a=b")
	eventually(t, func() bool { return strings.Count(watching(), "weekly") == 2 })
	stop()
}

// clusterGrantsRights checks that the roles of the cluster apply, even to users whom an administrator impersonates.
func clusterGrantsRights(t *testing.T, r *realapitest.Server) {
	assert.Contains(t, r.Refused("alice", "get", "reports"), `User "alice" cannot list resource "reports"`)
	assert.Contains(t, r.Refused("admin", "get", "reports", "--as=alice"), `User "alice" cannot list resource "reports"`)
	r.Kubectl("admin", "create", "clusterrole", "reports:here", "--verb=get,list,watch",
		"--resource=reports.reports.example.com")
	r.Kubectl("admin", "create", "rolebinding", "here", "--clusterrole=reports:here", "--user=alice", "-n", "default")
	eventually(t, func() bool { _, err := r.Run("alice", "get", "reports", "-n", "default"); return err == nil })
	assert.Contains(t, r.Refused("alice", "delete", "report", "weekly"), "cannot delete resource")
	assert.Contains(t, r.Refused("alice", "get", "reports", "-A"), "cannot list resource")
	assert.Contains(t, r.Refused("alice", "get", "report", "weekly", "--as=admin"), "cannot impersonate")
	code, answer := r.Do("admin", "POST", "/apis/reports.example.com/v1/namespaces/none/reports",
		[]byte(`{"apiVersion":"reports.example.com/v1","kind":"Report","metadata":{"name":"a"}}`),
		"Content-Type", "application/json")
	assert.Equal(t, 404, code)
	assert.Contains(t, string(answer), `namespaces \"none\" not found`)
}

// forged are headers that name a user.
var forged = []string{"X-Remote-User", "admin", "X-Remote-Group", "system:masters"}

// refusesDirectRequests checks that the server ignores the headers of a request without the certificate of the proxy.
func refusesDirectRequests(t *testing.T, r *realapitest.Server, s *realapitest.Behind) {
	assert.Equal(t, 401, s.Get(nil, reportsPath))
	assert.Equal(t, 401, s.Get(nil, reportsPath, forged...))
	assert.Equal(t, 401, s.Get(realapitest.NewAuthority("proxies").Sign("front-proxy"), reportsPath, forged...))
	assert.Equal(t, 401, s.Get(r.Proxies.Sign("mallory"), reportsPath, forged...))
	assert.Equal(t, 403, s.Get(r.Clients.Sign("front-proxy"), reportsPath, forged...), "a client without rights")
	assert.Equal(t, 200, s.Get(r.Clients.Sign("root", "system:masters"), reportsPath), "a client with all rights")
	assert.Equal(t, 200, s.Get(r.Proxies.Sign("front-proxy"), reportsPath, forged...))
	assert.Equal(t, 200, s.Get(nil, reportsPath, append(forged, "Authorization", "Bearer alice")...), "alice may list")
	assert.Equal(t, 403, s.Get(nil, reportsPath, append(forged, "Authorization", "Bearer bob")...), "bob gets nothing")
	assert.Equal(t, 401, s.Get(nil, reportsPath, append(forged, "Authorization", "Bearer nobody")...))
}

// refusesEscalations checks that the server refuses all requests that kube-apiserver proxies for bob, who has no
// rights, as kube-apiserver does for its own kinds.
func refusesEscalations(t *testing.T, r *realapitest.Server) {
	const all = "/apis/reports.example.com/v1"
	body := []byte(`{"apiVersion":"reports.example.com/v1","kind":"Report","metadata":{"name":"mine","namespace":"default"}}`)
	for _, c := range []struct {
		method, path string
		header       []string
	}{
		{"GET", reportsPath, forged},
		{"GET", reportsPath, []string{"x-remote-user", "admin", "x-remote-group", "system:masters", "X-Remote-Uid", "admin"}},
		{"GET", reportsPath, []string{"X-Remote-Extra-Scopes", "all", "Connection", "X-Remote-User"}},
		{"GET", reportsPath, []string{"Connection", "X-Remote-User, X-Remote-Group", "X-Remote-User", "admin"}},
		{"GET", reportsPath, []string{"Impersonate-User", "admin"}},
		{"GET", reportsPath, []string{"Impersonate-User", "admin", "Impersonate-Group", "system:masters"}},
		{"GET", reportsPath, []string{"Impersonate-Uid", "admin"}},
		{"GET", reportsPath + "/weekly", nil},
		{"GET", reportsPath + "/weekly/status", nil},
		{"GET", reportsPath + "?watch=true", nil},
		{"GET", all + "/watch/reports", nil},
		{"GET", all + "/reports", nil},
		{"GET", all + "/namespaces/default%2freports/reports", nil},
		{"GET", reportsPath + "/%2e%2e/weekly", nil},
		{"GET", reportsPath + "/weekly%2fstatus", nil},
		{"GET", "/apis/reports.example.com//v1/reports", nil},
		{"POST", reportsPath, []string{"X-HTTP-Method-Override", "GET"}},
		{"POST", reportsPath + "?dryRun=All", nil},
		{"PUT", reportsPath + "/weekly", nil},
		{"PATCH", reportsPath + "/weekly", []string{"Content-Type", "application/merge-patch+json"}},
		{"PATCH", reportsPath + "/new?fieldManager=x", []string{"Content-Type", "application/apply-patch+yaml"}},
		{"DELETE", reportsPath + "/weekly", nil},
		{"DELETE", reportsPath, nil},
	} {
		code, answer := r.Do("bob", c.method, c.path, body, append([]string{"Content-Type", "application/json"}, c.header...)...)
		assert.Contains(t, []int{400, 403, 404}, code, "%s %s %q: %s", c.method, c.path, c.header, answer)
		assert.NotContains(t, string(answer), "one", "%s %s", c.method, c.path) // the text of the report
	}
	code, _ := r.Do("admin", "GET", reportsPath+"/weekly", nil)
	assert.Equal(t, 200, code, "nothing was deleted")
}

// authoritiesRotate replaces the proxies' authority and the clients' authority while requests and an informer run. No
// request fails, and the informer misses nothing.
func authoritiesRotate(t *testing.T, r *realapitest.Server, s *realapitest.Behind) {
	seen := follow(t, r)
	eventually(t, func() bool { return seen("weekly") == "one" })
	var failed atomic.Int64
	var load sync.WaitGroup
	loading, end := context.WithCancel(t.Context())
	for range 4 {
		load.Go(func() {
			for loading.Err() == nil {
				if code, _ := r.Do("admin", "GET", reportsPath+"?load", nil); code != 200 {
					failed.Add(1)
				}
			}
		})
	}
	former, client := r.Proxies, r.Clients
	r.Proxies, r.Clients = realapitest.NewAuthority("next proxies"), realapitest.NewAuthority("next clients")
	r.Write("proxies.pem", former.PEM+r.Proxies.PEM)
	r.Write("clients.pem", client.PEM+r.Clients.PEM)
	proxied := func(by *realapitest.Authority) int { return s.Get(by.Sign("front-proxy"), reportsPath, forged...) }
	direct := func(by *realapitest.Authority) int { return s.Get(by.Sign("root", "system:masters"), reportsPath) }
	eventually(t, func() bool { return proxied(r.Proxies) == 200 && direct(r.Clients) == 200 })
	r.UseProxies(r.Proxies)
	eventually(t, func() bool { return s.Issuer.Load() == "next proxies" })
	r.Write("proxies.pem", r.Proxies.PEM)
	r.Write("clients.pem", r.Clients.PEM)
	// kube-apiserver adds its authorities to the ConfigMap, and removes none before it expires, so the former ones still count.
	eventually(t, func() bool { return proxied(former) == 200 && direct(client) == 200 })
	eventually(t, func() bool { code, _ := r.Do("admin", "GET", reportsPath, nil); return code == 200 })
	end()
	load.Wait()
	assert.Zero(t, failed.Load(), "requests failed while the authorities rotated")
	r.Kubectl("admin", "patch", "report", "weekly", "--type=merge", "-p", `{"spec":{"text":"two"}}`)
	eventually(t, func() bool { return seen("weekly") == "two" })
}

// withToken sends the token of a user with each request.
type withToken struct {
	http.RoundTripper
	user string
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.user)
	return w.RoundTripper.RoundTrip(r)
}

// follow runs an informer through kube-apiserver, and returns a function for the text of a report in its cache.
func follow(t *testing.T, r *realapitest.Server) func(name string) string {
	client := r.Client()
	client.Transport = withToken{client.Transport, "admin"}
	far, err := rest.ClientForEndpoint(rest.Endpoint{URL: r.URL(), HTTP: client}, reports())
	require.NoError(t, err)
	informer := controller.NewInformer(far, controller.InformerOptions[Report]{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = informer.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return func(name string) string {
		found, ok := informer.Get("default", name)
		if !ok {
			return ""
		}
		return found.Spec.Text
	}
}

// kubeAPIServerRestarts checks that direct requests get 503 while kube-apiserver is stopped and once cached answers are
// too old, and that they succeed again after it has started.
func kubeAPIServerRestarts(t *testing.T, r *realapitest.Server, s *realapitest.Behind) {
	asAlice := func() int { return s.Get(nil, reportsPath, "Authorization", "Bearer alice") }
	r.Stop()
	eventually(t, func() bool { return asAlice() == 503 })
	r.Resume()
	eventually(t, func() bool { return asAlice() == 200 })
	eventually(t, func() bool { code, _ := r.Do("admin", "GET", reportsPath, nil); return code == 200 })
	assert.Contains(t, r.Kubectl("admin", "delete", "report", "weekly"), "deleted")
}

// kube-apiserver accepts the definitions that show compiled kinds, without the annotation that marks them.
func TestShownDefinitionsApplyToKubeAPIServer(t *testing.T) {
	r := realapitest.Start(t)
	kinds := []rest.Definition{apitest.WidgetResource(), apitest.ThingResource(), apitest.GlobalThingResource(), reports()}
	api := apitest.Start(t, rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{Compiled: kinds, ReadOnly: true})}}, kinds...)
	require.NoError(t, api.Start(t.Context()))
	list := apitest.Must(t, api, "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "")
	var shown struct{ Items []map[string]any }
	list.Decode(t, &shown)
	require.Len(t, shown.Items, len(kinds))
	for _, d := range shown.Items {
		name := d["metadata"].(map[string]any)["name"].(string)
		annotations := d["metadata"].(map[string]any)["annotations"].(map[string]any)
		delete(annotations, apiextensions.CompiledAnnotation)
		d["metadata"] = map[string]any{"name": name, "annotations": annotations}
		delete(d, "status")
		// As in kube-apiserver, the items of this list do not say their kind.
		d["apiVersion"], d["kind"] = apiextensions.Group+"/v1", "CustomResourceDefinition"
		text, err := json.Marshal(d)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "definition.json")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		r.Kubectl("admin", "apply", "--server-side", "-f", file)
		r.Kubectl("admin", "wait", "--for=condition=Established", fmt.Sprintf("--timeout=%s", realapitest.Patience), "crd/"+name)
		code, answer := r.Do("admin", "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+name, nil)
		assert.Equal(t, http.StatusOK, code)
		assert.NotContains(t, string(answer), "NonStructuralSchema", name)
	}
}
