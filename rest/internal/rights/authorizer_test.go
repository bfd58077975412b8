package rights_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// rights is an Authorizer that allows what its rules say, and records what it is asked. A rule is "USER VERB RESOURCE",
// "USER VERB RESOURCE/SUBRESOURCE" or "USER VERB PATH".
type rights struct {
	mu    sync.Mutex
	rules []string
	asked []access.Access
}

func (r *rights) Authorize(_ context.Context, a access.Access) (access.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, a)
	object := a.Path
	if a.Resource != "" {
		object = strings.TrimSuffix(a.Resource+"/"+a.Subresource, "/")
	}
	if slices.Contains(r.rules, a.User.Name+" "+string(a.Verb)+" "+object) {
		return access.Allow(""), nil
	}
	return access.NoOpinion("no rule"), nil
}

// verbs returns the verbs that the Authorizer was asked about since the last call.
func (r *rights) verbs() (verbs []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.asked {
		verbs = append(verbs, string(a.Verb))
	}
	r.asked = nil
	return verbs
}

// A request without valid credentials is answered with 401 before anything else happens.
func TestUnauthenticatedRequests(t *testing.T) {
	for _, open := range []bool{false, true} {
		api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Health: rest.Health{Open: open}},
			apitest.WidgetResource())
		for _, target := range []string{apitest.Widgets, apitest.Widgets + "/a", "/apis", "/openapi/v2", "/nowhere",
			"/apis/example.com/v1/nowhere", apitest.Widgets + "?%zz"} {
			for _, user := range []string{"", "mallory"} {
				answer := apitest.Do(t, api, "GET", target, "", "Test-User", user)
				apitest.WantFailure(t, answer, 401, "Unauthorized", "Unauthorized", "")
				assert.Equal(t, "Bearer", answer.Header.Get("WWW-Authenticate"), target)
			}
		}
		for _, target := range []string{"/healthz", "/livez", "/readyz", "/version"} {
			assert.Equal(t, map[bool]int{true: 200, false: 401}[open], apitest.Do(t, api, "GET", target, "").Code, target)
		}
		assert.Equal(t, 401, apitest.Do(t, api, "GET", "/readyz/store", "").Code, "a single check gives its reason")
		assert.Equal(t, 200, apitest.Do(t, api, "GET", "/readyz/store", "", "Test-User", "alice").Code)
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets, "", "Test-User", "late"), 503, "ServiceUnavailable",
			"the directory is down", "")
		assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets, "", "Test-User", "alice").Code)
	}
}

// The messages of refusals match kube-apiserver.
func TestMessagesAboutForbiddenRequests(t *testing.T) {
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: new(rights)},
		apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace]())
	for _, c := range []struct{ user, method, target, want string }{
		{"alice", "GET", apitest.Widgets,
			`widgets.example.com is forbidden: User "alice" cannot list resource "widgets" in API group "example.com" in the namespace "default": no rule`},
		{"alice", "GET", apitest.Widgets + "/a",
			`widgets.example.com "a" is forbidden: User "alice" cannot get resource "widgets" in API group "example.com" in the namespace "default": no rule`},
		{"alice", "PATCH", apitest.Widgets + "/a/status",
			`widgets.example.com "a" is forbidden: User "alice" cannot patch resource "widgets/status" in API group "example.com" in the namespace "default": no rule`},
		{"alice", "GET", "/apis/example.com/v1/widgets?watch=1",
			`widgets.example.com is forbidden: User "alice" cannot watch resource "widgets" in API group "example.com" at the cluster scope: no rule`},
		{"alice", "DELETE", apitest.Widgets,
			`widgets.example.com is forbidden: User "alice" cannot deletecollection resource "widgets" in API group "example.com" in the namespace "default": no rule`},
		{"alice", "GET", apitest.Widgets + "?fieldSelector=metadata.name%3Da",
			`widgets.example.com "a" is forbidden: User "alice" cannot list resource "widgets" in API group "example.com" in the namespace "default": no rule`},
		{"alice", "GET", "/api/v1/namespaces/team",
			`namespaces "team" is forbidden: User "alice" cannot get resource "namespaces" in API group "" in the namespace "team": no rule`},
		{"alice", "GET", "/apis", `forbidden: User "alice" cannot get path "/apis": no rule`},
		{"<b>", "GET", "/nowhere", `forbidden: User "&lt;b&gt;" cannot get path "/nowhere": no rule`},
	} {
		answer := apitest.Do(t, api, c.method, c.target, "{}", "Test-User", c.user)
		assert.Equal(t, 403, answer.Code)
		assert.Equal(t, "Forbidden", answer.Text(t, "reason"))
		assert.Equal(t, c.want, answer.Text(t, "message"))
	}
}

// The Authorizer is asked once for each request, before the body is read, and about each further thing that the request
// does.
func TestAttributesForTheAuthorizer(t *testing.T) {
	leases := apitest.WidgetResource()
	leases.Wire.CreateOnUpdate = true
	for _, c := range []struct {
		name         string
		rules        []string
		method, path string
		body, media  string
		code         int
		verbs        []string
	}{
		{"get", []string{"alice get widgets"}, "GET", apitest.Widgets + "/old", "", "", 200, []string{"get"}},
		{"an invalid body", nil, "POST", apitest.Widgets, "no JSON", "", 403, []string{"create"}},
		{"a dry run", []string{"alice create widgets"}, "POST", apitest.Widgets + "?dryRun=All",
			apitest.WidgetBody(`"name":"new"`), "", 201, []string{"create"}},
		{"an update", []string{"alice update widgets"}, "PUT", apitest.Widgets + "/old",
			apitest.WidgetBody(`"name":"old","resourceVersion":"2"`, `"spec":{"size":7}`), "", 200, []string{"update"}},
		{"a PUT that may not create", []string{"alice update widgets"}, "PUT", apitest.Widgets + "/new",
			apitest.WidgetBody(`"name":"new"`), "", 403, []string{"update", "create"}},
		{"a PUT that may create", []string{"alice update widgets", "alice create widgets"}, "PUT", apitest.Widgets + "/new",
			apitest.WidgetBody(`"name":"new"`), "", 201, []string{"update", "create"}},
		{"an apply that may not create", []string{"alice patch widgets"}, "PATCH", apitest.Widgets + "/new?fieldManager=m",
			apitest.WidgetBody(`"name":"new"`), "application/apply-patch+yaml", 403, []string{"patch", "create"}},
		{"an apply that may create", []string{"alice patch widgets", "alice create widgets"}, "PATCH",
			apitest.Widgets + "/new?fieldManager=m", apitest.WidgetBody(`"name":"new"`), "application/apply-patch+yaml", 201,
			[]string{"patch", "create"}},
		{"a patch never creates", []string{"alice patch widgets"}, "PATCH", apitest.Widgets + "/new", "{}",
			"application/merge-patch+json", 404, []string{"patch"}},
		{"a subresource", []string{"alice get widgets"}, "GET", apitest.Widgets + "/old/status", "", "", 403,
			[]string{"get"}},
		{"discovery", []string{"alice get /apis"}, "GET", "/apis", "", "", 200, []string{"get"}},
		{"an unknown path", []string{"alice get /nowhere"}, "GET", "/nowhere", "", "", 404, []string{"get"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &rights{rules: c.rules}
			api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: r}, leases)
			_, err := apitest.ClientFor[apitest.Widget](t, api).Namespace("default").Create(t.Context(),
				&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "old"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
			require.NoError(t, err, "the host's own calls are not asked about")
			media := c.media
			if media == "" {
				media = "application/json"
			}
			answer := apitest.Do(t, api, c.method, c.path, c.body, "Test-User", "alice", "Content-Type", media)
			assert.Equal(t, c.code, answer.Code, answer.Body)
			assert.Equal(t, c.verbs, r.verbs())
			page, err := apitest.ClientFor[apitest.Widget](t, api).List(t.Context(), rest.ListOptions{})
			require.NoError(t, err)
			assert.Equal(t, c.code == 201 && !strings.Contains(c.path, "dryRun"), len(page.Items) == 2,
				"what is refused writes nothing")
		})
	}
}

// A decision is exactly one of allowed, restricted, denied and without an opinion. The zero value has no opinion.
func TestDecisions(t *testing.T) {
	filters := []access.Filter{{Namespace: "a"}, {Namespace: "b"}}
	for _, c := range []struct {
		decision                    access.Decision
		allowed, restricted, denied bool
		reason                      string
		filters                     []access.Filter
	}{
		{access.Decision{}, false, false, false, "", nil},
		{access.NoOpinion("n"), false, false, false, "n", nil},
		{access.Allow("a"), true, false, false, "a", nil},
		{access.AllowOnly("o", filters...), false, true, false, "o", filters},
		{access.AllowOnly("o"), false, true, false, "o", nil},
		{access.Deny("d"), false, false, true, "d", nil},
	} {
		only, restricted := c.decision.Only()
		assert.Equal(t, []any{c.allowed, c.restricted, c.denied, c.reason, c.filters},
			[]any{c.decision.Allowed(), restricted, c.decision.Denied(), c.decision.Reason(), only})
	}
}

// An error decides nothing, and its text stays in the log. Allow counts in spite of an error.
func TestAuthorizerErrors(t *testing.T) {
	for _, c := range []struct {
		decision access.Decision
		err      error
		code     int
	}{
		{access.Decision{}, errors.New("secret"), 500},
		{access.Deny(""), status.ServiceUnavailable("later"), 503},
		{access.Allow(""), errors.New("secret"), 200},
		{access.Deny(""), nil, 403},
	} {
		api := apitest.New(t,
			rest.Options{Authorizer: access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision,
				error) {
				return c.decision, c.err
			})},
			apitest.WidgetResource())
		answer := apitest.Do(t, api, "GET", apitest.Widgets, "")
		assert.Equal(t, c.code, answer.Code)
		assert.NotContains(t, answer.Body, "secret")
	}
}

// A client that acts as a user can do what the user can do.
func TestClientAsUser(t *testing.T) {
	r := &rights{rules: []string{"alice list widgets", "alice watch widgets", "alice update widgets",
		"alice get widgets/status"}}
	widgetsOf := apitest.WidgetResource()
	var seen access.User
	widgetsOf.Hooks.Validate = func(ctx context.Context, _, _ *apitest.Widget) (status.FieldErrors, error) {
		seen = access.UserFrom(ctx)
		return nil, nil
	}
	api := apitest.New(t, rest.Options{Authorizer: r}, widgetsOf)
	ctx := t.Context()
	host := apitest.ClientFor[apitest.Widget](t, api).Namespace("default")
	widget, err := host.Create(access.WithUser(ctx, access.User{Name: "bob"}),
		&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
	require.NoError(t, err, "a user in the context does not restrict the host")
	assert.Empty(t, r.verbs())

	alice := host.AsUser(access.User{Name: "alice"})
	_, err = alice.List(ctx, rest.ListOptions{FieldSelector: "metadata.name=a"})
	require.NoError(t, err)
	assert.Equal(t, []access.Access{{User: access.User{Name: "alice", Groups: []string{"system:authenticated"}}, Verb: "list",
		Group: "example.com", Version: "v1", Resource: "widgets", Namespace: "default", Name: "a",
		FieldSelector: "metadata.name=a"}}, r.asked, "as for the equivalent request")
	widget.Spec.Size = new(int32(9))
	widget, err = alice.Update(ctx, widget)
	require.NoError(t, err)
	assert.Equal(t, "alice", seen.Name)
	var managers []string
	for _, entry := range widget.ManagedFields {
		managers = append(managers, entry.Manager)
	}
	assert.ElementsMatch(t, []string{"alice", "bob"}, managers)

	_, err = alice.Get(ctx, "a")
	assert.True(t, status.IsForbidden(err), err)
	_, err = alice.Create(ctx, widget)
	assert.True(t, status.IsForbidden(err), err)
	assert.True(t, status.IsForbidden(alice.Delete(ctx, "a", rest.DeleteOptions{})))
	_, err = alice.DeleteCollection(ctx, rest.DeleteOptions{}, rest.ListOptions{})
	assert.True(t, status.IsForbidden(err), err)
	_, err = alice.Apply(ctx, "b", map[string]any{"spec": map[string]any{"size": 1}}, apimeta.ApplyOptions{})
	assert.True(t, status.IsForbidden(err), err)
	for _, err := range host.AsUser(access.User{Name: "carol"}).Watch(ctx, rest.WatchOptions{}) {
		assert.True(t, status.IsForbidden(err), err)
	}
	_, err = host.AsUser(access.User{}).Get(ctx, "a")
	assert.True(t, status.IsBadRequest(err), err)
}

// A client of another process acts as a user by impersonation.
func TestClientOverHTTPAsUser(t *testing.T) {
	rules := []string{"boss impersonate users", "boss impersonate groups", "boss impersonate uids",
		"boss impersonate userextras/scope/s", "bob create widgets"}
	var seen access.User
	widgetsOf := apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) {
		r.Hooks.Validate = func(ctx context.Context, _, _ *apitest.Widget) (status.FieldErrors, error) {
			seen = access.UserFrom(ctx)
			return nil, nil
		}
	})
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: &rights{rules: rules}},
		widgetsOf)
	server := apitest.EndpointOf(http.StripPrefix("/pre/fix",
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Test-User", "boss")
			api.ServeHTTP(w, r)
		})))
	client := apitest.ClientForEndpoint(t, server, widgetsOf).Namespace("default")

	bob := access.User{Name: "bob", UID: "7", Groups: []string{"dev", "ops"},
		Extra: map[string][]string{"scope/s": {"x", "y"}}}
	_, err := client.AsUser(bob).Create(t.Context(), apitest.NewWidget("a", 1))
	require.NoError(t, err)
	bob.Groups = append(bob.Groups, "system:authenticated")
	assert.Equal(t, bob, seen)
	_, err = client.Create(t.Context(), apitest.NewWidget("b", 1))
	assert.ErrorContains(t, err, `User "boss" cannot create resource "widgets"`)
	_, err = client.AsUser(access.User{Name: "bob", Groups: []string{"dev"}}).Get(t.Context(), "a")
	assert.ErrorContains(t, err, `User "bob" cannot get resource "widgets"`)
	_, err = client.AsUser(access.User{Groups: []string{"dev"}}).Create(t.Context(), apitest.NewWidget("c", 1))
	assert.True(t, status.IsBadRequest(err), "a user without a name must not become the client itself: %v", err)
}

// Each header of impersonation needs a right of its own, and the request is then one of the other user.
func TestImpersonation(t *testing.T) {
	all := []string{"boss impersonate users", "boss impersonate groups", "boss impersonate uids",
		"boss impersonate userextras/scope/s", "boss impersonate serviceaccounts", "bob create selfsubjectreviews",
		"system:serviceaccount:team:robot create selfsubjectreviews",
		"system:anonymous create selfsubjectreviews"}
	without := func(rule string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(r string) bool { return r == rule })
	}
	for _, c := range []struct {
		name    string
		rules   []string
		headers []string
		want    string // a text in the user, or in the message
		code    int
	}{
		{"a user", all, []string{"Impersonate-User", "bob"}, `{"username":"bob","groups":["system:authenticated"]}`, 201},
		{"everything", all, []string{"Impersonate-User", "bob", "Impersonate-Group", "dev", "Impersonate-Uid", "7",
			"Impersonate-Extra-Scope%2fS", "x"},
			`{"username":"bob","uid":"7","groups":["dev","system:authenticated"],"extra":{"scope/s":["x"]}}`, 201},
		{"a service account", all, []string{"Impersonate-User", "system:serviceaccount:team:robot"},
			`{"username":"system:serviceaccount:team:robot","groups":["system:serviceaccounts","system:serviceaccounts:team","system:authenticated"]}`, 201},
		{"nobody", all, []string{"Impersonate-User", "system:anonymous"},
			`{"username":"system:anonymous","groups":["system:unauthenticated"]}`, 201},
		{"no user", all, []string{"Impersonate-Group", "dev"},
			"the headers of impersonation name no user; set Impersonate-User", 400},
		{"an unknown header", all, []string{"Impersonate-User", "bob", "Impersonate-Shoe-Size", "45"},
			"unknown header Impersonate-Shoe-Size", 400},
		{"a user without right", without("boss impersonate users"), []string{"Impersonate-User", "bob"},
			`users "bob" is forbidden: User "boss" cannot impersonate resource "users" in API group "" at the cluster scope: no rule`, 403},
		{"a group without right", without("boss impersonate groups"),
			[]string{"Impersonate-User", "bob", "Impersonate-Group", "dev"},
			`groups "dev" is forbidden: User "boss" cannot impersonate resource "groups" in API group "" at the cluster scope: no rule`, 403},
		{"a uid without right", without("boss impersonate uids"), []string{"Impersonate-User", "bob", "Impersonate-Uid", "7"},
			`uids.authentication.k8s.io "7" is forbidden: User "boss" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope: no rule`, 403},
		{"an extra without right", without("boss impersonate userextras/scope/s"),
			[]string{"Impersonate-User", "bob", "Impersonate-Extra-Scope%2fS", "x"},
			`userextras.authentication.k8s.io "x" is forbidden: User "boss" cannot impersonate resource "userextras/scope/s" in API group "authentication.k8s.io" at the cluster scope: no rule`, 403},
		{"a service account without right", without("boss impersonate serviceaccounts"),
			[]string{"Impersonate-User", "system:serviceaccount:team:robot"},
			`serviceaccounts "robot" is forbidden: User "boss" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "team": no rule`, 403},
		{"a user without rights of its own", all, []string{"Impersonate-User", "carol"},
			`selfsubjectreviews.authentication.k8s.io is forbidden: User "carol" cannot create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope: no rule`, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: &rights{rules: c.rules}})
			answer := apitest.Do(t, api, "POST", whoami, "{}", append([]string{"Test-User", "boss"}, c.headers...)...)
			require.Equal(t, c.code, answer.Code, answer.Body)
			if c.code != 201 {
				assert.Equal(t, c.want, answer.Text(t, "message"))
				return
			}
			var want any
			require.NoError(t, json.Unmarshal([]byte(c.want), &want))
			assert.Equal(t, want, answer.Value(t, "status.userInfo"))
		})
	}
}

// The host's Serve never sees credentials that the API has read.
func TestStreamsSeeNoCredentials(t *testing.T) {
	var seen http.Header
	things := apitest.ThingResource()
	things.Subresources = []rest.SubresourceOf[apitest.Thing]{rest.Stream[apitest.Thing, struct{}]{Name: "proxy",
		Serve: func(_ http.ResponseWriter, r *http.Request, _ *apitest.Thing, _ *struct{}) { seen = r.Header }}}
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader,
		Authorizer: &rights{rules: []string{"alice impersonate users", "bob get things/proxy"}}}, things)
	_, err := apitest.ClientFor[apitest.Thing](t, api).Namespace("default").Create(t.Context(),
		&apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	require.NoError(t, err)
	answer := apitest.Do(t, api, "GET", apitest.Things+"/a/proxy/", "", "Test-User", "alice", "Authorization", "Bearer x",
		"Impersonate-User", "bob", "Test-Other", "y")
	require.Equal(t, 200, answer.Code, answer.Body)
	assert.Equal(t, "y", seen.Get("Test-Other"))
	for _, name := range []string{"Test-User", "Authorization", "Impersonate-User"} {
		assert.NotContains(t, seen, name)
	}
}
