package rest_test

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
	"github.com/decorum-go/decorum/storage"
)

// fuzzServer is a server whose reads of future revisions do not wait.
func fuzzServer(f *testing.F) *thingServer {
	store := closing(f, storage.NewMemory(storage.Options{MaxWait: time.Microsecond}))
	return &thingServer{api: start(f, rest.Options{Store: store}, thingResource(), globalThingResource()), store: store}
}

// checkAnswer holds for every answer whatever the request was.
func checkAnswer(t *testing.T, a answer) {
	t.Helper()
	body, media := a.Body, a.Header.Get("Content-Type")
	protobuf := strings.HasPrefix(media, "application/vnd.kubernetes.protobuf")
	require.True(t, protobuf || utf8.ValidString(body), "%q", body)
	if a.Code >= 500 {
		require.Equal(t, http.StatusGatewayTimeout, a.Code, "%s", body) // a revision that is not there yet, or a timeout
	}
	switch {
	case media == thingType && a.Code >= 400:
		statusOf(t, a)
	case strings.HasPrefix(media, "application/json"):
		for d := json.NewDecoder(strings.NewReader(body)); d.More(); { // one value, or the events of a watch
			var v any
			require.NoError(t, d.Decode(&v), "%s", body)
		}
	case media == "application/yaml", protobuf:
	case media == "text/plain; charset=utf-8":
		known := strings.HasSuffix(body, "check passed\n") || slices.Contains([]string{"ok", "404 page not found\n", ""}, body)
		require.True(t, known, "%q", body)
	default:
		require.Contains(t, []int{http.StatusNotModified, http.StatusMovedPermanently}, a.Code, "%s: %s", media, body)
	}
}

func FuzzRouter(f *testing.F) {
	for _, path := range []string{
		"/", "", "/api", "/apis", "/apis/", "/apis/" + thingGroup, thingRoot, thingRoot + "/things", thingsIn, thingsIn + "/", thingsIn + "/a", thingsIn + "//", thingsIn + "//status", thingsIn + "/a/status",
		thingsIn + "/..", thingsIn + "/%2e%2e", thingsIn + "/a%2Fstatus", thingsIn + "/a%252Fb", thingsIn + "/%ff%00", thingRoot + "/namespaces//things", thingRoot + "/namespaces/%2e%2e/things/a",
		thingRoot + "/globalthings/a", thingRoot + "/globalthings//status", "/openapi/v2", "/openapi/v3", "/openapi/v3" + thingRoot, "/version", "/healthz", "/livez/ping", "/readyz/nope", "//", "/%2f", "*", "http://x/apis", "/api/v1/namespaces/x",
	} {
		f.Add("GET", path, "")
		f.Add("DELETE", path, "dryRun=All")
	}
	f.Add("POST", thingsIn, "fieldValidation=Strict")
	f.Add("PATCH", thingsIn+"/a", "force=1")
	f.Add("OPTIONS", "*", "")
	f.Add("GET", thingsIn, "watch=1&resourceVersion=0&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan")
	f.Add("GET", thingsIn, "limit=1&continue=x&resourceVersion=5&resourceVersionMatch=Exact&labelSelector=a&fieldSelector=b&pretty=1&timeout=1s")
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
		checkAnswer(t, ask(s.api, r))
	})
}

func FuzzContinueToken(f *testing.F) {
	s := fuzzServer(f)
	for _, namespace := range []string{"aaa", "mmm", "zzz"} {
		for i := range 3 {
			w := s.do("POST", thingRoot+"/namespaces/"+namespace+"/things", thingJSON(fmt.Sprintf("%s-%d", namespace, i), "{}"))
			require.Equal(f, http.StatusCreated, w.Code)
		}
	}
	for _, seed := range []string{
		`{"v":"meta.k8s.io/v1","rv":-1,"start":"mmm-0\u0000"}`, `{"v":"meta.k8s.io/v1","rv":4,"start":"mmm/mmm-0\u0000"}`, `{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a\u0000"}`,
		`{"v":"meta.k8s.io/v1","rv":1,"start":"../zzz/zzz-0\u0000"}`, `{"v":"meta.k8s.io/v1","rv":1,"start":"\u0000\u0000"}`, `{"v":"x"}`, `{}`, `[]`, `null`, ``, `{"V":"meta.k8s.io/v1","RV":2,"Start":"/\u0000"}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, token string, encode bool) {
		if encode {
			token = base64.RawURLEncoding.EncodeToString([]byte(token))
		}
		w := s.do("GET", thingRoot+"/namespaces/mmm/things?limit=2&continue="+url.QueryEscape(token), "")
		checkAnswer(t, w)
		if w.Code == http.StatusOK {
			require.NotContains(t, w.Body, "aaa-")
			require.NotContains(t, w.Body, "zzz-")
		}
		checkAnswer(t, s.do("GET", thingRoot+"/things?limit=2&continue="+url.QueryEscape(token), ""))
	})
}

func FuzzBody(f *testing.F) {
	for _, body := range []string{
		thingJSON("a", `{"size":1,"color":"red","text":"ä\u0000","ratio":1.5e-7,"enabled":true,"parts":[{"name":"x","count":9007199254740993}],"data":{"k":"v"}}`),
		thingJSON("a", `{"size":1,"size":2,"unknown":[{}]}`), thingJSON("a", `null`), thingJSON("a", `[]`), thingJSON("../x", `{}`), `{}`, `[]`, `null`, ``, `{"kind":"Thing"`, "\xff", strings.Repeat("[", 100),
		`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"generateName":"g-","labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["x.io/y"],"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}],"creationTimestamp":null,"resourceVersion":"","managedFields":[{}]},"status":{"seen":1}}`,
		"apiVersion: things.example.com/v1\nkind: Thing\nmetadata: {name: y}\nspec: {data: &d {a: b}, text: 'x'}\n",
		`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"name":"t","creationTimestamp":"x","deletionTimestamp":"2020-01-01T00:00:00Z","generation":-1,"uid":"u"}}`,
	} {
		f.Add([]byte(body), false, "")
		f.Add([]byte(body), true, "Strict")
	}
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, body []byte, yaml bool, validation string) {
		media := thingType
		if yaml {
			media = "application/yaml"
		}
		before := s.store.Revision()
		w := ask(s.api, newRequest("POST", thingsIn+"?fieldValidation="+url.QueryEscape(validation), bytes.NewReader(body), "Content-Type", media))
		checkAnswer(t, w)
		if w.Code != http.StatusCreated {
			require.GreaterOrEqual(t, w.Code, 400)
			require.Equal(t, before, s.store.Revision(), "a refused body changes nothing")
			return
		}
		made := thingOf(t, w)
		require.Empty(t, apimeta.ValidateDNS1123Subdomain(made.Name))
		require.Equal(t, "default", made.Namespace)
		require.EqualValues(t, 1, made.Generation)
		require.NotEmpty(t, made.UID)
		require.Equal(t, ThingStatus{}, made.Status, "status is not for who creates")
		require.Equal(t, fmt.Sprint(before+1), made.ResourceVersion)
		got := s.do("GET", thingsIn+"/"+made.Name, "")
		require.Equal(t, w.Body, got.Body, "what is stored is what was answered")
		// What the server has said can be said to it again, and changes nothing.
		again := s.do("PUT", thingsIn+"/"+made.Name+"?fieldValidation=Strict", got.Body)
		require.Equal(t, http.StatusOK, again.Code, again.Body)
		require.Equal(t, got.Body, again.Body)
		require.Equal(t, before+1, s.store.Revision(), "an update that changes nothing makes no revision")
		freed := s.do("PATCH", thingsIn+"/"+made.Name, `{"metadata":{"finalizers":null}}`, "Content-Type", "application/merge-patch+json")
		require.Equal(t, http.StatusOK, freed.Code, freed.Body)
		require.Equal(t, http.StatusOK, s.do("DELETE", thingsIn+"/"+made.Name, "").Code)
		require.Equal(t, http.StatusNotFound, s.do("GET", thingsIn+"/"+made.Name, "").Code)
	})
}

func FuzzSelectors(f *testing.F) {
	s := fuzzServer(f)
	var all []Thing
	for i, labels := range []string{`{}`, `{"a":"b"}`, `{"a":"c","n":"5"}`, `{"x.io/a":"b","n":"0"}`, `{"a":""}`} {
		body := fmt.Sprintf(`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"name":"n%d","labels":%s},"spec":{"color":%q}}`, i, labels, []string{"red", "green"}[i%2])
		w := s.do("POST", thingsIn, body)
		require.Equal(f, http.StatusCreated, w.Code, w.Body)
		var thing Thing
		w.decode(f, &thing)
		all = append(all, thing)
	}
	for _, label := range []string{"", "a", "!a", "a=b", "a==b", "a!=b", "a in (b,c)", "a notin (b)", "n>1", "n<1", "x.io/a", ",", "a in", "a in ()", "in in (in)", "a=b,", "\x00", "a=\xff"} {
		f.Add(label, "")
	}
	for _, field := range []string{"metadata.name=n1", "metadata.name!=n1", "spec.color=red", "spec.color==", "metadata.namespace=default", "metadata.namespace=x", "spec.size=1", "a", `spec.color=r\,d`, `spec.color=\`, "metadata.name=n1,metadata.name=n2"} {
		f.Add("", field)
	}
	f.Fuzz(func(t *testing.T, label, field string) {
		query := "labelSelector=" + url.QueryEscape(label) + "&fieldSelector=" + url.QueryEscape(field)
		w := s.do("GET", thingsIn+"?"+query, "")
		checkAnswer(t, w)
		labels, labelErr := apimeta.ParseSelector(label)
		fields, fieldErr := apimeta.ParseFieldSelector(field)
		if w.Code != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, w.Code, w.Body)
			return
		}
		require.NoError(t, labelErr)
		require.NoError(t, fieldErr)
		want := []string{}
		for _, thing := range all {
			value := map[string]string{"metadata.name": thing.Name, "metadata.namespace": thing.Namespace, "spec.color": thing.Spec.Color}
			if labels.Matches(apimeta.LabelsOf(thing.Labels)) && fields.Matches(func(f string) string { return value[f] }) {
				want = append(want, thing.Name)
			}
		}
		sorted := func(a answer) []string {
			names := a.names(t)
			slices.Sort(names)
			return names
		}
		require.Equal(t, want, sorted(w))
		deleted := s.do("DELETE", thingsIn+"?dryRun=All&"+query, "")
		require.Equal(t, http.StatusOK, deleted.Code, deleted.Body)
		require.Equal(t, want, sorted(deleted), "what is deleted is what is listed")
	})
}

func FuzzAccept(f *testing.F) {
	for _, accept := range []string{
		"", "*/*", "application/json", "application/yaml", "application/*;q=0.5", "text/html", "application/json;as=Table;g=meta.k8s.io;v=v1,application/json", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/json;q=NaN", "application/json;q=1e999", ",;,=", "application/json;pretty=1", "application/vnd.kubernetes.protobuf,application/json", "application/yaml;as=Table;g=meta.k8s.io;v=v1", "application/json;stream=watch",
	} {
		f.Add(accept, "", "")
		f.Add(accept, "curl/8", "includeObject=Object&pretty=true")
	}
	s := fuzzServer(f)
	require.Equal(f, http.StatusCreated, s.do("POST", thingsIn, thingJSON("a", `{"data":{"k":"v"}}`)).Code)
	f.Fuzz(func(t *testing.T, accept, agent, query string) {
		if strings.Contains(query, "watch") {
			return
		}
		for _, target := range []string{thingsIn, thingsIn + "/a", thingsIn + "/b", "/apis", "/openapi/v2", "/openapi/v3", thingRoot, "/nowhere"} {
			r := newRequest("GET", target+"?"+query, nil)
			r.Header["Accept"], r.Header["User-Agent"] = []string{accept}, []string{agent}
			w := ask(s.api, r)
			checkAnswer(t, w)
			require.Contains(t, []int{200, 301, 304, 400, 404, 406, 410, 422, 504}, w.Code, w.Body)
		}
	})
}
