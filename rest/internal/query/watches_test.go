package query_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// watches returns the target of a stream about several resources.
func watches(of []string, parameters ...string) string {
	query := url.Values{"watch": of}
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	return "/watches?" + query.Encode()
}

func newCratesAndWidgets(t testing.TB, options rest.Options) *rest.API {
	t.Helper()
	options.Queries = &rest.Queries{}
	return apitest.New(t, options, crateResource(), apitest.WidgetResource())
}

// summary names the type, the kind, the name and the revision of events.
func summary(t testing.TB, events []string) (all []string) {
	t.Helper()
	for _, text := range events {
		var e struct {
			Type   string
			Object apimeta.PartialObjectMetadata
		}
		require.NoError(t, json.Unmarshal([]byte(text), &e), text)
		all = append(all, fmt.Sprint(e.Type, " ", e.Object.Kind, " ", e.Object.Name, " ", e.Object.ResourceVersion))
	}
	return all
}

func TestOneStreamForManyKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newCratesAndWidgets(t, rest.Options{})
		apitest.Must(t, api, "POST", crates, crate("c", "red", 1, ""))
		apitest.CreateWidget(t, api, "w")
		apitest.Must(t, api, "POST", crates, crate("small", "red", 0, ""))
		all := []string{with(allCrates, "fieldQuery", "spec.size>0"), apitest.Widgets}
		s := apitest.OpenWatch(t, api, watches(all))
		events := s.Events()
		assert.Equal(t, []string{"ADDED Crate c 2", "ADDED Widget w 3", "BOOKMARK Bookmark  4"}, summary(t, events))
		assert.Contains(t, events[2], `"k8s.io/initial-events-end":"true"`)

		apitest.CreateWidget(t, api, "w2")
		apitest.MergePatch(t, api, crates+"/small", `{"spec":{"size":5}}`)
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/w", "")
		apitest.MergePatch(t, api, crates+"/c", `{"spec":{"size":0}}`)
		want := []string{"ADDED Widget w2 5", "ADDED Crate small 6", "DELETED Widget w 7", "DELETED Crate c 8"}
		assert.Equal(t, want, summary(t, s.Events()))

		resumed := apitest.OpenWatch(t, api, watches(all, "resourceVersion", "4", "allowWatchBookmarks", "true"))
		assert.Equal(t, want, summary(t, resumed.Events()), "one revision resumes the whole stream")
		apitest.Must(t, api, "POST", crates, crate("other", "red", 0, ""))
		<-time.After(2 * time.Minute) // in the time of the bubble
		bookmarks := summary(t, resumed.Events())
		require.NotEmpty(t, bookmarks)
		assert.Equal(t, "BOOKMARK Bookmark  9", bookmarks[0])
	})
}

func TestServerSentEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newCratesAndWidgets(t, rest.Options{})
		apitest.CreateWidget(t, api, "w")
		all := []string{allCrates, apitest.AllWidgets}
		s := apitest.OpenWatch(t, api, watches(all), "Accept", "text/event-stream")
		assert.Equal(t, "text/event-stream", s.Writer.Headers.Get("Content-Type"))
		text := s.Text()
		assert.Regexp(t, "^data: {\"type\":\"ADDED\",.*}\n\nid: 2\ndata: {\"type\":\"BOOKMARK\",.*}\n\n$", text,
			"the initial events have no id, because a client cannot resume there")

		apitest.Must(t, api, "POST", crates, crate("c", "red", 1, ""))
		text = s.Text()
		assert.Regexp(t, "^id: 3\ndata: {\"type\":\"ADDED\",.*}\n\n$", text)
		assert.Equal(t, text, apitest.OpenWatch(t, api, watches(all), "Accept", "text/event-stream", "Last-Event-ID",
			"2").Text())
	})
}

func TestRefusedStreams(t *testing.T) {
	store := apitest.NewStore(t)
	api := newCratesAndWidgets(t, rest.Options{Store: store})
	apitest.Must(t, api, "POST", crates, crate("c", "red", 1, ""))
	apitest.MergePatch(t, api, crates+"/c", `{"spec":{"size":2}}`)
	require.NoError(t, store.Compact(t.Context(), 3))
	for name, c := range map[string]struct {
		target string
		code   int
	}{
		"no watch":            {"/watches", 400},
		"too many":            {watches(make([]string, 101)), 400},
		"another server":      {watches([]string{"http://127.0.0.1/apis/example.com/v1/crates"}), 400},
		"no path":             {watches([]string{"crates"}), 400},
		"an object":           {watches([]string{crates + "/c"}), 400},
		"an unknown resource": {watches([]string{"/apis/example.com/v1/boxes"}), 404},
		"a path outside":      {watches([]string{"/version"}), 404},
		"the legacy path":     {watches([]string{"/apis/example.com/v1/watch/crates"}), 400},
		"an escaped slash":    {watches([]string{"/apis/example.com/v1/namespaces/a%2fb/crates"}), 404},
		"a selector":          {watches([]string{allCrates + "?labelSelector=(("}), 400},
		"a query":             {watches([]string{with(allCrates, "fieldQuery", "spec.weight=1")}), 400},
		"another parameter":   {watches([]string{allCrates + "?limit=1"}), 400},
		"a parameter of all":  {watches([]string{allCrates}, "labelSelector", "a"), 400},
		"no revision":         {watches([]string{allCrates}, "resourceVersion", "x"), 400},
		"an expired revision": {watches([]string{allCrates, apitest.AllWidgets}, "resourceVersion", "2"), 410},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := apitest.NewRequest("GET", c.target, nil).WithContext(ctx)
			answer := apitest.Ask(api, r)
			assert.Equal(t, c.code, answer.Code, answer.Raw)
			assert.Contains(t, answer.Raw, `"kind":"Status"`)
		})
	}
	assert.Equal(t, 405, apitest.Do(t, api, "POST", watches([]string{allCrates}), "{}").Code)
	assert.Contains(t, apitest.Do(t, api, "GET", "/", "").Raw, `"/watches"`)
	plain := apitest.New(t, rest.Options{}, crateResource())
	assert.Equal(t, 404, apitest.Do(t, plain, "GET", watches([]string{allCrates}), "").Code)
	assert.NotContains(t, apitest.Do(t, plain, "GET", "/", "").Raw, `"/watches"`)
}

// A user needs the right to watch each resource, and the stream ends when one of these rights ends.
func TestRightsOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		widgets := true
		api := newCratesAndWidgets(t, rest.Options{Authenticator: apitest.UserFromHeader,
			Authorizer: rest.AuthorizerFunc(func(ctx context.Context, a rest.Access) (rest.Decision, error) {
				mu.Lock()
				defer mu.Unlock()
				if a.Resource == "widgets" && a.Verb == rest.VerbWatch && !widgets {
					return rest.Deny("no widgets"), nil
				}
				return restricted.Authorize(ctx, a)
			})})
		all := []string{allCrates, apitest.AllWidgets}
		s := apitest.OpenWatch(t, api, watches(all), "Test-User", "eve")
		apitest.Must(t, api, "POST", crates, crate("shown", "red", 1, `"app":"web"`), "Test-User", "root")
		apitest.Must(t, api, "POST", crates, crate("hidden", "red", 1, ""), "Test-User", "root")
		assert.Equal(t, []string{"BOOKMARK Bookmark  2", "ADDED Crate shown 3"}, summary(t, s.Events()))

		mu.Lock()
		widgets = false
		mu.Unlock()
		api.RightsChanged()
		<-time.After(time.Minute) // in the time of the bubble: the API asks the Authorizer again
		events := s.Events()
		require.Len(t, events, 1)
		assert.Contains(t, events[0], `"reason":"Expired"`)
		assert.True(t, s.Ended())
		assert.Equal(t, 403, apitest.Do(t, api, "GET", watches(all), "", "Test-User", "eve").Code)
	})
}

// A stream over HTTP, resumed again and again while others write, shows exactly what a list shows in the end, in the
// order of revisions.
func TestResumedStreamMissesNothing(t *testing.T) {
	api := newCratesAndWidgets(t, rest.Options{})
	server := apitest.Serve(t, api)
	const writers, writes = 4, 60
	var wait sync.WaitGroup
	var failed atomic.Bool
	for w := range writers {
		wait.Go(func() {
			for i := range writes {
				name := fmt.Sprintf("o%d-%d", w, i%7)
				path, body := crates, crate(name, "red", int64(i), "")
				if rand.IntN(2) == 0 {
					path, body = apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`)
				}
				method, target := "POST", path
				if rand.IntN(3) == 0 {
					method, target, body = "DELETE", path+"/"+name, ""
				}
				if apitest.Ask(api, apitest.NewRequest(method, target, apitest.TextOf(body), "Content-Type",
					"application/json")).Code >= 500 {
					failed.Store(true)
				}
			}
		})
	}
	go func() {
		wait.Wait()
		apitest.Ask(api, apitest.NewRequest("POST", crates, apitest.TextOf(crate("last", "red", 0, "")), "Content-Type",
			"application/json"))
	}()
	known, after := map[string]bool{}, ""
	for !known["Crate/last"] {
		parameters := []string{"allowWatchBookmarks", "true"}
		if after != "" {
			parameters = append(parameters, "resourceVersion", after)
		}
		events := 0
		read(t, server.URL+watches([]string{crates, apitest.Widgets}, parameters...),
			func(kind string, o apimeta.PartialObjectMetadata, initial bool) bool {
				switch kind {
				case "DELETED":
					delete(known, o.Kind+"/"+o.Name)
				case "ADDED", "MODIFIED":
					known[o.Kind+"/"+o.Name] = true
				}
				if initial {
					return false
				}
				before, _ := strconv.Atoi(after)
				now, _ := strconv.Atoi(o.ResourceVersion)
				require.Greater(t, now, before, "the revisions ascend")
				after = o.ResourceVersion
				events++
				return events == 5 || known["Crate/last"]
			})
	}
	require.False(t, failed.Load())
	assert.Equal(t, listed(t, api), known)
}

// listed returns the objects of both kinds.
func listed(t *testing.T, api *rest.API) map[string]bool {
	all := map[string]bool{}
	for kind, path := range map[string]string{"Crate": crates, "Widget": apitest.Widgets} {
		for _, name := range apitest.List(t, api, path).Names(t) {
			all[kind+"/"+name] = true
		}
	}
	return all
}

// read reads a stream until see returns true.
func read(t *testing.T, target string,
	see func(kind string, o apimeta.PartialObjectMetadata, initial bool) (enough bool)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	response := apitest.Open(ctx, t, http.DefaultClient, "GET", target)
	require.Equal(t, 200, response.StatusCode)
	initial := !strings.Contains(target, "resourceVersion")
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var e struct {
			Type   string
			Object apimeta.PartialObjectMetadata
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		initial = initial && e.Type != "BOOKMARK"
		if see(e.Type, e.Object, initial) {
			return
		}
	}
}
