package rights_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

var anonymous = access.User{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}

// internal/test/oracle compares AccessOf with kube-apiserver. This test covers the paths whose meaning depends on the served
// resources, and the paths in which kube-apiserver sees an object but the router of the API does not.
func TestAccessOf(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace](),
		apitest.GlobalThingResource(),
		rest.Resource[apitest.Thing]{Group: "odd.example.com", Version: "v1", Plural: "watch",
			Names: rest.Names{Kind: "Watch", Singular: "watch"}},
		rest.Resource[apitest.GlobalThing]{Group: "odd.example.com", Version: "v1", Plural: "status",
			Names: rest.Names{Kind: "State", Singular: "state"}},
		rest.Resource[apitest.GlobalThing]{Group: "clash.example.com", Version: "v1", Plural: "namespaces",
			Scope: rest.ScopeCluster, Names: rest.Names{Kind: "Space", Singular: "space"}},
		rest.Resource[apitest.Thing]{Group: "clash.example.com", Version: "v1", Plural: "status",
			Names: rest.Names{Kind: "State", Singular: "state"}})
	const odd, clash = "/apis/odd.example.com/v1", "/apis/clash.example.com/v1"
	of := func(group, resource string, verb access.Verb, namespace, name string) access.Access {
		return access.Access{User: anonymous, Verb: verb, Group: group, Version: "v1", Resource: resource, Namespace: namespace,
			Name: name}
	}
	widget := func(verb access.Verb, name string) access.Access {
		return of("example.com", "widgets", verb, "default", name)
	}
	path := func(verb access.Verb, path string) access.Access {
		return access.Access{User: anonymous, Verb: verb, Path: path}
	}
	below := func(a access.Access, subresource string) access.Access { a.Subresource = subresource; return a }
	for _, c := range []struct {
		name, method, target string
		want                 access.Access
	}{
		{"a resource called watch", "GET", odd + "/namespaces/a/watch/b", of("odd.example.com", "watch", "get", "a", "b")},
		{"all objects of it", "GET", odd + "/watch", of("odd.example.com", "watch", "list", "", "")},
		{"no legacy watch beside such a resource", "GET", odd + "/watch/status",
			of("odd.example.com", "watch", "get", "", "status")},
		{"a resource called status", "GET", odd + "/namespaces/a/status", of("odd.example.com", "status", "list", "a", "")},
		{"a resource called status beside one called namespaces", "GET", clash + "/namespaces/a/status",
			of("clash.example.com", "status", "list", "a", "")},
		{"an object of it", "GET", clash + "/namespaces/a/status/b", of("clash.example.com", "status", "get", "a", "b")},
		{"a subresource of a namespace", "PUT", "/api/v1/namespaces/a/finalize",
			below(of("", "namespaces", "update", "a", "a"), "finalize")},
		{"a namespace, escaped", "GET", "/api/v1/namespaces/a%2Db", of("", "namespaces", "get", "a-b", "a-b")},
		{"an escaped name", "GET", apitest.Widgets + "/%61", widget("get", "a")},
		{"a name escaped twice", "GET", apitest.Widgets + "/a%2561", widget("get", "a%61")},
		{"an escaped word", "GET", "/apis/example.com/v1/%6eamespaces/default/widgets/a", widget("get", "a")},
		{"an escaped slash in a name", "DELETE", apitest.Widgets + "/a%2Fstatus",
			path("delete", apitest.Widgets+"/a/status")},
		{"an escaped slash in a namespace", "GET", "/apis/example.com/v1/namespaces/a%2Fb/widgets",
			path("get", "/apis/example.com/v1/namespaces/a/b/widgets")},
		{"an escaped slash in a subresource", "GET", apitest.Widgets + "/a/b%2Fc", path("get", apitest.Widgets+"/a/b/c")},
		{"an escaped slash below a subresource", "GET", apitest.Widgets + "/a/proxy/b%2Fc",
			below(widget("get", "a"), "proxy")},
		{"dots", "GET", apitest.Widgets + "/..", widget("get", "..")},
		{"escaped dots", "GET", apitest.Widgets + "/%2E%2E/status", below(widget("get", ".."), "status")},
		{"a legacy watch without a resource", "GET", "/apis/example.com/v1/watch", path("get", "/apis/example.com/v1/watch")},
		{"a group that is not served", "GET", "/apis/other.example.com/v2/namespaces/a/boats/b/log",
			access.Access{User: anonymous, Verb: "get", Group: "other.example.com", Version: "v2", Resource: "boats",
				Subresource: "log", Namespace: "a", Name: "b"}},
		{"a method without a verb", "TRACE", apitest.Widgets + "/a", widget("", "a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, api.AccessOf(apitest.NewRequest(c.method, c.target, nil)))
			var inside access.Access
			mounted := http.StripPrefix("/platform",
				http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = api.AccessOf(r) }))
			apitest.Do(t, mounted, c.method, "/platform"+c.target, "")
			assert.Equal(t, c.want, inside, "below a prefix")
		})
	}
}

// AccessOf returns the user that middleware has put into the context.
func TestAccessOfAUser(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource())
	r := apitest.NewRequest("GET", "/version", nil)
	alice := access.User{Name: "alice"}
	assert.Equal(t, access.Access{User: alice, Verb: "get", Path: "/version"},
		api.AccessOf(r.WithContext(access.WithUser(r.Context(), alice))))
}

// accessNotes records the results of AccessFrom in the hooks of an API.
type accessNotes []access.Access

func (n *accessNotes) note(ctx context.Context) { *n = append(*n, access.AccessFrom(ctx)) }

// taken returns the access that all hooks since the last call have seen. It fails the test if they have seen different
// ones.
func (n *accessNotes) taken(t testing.TB) access.Access {
	t.Helper()
	require.NotEmpty(t, *n)
	for _, a := range *n {
		require.Equal(t, (*n)[0], a)
	}
	defer func() { *n = nil }()
	return (*n)[0]
}

// noted returns an API in which every hook records the result of AccessFrom.
func noted(t testing.TB) (*rest.API, *accessNotes) {
	n := new(accessNotes)
	things := apitest.ThingResource()
	things.Hooks = rest.Hooks[apitest.Thing]{
		Default: func(ctx context.Context, _ *apitest.Thing) error { n.note(ctx); return nil },
		Validate: func(ctx context.Context, _, _ *apitest.Thing) (status.FieldErrors, error) {
			n.note(ctx)
			return nil, nil
		},
		ValidateDelete: func(ctx context.Context, _ *apitest.Thing) error { n.note(ctx); return nil },
	}
	view := func(ctx context.Context, _ *apitest.Thing) (*apitest.ThingPart, error) {
		n.note(ctx)
		return &apitest.ThingPart{Name: "p"}, nil
	}
	act := func(ctx context.Context, _ *apitest.Thing, p *apitest.ThingPart) (*apitest.ThingPart, error) {
		n.note(ctx)
		return p, nil
	}
	things.Subresources = []rest.SubresourceOf[apitest.Thing]{
		rest.Subresource[apitest.Thing, apitest.ThingPart]{Name: "part", Get: view, Create: act,
			Update: func(ctx context.Context, _ *apitest.Thing, _ *apitest.ThingPart) error { n.note(ctx); return nil }},
		rest.Stream[apitest.Thing, struct{}]{Name: "log",
			Check:  func(ctx context.Context, _ *apitest.Thing, _ *struct{}) error { n.note(ctx); return nil },
			Output: func(ctx context.Context, _ *apitest.Thing, _ *struct{}, out io.Writer) error { n.note(ctx); return nil }},
		rest.Stream[apitest.Thing, struct{}]{Name: "proxy",
			Serve: func(_ http.ResponseWriter, r *http.Request, _ *apitest.Thing, _ *struct{}) { n.note(r.Context()) }},
	}
	noting := admission.Hook{Name: "notes", SideEffects: admission.SideEffectsNone,
		Validate: func(ctx context.Context, _ *admission.Request) error { n.note(ctx); return nil }}
	authorizer := access.AuthorizerFunc(func(ctx context.Context, a access.Access) (access.Decision, error) {
		if a.Name == "asked-by-a-review" {
			n.note(ctx)
		}
		return allowed, nil
	})
	return apitest.New(t, rest.Options{Admission: []admission.Hook{noting}, Authorizer: authorizer,
		Plugins: []rest.Plugin{auth.Reviews()}}, things), n
}

// AccessFrom in a hook returns the same access as AccessOf for the request.
func TestAccessFromInHooks(t *testing.T) {
	api, n := noted(t)
	alice := access.User{Name: "alice", Groups: []string{"dev"}}
	for _, c := range []struct {
		method, target, body, media            string
		verb, name, subresource, fieldSelector string
	}{
		{"POST", apitest.Things, apitest.ThingBody("a", "{}"), "", "create", "", "", ""},
		{"PUT", apitest.Things + "/a",
			`{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"name":"a","resourceVersion":"2"},"spec":{"size":2}}`, "", "update", "a", "", ""},
		{"PATCH", apitest.Things + "/a", `{"spec":{"size":3}}`, "application/merge-patch+json", "patch", "a", "", ""},
		{"PATCH", apitest.Things + "/b?fieldManager=m", apitest.ThingBody("b", "{}"), "application/apply-patch+yaml", "patch",
			"b", "", ""},
		{"PATCH", apitest.Things + "/a/status", `{"status":{"seen":1}}`, "application/merge-patch+json", "patch", "a",
			"status", ""},
		{"GET", apitest.Things + "/a/part", "", "", "get", "a", "part", ""},
		{"POST", apitest.Things + "/a/part", `{"apiVersion":"things.example.com/v1","kind":"ThingPart","name":"p"}`, "",
			"create", "a", "part", ""},
		{"PUT", apitest.Things + "/a/part", `{"apiVersion":"things.example.com/v1","kind":"ThingPart","name":"p"}`, "",
			"update", "a", "part", ""},
		{"GET", apitest.Things + "/a/log", "", "", "get", "a", "log", ""},
		{"POST", apitest.Things + "/a/proxy/b%2Fc", "", "", "create", "a", "proxy", ""},
		{"DELETE", apitest.Things + "/%61", "", "", "delete", "a", "", ""},
		{"DELETE", apitest.Things + "?fieldSelector=metadata.name!%3Dx", "", "", "deletecollection", "", "",
			"metadata.name!=x"},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			r := apitest.NewRequest(c.method, c.target, apitest.TextOf(c.body))
			if c.media != "" {
				r.Header.Set("Content-Type", c.media)
			}
			r = r.WithContext(access.WithUser(r.Context(), alice))
			answer := apitest.Ask(api, r)
			require.Less(t, answer.Code, 300, answer.Body)
			want := access.Access{User: alice, Verb: access.Verb(c.verb), Group: apitest.ThingGroup, Version: "v1",
				Resource: "things", Namespace: "default", Name: c.name, Subresource: c.subresource, FieldSelector: c.fieldSelector}
			assert.Equal(t, want, api.AccessOf(r))
			assert.Equal(t, want, n.taken(t))
		})
	}
	t.Run("an authorizer", func(t *testing.T) {
		apitest.Must(t, api, "POST", mayI,
			`{"spec":{"resourceAttributes":{"verb":"get","resource":"things","name":"asked-by-a-review"}}}`)
		assert.Equal(t, access.Access{User: anonymous, Verb: "create", Group: "authorization.k8s.io", Version: "v1",
			Resource: "selfsubjectaccessreviews"}, n.taken(t))
	})
	t.Run("no hook", func(t *testing.T) {
		assert.Equal(t, access.Access{User: anonymous}, access.AccessFrom(t.Context()))
		assert.Equal(t, access.Access{User: alice}, access.AccessFrom(access.WithUser(t.Context(), alice)))
	})
}

// For a call of an in-process client, AccessFrom returns the access of the equivalent HTTP request.
func TestAccessFromOfClients(t *testing.T) {
	api, n := noted(t)
	ctx, client := t.Context(), apitest.ClientFor[apitest.Thing](t, api).Namespace("default")
	host := access.User{Name: "system:host", Groups: []string{"system:authenticated"}}
	wants := func(err error, verb, name, subresource string) {
		t.Helper()
		require.NoError(t, err)
		assert.Equal(t, access.Access{User: host, Verb: access.Verb(verb), Group: apitest.ThingGroup, Version: "v1",
			Resource: "things", Namespace: "default", Name: name, Subresource: subresource}, n.taken(t))
	}
	thing, err := client.Create(ctx, &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	wants(err, "create", "", "")
	thing.Spec.Size = 2
	_, err = client.Update(ctx, thing)
	wants(err, "update", "a", "")
	_, err = client.ModifyStatus(ctx, "a", func(thing *apitest.Thing) error { thing.Status.Seen = 1; return nil })
	wants(err, "update", "a", "status")
	_, err = client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{"spec":{"size":4}}`))
	wants(err, "patch", "a", "")
	_, err = client.FieldManager("m").Apply(ctx, "a", map[string]any{"spec": map[string]any{"text": "t"}},
		apimeta.ApplyOptions{})
	wants(err, "patch", "a", "")
	_, err = rest.GetSubresource[apitest.ThingPart](ctx, client, "a", "part")
	wants(err, "get", "a", "part")
	_, err = rest.CreateSubresource(ctx, client, "a", "part", &apitest.ThingPart{Name: "p"})
	wants(err, "create", "a", "part")
	_, err = rest.UpdateSubresource(ctx, client, "a", "part", &apitest.ThingPart{Name: "p"})
	wants(err, "update", "a", "part")
	key := storage.Key{Resource: "things." + apitest.ThingGroup, Namespace: "default", Name: "a"}
	wants(api.Objects().Patch(ctx, key, "status", []byte(`{"status":{"seen":5}}`)), "patch", "a", "status")
	_, err = api.Objects().Delete(ctx, key, apimeta.DeleteOptions{DryRun: []string{"All"}})
	wants(err, "delete", "a", "")
	wants(client.Delete(ctx, "a", rest.DeleteOptions{}), "delete", "a", "")

	_, err = client.Create(ctx, &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "b"}})
	wants(err, "create", "", "")
	_, err = client.DeleteCollection(ctx, rest.DeleteOptions{},
		rest.ListOptions{LabelSelector: "!x", FieldSelector: "metadata.name=b"})
	require.NoError(t, err)
	got := n.taken(t)
	assert.Equal(t, []string{"deletecollection", "", "!x", "metadata.name=b"},
		[]string{string(got.Verb), got.Name, got.LabelSelector, got.FieldSelector})
}

// If a hook calls the API, the hooks of that call see the access of the inner call.
func TestAccessFromInNestedCalls(t *testing.T) {
	var inner []access.Access
	widgetsOf := apitest.WidgetResource()
	widgetsOf.Hooks.Default = func(ctx context.Context, w *apitest.Widget) error {
		if w.Name != "outer" {
			inner = append(inner, access.AccessFrom(ctx))
			return nil
		}
		widgets, err := rest.ClientForHook[apitest.Widget](ctx)
		if err != nil {
			return err
		}
		_, err = widgets.Namespace("default").Create(ctx,
			&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "inner"}, Spec: w.Spec})
		return err
	}
	api := apitest.New(t, rest.Options{}, widgetsOf)
	_, err := apitest.ClientFor[apitest.Widget](t,
		api).Namespace("default").Apply(access.WithUser(t.Context(), access.User{Name: "alice"}), "outer",
		map[string]any{"spec": map[string]any{"size": 1}}, apimeta.ApplyOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, inner)
	assert.Equal(t, access.Access{User: access.User{Name: "alice"}, Verb: "create", Group: "example.com", Version: "v1",
		Resource: "widgets", Namespace: "default"}, inner[0])
}

// An access review may contain selectors.
func TestAccessReviewsWithSelectors(t *testing.T) {
	var asked access.Access
	api := reviewing(t, func(_ context.Context, a access.Access) (access.Decision, error) {
		asked = a
		return allowed, nil
	})
	for _, c := range []struct{ name, selectors, labels, fields string }{
		{"none", ``, "", ""},
		{"text", `,"labelSelector":{"rawSelector":"a=b"},"fieldSelector":{"rawSelector":"spec.x=y"}`, "a=b", "spec.x=y"},
		{"requirements",
			`,"labelSelector":{"requirements":[{"key":"a","operator":"In","values":["b","c"]},{"key":"d","operator":"Exists"},{"key":"e","operator":"DoesNotExist"}]},
			"fieldSelector":{"requirements":[{"key":"spec.x","operator":"In","values":["a,b"]},{"key":"spec.y","operator":"NotIn","values":["z"]}]}`,
			"a in (b,c),d,!e", `spec.x=a\,b,spec.y!=z`},
		{"requirements that a query parameter cannot express",
			`,"labelSelector":{"requirements":[{"key":"a","operator":"In"},{"key":"b","operator":"Near"},{"key":"c","operator":"Exists"}]},
			"fieldSelector":{"requirements":[{"key":"spec.x","operator":"In","values":["a","b"]},{"key":"spec.y","operator":"Exists"}]}`, "c", ""},
		{"both forms", `,"labelSelector":{"rawSelector":"a=b","requirements":[{"key":"a","operator":"Exists"}]}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.Must(t, api, "POST", mayI,
				`{"spec":{"resourceAttributes":{"verb":"list","resource":"widgets"`+c.selectors+`}}}`)
			assert.Equal(t, c.labels, asked.LabelSelector)
			assert.Equal(t, c.fields, asked.FieldSelector)
		})
	}
}
