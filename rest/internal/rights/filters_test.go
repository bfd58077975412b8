package rights_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// filters is an Authorizer that restricts the users in it, and allows everything to all others.
type filters struct {
	mu   sync.Mutex
	only map[string][]access.Filter
}

func (f *filters) Authorize(_ context.Context, a access.Access) (access.Decision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if only, ok := f.only[a.User.Name]; ok {
		return access.AllowOnly("", only...), nil
	}
	return access.Allow(""), nil
}

// restrict changes what a user sees.
func (f *filters) restrict(user string, only ...access.Filter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.only[user] = only
}

func labelled(t testing.TB, text string) access.Filter {
	t.Helper()
	labels, err := apimeta.ParseLabelSelector(text)
	require.NoError(t, err)
	return access.Filter{Labels: labels}
}

func withField(t testing.TB, text string) access.Filter {
	t.Helper()
	fields, err := apimeta.ParseFieldSelector(text)
	require.NoError(t, err)
	return access.Filter{Fields: fields}
}

// teams is an API where alice sees the widgets of team a: "mine" belongs to team a, and "theirs" to team b.
func teams(t testing.TB, options ...apitest.WidgetOption) (*rest.API, *filters) {
	t.Helper()
	f := &filters{only: map[string][]access.Filter{"alice": {labelled(t, "team=a")}}}
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: f},
		apitest.WidgetResource(options...))
	for name, team := range map[string]string{"mine": "a", "theirs": "b"} {
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`","labels":{"team":"`+team+`"}`),
			"Test-User", "root")
	}
	return api, f
}

// For every request of a restricted user, the objects outside of the filter do not exist.
func TestFilters(t *testing.T) {
	const apply, merge = "application/apply-patch+yaml", apitest.TypeMergePatch
	inside, outside := `"labels":{"team":"a"}`, `"labels":{"team":"b"}`
	hidden := `widgets.example.com "theirs" not found`
	for _, c := range []struct {
		name                      string
		method, path, media, body string
		code                      int
		message                   string
		changesMine               bool
	}{
		{name: "get", method: "GET", path: "/mine", code: 200},
		{name: "get hidden", method: "GET", path: "/theirs", code: 404, message: hidden},
		{name: "get an old state of hidden", method: "GET", path: "/theirs?resourceVersion=0", code: 404, message: hidden},
		{name: "status of hidden", method: "GET", path: "/theirs/status", code: 404, message: hidden},
		{name: "scale", method: "GET", path: "/mine/scale", code: 200},
		{name: "scale of hidden", method: "GET", path: "/theirs/scale", code: 404, message: hidden},
		{name: "create", method: "POST", body: apitest.WidgetBody(`"name":"new",` + inside), code: 201},
		{name: "create outside", method: "POST", body: apitest.WidgetBody(`"name":"new",` + outside), code: 403},
		{name: "create without a label", method: "POST", body: apitest.WidgetBody(`"name":"new"`), code: 403},
		{name: "create on a hidden name", method: "POST", body: apitest.WidgetBody(`"name":"theirs",` + inside), code: 409,
			message: `widgets.example.com "theirs" already exists`},
		{name: "create outside on a hidden name", method: "POST", body: apitest.WidgetBody(`"name":"theirs",` + outside),
			code: 403},
		{name: "dry run on a hidden name", method: "POST", path: "?dryRun=All",
			body: apitest.WidgetBody(`"name":"theirs",` + inside), code: 409},
		{name: "dry run outside", method: "POST", path: "?dryRun=All", body: apitest.WidgetBody(`"name":"new",` + outside),
			code: 403},
		{name: "update", method: "PUT", path: "/mine",
			body: apitest.WidgetBody(`"name":"mine","resourceVersion":"RV",`+inside, `"spec":{"size":2}`), code: 200,
			changesMine: true},
		{name: "update hidden", method: "PUT", path: "/theirs",
			body: apitest.WidgetBody(`"name":"theirs","resourceVersion":"RV",` + inside), code: 404, message: hidden},
		{name: "update out", method: "PUT", path: "/mine",
			body: apitest.WidgetBody(`"name":"mine","resourceVersion":"RV",` + outside), code: 403},
		{name: "update out as a dry run", method: "PUT", path: "/mine?dryRun=All",
			body: apitest.WidgetBody(`"name":"mine","resourceVersion":"RV",` + outside), code: 403},
		{name: "patch", method: "PATCH", path: "/mine", media: merge, body: `{"spec":{"size":3}}`, code: 200,
			changesMine: true},
		{name: "patch nothing", method: "PATCH", path: "/mine", media: merge, body: `{}`, code: 200},
		{name: "patch hidden", method: "PATCH", path: "/theirs", media: merge, body: `{}`, code: 404, message: hidden},
		{name: "patch out", method: "PATCH", path: "/mine", media: merge, body: `{"metadata":{"labels":null}}`, code: 403},
		{name: "patch in", method: "PATCH", path: "/theirs", media: apitest.TypeJSONPatch,
			body: `[{"op":"test","path":"/metadata/labels/team","value":"b"}]`, code: 404, message: hidden},
		{name: "patch the status of hidden", method: "PATCH", path: "/theirs/status", media: merge,
			body: `{"status":{"phase":"x"}}`, code: 404, message: hidden},
		{name: "patch the scale of hidden", method: "PATCH", path: "/theirs/scale", media: merge,
			body: `{"spec":{"replicas":7}}`, code: 404, message: hidden},
		{name: "apply", method: "PATCH", path: "/mine?fieldManager=m", media: apply,
			body: apitest.WidgetBody(`"name":"mine"`, `"spec":{"size":4}`), code: 409},
		{name: "apply that creates", method: "PATCH", path: "/new?fieldManager=m", media: apply,
			body: apitest.WidgetBody(`"name":"new",` + inside), code: 201},
		{name: "apply that creates outside", method: "PATCH", path: "/new?fieldManager=m", media: apply,
			body: apitest.WidgetBody(`"name":"new"`), code: 403},
		{name: "apply to hidden", method: "PATCH", path: "/theirs?fieldManager=m&force=true", media: apply,
			body: apitest.WidgetBody(`"name":"theirs",` + inside), code: 409,
			message: `widgets.example.com "theirs" already exists`},
		{name: "apply out", method: "PATCH", path: "/mine?fieldManager=m&force=true", media: apply,
			body: apitest.WidgetBody(`"name":"mine",` + outside), code: 403},
		{name: "delete", method: "DELETE", path: "/mine", code: 200, changesMine: true},
		{name: "delete hidden", method: "DELETE", path: "/theirs", code: 404, message: hidden},
		{name: "delete hidden as a dry run", method: "DELETE", path: "/theirs?dryRun=All", code: 404, message: hidden},
		{name: "deletecollection", method: "DELETE", code: 200, changesMine: true},
		{name: "deletecollection of the other team", method: "DELETE", path: "?labelSelector=team%3Db", code: 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			api, _ := teams(t)
			root := func(name string) apitest.Answer {
				return apitest.Do(t, api, "GET", apitest.Widgets+"/"+name, "", "Test-User", "root")
			}
			mine, theirs := root("mine"), root("theirs")
			body := strings.ReplaceAll(c.body, "RV", mine.ResourceVersion(t))
			media := c.media
			if media == "" {
				media = "application/json"
			}
			got := apitest.Do(t, api, c.method, apitest.Widgets+c.path, body, "Test-User", "alice", "Content-Type", media)
			require.Equal(t, c.code, got.Code, got.Body)
			if c.message != "" {
				assert.Equal(t, c.message, got.Text(t, "message"))
			}
			if c.code == 403 {
				assert.Contains(t, got.Text(t, "message"), "outside of the objects to which the rights of the user are restricted")
			}
			assert.NotContains(t, got.Body, theirs.Text(t, "metadata.uid"))
			assert.Equal(t, c.changesMine, mine.Body != root("mine").Body)
			assert.Equal(t, theirs, root("theirs"), "nothing hidden changes")
			assert.Equal(t, c.code == 201 && c.path != "?dryRun=All", root("new").Code == 200)
		})
	}
}

// Lists show what the user sees, page by page. A token does not outlive the filter.
func TestFilteredLists(t *testing.T) {
	f := &filters{only: map[string][]access.Filter{}}
	indexed := func(r *rest.Resource[apitest.Widget]) { r.IndexedLabels = []string{"team"} }
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: f},
		apitest.WidgetResource(indexed), rest.NamespacesOf[apitest.Namespace]())
	for _, ns := range []string{"one", "two"} {
		apitest.Must(t, api, "POST", "/api/v1/namespaces",
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+ns+`"}}`, "Test-User", "root")
		for _, w := range []string{"a1", "b1", "a2", "b2", "a3"} {
			apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/"+ns+"/widgets",
				apitest.WidgetBody(`"name":"`+w+`","labels":{"team":"`+w[:1]+`"}`, `"spec":{"size":1,"owner":"c`+w[1:]+`"}`),
				"Test-User", "root")
		}
	}
	const one = apitest.ExampleV1 + "/namespaces/one/widgets"
	for _, c := range []struct {
		name   string
		only   []access.Filter
		target string
		want   []string
	}{
		{"a label", []access.Filter{labelled(t, "team=a")}, one, []string{"a1", "a2", "a3"}},
		{"a label and a selector", []access.Filter{labelled(t, "team=a")}, one + "?labelSelector=team%3Db", []string{}},
		{"a label and a field selector", []access.Filter{labelled(t, "team=a")}, one + "?fieldSelector=spec.owner%3Dc2",
			[]string{"a2"}},
		{"a label that is not equal", []access.Filter{labelled(t, "team!=a")}, one, []string{"b1", "b2"}},
		{"a field", []access.Filter{withField(t, "spec.owner=c1")}, one, []string{"a1", "b1"}},
		{"a name", []access.Filter{withField(t, "metadata.name=b2")}, apitest.AllWidgets, []string{"b2", "b2"}},
		{"either of two", []access.Filter{withField(t, "spec.owner=c1"), labelled(t, "team=b")}, one,
			[]string{"a1", "b1", "b2"}},
		{"a namespace", []access.Filter{{Namespace: "two"}}, apitest.AllWidgets, []string{"a1", "a2", "a3", "b1", "b2"}},
		{"another namespace", []access.Filter{{Namespace: "two"}}, one, []string{}},
		{"one namespace or a label", []access.Filter{{Namespace: "two"}, labelled(t, "team=b")}, apitest.AllWidgets,
			[]string{"b1", "b2", "a1", "a2", "a3", "b1", "b2"}},
		{"a namespace of namespaces", []access.Filter{{Namespace: "two"}}, "/api/v1/namespaces", []string{"two"}},
		{"everything", []access.Filter{{}}, one, []string{"a1", "a2", "a3", "b1", "b2"}},
		{"nothing", nil, one, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.restrict("alice", c.only...)
			assert.Equal(t, c.want, apitest.Must(t, api, "GET", c.target, "", "Test-User", "alice").Names(t))
			and := "?"
			if strings.Contains(c.target, "?") {
				and = "&"
			}
			pages, token := []string{}, ""
			for {
				page := apitest.Must(t, api, "GET", c.target+and+"limit=2&continue="+token, "", "Test-User", "alice")
				pages = append(pages, page.Names(t)...)
				assert.NotContains(t, page.Body, "remainingItemCount", "as for any selector")
				if token, _ = page.Value(t, "metadata.continue").(string); token == "" {
					break
				}
				other := apitest.Do(t, api, "GET", c.target+and+"limit=2&continue="+token, "", "Test-User", "root")
				assert.Equal(t, 410, other.Code, "the token is for lists under the same filter")
			}
			assert.Equal(t, c.want, pages)
			page, err := apitest.ClientFor[apitest.Widget](t, api).AsUser(access.User{Name: "alice"}).List(t.Context(),
				rest.ListOptions{})
			require.NoError(t, err)
			inProcess := []string{}
			for _, w := range page.Items {
				inProcess = append(inProcess, w.Namespace+"/"+w.Name)
			}
			overHTTP := []string{}
			for _, item := range apitest.Must(t, api, "GET", apitest.AllWidgets, "", "Test-User", "alice").Value(t,
				"items").([]any) {
				m := item.(map[string]any)["metadata"].(map[string]any)
				overHTTP = append(overHTTP, m["namespace"].(string)+"/"+m["name"].(string))
			}
			assert.Equal(t, overHTTP, inProcess)
		})
	}
	token := apitest.Must(t, api, "GET", one+"?limit=2", "", "Test-User", "root").Text(t, "metadata.continue")
	f.restrict("alice", labelled(t, "team=a"))
	got := apitest.Do(t, api, "GET", one+"?limit=2&continue="+token, "", "Test-User", "alice")
	assert.Equal(t, 410, got.Code)
	assert.Equal(t, "Expired", got.Text(t, "reason"))
}

// A filter of labels selects by the labels that are stored, in every version of a kind: a conversion that changes
// labels neither shows nor hides an object, and a write must not leave the filter by way of a conversion.
func TestFiltersOfConvertedLabels(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		t.Run(fmt.Sprintf("indexed %v", indexed), func(t *testing.T) { testFiltersOfConvertedLabels(t, indexed) })
	}
}

func testFiltersOfConvertedLabels(t *testing.T, indexed bool) {
	swapped := func(labels map[string]string) map[string]string {
		return map[string]string{"team": map[string]string{"a": "b", "b": "a"}[labels["team"]]}
	}
	toV1 := func(in *apitest.CogV1beta1, out *apitest.Cog) error {
		out.Labels = swapped(in.Labels)
		return apitest.CogToV1(in, out)
	}
	fromV1 := func(in *apitest.Cog, out *apitest.CogV1beta1) error {
		out.Labels = swapped(in.Labels)
		return apitest.CogFromV1(in, out)
	}
	f := &filters{only: map[string][]access.Filter{"alice": {labelled(t, "team=a")}}}
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: f},
		apitest.CogResource(func(r *rest.Resource[apitest.Cog]) {
			r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(apitest.BetaCogResource(), toV1, fromV1)}
			if indexed {
				r.IndexedLabels = []string{"team"}
			}
		}))
	beta := func(name, team string) string {
		return `{` + apitest.BetaCogKind + `,"metadata":{"name":"` + name + `","labels":{"team":"` + team +
			`"}},"spec":{"toothCount":3}}`
	}
	stored := func(name, team, material string) {
		apitest.Must(t, api, "POST", apitest.Cogs,
			`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"`+name+`","labels":{"team":"`+team+`"}},
			"spec":{"teeth":3,"material":"`+material+`"}}`, "Test-User", "root")
	}
	stored("mine", "a", "steel")
	stored("theirs", "b", "steel")
	stored("unreadable", "b", "wood") // cannot be converted, which nobody notices who does not see it
	alice := func(method, target, body string, header ...string) apitest.Answer {
		return apitest.Do(t, api, method, target, body, append([]string{"Test-User", "alice"}, header...)...)
	}
	for _, path := range []string{apitest.Cogs, apitest.BetaCogs} {
		assert.Equal(t, []string{"mine"}, apitest.Must(t, api, "GET", path, "", "Test-User", "alice").Names(t), path)
		assert.Equal(t, 200, alice("GET", path+"/mine", "").Code)
		for _, hidden := range []string{"/theirs", "/unreadable", "/theirs/status", "/theirs/scale"} {
			assert.Equal(t, 404, alice("GET", path+hidden, "").Code, path+hidden)
		}
		assert.Equal(t, 404, alice("DELETE", path+"/theirs", "").Code)
		assert.Equal(t, 404, alice("PATCH", path+"/theirs", `{}`, "Content-Type", apitest.TypeMergePatch).Code)
	}
	assert.Equal(t, "b", alice("GET", apitest.BetaCogs+"/mine", "").Text(t, "metadata.labels.team"),
		"the answer is in the version of the request")
	assert.Equal(t, []string{"mine"}, alice("GET", apitest.BetaCogs+"?labelSelector=team%3Db", "").Names(t),
		"so is the selector of a client")

	assert.Equal(t, 403, alice("POST", apitest.BetaCogs, beta("new", "a")).Code, "it would be stored as team b")
	assert.Equal(t, 201, alice("POST", apitest.BetaCogs, beta("new", "b")).Code)
	assert.Equal(t, 403, alice("PATCH", apitest.BetaCogs+"/new", `{"metadata":{"labels":{"team":"a"}}}`, "Content-Type",
		apitest.TypeMergePatch).Code)
	require.Equal(t, 200, alice("DELETE", apitest.BetaCogs, "").Code)
	assert.Equal(t, []string{"theirs", "unreadable"},
		apitest.Must(t, api, "GET", apitest.Cogs, "", "Test-User", "root").Names(t), "a collection is what the user sees")
}

// A watch in a version whose conversion changes labels follows the stored labels.
func TestFilteredWatchOfConvertedLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fromV1 := func(in *apitest.Cog, out *apitest.CogV1beta1) error {
			out.Labels = map[string]string{"team": "a"}
			return apitest.CogFromV1(in, out)
		}
		f := &filters{only: map[string][]access.Filter{"alice": {labelled(t, "team=a")}}}
		api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: f},
			apitest.CogResource(func(r *rest.Resource[apitest.Cog]) {
				r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(apitest.BetaCogResource(), apitest.CogToV1, fromV1)}
			}))
		s := apitest.OpenWatch(t, api, apitest.BetaCogs+"?watch=1", "Test-User", "alice")
		apitest.Must(t, api, "POST", apitest.Cogs,
			`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"x","labels":{"team":"b"}},"spec":{"teeth":3}}`,
			"Test-User", "root")
		assert.Empty(t, s.Events())
		relabel := func(team string) {
			got := apitest.Do(t, api, "PATCH", apitest.Cogs+"/x", `{"metadata":{"labels":{"team":"`+team+`"}}}`, "Test-User",
				"root", "Content-Type", apitest.TypeMergePatch)
			require.Equal(t, 200, got.Code)
		}
		relabel("a")
		added := s.Events()
		require.Len(t, added, 1)
		assert.Contains(t, added[0], `"ADDED"`)
		relabel("b")
		deleted := s.Events()
		require.Len(t, deleted, 1)
		assert.Contains(t, deleted[0], `"DELETED"`)
	})
}

// The API refuses an invalid filter of an Authorizer, and shows nothing.
func TestFaultyFilters(t *testing.T) {
	for _, c := range []struct {
		name, target string
		decision     access.Decision
		code         int
	}{
		{"a field by which widgets cannot be selected", apitest.Widgets, access.AllowOnly("", withField(t, "spec.size!=1")),
			500},
		{"a path", "/version", access.AllowOnly("", access.Filter{}), 403},
		{"an unknown resource", apitest.ExampleV1 + "/nowhere", access.AllowOnly("", access.Filter{}), 403},
	} {
		authorizer := access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision,
			error) {
			return c.decision, nil
		})
		api := apitest.New(t, rest.Options{Authorizer: authorizer}, apitest.WidgetResource())
		assert.Equal(t, c.code, apitest.Do(t, api, "GET", c.target, "").Code, c.name)
	}
}

// A watch shows an object that enters the filter as ADDED, and one that leaves it as DELETED, in its last visible
// state.
func TestFilteredWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, _ := teams(t)
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1", "Test-User", "alice")
		kinds := func() (out []string) {
			for _, e := range s.Events() {
				var got struct {
					Type   string
					Object struct {
						Metadata struct {
							Name, ResourceVersion string
							Labels                map[string]string
						}
					}
				}
				require.NoError(t, json.Unmarshal([]byte(e), &got))
				out = append(out, got.Type+" "+got.Object.Metadata.Name+" "+got.Object.Metadata.Labels["team"])
			}
			return out
		}
		assert.Equal(t, []string{"ADDED mine a"}, kinds())
		relabel := func(name, team string) {
			got := apitest.Do(t, api, "PATCH", apitest.Widgets+"/"+name, `{"metadata":{"labels":{"team":"`+team+`"}}}`,
				"Test-User", "root", "Content-Type", apitest.TypeMergePatch)
			require.Equal(t, 200, got.Code)
		}
		relabel("theirs", "a")
		assert.Equal(t, []string{"ADDED theirs a"}, kinds())
		relabel("mine", "b")
		assert.Equal(t, []string{"DELETED mine a"}, kinds())
		relabel("mine", "c")
		assert.Empty(t, kinds())
		apitest.Must(t, api, "DELETE", apitest.Widgets+"/theirs", "", "Test-User", "root")
		assert.Equal(t, []string{"DELETED theirs a"}, kinds())
	})
}

// When rights change, the watches end whose users no longer see the same, and only these.
func TestWatchesEndWhenRightsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, f := teams(t)
		alice, root := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1", "Test-User", "alice"),
			apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1", "Test-User", "root")
		require.Len(t, alice.Events(), 1)
		require.Len(t, root.Events(), 2)
		api.RightsChanged()
		f.restrict("bob")
		api.RightsChanged()
		f.restrict("alice", labelled(t, "team=a"))
		api.RightsChanged()
		assert.False(t, alice.Ended(), "the rights are the same")

		f.restrict("alice", labelled(t, "team in (a,b)"))
		changed := time.Now()
		api.RightsChanged()
		<-alice.Done
		assert.LessOrEqual(t, time.Since(changed), time.Second)
		events := alice.Events()
		require.Len(t, events, 1)
		assert.Equal(t, status.ReasonExpired, lastStatus(t, events[0]).Reason)
		assert.False(t, root.Ended())
	})
}

// The API asks the Authorizer once for all watches of one user with the same access.
func TestChangedRightsAreAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		var lost atomic.Bool // user1 has lost the rights
		authorizer := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			asked.Add(1)
			<-time.After(10 * time.Millisecond) // the clock of the bubble moves at once
			if lost.Load() && a.User.Name == "user1" {
				return access.Decision{}, nil
			}
			return access.Allow(""), nil
		})
		api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: authorizer},
			apitest.WidgetResource())
		const users, each = 4, 50
		var streams []*apitest.Watching
		for i := range users * each {
			streams = append(streams, apitest.RequestWatch(t, api, apitest.Widgets+"?watch=1", "Test-User",
				fmt.Sprint("user", i%users)))
		}
		other := apitest.RequestWatch(t, api, apitest.Widgets+"?watch=1&labelSelector=a", "Test-User", "user1")
		<-time.After(time.Second)
		asked.Store(0)
		lost.Store(true)
		began := time.Now()
		api.RightsChanged()
		for i, s := range streams {
			if i%users == 1 {
				<-s.Done
			}
		}
		<-other.Done
		assert.LessOrEqual(t, time.Since(began), time.Second)
		<-time.After(time.Second) // the API has asked about all
		for i, s := range streams {
			assert.Equal(t, i%users == 1, s.Ended())
		}
		assert.Equal(t, int64(users+1), asked.Load())
	})
}

// A client in process that follows objects as a user recovers when the rights of the user change.
func TestFollowWithChangingRights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, f := teams(t)
		ctx, stop := context.WithCancel(t.Context())
		var mu sync.Mutex
		known := map[string]bool{}
		var failed error
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, err := range apitest.WidgetClient(t, api).AsUser(access.User{Name: "alice"}).Follow(ctx, rest.WatchOptions{}) {
				mu.Lock()
				switch {
				case err != nil:
					failed = err
				case e.Type == apimeta.EventDeleted:
					delete(known, e.Object.Name)
				default:
					known[e.Object.Name] = true
				}
				mu.Unlock()
			}
		}()
		names := func() []string {
			<-time.After(time.Second) // all that happens within a second has happened then
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Sorted(maps.Keys(known))
		}
		assert.Equal(t, []string{"mine"}, names())
		for _, c := range []struct {
			only access.Filter
			want []string
		}{
			{access.Filter{}, []string{"mine", "theirs"}},
			{labelled(t, "team=b"), []string{"theirs"}},
			{labelled(t, "team=c"), nil},
			{labelled(t, "team=a"), []string{"mine"}},
		} {
			f.restrict("alice", c.only)
			api.RightsChanged()
			assert.Equal(t, c.want, names())
		}
		stop()
		<-done
		assert.ErrorIs(t, failed, context.Canceled)
	})
}
