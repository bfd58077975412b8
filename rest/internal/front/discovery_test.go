package front_test

import (
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestDiscovery(t *testing.T) {
	api := apitest.NewManyKinds(t)
	const (
		exampleVersion = `{"groupVersion":"example.com/v1","version":"v1"}`
		exampleGroup   = `"name":"example.com","versions":[` + exampleVersion + `],"preferredVersion":` + exampleVersion
		aaaVersion     = `{"groupVersion":"aaa.example.com/v1beta1","version":"v1beta1"}`
		widgetVerbs    = `["delete","deletecollection","get","list","patch","create","update","watch"]`
		parts          = `"singularName":"","namespaced":true,`
	)
	for _, c := range []struct{ target, want string }{
		{"/api", `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"example.com"}]}`},
		{"/apis", `{"kind":"APIGroupList","apiVersion":"v1","groups":[
			{"name":"aaa.example.com","versions":[` + aaaVersion + `],"preferredVersion":` + aaaVersion + `},
			{` + exampleGroup + `}]}`},
		{"/apis/example.com", `{"kind":"APIGroup","apiVersion":"v1",` + exampleGroup + `}`},
		{"/apis/example.com/v1", `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[
			{"name":"settings","singularName":"setting","namespaced":false,"kind":"Settings","verbs":["get","list","patch","update","watch"],"storageVersionHash":"` + hashOf("example.com/v1/Settings") + `"},
			{"name":"settings/status","singularName":"","namespaced":false,"kind":"Settings","verbs":["get","patch","update"]},
			{"name":"sums","singularName":"sum","namespaced":false,"kind":"Sum","verbs":["create"]},
			{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":` + widgetVerbs +
			`,"shortNames":["wd"],"categories":["all"],"storageVersionHash":"` + hashOf("example.com/v1/Widget") + `"},
			{"name":"widgets/status",` + parts + `"kind":"Widget","verbs":["get","patch","update"]},
			{"name":"widgets/scale",` + parts + `"kind":"Scale","group":"autoscaling","version":"v1","verbs":["get","patch","update"]}]}`},
		{"/api/v1",
			`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"memos","singularName":"memo","namespaced":true,"kind":"Memo","verbs":["get","list"],"storageVersionHash":"` + hashOf("/v1/Memo") + `"}]}`},
	} {
		t.Run(c.target, func(t *testing.T) {
			a := apitest.Do(t, api, "GET", c.target, "")
			apitest.WantJSON(t, a, 200, c.want)
			assert.Equal(t, a.Body, apitest.Do(t, api, "GET", c.target+"/", "").Body, "with a trailing slash")
			apitest.WantFailure(t, apitest.Do(t, api, "POST", c.target, "{}"), 405, "MethodNotAllowed",
				"the server does not allow this method on the requested resource", "{}")
		})
	}
}

func TestDiscoveryOfAbsentGroupsAndResources(t *testing.T) {
	api := apitest.NewManyKinds(t)
	for _, target := range []string{"/api/v9", "/apis/example.com/v9", "/apis/example.com/v1/bogus",
		"/apis/example.com/v1/namespaces/default/bogus/x"} {
		apitest.WantFailure(t, apitest.Do(t, api, "GET", target, ""), 404, "NotFound",
			"the server could not find the requested resource", "{}")
	}
	for _, target := range []string{"/apis/nope.example.com", "/apis/nope.example.com/v1", "/apis/example.co", "/nope",
		"/nope/really", "/apisx"} {
		a := apitest.Do(t, api, "GET", target, "")
		assert.Equal(t, 404, a.Code, target)
		assert.Equal(t, "text/plain; charset=utf-8", a.Header.Get("Content-Type"), target)
	}
}

// The most mature version is the preferred one (API conventions, API versioning).
func TestDiscoveryOrdersVersions(t *testing.T) {
	version := func(v string) rest.Resource[apitest.Zone] {
		return rest.Resource[apitest.Zone]{Group: "example.com", Version: v, Plural: "zones" + v,
			Names: rest.Names{Kind: "Zone" + v, Singular: "zone" + v}, Scope: rest.ScopeCluster}
	}
	api := apitest.New(t, rest.Options{}, version("v1alpha1"), version("v2"), version("v1beta2"), version("v10"),
		version("v1"), version("v1beta10"), version("foo"))
	group := apitest.Do(t, api, "GET", "/apis/example.com", "")
	var got []string
	for i := range 7 {
		got = append(got, group.Text(t, "versions."+string(rune('0'+i))+".version"))
	}
	assert.Equal(t, []string{"v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "foo"}, got)
	assert.Equal(t, "v10", group.Text(t, "preferredVersion.version"))
}

const acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func TestAggregatedDiscovery(t *testing.T) {
	api := apitest.NewManyKinds(t)
	kind := func(group, version, kind string) string {
		return `{"group":"` + group + `","version":"` + version + `","kind":"` + kind + `"}`
	}
	const parts = `["get","patch","update"]`
	const all = `["delete","deletecollection","get","list","patch","create","update","watch"]`
	want := `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[
		{"metadata":{"name":"aaa.example.com"},"versions":[{"version":"v1beta1","freshness":"Current","resources":[
			{"resource":"zones","responseKind":` + kind("aaa.example.com", "v1beta1", "Zone") +
		`,"scope":"Cluster","singularResource":"zone","verbs":` + all + `,"shortNames":["zn"],
				"subresources":[{"subresource":"status","responseKind":` + kind("aaa.example.com", "v1beta1", "Zone") + `,"verbs":` + parts + `}]}]}]},
		{"metadata":{"name":"example.com"},"versions":[{"version":"v1","freshness":"Current","resources":[
			{"resource":"settings","responseKind":` + kind("example.com", "v1", "Settings") +
		`,"scope":"Cluster","singularResource":"setting","verbs":["get","list","patch","update","watch"],
				"subresources":[{"subresource":"status","responseKind":` + kind("example.com", "v1", "Settings") + `,"verbs":` + parts + `}]},
			{"resource":"sums","responseKind":` + kind("example.com", "v1", "Sum") + `,"scope":"Cluster","singularResource":"sum","verbs":["create"]},
			{"resource":"widgets","responseKind":` + kind("example.com", "v1", "Widget") +
		`,"scope":"Namespaced","singularResource":"widget","verbs":` + all + `,"shortNames":["wd"],"categories":["all"],
				"subresources":[{"subresource":"status","responseKind":` + kind("example.com", "v1", "Widget") + `,"verbs":` + parts + `},
					{"subresource":"scale","responseKind":` + kind("autoscaling", "v1", "Scale") + `,"verbs":` + parts + `}]}]}]}]}`
	for _, accept := range []string{acceptAggregated,
		"application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
		"application/json," + acceptAggregated, acceptAggregated + ",application/json"} {
		a := apitest.Do(t, api, "GET", "/apis", "", "Accept", accept)
		require.Equal(t, 200, a.Code, a.Body)
		require.JSONEq(t, want, a.Body)
		assert.Equal(t, acceptAggregated, a.Header.Get("Content-Type"))
		assert.Equal(t, "public", a.Header.Get("Cache-Control"))
		assert.Equal(t, "Accept", a.Header.Get("Vary"))
		sum := sha512.Sum512([]byte(a.Body))
		assert.Equal(t, `"`+strings.ToUpper(hex.EncodeToString(sum[:]))+`"`, a.Header.Get("ETag"))

		tag := a.Header.Get("ETag")
		for _, has := range []string{tag, "W/" + tag, `"OTHER", W/` + tag, "*"} {
			again := apitest.Do(t, api, "GET", "/apis", "", "Accept", accept, "If-None-Match", has)
			assert.Equal(t, http.StatusNotModified, again.Code, has)
			assert.Empty(t, again.Body)
			assert.Equal(t, tag, again.Header.Get("ETag"))
		}
		assert.Equal(t, 200, apitest.Do(t, api, "GET", "/apis", "", "Accept", accept, "If-None-Match", `"OTHER"`).Code)
	}
	const form = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	inProtobuf := apitest.Do(t, api, "GET", "/apis", "", "Accept",
		"application/json;q=0.5,application/vnd.kubernetes.protobuf;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,"+
			acceptAggregated+";q=0.5")
	require.Equal(t, 200, inProtobuf.Code, inProtobuf.Body)
	assert.Equal(t, "application/vnd.kubernetes.protobuf"+form, inProtobuf.Header.Get("Content-Type"))
	envelope, err := codec.DecodeEnvelope([]byte(inProtobuf.Body))
	require.NoError(t, err)
	assert.Equal(t, "apidiscovery.k8s.io/v2 APIGroupDiscoveryList", envelope.APIVersion+" "+envelope.Kind)
	message, err := codec.APIGroupDiscoveryListMessage().Decode(envelope.Raw)
	require.NoError(t, err)
	message = message.With("kind", doc.Of(envelope.Kind)).With("apiVersion", doc.Of(envelope.APIVersion))
	assert.JSONEq(t, want, string(codec.AppendJSON(nil, message)))
	assert.Equal(t, http.StatusNotModified, apitest.Do(t, api, "GET", "/apis", "", "Accept",
		"application/vnd.kubernetes.protobuf"+form, "If-None-Match", inProtobuf.Header.Get("ETag")).Code)
	assert.Equal(t, 406, apitest.Do(t, api, "GET", "/apis", "", "Accept", "text/html"+form).Code)

	core := apitest.Do(t, api, "GET", "/api", "", "Accept", acceptAggregated)
	require.JSONEq(t,
		`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","freshness":"Current","resources":[
		{"resource":"memos","responseKind":`+kind("", "", "Memo")+`,"scope":"Namespaced","singularResource":"memo","verbs":["get","list"]}]}]}]}`, core.Body)
	t.Run("a version that is gone", func(t *testing.T) {
		accept := "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
		assert.Equal(t, 406, apitest.Do(t, api, "GET", "/apis", "", "Accept", accept).Code)
		assert.Equal(t, "APIGroupList",
			apitest.Do(t, api, "GET", "/apis", "", "Accept", accept+",application/json").Text(t, "kind"))
	})
	t.Run("an API without a group", func(t *testing.T) {
		memos := apitest.NewMemos(t)
		require.JSONEq(t, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[]}`,
			apitest.Do(t, memos, "GET", "/apis", "", "Accept", acceptAggregated).Body)
		apitest.WantJSON(t, apitest.Do(t, memos, "GET", "/apis", ""), 200,
			`{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	})
}

// Clients find the kind List in v1 of the core group, so it is there also where no kind is.
func TestDiscoveryWithoutCoreKinds(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", "/api", ""), 200,
		`{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"example.com"}]}`)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", "/api/v1", ""), 200,
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`)
	assert.JSONEq(t,
		`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","freshness":"Current"}]}]}`,
		apitest.Do(t, api, "GET", "/api", "", "Accept", acceptAggregated).Body)
	assert.Contains(t, apitest.Do(t, api, "GET", "/", "").Body, `"/api/v1"`)
	assert.Contains(t, apitest.Do(t, api, "GET", "/openapi/v3", "").Value(t, "paths"), "api/v1")
	assert.Equal(t, map[string]any{}, apitest.Do(t, api, "GET", "/openapi/v3/api/v1", "").Value(t, "paths"))
	apitest.WantFailure(t, apitest.Do(t, api, "GET", "/api/v1/configmaps", ""), 404, "NotFound",
		"the server could not find the requested resource", "{}")
}

// After a 404 for an object kubectl asks for its namespace, and prints a second 404 instead of the first.
func TestUnservedNamespaceKind(t *testing.T) {
	const other = "/api/v1/namespaces/other"
	for name, api := range map[string]*rest.API{"no core kind": apitest.NewWidgets(t),
		"a core kind": apitest.NewMemos(t)} {
		apitest.WantFailure(t, apitest.Do(t, api, "GET", other, ""), 405, "MethodNotAllowed",
			"the server does not allow this method on the requested resource", "{}")
		for _, target := range []string{"/api/v1/namespaces", other + "/status", other + "/pods"} {
			apitest.WantFailure(t, apitest.Do(t, api, "GET", target, ""), 404, "NotFound",
				"the server could not find the requested resource", "{}")
		}
		assert.Equal(t, 404, apitest.Do(t, api, "POST", "/api/v1/namespaces", "{}").Code, name)
	}
	served := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace]())
	apitest.WantFailure(t, apitest.Do(t, served, "GET", other, ""), 404, "NotFound", `namespaces "other" not found`,
		`{"name":"other","kind":"namespaces"}`)
}

// Built-in kinds are listed in the order of names, and their own kind by its name alone.
func TestDiscoveryOfBuiltinKinds(t *testing.T) {
	api := apitest.New(t, rest.Options{}, rest.NamespacesOf[apitest.Namespace]())
	list := apitest.Do(t, api, "GET", "/api/v1", "")
	assert.Equal(t, []any{"create", "delete", "get", "list", "patch", "update", "watch"},
		list.Value(t, "resources.0.verbs"))
	assert.Equal(t, "namespaces/finalize", list.Value(t, "resources.1.name"))
	aggregated := apitest.Do(t, api, "GET", "/api", "", "Accept", acceptAggregated)
	assert.Equal(t, map[string]any{"group": "", "version": "", "kind": "Namespace"},
		aggregated.Value(t, "items.0.versions.0.resources.0.responseKind"))
	assert.Equal(t, []any{"create", "delete", "get", "list", "patch", "update", "watch"},
		aggregated.Value(t, "items.0.versions.0.resources.0.verbs"))
}

// Every request but a watch says how long it may take, and is refused where it does not say that in Go's words.
func TestInvalidTimeout(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, target := range []string{apitest.Widgets, apitest.Widgets + "/a", apitest.Widgets + "/none",
		apitest.Widgets + "/a/status",
		apitest.Widgets + "/a/scale", apitest.ExampleV1, "/apis", "/apis/example.com", "/version"} {
		for value, message := range map[string]string{"abc": `time: invalid duration "abc"`,
			"5": `time: missing unit in duration "5"`} {
			apitest.WantFailure(t, apitest.Do(t, api, "GET", target+"?timeout="+value, ""), 400, "BadRequest",
				"invalid timeout specified in the request URL - "+message, "")
		}
		assert.NotEqual(t, 400, apitest.Do(t, api, "GET", target+"?timeout=1m", "").Code, target)
	}
}

// A slash behind a path is passed over where things are named, and nowhere else.
func TestSlashesAtTheEnd(t *testing.T) {
	api := apitest.NewWidgets(t)
	for target, want := range map[string]int{"/apis/": 200, "/version/": 200, apitest.Widgets + "/": 200, "/healthz/": 404,
		"/readyz/":     404,
		"/openapi/v2/": 404, "/openapi/v3/": 404, "/index.html": 200} {
		assert.Equal(t, want, apitest.Do(t, api, "GET", target, "").Code, target)
	}
}

func TestRootIndex(t *testing.T) {
	apitest.WantJSON(t, apitest.Do(t, apitest.NewManyKinds(t), "GET", "/", ""), 200,
		`{"paths":["/api","/api/v1","/apis","/apis/","/apis/aaa.example.com","/apis/aaa.example.com/v1beta1",
		"/apis/example.com","/apis/example.com/v1","/healthz","/livez","/openapi/v2","/openapi/v3","/readyz","/version"]}`)
}

func TestVersion(t *testing.T) {
	t.Run("by itself", func(t *testing.T) {
		a := apitest.Do(t, apitest.NewWidgets(t), "GET", "/version", "")
		assert.Equal(t, 200, a.Code)
		assert.Equal(t, "application/json", a.Header.Get("Content-Type"))
		assert.Regexp(t, `^v1\.[0-9]+\.[0-9]+\+decorum$`, a.Text(t, "gitVersion"),
			"kubectl takes nothing but a semantic version")
		assert.Equal(t, "1", a.Text(t, "major"))
		assert.NotEmpty(t, a.Text(t, "goVersion"))
		assert.NotEmpty(t, a.Text(t, "platform"))
		assert.Contains(t, a.Body, "\n  \"major\"", "it is indented")
	})
	t.Run("for who takes no such answer", func(t *testing.T) {
		assert.Equal(t, 406, apitest.Do(t, apitest.NewWidgets(t), "GET", "/version", "", "Accept", "text/html").Code)
		assert.Equal(t, 200, apitest.Do(t, apitest.NewWidgets(t), "GET", "/version", "", "Accept",
			"application/vnd.kubernetes.protobuf, */*").Code)
	})
	t.Run("of the host", func(t *testing.T) {
		api := apitest.New(t, rest.Options{Version: rest.Version{GitVersion: "v3.21.4-rc.1", GitCommit: "abc"}},
			apitest.WidgetResource())
		a := apitest.Do(t, api, "GET", "/version", "")
		assert.Equal(t, "v3.21.4-rc.1", a.Text(t, "gitVersion"))
		assert.Equal(t, "3", a.Text(t, "major"))
		assert.Equal(t, "21", a.Text(t, "minor"))
		assert.Equal(t, "abc", a.Text(t, "gitCommit"))
	})
}

func TestHealth(t *testing.T) {
	api := apitest.NewWidgets(t)
	for endpoint, more := range map[string]string{"healthz": "", "livez": "", "readyz": "[+]store ok\n[+]shutdown ok\n"} {
		for _, c := range []struct{ path, want string }{
			{"", "ok"},
			{"?verbose", "[+]ping ok\n" + more + endpoint + " check passed\n"},
			{"?verbose&exclude=ping", "[+]ping excluded: ok\n" + more + endpoint + " check passed\n"},
			{"?exclude=bogus", "ok"},
			{"?verbose&exclude=b&exclude=ping&exclude=a", "[+]ping excluded: ok\n" + more +
				"warn: some health checks cannot be excluded: no matches for \"a\",\"b\"\n" + endpoint + " check passed\n"},
			{"/ping", "ok"},
		} {
			a := apitest.Do(t, api, "GET", "/"+endpoint+c.path, "", "Accept", "text/html")
			assert.Equal(t, 200, a.Code)
			assert.Equal(t, c.want, a.Body)
			assert.Equal(t, "text/plain; charset=utf-8", a.Header.Get("Content-Type"))
			assert.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
		}
		assert.Equal(t, 404, apitest.Do(t, api, "GET", "/"+endpoint+"/bogus", "").Code)
	}
}

// An API that is shut down is alive, but not ready.
func TestHealthAfterShutdown(t *testing.T) {
	api := apitest.NewWidgets(t)
	require.NoError(t, api.Close())
	assert.Equal(t, "ok", apitest.Do(t, api, "GET", "/livez", "").Body)
	assert.Equal(t, "ok", apitest.Do(t, api, "GET", "/healthz", "").Body)
	a := apitest.Do(t, api, "GET", "/readyz", "")
	assert.Equal(t, 500, a.Code)
	assert.Contains(t, a.Body, "[+]ping ok\n")
	assert.Contains(t, a.Body, "[-]shutdown failed: reason withheld\nreadyz check failed\n")
	a = apitest.Do(t, api, "GET", "/readyz/shutdown", "")
	assert.Equal(t, 500, a.Code)
	assert.Equal(t, "internal server error: the server is shutting down\n", a.Body)
	assert.Equal(t, "ok", apitest.Do(t, api, "GET", "/readyz/ping", "").Body)
	apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 503, "ServiceUnavailable",
		"the server is shutting down", "")
}
