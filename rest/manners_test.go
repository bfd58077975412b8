package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

func openSockets(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc to count sockets in")
	}
	count := 0
	for _, e := range entries {
		if link, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(link, "socket:") {
			count++
		}
	}
	return count
}

func TestNewStartsNothing(t *testing.T) {
	sockets, before := openSockets(t), apitest.LibraryGoroutines(t)
	api, err := rest.New(rest.Options{}, apitest.ThingResource(), apitest.GlobalThingResource())
	require.NoError(t, err)
	s := &apitest.ThingServer{API: api}
	require.Equal(t, http.StatusCreated, s.Do("POST", apitest.Things, apitest.ThingBody("a", "{}")).Code)
	for _, target := range []string{apitest.Things, apitest.Things + "/a", "/apis", "/openapi/v3", "/openapi/v2",
		"/readyz", apitest.ThingsV1} {
		require.Equal(t, http.StatusOK, s.Do("GET", target, "").Code)
	}
	apitest.Await(t, "no goroutine before the first watch", func() bool { return apitest.LibraryGoroutines(t) <= before })
	require.Equal(t, sockets, openSockets(t), "no listener")
	require.NoError(t, api.Close())
}

func TestCloseLeavesNothing(t *testing.T) {
	before := apitest.LibraryGoroutines(t)
	s := apitest.NewThingServer(t, rest.Options{})
	server := apitest.Serve(t, s.API)
	var watches []*apitest.ThingWatch
	for range 20 {
		watches = append(watches, apitest.OpenThingWatch(t, server.Client(), server.URL+apitest.Things+"?watch=1"))
	}
	s.MustCreate(t, "a")
	for _, w := range watches {
		event, thing := w.Next(t)
		require.Equal(t, apimeta.EventAdded, event)
		require.Equal(t, "a", thing.Name)
	}
	client := apitest.ClientFor[apitest.Thing](t, s.API)
	following := apitest.InBackground(func() error {
		for _, err := range client.Watch(context.Background(), rest.WatchOptions{ResourceVersion: "1"}) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, apitest.Within(t, "Close with watches open", apitest.InBackground(s.API.Close)))
	for _, w := range watches {
		require.NoError(t, w.Drained(), "a watch ends as a stream ends, not broken off")
	}
	require.Error(t, apitest.Within(t, "a watch in process ends with the API", following))
	require.NoError(t, s.Store.Close())
	apitest.Await(t, "no goroutine is left after Close", func() bool { return apitest.LibraryGoroutines(t) <= before })
	require.NoError(t, s.API.Close(), "Close may be called again")
}

func TestCloseLeavesTheHostsStoreOpen(t *testing.T) {
	store := apitest.NewStore(t)
	for range 2 {
		api := apitest.Start(t, rest.Options{Store: &apitest.RegisteredStore{Store: store}},
			rest.Resource[apitest.Thing]{Group: "g.example.com", Version: "v1", Plural: "things"})
		require.NoError(t, api.Close())
	}
	require.NoError(t, store.Register(t.Context(), storage.Resource{Name: "others", Extract: storage.NewExtractor()}),
		"the store is still open")
	require.NoError(t, store.Close())
}

// Kinds that cannot be served.
type (
	thingNoMeta struct {
		apimeta.TypeMeta `json:",inline"`
		Spec             apitest.ThingSpec `json:"spec"`
	}
	thingBadTag struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Size int32 `json:"size" api:"nonsense=1"`
		} `json:"spec"`
	}
	thingBadDefault struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Size int32 `json:"size" api:"default=many"`
		} `json:"spec"`
	}
	thingBadPattern struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Text string `json:"text" api:"pattern='('"`
		} `json:"spec"`
	}
	thingBadField struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Pipe chan int `json:"pipe"`
		} `json:"spec"`
	}
	thingRequiring struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Needed string `json:"needed"`
		} `json:"spec"`
	}
)

func TestBadConfiguration(t *testing.T) {
	with := func(change func(r *rest.Resource[apitest.Thing])) []rest.Definition {
		r := apitest.ThingResource()
		change(&r)
		return []rest.Definition{r}
	}
	sub := func(s rest.SubresourceOf[apitest.Thing]) []rest.Definition {
		return with(func(r *rest.Resource[apitest.Thing]) { r.Subresources = []rest.SubresourceOf[apitest.Thing]{s} })
	}
	get := func(context.Context, *apitest.Thing) (*apitest.ThingScale, error) { return nil, nil }
	update := func(context.Context, *apitest.Thing, *apitest.ThingScale) error { return nil }
	const v1 = "v1"
	cases := []struct {
		name        string
		definitions []rest.Definition
		want        []string // parts of the message
	}{
		{"nil", []rest.Definition{nil}, []string{"a resource is nil"}},
		{"no plural", with(func(r *rest.Resource[apitest.Thing]) { r.Plural = "" }), []string{`kind "Thing"`, "Plural"}},
		{"plural in upper case", with(func(r *rest.Resource[apitest.Thing]) { r.Plural = "Things" }),
			[]string{`kind "Thing"`, `Plural "Things"`}},
		{"plural with a slash", with(func(r *rest.Resource[apitest.Thing]) { r.Plural = "things/x" }),
			[]string{`kind "Thing"`, "Plural"}},
		{"plural that is a pattern", with(func(r *rest.Resource[apitest.Thing]) { r.Plural = ":x" }),
			[]string{`kind "Thing"`, "Plural"}},
		{"no version", with(func(r *rest.Resource[apitest.Thing]) { r.Version = "" }), []string{`kind "Thing"`, "Version"}},
		{"version with a slash", with(func(r *rest.Resource[apitest.Thing]) { r.Version = "v1/x" }),
			[]string{`kind "Thing"`, "Version"}},
		{"group in upper case", with(func(r *rest.Resource[apitest.Thing]) { r.Group = "Example.com" }),
			[]string{`kind "Thing"`, `Group "Example.com"`}},
		{"group with a slash", with(func(r *rest.Resource[apitest.Thing]) { r.Group = "a/b" }),
			[]string{`kind "Thing"`, "Group"}},
		{"kind with a blank", with(func(r *rest.Resource[apitest.Thing]) { r.Names.Kind = "A Thing" }),
			[]string{`kind "A Thing"`, "Kind"}},
		{"list kind with a blank", with(func(r *rest.Resource[apitest.Thing]) { r.Names.ListKind = "A List" }),
			[]string{`kind "Thing"`, "A List"}},
		{"singular with a blank", with(func(r *rest.Resource[apitest.Thing]) { r.Names.Singular = "a thing" }),
			[]string{`kind "Thing"`, "a thing"}},
		{"short name in upper case", with(func(r *rest.Resource[apitest.Thing]) { r.Names.Short = []string{"TH"} }),
			[]string{`kind "Thing"`, `"TH"`}},
		{"short name empty", with(func(r *rest.Resource[apitest.Thing]) { r.Names.Short = []string{""} }),
			[]string{`kind "Thing"`}},
		{"declared twice", []rest.Definition{apitest.ThingResource(), apitest.ThingResource()},
			[]string{`kind "Thing"`, "declared twice"}},
		{"one plural for two kinds",
			[]rest.Definition{apitest.ThingResource(),
				rest.Resource[apitest.GlobalThing]{Group: apitest.ThingGroup, Version: v1, Plural: "things"}},
			[]string{`kind "GlobalThing"`, `"things"`, `"Thing"`}},
		{"one kind for two plurals",
			[]rest.Definition{apitest.ThingResource(),
				rest.Resource[apitest.GlobalThing]{Group: apitest.ThingGroup, Version: v1, Plural: "others",
					Names: rest.Names{Kind: "Thing"}}}, []string{`kind "Thing"`}},
		{"short name that is another's plural",
			append(with(func(r *rest.Resource[apitest.Thing]) { r.Names.Short = []string{"globalthings"} }),
				apitest.GlobalThingResource()), []string{`"globalthings"`}},
		{"short name that is another's short name",
			[]rest.Definition{apitest.ThingResource(),
				rest.Resource[apitest.GlobalThing]{Group: apitest.ThingGroup, Version: v1, Plural: "others",
					Names: rest.Names{Short: []string{"th"}}}}, []string{`kind "GlobalThing"`, `"th"`}},
		{"no struct", []rest.Definition{rest.Resource[string]{Group: apitest.ThingGroup, Version: v1, Plural: "strings"}},
			[]string{`"string"`, "is not a struct"}},
		{"a pointer", []rest.Definition{rest.Resource[*apitest.Thing]{Group: apitest.ThingGroup, Version: v1,
			Plural: "things", Names: rest.Names{Kind: "Thing"}}}, []string{`kind "Thing"`, "is not a struct"}},
		{"a type without a name", []rest.Definition{rest.Resource[struct{}]{Group: apitest.ThingGroup, Version: v1,
			Plural: "nothings"}}, []string{"Kind"}},
		{"no metadata", []rest.Definition{rest.Resource[thingNoMeta]{Group: apitest.ThingGroup, Version: v1,
			Plural: "things"}}, []string{`kind "thingNoMeta"`, "metadata"}},
		{"an unknown option of a tag",
			[]rest.Definition{rest.Resource[thingBadTag]{Group: apitest.ThingGroup, Version: v1, Plural: "things"}},
			[]string{`kind "thingBadTag"`, "Size", "nonsense"}},
		{"a default of another type",
			[]rest.Definition{rest.Resource[thingBadDefault]{Group: apitest.ThingGroup, Version: v1, Plural: "things"}},
			[]string{`kind "thingBadDefault"`, "Size", "many"}},
		{"a pattern that does not parse",
			[]rest.Definition{rest.Resource[thingBadPattern]{Group: apitest.ThingGroup, Version: v1, Plural: "things"}},
			[]string{`kind "thingBadPattern"`, "Text"}},
		{"a field that JSON cannot hold",
			[]rest.Definition{rest.Resource[thingBadField]{Group: apitest.ThingGroup, Version: v1, Plural: "things"}},
			[]string{`kind "thingBadField"`, "Pipe"}},
		{"column without a name", with(func(r *rest.Resource[apitest.Thing]) {
			r.Columns = []rest.Column{{Path: ".spec.size"}}
		}), []string{`kind "Thing"`, "column"}},
		{"column without a path", with(func(r *rest.Resource[apitest.Thing]) { r.Columns = []rest.Column{{Name: "Size"}} }),
			[]string{`kind "Thing"`, `column "Size"`}},
		{"column with a bad path", with(func(r *rest.Resource[apitest.Thing]) {
			r.Columns = []rest.Column{{Name: "Size", Path: ".spec["}}
		}), []string{`kind "Thing"`, `column "Size"`}},
		{"column of an absent field",
			with(func(r *rest.Resource[apitest.Thing]) { r.Columns = []rest.Column{{Name: "Size", Path: ".spec.sise"}} }),
			[]string{`kind "Thing"`, `column "Size"`, `".spec.sise"`, `spec has no field "sise": it has color, data, `}},
		{"column with the name of a Go field",
			with(func(r *rest.Resource[apitest.Thing]) { r.Columns = []rest.Column{{Name: "Size", Path: ".Spec.Size"}} }),
			[]string{`column "Size"`, `the object has no field "Spec": it has apiVersion, kind, metadata, spec, status`}},
		{"column with a bad type", with(func(r *rest.Resource[apitest.Thing]) {
			r.Columns = []rest.Column{{Name: "Size", Path: ".spec.size", Type: "float"}}
		}), []string{`kind "Thing"`, `column "Size"`, `"float"`}},
		{"absent selectable field", with(func(r *rest.Resource[apitest.Thing]) {
			r.SelectableFields = []string{"spec.nope"}
		}), []string{`kind "Thing"`, "SelectableFields", "spec.nope"}},
		{"selectable field that is a list",
			with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{"spec.parts"} }),
			[]string{`kind "Thing"`, "SelectableFields", "spec.parts"}},
		{"selectable field in metadata",
			with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{"metadata.uid"} }),
			[]string{`kind "Thing"`, "SelectableFields", "metadata.uid"}},
		{"selectable field of nothing", with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{""} }),
			[]string{`kind "Thing"`, "SelectableFields"}},
		{"duplicate selectable field",
			with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{"spec.color", "spec.color"} }),
			[]string{`kind "Thing"`, "SelectableFields", "spec.color"}},
		{"duplicate selectable field, once as a name", with(func(r *rest.Resource[apitest.Thing]) {
			r.SelectableFields = []string{"spec.color", "spec.color=spec.size"}
		}), []string{`kind "Thing"`, "SelectableFields", "duplicate", "spec.color"}},
		{"name for an absent field",
			with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{"color=spec.color,spec.nope"} }),
			[]string{`kind "Thing"`, "SelectableFields", "spec.nope", "unknown field"}},
		{"name in metadata for a selectable field",
			with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{"metadata.color=spec.color"} }),
			[]string{`kind "Thing"`, "SelectableFields", "metadata.color"}},
		{"no name for a selectable field",
			with(func(r *rest.Resource[apitest.Thing]) { r.SelectableFields = []string{"=spec.color"} }),
			[]string{`kind "Thing"`, "SelectableFields", "=spec.color"}},
		{"seventeen selectable fields", with(func(r *rest.Resource[apitest.Thing]) {
			r.SelectableFields = slices.Repeat([]string{"spec.color"},
				17)
		}), []string{`kind "Thing"`, "SelectableFields", "17"}},
		{"nine indexed labels", with(func(r *rest.Resource[apitest.Thing]) {
			r.IndexedLabels = slices.Repeat([]string{"app"}, 9)
		}), []string{`kind "Thing"`, "IndexedLabels", "9"}},
		{"duplicate indexed label", with(func(r *rest.Resource[apitest.Thing]) { r.IndexedLabels = []string{"app", "app"} }),
			[]string{`kind "Thing"`, "IndexedLabels", "app"}},
		{"invalid indexed label", with(func(r *rest.Resource[apitest.Thing]) { r.IndexedLabels = []string{"a b"} }),
			[]string{`kind "Thing"`, "IndexedLabels", "a b"}},
		{"a namespaced singleton", with(func(r *rest.Resource[apitest.Thing]) { r.Singleton = "only" }),
			[]string{`kind "Thing"`, `Singleton "only"`}},
		{"a singleton with a bad name",
			with(func(r *rest.Resource[apitest.Thing]) { r.Scope, r.Singleton = rest.ScopeCluster, "../x" }),
			[]string{`kind "Thing"`, `Singleton "../x"`}},
		{"a singleton that can be created", with(func(r *rest.Resource[apitest.Thing]) {
			r.Scope, r.Singleton, r.Verbs = rest.ScopeCluster, "only", []access.Verb{access.VerbCreate}
		}), []string{`kind "Thing"`, "Verbs", `"create"`}},
		{"a singleton that its defaults do not make",
			[]rest.Definition{rest.Resource[thingRequiring]{Group: apitest.ThingGroup, Version: v1, Plural: "things",
				Scope: rest.ScopeCluster, Singleton: "only"}}, []string{`kind "thingRequiring"`, "singleton", "spec.needed"}},
		{"an invalid verb", with(func(r *rest.Resource[apitest.Thing]) { r.Verbs = []access.Verb{"read"} }),
			[]string{`kind "Thing"`, "Verbs", `"read"`}},
		{"a call that can be listed", with(func(r *rest.Resource[apitest.Thing]) {
			r.Hooks.Call, r.Verbs = func(context.Context, *apitest.Thing) error { return nil }, []access.Verb{access.VerbList}
		}), []string{`kind "Thing"`, "Verbs", `"list"`}},
		{"a nil subresource", sub(nil), []string{`kind "Thing"`, "subresource"}},
		{"a subresource without a name", sub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Get: get}),
			[]string{`kind "Thing"`, "subresource"}},
		{"a subresource with a slash", sub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "a/b", Get: get}),
			[]string{`kind "Thing"`, `subresource "a/b"`}},
		{"a subresource called status", sub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "status", Get: get}),
			[]string{`kind "Thing"`, `subresource "status"`}},
		{"a subresource that does nothing", sub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "x"}),
			[]string{`kind "Thing"`, `subresource "x"`, "Get", "Create"}},
		{"a subresource that updates and cannot be read",
			sub(rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "x", Update: update}),
			[]string{`kind "Thing"`, `subresource "x"`}},
		{"a subresource that is not a struct",
			sub(rest.Subresource[apitest.Thing, chan int]{Name: "x", Kind: "X",
				Get: func(context.Context, *apitest.Thing) (*chan int, error) { return nil, nil }}),
			[]string{`kind "Thing"`, `subresource "x"`}},
		{"a duplicate subresource", with(func(r *rest.Resource[apitest.Thing]) {
			s := rest.Subresource[apitest.Thing, apitest.ThingScale]{Name: "x", Get: get}
			r.Subresources = []rest.SubresourceOf[apitest.Thing]{s, s}
		}), []string{`kind "Thing"`, `subresource "x"`, "twice"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := apitest.LibraryGoroutines(t)
			var api *rest.API
			var err error
			require.NotPanics(t, func() { api, err = rest.New(rest.Options{}, c.definitions...) })
			require.Nil(t, api)
			require.Error(t, err)
			for _, part := range c.want {
				assert.ErrorContains(t, err, part)
			}
			apitest.Await(t, "no goroutine is left", func() bool { return apitest.LibraryGoroutines(t) <= before })
		})
	}
}

func TestStoreAlreadyKnowsTheResource(t *testing.T) {
	store := apitest.NewStore(t)
	first, second := apitest.Start(t, rest.Options{Store: store}, apitest.ThingResource()),
		apitest.Start(t, rest.Options{Store: store}, apitest.ThingResource())
	_, err := apitest.ClientFor[apitest.Thing](t, first).Namespace("default").Create(t.Context(),
		&apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	require.NoError(t, err)
	_, err = apitest.ClientFor[apitest.Thing](t, second).Namespace("default").Get(t.Context(), "a")
	require.NoError(t, err, "they show the same objects")

	elsewhere := apitest.ThingResource()
	elsewhere.Scope = rest.ScopeCluster
	_, err = rest.New(rest.Options{Store: store}, elsewhere)
	require.ErrorIs(t, err, storage.ErrResource)
	require.ErrorContains(t, err, `kind "Thing"`)
}

func TestManyInstancesInOneProcess(t *testing.T) {
	const instances, objects = 16, 20
	var wg sync.WaitGroup
	for i := range instances {
		wg.Add(1)
		go func() {
			defer wg.Done()
			store := apitest.NewStore(t)
			api, err := rest.New(rest.Options{Store: store}, apitest.ThingResource(), apitest.GlobalThingResource())
			if !assert.NoError(t, err) {
				return
			}
			s := &apitest.ThingServer{API: api}
			for j := range objects {
				w := s.Do("POST", apitest.Things, apitest.ThingBody(fmt.Sprintf("i%d-%d", i, j), "{}"))
				assert.Equal(t, http.StatusCreated, w.Code)
				assert.Equal(t, fmt.Sprint(j+2), apitest.ThingOf(t, w).ResourceVersion, "revisions are each store's own")
			}
			var list struct{ Items []apitest.Thing }
			assert.NoError(t, json.Unmarshal([]byte(s.Do("GET", apitest.Things, "").Body), &list))
			assert.Len(t, list.Items, objects)
			for _, thing := range list.Items {
				assert.True(t, strings.HasPrefix(thing.Name, fmt.Sprintf("i%d-", i)))
			}
			assert.NoError(t, api.Close())
		}()
	}
	wg.Wait()
}

func TestUnderAnyPrefixBesideTheHostsRoutes(t *testing.T) {
	for _, prefix := range []string{"", "/platform", "/a/b/c", "/with%20blank", "/api", "/apis/x"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			s := apitest.NewThingServer(t, rest.Options{})
			plain := strings.ReplaceAll(prefix, "%20", " ")
			host := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/host/own" {
					_, _ = io.WriteString(w, "mine")
					return
				}
				http.StripPrefix(plain, s.API).ServeHTTP(w, r)
			})
			server := apitest.Serve(t, host)
			client := server.Client()
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			get := func(path string) (int, string, http.Header) {
				response, err := client.Get(server.URL + path)
				require.NoError(t, err)
				defer func() { _ = response.Body.Close() }()
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				return response.StatusCode, string(body), response.Header
			}
			_, own, _ := get("/host/own")
			require.Equal(t, "mine", own)

			w := apitest.OpenThingWatch(t, client, server.URL+prefix+apitest.Things+"?watch=1")
			response, err := client.Post(server.URL+prefix+apitest.Things, apitest.TypeJSON,
				strings.NewReader(apitest.ThingBody("a", "{}")))
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusCreated, response.StatusCode)
			event, thing := w.Next(t)
			require.Equal(t, apimeta.EventAdded, event)
			require.Equal(t, "a", thing.Name)
			w.Stop()

			for _, path := range []string{apitest.Things + "/a", apitest.Things + "/", apitest.ThingsV1 + "/namespaces//things",
				"/apis", "/version",
				"/readyz", "/openapi/v2"} {
				code, body, _ := get(prefix + path)
				require.Equal(t, http.StatusOK, code, "%s: %s", path, body)
			}
			code, body, _ := get(prefix + "/openapi/v3")
			require.Equal(t, http.StatusOK, code)
			var index struct {
				Paths map[string]struct{ ServerRelativeURL string }
			}
			require.NoError(t, json.Unmarshal([]byte(body), &index))
			document := index.Paths[strings.TrimPrefix(apitest.ThingsV1, "/")].ServerRelativeURL
			require.True(t, strings.HasPrefix(document, prefix+"/openapi/v3/"), document)
			code, _, _ = get(document)
			require.Equal(t, http.StatusOK, code, "a URL that the API gives leads to where it says")
			stale, _, _ := strings.Cut(document, "?")
			code, _, header := get(stale + "?hash=OLD")
			require.Equal(t, http.StatusMovedPermanently, code)
			require.Equal(t, document, header.Get("Location"))
		})
	}
}

func TestWatchesSurviveTheHostsTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		server := apitest.ServeOnPipes(t, s.API, func(config *http.Server) {
			config.ReadTimeout, config.WriteTimeout, config.ReadHeaderTimeout, config.IdleTimeout = time.Second, time.Second,
				time.Second, time.Second
		})
		w := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1")
		for i := range 2 {
			apitest.LetPass(time.Minute)
			s.MustCreate(t, fmt.Sprintf("a%d", i))
			event, thing := w.Next(t)
			require.Equal(t, apimeta.EventAdded, event)
			require.Equal(t, fmt.Sprintf("a%d", i), thing.Name)
		}
		require.NoError(t, s.API.Close())
		require.NoError(t, w.Drained())
	})
}

// The deadline that a watch has lifted must be back for the next request of the same connection.
func TestTimeoutsHoldAfterAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		server := apitest.ServeOnPipes(t, s.API,
			func(config *http.Server) { config.ReadTimeout, config.WriteTimeout = time.Second, time.Second })
		conn := server.Dial(t)
		_, err := fmt.Fprintf(conn, "GET %s?watch=1&timeoutSeconds=60 HTTP/1.1\r\nHost: x\r\n\r\n", apitest.Things)
		require.NoError(t, err)
		reader := bufio.NewReader(conn)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err, "the watch ends by its own timeoutSeconds, as a stream ends")
		began := time.Now()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", apitest.Things)
		require.NoError(t, err)
		response, err = http.ReadResponse(reader, nil)
		require.True(t, err != nil || response.StatusCode >= 400, "the body never came")
		// Without an answer, the client sees the end only when the server has closed the connection, half a second later.
		require.Contains(t, []time.Duration{time.Second, 1500 * time.Millisecond}, time.Since(began),
			"the host's ReadTimeout ends the wait")
		_, err = io.Copy(io.Discard, reader)
		require.NoError(t, err, "the server closes the connection")
	})
}

func TestWatchThroughWrappedWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		server := apitest.ServeOnPipes(t, apitest.BehindUnwrap(apitest.BehindUnwrap(s.API)),
			func(config *http.Server) { config.WriteTimeout = time.Second })
		w := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1")
		apitest.LetPass(time.Minute)
		s.MustCreate(t, "a")
		event, _ := w.Next(t)
		require.Equal(t, apimeta.EventAdded, event)
	})
}

func TestWatchNeedsAWriterWithFlush(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	recorder := httptest.NewRecorder()
	s.API.ServeHTTP(&apitest.Wrapped{ResponseWriter: recorder}, apitest.NewRequest("GET", apitest.Things+"?watch=1", nil))
	got := apitest.StatusOf(t, apitest.AnswerOf(recorder))
	require.Equal(t, status.ReasonInternalError, got.Reason)
	require.Contains(t, got.Message, "Unwrap", "the host's author is told what to do")
	require.Equal(t, http.StatusOK, s.Do("GET", apitest.Things, "").Code, "all else needs no flush")
}

func TestShutdown(t *testing.T) {
	s, entered, release := apitest.NewBlockingThings(t, rest.Options{})
	server := apitest.Serve(t, s.API)
	stream := apitest.OpenThingWatch(t, server.Client(), server.URL+apitest.Things+"?watch=1")
	slow := apitest.InBackground(func() int { return s.Do("POST", apitest.Things, apitest.ThingBody("slow", "{}")).Code })
	apitest.Within(t, "the write is under way", entered)

	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.API.Shutdown(canceled), context.Canceled, "a write is under way")
	require.NoError(t, apitest.Within(t, "the watch ends although a write is under way",
		apitest.InBackground(stream.Drained)))

	closed := apitest.InBackground(s.API.Close)
	for _, r := range []struct{ method, target string }{{"GET", apitest.Things}, {"GET", apitest.Things + "/a"},
		{"GET", apitest.Things + "?watch=1"}, {"POST", apitest.Things}, {"GET", "/apis"}, {"GET", "/nowhere"}} {
		got := apitest.StatusOf(t, s.Do(r.method, r.target, ""))
		assert.Equal(t, status.ReasonServiceUnavailable, got.Reason, "%s %s", r.method, r.target)
		assert.Equal(t, 503, int(got.Code))
	}
	_, err := apitest.ClientFor[apitest.Thing](t, s.API).Namespace("default").Get(context.Background(), "a")
	require.Error(t, err, "a call in process is refused as well")
	for target, want := range map[string]int{"/livez": 200, "/healthz": 200, "/readyz": 500, "/livez/ping": 200,
		"/readyz/shutdown": 500} {
		assert.Equal(t, want, s.Do("GET", target, "").Code, target)
	}
	select {
	case err := <-closed:
		require.FailNow(t, "Close did not wait for the write", "%v", err)
	default:
	}
	close(release)
	require.Equal(t, http.StatusCreated, apitest.Within(t, "the write under way ends well", slow))
	require.NoError(t, apitest.Within(t, "Close", closed))
}

func TestMaxInFlight(t *testing.T) {
	const limit = 3
	s, entered, release := apitest.NewBlockingThings(t, rest.Options{Limits: rest.Limits{MaxInFlight: limit}})
	server := apitest.Serve(t, s.API)
	for range 5 * limit {
		apitest.OpenThingWatch(t, server.Client(), server.URL+apitest.Things+"?watch=1")
	}
	var slow []<-chan int
	for i := range limit {
		slow = append(slow, apitest.InBackground(func() int {
			return s.Do("POST", apitest.Things, apitest.ThingBody(fmt.Sprintf("slow%d", i), "{}")).Code
		}))
		apitest.Within(t, "the write is under way", entered)
	}
	for range 3 {
		w := s.Do("GET", apitest.Things, "")
		got := apitest.StatusOf(t, w)
		require.Equal(t, status.ReasonTooManyRequests, got.Reason)
		require.Equal(t, 429, int(got.Code))
		require.Equal(t, "1", w.Header.Get("Retry-After"))
		require.EqualValues(t, 1, got.Details.RetryAfterSeconds)
	}
	require.Equal(t, http.StatusOK, s.Do("GET", "/livez", "").Code, "a busy server is not a dead one")
	close(release)
	for _, done := range slow {
		require.Equal(t, http.StatusCreated, apitest.Within(t, "a write", done))
	}
	require.Equal(t, http.StatusOK, s.Do("GET", apitest.Things, "").Code, "what was refused has left no trace")
}

func TestDisconnectFreesTheWatch(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	var answering apitest.InFlight
	server := apitest.Serve(t, answering.Of(s.API))
	const watches = 20
	var stops []context.CancelFunc
	for range watches {
		stops = append(stops, apitest.OpenThingWatch(t, server.Client(), server.URL+apitest.Things+"?watch=1").Stop)
	}
	apitest.Await(t, "all watches run", func() bool { return answering.Load() == watches })
	for _, stop := range stops {
		stop()
	}
	apitest.Await(t, "no watch runs after the clients have left", func() bool { return answering.Load() == 0 })
}
