package hostile_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// fuzzServer is a server whose reads of future revisions do not wait.
func fuzzServer(f *testing.F) *apitest.ThingServer {
	store := apitest.CloseAtEnd(f, memory.New(storage.Options{MaxWait: time.Microsecond}))
	return &apitest.ThingServer{API: apitest.Start(f, rest.Options{Store: store}, apitest.ThingResource(),
		apitest.GlobalThingResource()), Store: store}
}

// checkAnswer checks the answer to any request.
func checkAnswer(t *testing.T, a apitest.Answer) {
	t.Helper()
	body, media := a.Body, a.Header.Get("Content-Type")
	protobuf := strings.HasPrefix(media, "application/vnd.kubernetes.protobuf")
	require.True(t, protobuf || utf8.ValidString(body), "%q", body)
	if a.Code >= 500 {
		require.Equal(t, http.StatusGatewayTimeout, a.Code, "%s", body) // a revision that is not there yet, or a timeout
	}
	switch {
	case media == apitest.TypeJSON && a.Code >= 400:
		apitest.StatusOf(t, a)
	case strings.HasPrefix(media, "application/json"):
		for d := json.NewDecoder(strings.NewReader(body)); d.More(); { // one value, or the events of a watch
			var v any
			require.NoError(t, d.Decode(&v), "%s", body)
		}
	case media == "application/yaml", protobuf:
	case media == "text/plain; charset=utf-8":
		known := strings.HasSuffix(body, "check passed\n") ||
			slices.Contains([]string{"ok", "404 page not found\n", ""}, body)
		require.True(t, known, "%q", body)
	default:
		require.Contains(t, []int{http.StatusNotModified, http.StatusMovedPermanently}, a.Code, "%s: %s", media, body)
	}
}

func FuzzRouter(f *testing.F) {
	for _, path := range []string{
		"/", "", "/api", "/apis", "/apis/", "/apis/" + apitest.ThingGroup, apitest.ThingsV1, apitest.ThingsV1 + "/things",
		apitest.Things,
		apitest.Things + "/", apitest.Things + "/a", apitest.Things + "//", apitest.Things + "//status",
		apitest.Things + "/a/status",
		apitest.Things + "/..", apitest.Things + "/%2e%2e", apitest.Things + "/a%2Fstatus", apitest.Things + "/a%252Fb",
		apitest.Things + "/%ff%00", apitest.ThingsV1 + "/namespaces//things",
		apitest.ThingsV1 + "/namespaces/%2e%2e/things/a",
		apitest.ThingsV1 + "/globalthings/a", apitest.ThingsV1 + "/globalthings//status", "/openapi/v2", "/openapi/v3",
		"/openapi/v3" + apitest.ThingsV1, "/version", "/healthz", "/livez/ping", "/readyz/nope", "//", "/%2f", "*",
		"http://x/apis", "/api/v1/namespaces/x",
	} {
		f.Add("GET", path, "")
		f.Add("DELETE", path, "dryRun=All")
	}
	f.Add("POST", apitest.Things, "fieldValidation=Strict")
	f.Add("PATCH", apitest.Things+"/a", "force=1")
	f.Add("OPTIONS", "*", "")
	f.Add("GET", apitest.Things, "watch=1&resourceVersion=0&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan")
	f.Add("GET", apitest.Things, "limit=1&continue=x&resourceVersion=5&resourceVersionMatch=Exact&labelSelector=a&fieldSelector=b&pretty=1&timeout=1s")
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, method, path, query string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.RequestURI = method, path+"?"+query
		r.URL = &url.URL{Path: path, RawQuery: query}
		if plain, err := url.PathUnescape(path); err == nil {
			r.URL.Path, r.URL.RawPath = plain, path
		}
		if strings.Contains(query, "watch") { // it would stream until the client leaves
			ctx, cancel := context.WithTimeout(r.Context(), 5*time.Millisecond)
			defer cancel()
			r = r.WithContext(ctx)
		}
		checkAnswer(t, apitest.Ask(s.API, r))
	})
}

func FuzzContinueToken(f *testing.F) {
	s := fuzzServer(f)
	for _, namespace := range []string{"aaa", "mmm", "zzz"} {
		for i := range 3 {
			w := s.Do("POST", apitest.ThingsV1+"/namespaces/"+namespace+"/things",
				apitest.ThingBody(fmt.Sprintf("%s-%d", namespace, i), "{}"))
			require.Equal(f, http.StatusCreated, w.Code)
		}
	}
	for _, seed := range []string{
		`{"v":"meta.k8s.io/v1","rv":-1,"start":"mmm-0\u0000"}`, `{"v":"meta.k8s.io/v1","rv":4,"start":"mmm/mmm-0\u0000"}`,
		`{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a\u0000"}`,
		`{"v":"meta.k8s.io/v1","rv":1,"start":"../zzz/zzz-0\u0000"}`, `{"v":"meta.k8s.io/v1","rv":1,"start":"\u0000\u0000"}`,
		`{"v":"x"}`, `{}`,
		`[]`, `null`, ``, `{"V":"meta.k8s.io/v1","RV":2,"Start":"/\u0000"}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, token string, encode bool) {
		if encode {
			token = base64.RawURLEncoding.EncodeToString([]byte(token))
		}
		w := s.Do("GET", apitest.ThingsV1+"/namespaces/mmm/things?limit=2&continue="+url.QueryEscape(token), "")
		checkAnswer(t, w)
		if w.Code == http.StatusOK {
			require.NotContains(t, w.Body, "aaa-")
			require.NotContains(t, w.Body, "zzz-")
		}
		checkAnswer(t, s.Do("GET", apitest.ThingsV1+"/things?limit=2&continue="+url.QueryEscape(token), ""))
	})
}

func FuzzBody(f *testing.F) {
	for _, body := range []string{
		apitest.ThingBody("a",
			`{"size":1,"color":"red","text":"ä\u0000","ratio":1.5e-7,"enabled":true,"parts":[{"name":"x","count":9007199254740993}],"data":{"k":"v"}}`),
		apitest.ThingBody("a", `{"size":1,"size":2,"unknown":[{}]}`), apitest.ThingBody("a", `null`),
		apitest.ThingBody("a", `[]`),
		apitest.ThingBody("../x", `{}`), `{}`, `[]`, `null`, ``, `{"kind":"Thing"`, "\xff", strings.Repeat("[", 100),
		`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"generateName":"g-","labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["x.io/y"],"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}],"creationTimestamp":null,"resourceVersion":"","managedFields":[{}]},"status":{"seen":1}}`,
		"apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: y}\nspec: {data: &d {a: b}, text: 'x'}\n",
		`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"name":"t","creationTimestamp":"x","deletionTimestamp":"2020-01-01T00:00:00Z","generation":-1,"uid":"u"}}`,
	} {
		f.Add([]byte(body), false, "")
		f.Add([]byte(body), true, "Strict")
	}
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, body []byte, yaml bool, validation string) {
		media := apitest.TypeJSON
		if yaml {
			media = "application/yaml"
		}
		before := s.Store.Revision()
		w := apitest.Ask(s.API, apitest.NewRequest("POST", apitest.Things+"?fieldValidation="+url.QueryEscape(validation),
			bytes.NewReader(body), "Content-Type", media))
		checkAnswer(t, w)
		if w.Code != http.StatusCreated {
			require.GreaterOrEqual(t, w.Code, 400)
			require.Equal(t, before, s.Store.Revision(), "a refused body changes nothing")
			return
		}
		made := apitest.ThingOf(t, w)
		require.Empty(t, apimeta.ValidateDNS1123Subdomain(made.Name))
		require.Equal(t, "default", made.Namespace)
		require.EqualValues(t, 1, made.Generation)
		require.NotEmpty(t, made.UID)
		require.Equal(t, apitest.ThingStatus{}, made.Status, "status is not for who creates")
		require.Equal(t, fmt.Sprint(before+1), made.ResourceVersion)
		got := s.Do("GET", apitest.Things+"/"+made.Name, "")
		require.Equal(t, w.Body, got.Body, "what is stored is what was answered")
		// The answer of the server is a valid request that changes nothing.
		again := s.Do("PUT", apitest.Things+"/"+made.Name+"?fieldValidation=Strict", got.Body)
		require.Equal(t, http.StatusOK, again.Code, again.Body)
		require.Equal(t, got.Body, again.Body)
		require.Equal(t, before+1, s.Store.Revision(), "an update that changes nothing makes no revision")
		freed := s.Do("PATCH", apitest.Things+"/"+made.Name, `{"metadata":{"finalizers":null}}`, "Content-Type",
			"application/merge-patch+json")
		require.Equal(t, http.StatusOK, freed.Code, freed.Body)
		require.Equal(t, http.StatusOK, s.Do("DELETE", apitest.Things+"/"+made.Name, "").Code)
		require.Equal(t, http.StatusNotFound, s.Do("GET", apitest.Things+"/"+made.Name, "").Code)
	})
}

func FuzzSelectors(f *testing.F) {
	s := fuzzServer(f)
	var all []apitest.Thing
	for i, labels := range []string{`{}`, `{"a":"b"}`, `{"a":"c","n":"5"}`, `{"x.io/a":"b","n":"0"}`, `{"a":""}`} {
		body := fmt.Sprintf(`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"name":"n%d","labels":%s},"spec":{"color":%q}}`, i,
			labels, []string{"red", "green"}[i%2])
		w := s.Do("POST", apitest.Things, body)
		require.Equal(f, http.StatusCreated, w.Code, w.Body)
		var thing apitest.Thing
		w.Decode(f, &thing)
		all = append(all, thing)
	}
	for _, label := range []string{"", "a", "!a", "a=b", "a==b", "a!=b", "a in (b,c)", "a notin (b)", "n>1", "n<1",
		"x.io/a", ",", "a in",
		"a in ()", "in in (in)", "a=b,", "\x00", "a=\xff"} {
		f.Add(label, "")
	}
	for _, field := range []string{"metadata.name=n1", "metadata.name!=n1", "spec.color=red", "spec.color==",
		"metadata.namespace=default",
		"metadata.namespace=x", "spec.size=1", "a", `spec.color=r\,d`, `spec.color=\`, "metadata.name=n1,metadata.name=n2"} {
		f.Add("", field)
	}
	f.Fuzz(func(t *testing.T, label, field string) {
		query := "labelSelector=" + url.QueryEscape(label) + "&fieldSelector=" + url.QueryEscape(field)
		w := s.Do("GET", apitest.Things+"?"+query, "")
		checkAnswer(t, w)
		labels, labelErr := apimeta.ParseLabelSelector(label)
		fields, fieldErr := apimeta.ParseFieldSelector(field)
		if w.Code != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, w.Code, w.Body)
			return
		}
		require.NoError(t, labelErr)
		require.NoError(t, fieldErr)
		want := []string{}
		for _, thing := range all {
			value := map[string]string{"metadata.name": thing.Name, "metadata.namespace": thing.Namespace,
				"spec.color": thing.Spec.Color}
			if labels.Matches(apimeta.LabelsOf(thing.Labels)) && fields.Matches(func(f string) string { return value[f] }) {
				want = append(want, thing.Name)
			}
		}
		sorted := func(a apitest.Answer) []string {
			names := a.Names(t)
			slices.Sort(names)
			return names
		}
		require.Equal(t, want, sorted(w))
		deleted := s.Do("DELETE", apitest.Things+"?dryRun=All&"+query, "")
		require.Equal(t, http.StatusOK, deleted.Code, deleted.Body)
		require.Equal(t, want, sorted(deleted), "what is deleted is what is listed")
	})
}

func FuzzAccept(f *testing.F) {
	for _, accept := range []string{
		"", "*/*", "application/json", "application/yaml", "application/*;q=0.5", "text/html",
		"application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
		"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1",
		"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/json;q=NaN",
		"application/json;q=1e999", ",;,=",
		"application/json;pretty=1", "application/vnd.kubernetes.protobuf,application/json",
		"application/yaml;as=Table;g=meta.k8s.io;v=v1",
		"application/json;stream=watch",
	} {
		f.Add(accept, "", "")
		f.Add(accept, "curl/8", "includeObject=Object&pretty=true")
	}
	s := fuzzServer(f)
	require.Equal(f, http.StatusCreated, s.Do("POST", apitest.Things, apitest.ThingBody("a", `{"data":{"k":"v"}}`)).Code)
	f.Fuzz(func(t *testing.T, accept, agent, query string) {
		if strings.Contains(query, "watch") {
			return
		}
		for _, target := range []string{apitest.Things, apitest.Things + "/a", apitest.Things + "/b", "/apis", "/openapi/v2",
			"/openapi/v3",
			apitest.ThingsV1, "/nowhere"} {
			r := apitest.NewRequest("GET", target+"?"+query, nil)
			r.Header["Accept"], r.Header["User-Agent"] = []string{accept}, []string{agent}
			w := apitest.Ask(s.API, r)
			checkAnswer(t, w)
			require.Contains(t, []int{200, 301, 304, 400, 404, 406, 410, 422, 504}, w.Code, w.Body)
		}
	})
}
