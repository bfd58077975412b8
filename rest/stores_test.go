package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

// listOf is a list in an answer.
type listOf[T any] struct {
	apimeta.ListMeta `json:"metadata"`
	Items            []T `json:"items"`
}

// apart serves namespaces and GlobalThings from one store, and Things from another one.
func apart(t *testing.T, own storage.Store, options rest.Options) *apitest.ThingServer {
	options.Stores = map[apimeta.GroupResource]storage.Store{things: own}
	return apitest.NewThingServer(t, options, builtin.Namespaces(), apitest.ThingResource(), apitest.GlobalThingResource())
}

// Objects of a resource with a store of its own are in that store only.
func TestStoreOfAResource(t *testing.T) {
	own := apitest.CloseAtEnd(t, memory.New(storage.Options{Start: 1000}))
	s := apart(t, own, rest.Options{})
	s.MustCreate(t, "a")
	s.MustCreate(t, "b")
	require.Equal(t, http.StatusCreated, s.Do("POST", apitest.ThingsV1+"/globalthings",
		`{"apiVersion":"things.example.com/v1","kind":"GlobalThing","metadata":{"name":"g"}}`).Code)

	for store, want := range map[storage.Store][]string{
		own: {"things.things.example.com"}, s.Store: {"globalthings.things.example.com", "namespaces"},
	} {
		held, err := store.ResourcesIn(t.Context(), "")
		require.NoError(t, err)
		assert.Equal(t, want, held)
	}
	held, err := s.API.Objects().ResourcesIn(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, []string{"globalthings.things.example.com", "namespaces", "things.things.example.com"}, held)

	var list listOf[apitest.Thing]
	s.Do("GET", apitest.Things, "").Decode(t, &list)
	assert.Len(t, list.Items, 2)
	assert.Equal(t, "1002", list.ResourceVersion)
	var page listOf[apitest.Thing]
	s.Do("GET", apitest.Things+"?limit=1", "").Decode(t, &page)
	s.MustCreate(t, "c")
	s.Do("GET", apitest.Things+"?limit=5&continue="+page.Continue, "").Decode(t, &page)
	assert.Len(t, page.Items, 1, "the second page shows the state of the first one")
	assert.Equal(t, "1002", page.ResourceVersion)

	w := s.Do("PATCH", apitest.Things+"/a", `{"spec":{"size":7}}`, "Content-Type", "application/merge-patch+json")
	assert.Equal(t, "1004", apitest.ThingOf(t, w).ResourceVersion)
	assert.Equal(t, http.StatusOK, s.Do("DELETE", apitest.Things+"/b", "").Code)
	assert.Equal(t, http.StatusNotFound, s.Do("GET", apitest.Things+"/b", "").Code)

	stats := s.API.Stats()
	assert.Equal(t, 2, stats.Objects[things])
	assert.EqualValues(t, 1005, stats.Stores[things].Revision)
	assert.EqualValues(t, s.Store.Revision(), stats.Store.Revision)
	assert.Equal(t, stats.Stores[things], stats.Of(things))
	assert.Equal(t, stats.Store, stats.Of(apimeta.GroupResource{Resource: "namespaces"}))
}

// Events in memory do not survive a restart of a host whose other objects are in a file.
func TestStoreInMemoryBesideAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	events := func(found ...string) {
		file, err := bolt.Open(t.Context(), bolt.Options{Path: path})
		require.NoError(t, err)
		defer func() { require.NoError(t, file.Close()) }()
		memory := memory.New(storage.Options{})
		defer func() { require.NoError(t, memory.Close()) }()
		api, err := rest.New(rest.Options{Store: file,
			Stores: map[apimeta.GroupResource]storage.Store{{Resource: "events"}: memory}}, builtin.Namespaces(),
			builtin.Events(), apitest.ThingResource())
		require.NoError(t, err)
		defer func() { require.NoError(t, api.Close()) }()
		names := func(path string) (names []string) {
			var list listOf[apimeta.PartialObjectMetadata]
			apitest.Do(t, api, "GET", path, "").Decode(t, &list)
			for _, item := range list.Items {
				names = append(names, item.Name)
			}
			return names
		}
		assert.Equal(t, found, names(apitest.Things))
		assert.Empty(t, names("/api/v1/namespaces/default/events"))
		name := fmt.Sprint("a", len(found))
		assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Things, apitest.ThingBody(name, `{"size":1}`)).Code)
		answer := apitest.Do(t, api, "POST", "/api/v1/namespaces/default/events", `{"metadata":{"name":"`+name+`"},`+
			`"involvedObject":{"kind":"Thing","namespace":"default","name":"a"},"reason":"Seen","type":"Normal"}`)
		assert.Equal(t, 201, answer.Code, answer.Body)
		assert.Equal(t, []string{name}, names("/apis/events.k8s.io/v1/namespaces/default/events"),
			"all versions share the store")
	}
	events()
	events("a0")
}

func TestStoresRefused(t *testing.T) {
	store := apitest.NewStore(t)
	for name, c := range map[string]struct {
		own  map[apimeta.GroupResource]storage.Store
		want string
	}{
		"no store": {map[apimeta.GroupResource]storage.Store{things: nil},
			"rest.New: Options.Stores: the store of things.things.example.com is nil"},
		"namespaces": {map[apimeta.GroupResource]storage.Store{{Resource: "namespaces"}: store},
			"cannot have a store of their own"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rest.New(rest.Options{Stores: c.own}, builtin.Namespaces(), apitest.ThingResource())
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// If one store cannot serve, /readyz names its resource, and the resources of the other store are served as before.
func TestReadinessOfStores(t *testing.T) {
	own := &readOnlyStore{Store: apitest.NewStore(t)}
	s := apart(t, own, rest.Options{})
	assert.Equal(t, "ok", s.Do("GET", "/readyz/store-things.things.example.com", "").Body)
	own.err = storage.ReadOnly(errors.New("the disk is full"))
	assert.Equal(t, "[+]ping ok\n[+]store ok\n[-]store-things.things.example.com failed: storage: the store is read-only: the disk is full\n"+
		"[+]shutdown ok\nreadyz check failed\n", s.Do("GET", "/readyz", "").Body)
	apitest.WantFailure(t, s.Do("POST", apitest.Things, apitest.ThingBody("a", `{"size":1}`)), 503, "ServiceUnavailable",
		"the store is read-only: the disk is full",
		`{"causes":[{"message":"the disk is full","reason":"StoreReadOnly"}],"retryAfterSeconds":10}`)
	assert.Equal(t, 201, s.Do("POST", apitest.ThingsV1+"/globalthings",
		`{"apiVersion":"things.example.com/v1","kind":"GlobalThing","metadata":{"name":"g"}}`).Code)
}

// meanwhileStore calls meanwhile after each commit, before the API learns of it.
type meanwhileStore struct {
	storage.Store
	meanwhile func()
}

func (s *meanwhileStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	record, err := s.Store.Update(ctx, key, fn)
	if f := s.meanwhile; f != nil {
		s.meanwhile = nil
		f()
	}
	return record, err
}

// A namespace may begin to end while an object is created in another store. Then the API takes the object back.
func TestNamespaceEndsDuringACreateApart(t *testing.T) {
	own := &meanwhileStore{Store: apitest.NewStore(t)}
	s := apart(t, own, rest.Options{})
	require.Equal(t, 201, s.Do("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`).Code)
	path := apitest.ThingsV1 + "/namespaces/team/things"
	require.Equal(t, 201, s.Do("POST", path, apitest.ThingBody("before", `{"size":1}`)).Code)
	own.meanwhile = func() { require.Equal(t, 200, s.Do("DELETE", "/api/v1/namespaces/team", "").Code) }
	answer := s.Do("POST", path, apitest.ThingBody("during", `{"size":1}`))
	assert.Equal(t, 403, answer.Code)
	assert.Contains(t, answer.Body, "unable to create new content in namespace team because it is being terminated")
	var list listOf[apitest.Thing]
	s.Do("GET", path, "").Decode(t, &list)
	require.Len(t, list.Items, 1)
	assert.Equal(t, "before", list.Items[0].Name)
	assert.Equal(t, 403, s.Do("POST", path, apitest.ThingBody("after", `{"size":1}`)).Code)
	assert.Equal(t, 404, s.Do("POST", apitest.ThingsV1+"/namespaces/none/things",
		apitest.ThingBody("a", `{"size":1}`)).Code)
	dry := s.Do("POST", apitest.Things+"?dryRun=All", apitest.ThingBody("dry", `{"size":1}`))
	assert.Equal(t, 201, dry.Code, dry.Body)
	assert.Equal(t, 404, s.Do("GET", apitest.Things+"/dry", "").Code)
}

// Follow yields the objects of all stores, each with the number of its store.
func TestFollowSeveralStores(t *testing.T) {
	s := apart(t, apitest.CloseAtEnd(t, memory.New(storage.Options{Start: 1000})), rest.Options{})
	s.MustCreate(t, "a")
	seen, complete := map[string]int{}, map[int]bool{}
	for changes, err := range s.API.Objects().Follow(t.Context()) {
		require.NoError(t, err)
		for _, c := range changes.List {
			seen[c.Key.Resource+" "+c.Key.Name] = changes.Store
		}
		if changes.Through > 0 {
			assert.Contains(t, seen, "namespaces default")
			assert.Contains(t, seen, "things.things.example.com a")
			complete[changes.Store] = true
		}
		if len(complete) == 2 && !complete[2] {
			complete[2] = true
			s.MustCreate(t, "b")
		}
		if _, ok := seen["things.things.example.com b"]; ok {
			break
		}
	}
	assert.Equal(t, 0, seen["namespaces default"])
	assert.Equal(t, 1, seen["things.things.example.com b"])
	for _, r := range s.API.Objects().Resources() {
		assert.Equal(t, r.Name == "things.things.example.com", r.Store == 1, r.Name)
	}
}
