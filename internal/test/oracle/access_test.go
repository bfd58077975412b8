package oracle

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// upstreamAccess returns the access that kube-apiserver would authorize for a request.
func upstreamAccess(t testing.TB, method, target string) access.Access {
	t.Helper()
	factory := request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(httptest.NewRequest(method, target, nil))
	require.NoError(t, err)
	a := access.Access{User: access.UserFrom(t.Context()), Verb: access.Verb(info.Verb), Group: info.APIGroup,
		Version: info.APIVersion, Resource: info.Resource, Subresource: info.Subresource, Namespace: info.Namespace,
		Name: info.Name, LabelSelector: info.LabelSelector, FieldSelector: info.FieldSelector}
	if !info.IsResourceRequest {
		a.Path = info.Path
	}
	return a
}

// accessed serves a namespaced kind, a cluster-scoped one and namespaces.
func accessed(t testing.TB) *rest.API {
	type Pod struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
	}
	type Node Pod
	type Namespace struct {
		Pod    `json:",inline"`
		Status struct {
			Phase string `json:"phase,omitempty"`
		} `json:"status,omitempty"`
	}
	api, err := rest.New(rest.Options{}, rest.Resource[Pod]{Version: "v1", Plural: "pods"},
		rest.Resource[Node]{Group: "example.com", Version: "v1", Plural: "nodes", Scope: rest.ScopeCluster},
		rest.NamespacesOf[Namespace]())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

// AccessOf returns the attributes that kube-apiserver passes to its authorizer.
func TestAccessOf(t *testing.T) {
	api := accessed(t)
	for _, target := range []string{
		"/", "/version", "/healthz", "/livez/ping", "/openapi/v3/apis/example.com/v1", "/api", "/api/", "/api/v1", "/api/v1/",
		"/apis",
		"/apis/example.com", "/apis/example.com/v1", "/apis/example.com/v1/", "/metrics/cadvisor/x/y/z",
		"/api/v1/pods", "/api/v1/pods/", "/api/v1/pods//", "//api/v1/pods", "/api/v1/pods?watch=true", "/api/v1/pods?watch",
		"/api/v1/pods?watch=0", "/api/v1/pods?watch=False", "/api/v1/pods?watch=nonsense",
		"/api/v1/pods?watch=false&watch=true",
		"/api/v1/pods?limit=5&continue=x&labelSelector=a%3Db&fieldSelector=metadata.name%3Da",
		"/api/v1/pods?watch=1&fieldSelector=metadata.name%3Da", "/api/v1/pods?fieldSelector=metadata.name%3D%3Da",
		"/api/v1/pods?fieldSelector=metadata.name!%3Da", "/api/v1/pods?fieldSelector=metadata.name%3Da%2Cspec.x%3Dy",
		"/api/v1/pods?fieldSelector=metadata.name%3Da%2Fb", "/api/v1/pods?fieldSelector=metadata.name%3D..",
		"/api/v1/pods?fieldSelector=nonsense", "/api/v1/pods?fieldSelector=metadata.name%3D",
		"/api/v1/pods?fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db",
		"/api/v1/pods?fieldSelector=metadata.name%3Da%2Cmetadata.name%3Db",
		"/api/v1/namespaces", "/api/v1/namespaces/a", "/api/v1/namespaces/a/", "/api/v1/namespaces/a/status",
		"/api/v1/namespaces/a/finalize",
		"/api/v1/namespaces/a/pods", "/api/v1/namespaces/a/pods?watch=1", "/api/v1/namespaces/a/pods/b",
		"/api/v1/namespaces/a/pods/b?watch=1",
		"/api/v1/namespaces/a/pods/b?labelSelector=c", "/api/v1/namespaces/a/pods/b/log",
		"/api/v1/namespaces/a/pods/b/proxy/c/d",
		"/api/v1/namespaces/a/pods/b/status", "/api/v1/namespaces//pods", "/api/v1/namespaces//pods/b",
		"/api/v1/namespaces/a%2Db/pods/c%2Ed", "/api/v1/namespaces/a/pods/%25", "/api/v1/namespaces/a/pods/%2e%2e",
		"/api/v1/namespaces/status",
		"/api/v1/namespaces/a/unknown/b/c/d", "/api/v1/namespaces/a/status/b",
		"/apis/example.com/v1/nodes", "/apis/example.com/v1/nodes/a", "/apis/example.com/v1/nodes/a/status",
		"/apis/example.com/v1/namespaces/a/nodes/b", "/apis/other.com/v2/things",
		"/apis/other.com/v2/namespaces/a/things/b/c",
		"/apis/example.com/v1/namespaces/a/status",
		"/api/v1/watch/pods", "/api/v1/watch/pods?fieldSelector=metadata.name%3Da", "/api/v1/watch/namespaces/a/pods",
		"/api/v1/watch/namespaces/a/pods/b?labelSelector=x", "/api/v1/watch/namespaces", "/api/v1/watch/namespaces/a",
		"/apis/example.com/v1/watch/nodes/a", "/api/v1/watch/watch/pods",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			require.Equal(t, upstreamAccess(t, method, target), api.AccessOf(httptest.NewRequest(method, target, nil)), "%s %s",
				method, target)
		}
	}
}

// AccessOf differs from kube-apiserver only for paths that the API answers with 404 or 400 even if
// the middleware allows them.
func TestAccessOfDiffers(t *testing.T) {
	api := accessed(t)
	for name, c := range map[string]struct {
		method, target string
		ours, theirs   access.Access
	}{
		"an escaped slash does not separate segments": {"GET", "/api/v1/namespaces/a/pods/b%2Fstatus",
			access.Access{Verb: "get", Path: "/api/v1/namespaces/a/pods/b/status"},
			access.Access{Verb: "get", Version: "v1", Resource: "pods", Subresource: "status", Namespace: "a", Name: "b"}},
		"an empty segment names no resource": {"GET", "/api/v1/namespaces/a//b",
			access.Access{Verb: "get", Path: "/api/v1/namespaces/a//b"},
			access.Access{Verb: "get", Version: "v1", Namespace: "a", Name: "b"}},
		"the legacy prefix proxy is an ordinary resource name": {"GET", "/api/v1/proxy/namespaces/a/pods/b",
			access.Access{Verb: "get", Version: "v1", Resource: "proxy", Name: "namespaces", Subresource: "a"},
			access.Access{Verb: "proxy", Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}},
		"one invalid parameter does not hide the others": {"GET", "/api/v1/pods?limit=x&fieldSelector=metadata.name%3Da",
			access.Access{Verb: "list", Version: "v1", Resource: "pods", Name: "a", FieldSelector: "metadata.name=a"},
			access.Access{Verb: "list", Version: "v1", Resource: "pods", FieldSelector: "metadata.name=a"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.ours.User, c.theirs.User = access.UserFrom(t.Context()), access.UserFrom(t.Context())
			r, w := httptest.NewRequest(c.method, c.target, nil), httptest.NewRecorder()
			require.Equal(t, c.ours, api.AccessOf(r))
			require.Equal(t, c.theirs, upstreamAccess(t, c.method, c.target))
			api.ServeHTTP(w, r)
			require.Contains(t, []int{400, 404}, w.Code)
		})
	}
}

func TestAccessOfRandomPaths(t *testing.T) {
	api := accessed(t)
	rounds(t, 5000, func(t *testing.T, r round) {
		var b strings.Builder
		for _, first := range []string{pickText(r.Rand, "/api/v1", "/apis/example.com/v1", "/apis/other.com/v1", "/api",
			"/apis/x", "/"),
			pickText(r.Rand, "", "", "/namespaces/a", "/watch/namespaces/a", "/watch/pods")} {
			b.WriteString(first)
		}
		for range r.Intn(6) {
			b.WriteString("/" + pickText(r.Rand, "namespaces", "pods", "nodes", "status", "finalize", "a", "b%20c", "%61", "..",
				"%", "%25", "", "x.y"))
		}
		target := strings.ReplaceAll(b.String(), "%/", "%25/")
		if strings.HasSuffix(target, "%") {
			target += "25"
		}
		if r.Intn(2) == 0 {
			target += "?" + pickText(r.Rand, "watch=1", "watch=false", "fieldSelector=metadata.name%3Da", "labelSelector=a",
				"limit=1") + "&" +
				pickText(r.Rand, "watch=true", "fieldSelector=metadata.name%3Db%5C%2Cc", "labelSelector=!b")
		}
		if strings.HasSuffix(strings.Split(target, "?")[0], "/watch") || strings.HasPrefix(target, "//") {
			return
		}
		method := pickText(r.Rand, "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
		want, got := upstreamAccess(t, method, target), api.AccessOf(httptest.NewRequest(method, target, nil))
		if want.Resource == "" && want.Path == "" {
			want = access.Access{User: want.User, Verb: access.Verb(strings.ToLower(method)), Path: got.Path} // an empty segment, see TestAccessOfDiffers
		}
		require.Equal(t, want, got, "%s %s", method, target)
	})
}
