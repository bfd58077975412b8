package rights_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// reachedStore records which objects a request reaches.
type reachedStore struct {
	storage.Store
	reached []reached
}

// reached is a call of the store. The name is empty for a call about several objects.
type reached struct {
	call string
	storage.Key
}

func (s *reachedStore) note(call string, key storage.Key) {
	s.reached = append(s.reached, reached{call, key})
}

func (s *reachedStore) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	s.note("get", key)
	return s.Store.Get(ctx, key, atLeast)
}

func (s *reachedStore) List(ctx context.Context, q storage.Query, into []*storage.Record) (storage.Listing, error) {
	s.note("list", q.Within)
	return s.Store.List(ctx, q, into)
}

func (s *reachedStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	s.note("update", key)
	return s.Store.Update(ctx, key, fn)
}

func (s *reachedStore) UpdateAll(ctx context.Context, keys []storage.Key,
	fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	for _, key := range keys {
		s.note("update", key)
	}
	return s.Store.UpdateAll(ctx, keys, fn)
}

func (s *reachedStore) Watch(ctx context.Context, scope watch.Key, after watch.Revision,
	terms ...watch.Term) (watch.Cursor[storage.Record], error) {
	s.note("watch", scope)
	return s.Store.Watch(ctx, scope, after, terms...)
}

// A request reaches only the objects that AccessOf names, and hooks see the same access.
func FuzzAccess(f *testing.F) {
	for _, path := range []string{
		"/", "/api", "/apis/" + apitest.ThingGroup, apitest.ThingsV1, apitest.ThingsV1 + "/things", apitest.Things,
		apitest.Things + "/",
		apitest.Things + "//", apitest.Things + "/a", apitest.Things + "/a/", apitest.Things + "//status",
		apitest.Things + "/a/status", apitest.Things + "/a//",
		apitest.Things + "/..", apitest.Things + "/%2e%2e", apitest.Things + "/a%2Fstatus", apitest.Things + "/a%252Fb",
		apitest.Things + "/%ff%00", apitest.ThingsV1 + "//things/a", apitest.ThingsV1 + "/namespaces//things",
		apitest.ThingsV1 + "/namespaces//things/a",
		apitest.ThingsV1 + "/namespaces/%2e%2e/things/a", apitest.ThingsV1 + "/namespaces/a%2Fthings/things",
		apitest.ThingsV1 + "/globalthings",
		apitest.ThingsV1 + "/globalthings/a", apitest.ThingsV1 + "/globalthings//status",
		apitest.ThingsV1 + "/namespaces/default/globalthings/a", "/%61pis/" + apitest.ThingGroup + "/v1/things",
		"//apis/" + apitest.ThingGroup + "/v1/things", apitest.ThingsV1 + "/watch/things",
		apitest.ThingsV1 + "/watch/namespaces/default/things/a",
		apitest.ThingsV1 + "/watch/globalthings/a", apitest.ThingsV1 + "/watch", apitest.ThingsV1 + "/watch/watch/things",
		"/api/v1/namespaces",
		"/api/v1/namespaces/", "/api/v1/namespaces/default", "/api/v1/namespaces/default/status",
		"/api/v1/namespaces/default/finalize", "/api/v1/namespaces/default/things", "/api/v1/watch/namespaces",
		"/api/v1/watch/namespaces/default", "/apis/odd.example.com/v1/watch", "/apis/odd.example.com/v1/watch/a",
		"/apis/odd.example.com/v1/namespaces/default/watch/a/status", "/apis/odd.example.com/v1/watch/status",
		"/apis/odd.example.com/v1/namespaces/default/status", "/apis/odd.example.com/v1/status/a",
		apitest.Things + "/a/proxy/b%2Fc",
		"/apis/clash.example.com/v1/namespaces/a/status", "/apis/clash.example.com/v1/namespaces/a/status/a",
		"/apis/clash.example.com/v1/namespaces/a",
		apitest.Things + "/a%2fb/proxy/c", apitest.Things + "/a/proxy%2fb", apitest.Things + "/a/proxy//", "*",
		"http://x/apis", "", "//", "/%2f",
	} {
		f.Add("GET", path, "watch=1&fieldSelector=metadata.name%3Da")
		f.Add("GET", path, "watch=False&fieldSelector=metadata.name%3Da,metadata.name!%3Db&limit=1")
		for _, method := range []string{"DELETE", "POST", "PUT", "PATCH", "HEAD"} {
			f.Add(method, path, "")
		}
	}
	f.Add("GET", apitest.Things, "watch=1;fieldSelector=metadata.name%3Da")
	f.Add("GET", apitest.Things, "fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db")
	f.Add("GET", apitest.Things, "fieldSelector=metadata.name%3Da%2Fb")
	f.Add("DELETE", apitest.Things, "fieldSelector=metadata.name%3Da&labelSelector=x")
	store := &reachedStore{Store: apitest.CloseAtEnd(f, memory.New(storage.Options{MaxWait: time.Microsecond}))}
	var hooks []string
	var api *rest.API
	note := func(ctx context.Context, r *admission.Request) error {
		a := access.AccessFrom(ctx)
		hooks = append(hooks, fmt.Sprint(a))
		if r.Resource.Resource != a.Resource || r.Resource.Group != a.Group || r.Resource.Version != a.Version ||
			r.Subresource != a.Subresource || a.Name != "" && a.Name != r.Name {
			return fmt.Errorf("%v, and not %v", r, a)
		}
		return nil
	}
	things := apitest.ThingResource()
	things.Subresources = []rest.SubresourceOf[apitest.Thing]{rest.Stream[apitest.Thing, struct{}]{Name: "proxy",
		Serve: func(_ http.ResponseWriter, r *http.Request, _ *apitest.Thing, _ *struct{}) {
			hooks = append(hooks, fmt.Sprint(access.AccessFrom(r.Context())))
		}}}
	api = apitest.Start(f, rest.Options{Store: store,
		Admission: []admission.Hook{{Name: "notes", SideEffects: admission.SideEffectsNone, Mutate: note}}}, things,
		apitest.GlobalThingResource(),
		rest.Resource[apitest.GlobalThing]{Group: "clash.example.com", Version: "v1", Plural: "namespaces",
			Scope: rest.ScopeCluster, Names: rest.Names{Kind: "Space", Singular: "space"}},
		rest.Resource[apitest.GlobalThing]{Group: "clash.example.com", Version: "v1", Plural: "status",
			Names: rest.Names{Kind: "State", Singular: "state"}},
		rest.NamespacesOf[apitest.Namespace](),
		rest.Resource[apitest.GlobalThing]{Group: "odd.example.com", Version: "v1", Plural: "status",
			Names: rest.Names{Kind: "State", Singular: "state"}},
		rest.Resource[apitest.Widget]{Group: "odd.example.com", Version: "v1", Plural: "watch",
			Names: rest.Names{Kind: "Watch", Singular: "watch"}})
	f.Fuzz(func(t *testing.T, method, path, query string) {
		body, media := apitest.ThingBody("a", "{}"), "application/json"
		if method == "PATCH" {
			body, media = `{"metadata":{"labels":{"n":"`+strings.Repeat("n", len(query)%50)+`"}}}`,
				"application/merge-patch+json"
		}
		for range 2 { // the second request finds the object that the first one created
			r := apitest.NewRequest("GET", path+"?"+query, strings.NewReader(body), "Content-Type", media)
			r.Method = method
			ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond) // a watch would stream until the client leaves
			defer cancel()
			store.reached, hooks = nil, nil
			asked := api.AccessOf(r)
			answer := apitest.Ask(api, r.WithContext(ctx))
			require.NotContains(t, answer.Body, "and not", "a hook saw something else")
			for _, seen := range hooks {
				require.Equal(t, fmt.Sprint(asked), seen)
			}
			for _, to := range store.reached {
				if to.Resource == "namespaces" && asked.Resource != "namespaces" {
					require.Equal(t, asked.Namespace, to.Name) // the namespace of a new object must exist
					continue
				}
				requireReached(t, asked, to)
			}
		}
	})
}

// requireReached fails the test if the access does not cover a call of the store.
func requireReached(t *testing.T, a access.Access, to reached) {
	t.Helper()
	require.Empty(t, a.Path, "%v reached %v", a, to)
	resource := a.Resource
	if a.Group != "" {
		resource += "." + a.Group
	}
	require.Equal(t, resource, to.Resource, "%v", a)
	many := []string{"list", "watch", "deletecollection"}
	if a.Resource == "namespaces" {
		require.Empty(t, to.Namespace)
	} else if a.Verb != "deletecollection" || to.call == "list" {
		require.Equal(t, a.Namespace, to.Namespace, "%v", a)
	}
	switch to.call {
	case "get":
		require.NotContains(t, many[:2], string(a.Verb), "%v", a)
	case "list":
		require.Contains(t, many, string(a.Verb), "%v", a)
	case "watch":
		require.Contains(t, many, string(a.Verb), "%v", a)
	case "update":
		require.NotContains(t, []string{"", "get", "list", "watch"}, string(a.Verb), "%v", a)
	}
	if to.Name != "" && a.Name != "" {
		require.Equal(t, a.Name, to.Name, "%v", a)
	}
	if to.Name != "" && a.Name == "" {
		require.Contains(t, append(many, "create"), string(a.Verb), "%v", a)
	}
	if to.Name == "" && a.Name != "" { // the name comes from a field selector of a list or watch
		require.Contains(t, many, string(a.Verb), "%v", a)
	}
}
