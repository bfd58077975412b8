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
	"runtime/pprof"
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
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// ourGoroutines counts the goroutines that run, or were started by, code of this library outside of its tests.
func ourGoroutines(t testing.TB) int {
	t.Helper()
	var dump strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&dump, 2))
	count := 0
	for _, stack := range strings.Split(dump.String(), "\n\n") {
		for _, p := range []string{"rest.", "storage.", "watch."} {
			if strings.Contains(stack, "github.com/decorum-go/decorum/"+p) {
				count++
				break
			}
		}
	}
	return count
}

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
	sockets, before := openSockets(t), ourGoroutines(t)
	api, err := rest.New(rest.Options{}, thingResource(), globalThingResource())
	require.NoError(t, err)
	s := &thingServer{api: api}
	require.Equal(t, http.StatusCreated, s.do("POST", thingsIn, thingJSON("a", "{}")).Code)
	for _, target := range []string{thingsIn, thingsIn + "/a", "/apis", "/openapi/v3", "/openapi/v2", "/readyz", thingRoot} {
		require.Equal(t, http.StatusOK, s.do("GET", target, "").Code)
	}
	awaitThat(t, "no goroutine before the first watch", func() bool { return ourGoroutines(t) <= before })
	require.Equal(t, sockets, openSockets(t), "no listener")
	require.NoError(t, api.Close())
}

func TestCloseLeavesNothing(t *testing.T) {
	before := ourGoroutines(t)
	s := newThingServer(t, rest.Options{})
	server := thingHTTP(t, s.api)
	var watches []*thingWatch
	for range 20 {
		watches = append(watches, openThingWatch(t, server.Client(), server.URL+thingsIn+"?watch=1"))
	}
	s.mustCreate(t, "a")
	for _, w := range watches {
		event, thing := w.next(t)
		require.Equal(t, watch.Added, event)
		require.Equal(t, "a", thing.Name)
	}
	client := clientFor[Thing](t, s.api)
	following := inBackground(func() error {
		for _, err := range client.Watch(context.Background(), rest.WatchOptions{ResourceVersion: "1"}) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, within(t, "Close with watches open", inBackground(s.api.Close)))
	for _, w := range watches {
		require.NoError(t, w.drained(), "a watch ends as a stream ends, not broken off")
	}
	require.Error(t, within(t, "a watch in process ends with the API", following))
	require.NoError(t, s.store.Close())
	awaitThat(t, "no goroutine is left after Close", func() bool { return ourGoroutines(t) <= before })
	require.NoError(t, s.api.Close(), "Close may be called again")
}

func TestCloseLeavesTheHostsStoreOpen(t *testing.T) {
	store := newStore(t)
	for range 2 {
		api := start(t, rest.Options{Store: &registeredStore{store}}, rest.Resource[Thing]{Group: "g.example.com", Version: "v1", Plural: "things"})
		require.NoError(t, api.Close())
	}
	require.NoError(t, store.Register(t.Context(), storage.Resource{Name: "others", Extract: storage.NewExtractor()}), "the store is still open")
	require.NoError(t, store.Close())
}

// Kinds that cannot be served.
type (
	thingNoMeta struct {
		apimeta.TypeMeta `json:",inline"`
		Spec             ThingSpec `json:"spec"`
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
	with := func(change func(r *rest.Resource[Thing])) []rest.Definition {
		r := thingResource()
		change(&r)
		return []rest.Definition{r}
	}
	sub := func(s rest.SubresourceOf[Thing]) []rest.Definition {
		return with(func(r *rest.Resource[Thing]) { r.Subresources = []rest.SubresourceOf[Thing]{s} })
	}
	get := func(context.Context, *Thing) (*ThingScale, error) { return nil, nil }
	update := func(context.Context, *Thing, *ThingScale) error { return nil }
	const v1 = "v1"
	cases := []struct {
		name        string
		definitions []rest.Definition
		want        []string // parts of the message
	}{
		{"nil", []rest.Definition{nil}, []string{"a resource is nil"}},
		{"no plural", with(func(r *rest.Resource[Thing]) { r.Plural = "" }), []string{`kind "Thing"`, "Plural"}},
		{"plural in upper case", with(func(r *rest.Resource[Thing]) { r.Plural = "Things" }), []string{`kind "Thing"`, `Plural "Things"`}},
		{"plural with a slash", with(func(r *rest.Resource[Thing]) { r.Plural = "things/x" }), []string{`kind "Thing"`, "Plural"}},
		{"plural that is a pattern", with(func(r *rest.Resource[Thing]) { r.Plural = ":x" }), []string{`kind "Thing"`, "Plural"}},
		{"no version", with(func(r *rest.Resource[Thing]) { r.Version = "" }), []string{`kind "Thing"`, "Version"}},
		{"version with a slash", with(func(r *rest.Resource[Thing]) { r.Version = "v1/x" }), []string{`kind "Thing"`, "Version"}},
		{"group in upper case", with(func(r *rest.Resource[Thing]) { r.Group = "Example.com" }), []string{`kind "Thing"`, `Group "Example.com"`}},
		{"group with a slash", with(func(r *rest.Resource[Thing]) { r.Group = "a/b" }), []string{`kind "Thing"`, "Group"}},
		{"kind with a blank", with(func(r *rest.Resource[Thing]) { r.Names.Kind = "A Thing" }), []string{`kind "A Thing"`, "Kind"}},
		{"list kind with a blank", with(func(r *rest.Resource[Thing]) { r.Names.ListKind = "A List" }), []string{`kind "Thing"`, "A List"}},
		{"singular with a blank", with(func(r *rest.Resource[Thing]) { r.Names.Singular = "a thing" }), []string{`kind "Thing"`, "a thing"}},
		{"short name in upper case", with(func(r *rest.Resource[Thing]) { r.Names.Short = []string{"TH"} }), []string{`kind "Thing"`, `"TH"`}},
		{"short name empty", with(func(r *rest.Resource[Thing]) { r.Names.Short = []string{""} }), []string{`kind "Thing"`}},
		{"declared twice", []rest.Definition{thingResource(), thingResource()}, []string{`kind "Thing"`, "declared twice"}},
		{"one plural for two kinds", []rest.Definition{thingResource(), rest.Resource[GlobalThing]{Group: thingGroup, Version: v1, Plural: "things"}}, []string{`kind "GlobalThing"`, `"things"`, `"Thing"`}},
		{"one kind for two plurals", []rest.Definition{thingResource(), rest.Resource[GlobalThing]{Group: thingGroup, Version: v1, Plural: "others", Names: rest.Names{Kind: "Thing"}}}, []string{`kind "Thing"`}},
		{"short name that is another's plural", append(with(func(r *rest.Resource[Thing]) { r.Names.Short = []string{"globalthings"} }), globalThingResource()), []string{`"globalthings"`}},
		{"short name that is another's short name", []rest.Definition{thingResource(), rest.Resource[GlobalThing]{Group: thingGroup, Version: v1, Plural: "others", Names: rest.Names{Short: []string{"th"}}}}, []string{`kind "GlobalThing"`, `"th"`}},
		{"no struct", []rest.Definition{rest.Resource[string]{Group: thingGroup, Version: v1, Plural: "strings"}}, []string{`"string"`, "is not a struct"}},
		{"a pointer", []rest.Definition{rest.Resource[*Thing]{Group: thingGroup, Version: v1, Plural: "things", Names: rest.Names{Kind: "Thing"}}}, []string{`kind "Thing"`, "is not a struct"}},
		{"a type without a name", []rest.Definition{rest.Resource[struct{}]{Group: thingGroup, Version: v1, Plural: "nothings"}}, []string{"Kind"}},
		{"no metadata", []rest.Definition{rest.Resource[thingNoMeta]{Group: thingGroup, Version: v1, Plural: "things"}}, []string{`kind "thingNoMeta"`, "metadata"}},
		{"an option of a tag that nobody knows", []rest.Definition{rest.Resource[thingBadTag]{Group: thingGroup, Version: v1, Plural: "things"}}, []string{`kind "thingBadTag"`, "Size", "nonsense"}},
		{"a default of another type", []rest.Definition{rest.Resource[thingBadDefault]{Group: thingGroup, Version: v1, Plural: "things"}}, []string{`kind "thingBadDefault"`, "Size", "many"}},
		{"a pattern that does not parse", []rest.Definition{rest.Resource[thingBadPattern]{Group: thingGroup, Version: v1, Plural: "things"}}, []string{`kind "thingBadPattern"`, "Text"}},
		{"a field that JSON cannot hold", []rest.Definition{rest.Resource[thingBadField]{Group: thingGroup, Version: v1, Plural: "things"}}, []string{`kind "thingBadField"`, "Pipe"}},
		{"column without a name", with(func(r *rest.Resource[Thing]) { r.Columns = []rest.Column{{Path: ".spec.size"}} }), []string{`kind "Thing"`, "column"}},
		{"column without a path", with(func(r *rest.Resource[Thing]) { r.Columns = []rest.Column{{Name: "Size"}} }), []string{`kind "Thing"`, `column "Size"`}},
		{"column with a bad path", with(func(r *rest.Resource[Thing]) { r.Columns = []rest.Column{{Name: "Size", Path: ".spec["}} }), []string{`kind "Thing"`, `column "Size"`}},
		{"column of a field that is not there", with(func(r *rest.Resource[Thing]) { r.Columns = []rest.Column{{Name: "Size", Path: ".spec.sise"}} }),
			[]string{`kind "Thing"`, `column "Size"`, `".spec.sise"`, `spec has no field "sise": it has color, data, `}},
		{"column with the name of a Go field", with(func(r *rest.Resource[Thing]) { r.Columns = []rest.Column{{Name: "Size", Path: ".Spec.Size"}} }),
			[]string{`column "Size"`, `the object has no field "Spec": it has apiVersion, kind, metadata, spec, status`}},
		{"column with a bad type", with(func(r *rest.Resource[Thing]) {
			r.Columns = []rest.Column{{Name: "Size", Path: ".spec.size", Type: "float"}}
		}), []string{`kind "Thing"`, `column "Size"`, `"float"`}},
		{"selectable field that is not there", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"spec.nope"} }), []string{`kind "Thing"`, "SelectableFields", "spec.nope"}},
		{"selectable field that is a list", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"spec.parts"} }), []string{`kind "Thing"`, "SelectableFields", "spec.parts"}},
		{"selectable field in metadata", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"metadata.uid"} }), []string{`kind "Thing"`, "SelectableFields", "metadata.uid"}},
		{"selectable field of nothing", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{""} }), []string{`kind "Thing"`, "SelectableFields"}},
		{"selectable field twice", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"spec.color", "spec.color"} }), []string{`kind "Thing"`, "SelectableFields", "spec.color"}},
		{"selectable field twice, once as a name", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"spec.color", "spec.color=spec.size"} }), []string{`kind "Thing"`, "SelectableFields", "duplicate", "spec.color"}},
		{"name for a field that is not there", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"color=spec.color,spec.nope"} }), []string{`kind "Thing"`, "SelectableFields", "spec.nope", "unknown field"}},
		{"name in metadata for a selectable field", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"metadata.color=spec.color"} }), []string{`kind "Thing"`, "SelectableFields", "metadata.color"}},
		{"no name for a selectable field", with(func(r *rest.Resource[Thing]) { r.SelectableFields = []string{"=spec.color"} }), []string{`kind "Thing"`, "SelectableFields", "=spec.color"}},
		{"seventeen selectable fields", with(func(r *rest.Resource[Thing]) { r.SelectableFields = slices.Repeat([]string{"spec.color"}, 17) }), []string{`kind "Thing"`, "SelectableFields", "17"}},
		{"nine indexed labels", with(func(r *rest.Resource[Thing]) { r.IndexedLabels = slices.Repeat([]string{"app"}, 9) }), []string{`kind "Thing"`, "IndexedLabels", "9"}},
		{"indexed label twice", with(func(r *rest.Resource[Thing]) { r.IndexedLabels = []string{"app", "app"} }), []string{`kind "Thing"`, "IndexedLabels", "app"}},
		{"indexed label that is none", with(func(r *rest.Resource[Thing]) { r.IndexedLabels = []string{"a b"} }), []string{`kind "Thing"`, "IndexedLabels", "a b"}},
		{"a namespaced singleton", with(func(r *rest.Resource[Thing]) { r.Singleton = "only" }), []string{`kind "Thing"`, `Singleton "only"`}},
		{"a singleton with a bad name", with(func(r *rest.Resource[Thing]) { r.Scope, r.Singleton = rest.ScopeCluster, "../x" }), []string{`kind "Thing"`, `Singleton "../x"`}},
		{"a singleton that can be created", with(func(r *rest.Resource[Thing]) {
			r.Scope, r.Singleton, r.Verbs = rest.ScopeCluster, "only", []rest.Verb{rest.VerbCreate}
		}), []string{`kind "Thing"`, "Verbs", `"create"`}},
		{"a singleton that its defaults do not make", []rest.Definition{rest.Resource[thingRequiring]{Group: thingGroup, Version: v1, Plural: "things", Scope: rest.ScopeCluster, Singleton: "only"}}, []string{`kind "thingRequiring"`, "singleton", "spec.needed"}},
		{"a verb that is none", with(func(r *rest.Resource[Thing]) { r.Verbs = []rest.Verb{"read"} }), []string{`kind "Thing"`, "Verbs", `"read"`}},
		{"a call that can be listed", with(func(r *rest.Resource[Thing]) {
			r.Hooks.Call, r.Verbs = func(context.Context, *Thing) error { return nil }, []rest.Verb{rest.VerbList}
		}), []string{`kind "Thing"`, "Verbs", `"list"`}},
		{"a nil subresource", sub(nil), []string{`kind "Thing"`, "subresource"}},
		{"a subresource without a name", sub(rest.Subresource[Thing, ThingScale]{Get: get}), []string{`kind "Thing"`, "subresource"}},
		{"a subresource with a slash", sub(rest.Subresource[Thing, ThingScale]{Name: "a/b", Get: get}), []string{`kind "Thing"`, `subresource "a/b"`}},
		{"a subresource called status", sub(rest.Subresource[Thing, ThingScale]{Name: "status", Get: get}), []string{`kind "Thing"`, `subresource "status"`}},
		{"a subresource that does nothing", sub(rest.Subresource[Thing, ThingScale]{Name: "x"}), []string{`kind "Thing"`, `subresource "x"`, "Get", "Create"}},
		{"a subresource that updates and cannot be read", sub(rest.Subresource[Thing, ThingScale]{Name: "x", Update: update}), []string{`kind "Thing"`, `subresource "x"`}},
		{"a subresource that is not a struct", sub(rest.Subresource[Thing, chan int]{Name: "x", Kind: "X", Get: func(context.Context, *Thing) (*chan int, error) { return nil, nil }}), []string{`kind "Thing"`, `subresource "x"`}},
		{"a subresource twice", with(func(r *rest.Resource[Thing]) {
			s := rest.Subresource[Thing, ThingScale]{Name: "x", Get: get}
			r.Subresources = []rest.SubresourceOf[Thing]{s, s}
		}), []string{`kind "Thing"`, `subresource "x"`, "twice"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := ourGoroutines(t)
			var api *rest.API
			var err error
			require.NotPanics(t, func() { api, err = rest.New(rest.Options{}, c.definitions...) })
			require.Nil(t, api)
			require.Error(t, err)
			for _, part := range c.want {
				assert.ErrorContains(t, err, part)
			}
			awaitThat(t, "no goroutine is left", func() bool { return ourGoroutines(t) <= before })
		})
	}
}

func TestNewWithAStoreThatKnowsTheResource(t *testing.T) {
	store := newStore(t)
	first, second := start(t, rest.Options{Store: store}, thingResource()), start(t, rest.Options{Store: store}, thingResource())
	_, err := clientFor[Thing](t, first).Namespace("default").Create(t.Context(), &Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	require.NoError(t, err)
	_, err = clientFor[Thing](t, second).Namespace("default").Get(t.Context(), "a")
	require.NoError(t, err, "they show the same objects")

	elsewhere := thingResource()
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
			store := newStore(t)
			api, err := rest.New(rest.Options{Store: store}, thingResource(), globalThingResource())
			if !assert.NoError(t, err) {
				return
			}
			s := &thingServer{api: api}
			for j := range objects {
				w := s.do("POST", thingsIn, thingJSON(fmt.Sprintf("i%d-%d", i, j), "{}"))
				assert.Equal(t, http.StatusCreated, w.Code)
				assert.Equal(t, fmt.Sprint(j+2), thingOf(t, w).ResourceVersion, "revisions are each store's own")
			}
			var list struct{ Items []Thing }
			assert.NoError(t, json.Unmarshal([]byte(s.do("GET", thingsIn, "").Body), &list))
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
			s := newThingServer(t, rest.Options{})
			plain := strings.ReplaceAll(prefix, "%20", " ")
			host := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/host/own" {
					_, _ = io.WriteString(w, "mine")
					return
				}
				http.StripPrefix(plain, s.api).ServeHTTP(w, r)
			})
			server := thingHTTP(t, host)
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

			w := openThingWatch(t, client, server.URL+prefix+thingsIn+"?watch=1")
			response, err := client.Post(server.URL+prefix+thingsIn, thingType, strings.NewReader(thingJSON("a", "{}")))
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusCreated, response.StatusCode)
			event, thing := w.next(t)
			require.Equal(t, watch.Added, event)
			require.Equal(t, "a", thing.Name)
			w.stop()

			for _, path := range []string{thingsIn + "/a", thingsIn + "/", thingRoot + "/namespaces//things", "/apis", "/version", "/readyz", "/openapi/v2"} {
				code, body, _ := get(prefix + path)
				require.Equal(t, http.StatusOK, code, "%s: %s", path, body)
			}
			code, body, _ := get(prefix + "/openapi/v3")
			require.Equal(t, http.StatusOK, code)
			var index struct {
				Paths map[string]struct{ ServerRelativeURL string }
			}
			require.NoError(t, json.Unmarshal([]byte(body), &index))
			document := index.Paths[strings.TrimPrefix(thingRoot, "/")].ServerRelativeURL
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
		s := newThingServer(t, rest.Options{})
		server := pipeHTTP(t, s.api, func(config *http.Server) {
			config.ReadTimeout, config.WriteTimeout, config.ReadHeaderTimeout, config.IdleTimeout = time.Second, time.Second, time.Second, time.Second
		})
		w := openThingWatch(t, server.Client, server.URL+thingsIn+"?watch=1")
		for i := range 2 {
			time.Sleep(time.Minute)
			s.mustCreate(t, fmt.Sprintf("a%d", i))
			event, thing := w.next(t)
			require.Equal(t, watch.Added, event)
			require.Equal(t, fmt.Sprintf("a%d", i), thing.Name)
		}
		require.NoError(t, s.api.Close())
		require.NoError(t, w.drained())
	})
}

// The deadline that a watch has lifted must be back for the next request of the same connection.
func TestTimeoutsHoldAfterAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		server := pipeHTTP(t, s.api, func(config *http.Server) { config.ReadTimeout, config.WriteTimeout = time.Second, time.Second })
		conn := server.dial(t)
		_, err := fmt.Fprintf(conn, "GET %s?watch=1&timeoutSeconds=60 HTTP/1.1\r\nHost: x\r\n\r\n", thingsIn)
		require.NoError(t, err)
		reader := bufio.NewReader(conn)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err, "the watch ends by its own timeoutSeconds, as a stream ends")
		began := time.Now()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", thingsIn)
		require.NoError(t, err)
		response, err = http.ReadResponse(reader, nil)
		require.True(t, err != nil || response.StatusCode >= 400, "the body never came")
		require.Equal(t, time.Second, time.Since(began), "the host's ReadTimeout ends the wait for the body")
	})
}

// wrapped is a host's middleware around a ResponseWriter, as many write it.
type wrapped struct {
	http.ResponseWriter
	bytes int
}

func (w *wrapped) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += n
	return n, err
}

// unwrappable is one that lets a ResponseController through.
type unwrappable struct{ wrapped }

func (w *unwrappable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// behindUnwrap serves h behind a middleware that leads to the writer below.
func behindUnwrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(&unwrappable{wrapped{ResponseWriter: w}}, r) })
}

func TestWatchThroughWrappedWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		server := pipeHTTP(t, behindUnwrap(behindUnwrap(s.api)), func(config *http.Server) { config.WriteTimeout = time.Second })
		w := openThingWatch(t, server.Client, server.URL+thingsIn+"?watch=1")
		time.Sleep(time.Minute)
		s.mustCreate(t, "a")
		event, _ := w.next(t)
		require.Equal(t, watch.Added, event)
	})
}

func TestWatchThroughAWriterThatCannotFlush(t *testing.T) {
	s := newThingServer(t, rest.Options{})
	recorder := httptest.NewRecorder()
	s.api.ServeHTTP(&wrapped{ResponseWriter: recorder}, newRequest("GET", thingsIn+"?watch=1", nil))
	got := statusOf(t, answerOf(recorder))
	require.Equal(t, status.ReasonInternalError, got.Reason)
	require.Contains(t, got.Message, "Unwrap", "the host's author is told what to do")
	require.Equal(t, http.StatusOK, s.do("GET", thingsIn, "").Code, "all else needs no flush")
}

// blockingThings is a server whose writes of an object called slow wait in a hook.
func blockingThings(t *testing.T, options rest.Options) (s *thingServer, entered, release chan struct{}) {
	entered, release = make(chan struct{}, 100), make(chan struct{})
	resource := thingResource()
	resource.Hooks.Validate = func(_ context.Context, obj, _ *Thing) status.FieldErrors {
		if strings.HasPrefix(obj.Name, "slow") {
			entered <- struct{}{}
			<-release
		}
		return nil
	}
	return newThingServer(t, options, resource), entered, release
}

func TestShutdown(t *testing.T) {
	s, entered, release := blockingThings(t, rest.Options{})
	server := thingHTTP(t, s.api)
	stream := openThingWatch(t, server.Client(), server.URL+thingsIn+"?watch=1")
	slow := inBackground(func() int { return s.do("POST", thingsIn, thingJSON("slow", "{}")).Code })
	within(t, "the write is under way", entered)

	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.api.Shutdown(canceled), context.Canceled, "a write is under way")
	require.NoError(t, within(t, "the watch ends although a write is under way", inBackground(stream.drained)))

	closed := inBackground(s.api.Close)
	for _, r := range []struct{ method, target string }{{"GET", thingsIn}, {"GET", thingsIn + "/a"}, {"GET", thingsIn + "?watch=1"}, {"POST", thingsIn}, {"GET", "/apis"}, {"GET", "/nowhere"}} {
		got := statusOf(t, s.do(r.method, r.target, ""))
		assert.Equal(t, status.ReasonServiceUnavailable, got.Reason, "%s %s", r.method, r.target)
		assert.Equal(t, 503, int(got.Code))
	}
	_, err := clientFor[Thing](t, s.api).Namespace("default").Get(context.Background(), "a")
	require.Error(t, err, "a call in process is refused as well")
	for target, want := range map[string]int{"/livez": 200, "/healthz": 200, "/readyz": 500, "/livez/ping": 200, "/readyz/ping": 500} {
		assert.Equal(t, want, s.do("GET", target, "").Code, target)
	}
	select {
	case err := <-closed:
		require.FailNow(t, "Close did not wait for the write", "%v", err)
	default:
	}
	close(release)
	require.Equal(t, http.StatusCreated, within(t, "the write under way ends well", slow))
	require.NoError(t, within(t, "Close", closed))
}

func TestMaxInFlight(t *testing.T) {
	const limit = 3
	s, entered, release := blockingThings(t, rest.Options{MaxInFlight: limit})
	server := thingHTTP(t, s.api)
	for range 5 * limit {
		openThingWatch(t, server.Client(), server.URL+thingsIn+"?watch=1")
	}
	var slow []<-chan int
	for i := range limit {
		slow = append(slow, inBackground(func() int {
			return s.do("POST", thingsIn, thingJSON(fmt.Sprintf("slow%d", i), "{}")).Code
		}))
		within(t, "the write is under way", entered)
	}
	for range 3 {
		w := s.do("GET", thingsIn, "")
		got := statusOf(t, w)
		require.Equal(t, status.ReasonTooManyRequests, got.Reason)
		require.Equal(t, 429, int(got.Code))
		require.Equal(t, "1", w.Header.Get("Retry-After"))
		require.EqualValues(t, 1, got.Details.RetryAfterSeconds)
	}
	require.Equal(t, http.StatusOK, s.do("GET", "/livez", "").Code, "a busy server is not a dead one")
	close(release)
	for _, done := range slow {
		require.Equal(t, http.StatusCreated, within(t, "a write", done))
	}
	require.Equal(t, http.StatusOK, s.do("GET", thingsIn, "").Code, "what was refused has left no trace")
}

func TestDisconnectFreesTheWatch(t *testing.T) {
	s := newThingServer(t, rest.Options{})
	var answering inFlight
	server := thingHTTP(t, answering.of(s.api))
	const watches = 20
	var stops []context.CancelFunc
	for range watches {
		stops = append(stops, openThingWatch(t, server.Client(), server.URL+thingsIn+"?watch=1").stop)
	}
	awaitThat(t, "all watches run", func() bool { return answering.Load() == watches })
	for _, stop := range stops {
		stop()
	}
	awaitThat(t, "no watch runs after the clients have left", func() bool { return answering.Load() == 0 })
}
