package follow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

func TestObjects(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), rest.NamespacesOf[apitest.Namespace](),
		apitest.GlobalThingResource())
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","finalizers":["example.com/f"]`))
	objects := api.Objects().FieldManager("tester")
	resources := objects.Resources()
	require.Len(t, resources, 3)
	assert.Equal(t, raw.Resource{Name: "widgets.example.com", Namespaced: true,
		Kinds: []apimeta.GroupVersionKind{{Group: "example.com", Version: "v1", Kind: "Widget"}}}, resources[0])
	assert.True(t, resources[1].Namespaces)
	assert.False(t, resources[2].Namespaced)
	assert.Subset(t, objects.GroupVersions(),
		[]apimeta.GroupVersion{{Version: "v1"}, {Group: "example.com", Version: "v1"}})
	assert.NotContains(t, objects.GroupVersions(), apimeta.GroupVersion{Group: "example.com", Version: "v2"})

	key := storage.Key{Resource: "widgets.example.com", Namespace: "default", Name: "a"}
	record, err := objects.Get(t.Context(), key)
	require.NoError(t, err)
	assert.Equal(t, "a", record.Key.Name)
	_, err = objects.Get(t.Context(), storage.Key{Resource: key.Resource, Namespace: "default", Name: "none"})
	assert.True(t, status.IsNotFound(err))
	_, err = objects.Get(t.Context(), storage.Key{Resource: "nothing"})
	assert.ErrorIs(t, err, storage.ErrResource)

	records, err := objects.List(t.Context(), key.Resource, "")
	require.NoError(t, err)
	assert.Len(t, records, 1)

	require.NoError(t, objects.Patch(t.Context(), key, "", []byte(`{"spec":{"size":2},"status":{"phase":"Ready"}}`)))
	require.NoError(t, objects.Patch(t.Context(), key, "status",
		[]byte(`{"spec":{"size":3},"status":{"phase":"Pending"}}`)))
	a := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "")
	assert.Equal(t, float64(2), a.Value(t, "spec.size"))
	assert.Equal(t, "Pending", a.Text(t, "status.phase"))
	assert.True(t, status.IsConflict(objects.Patch(t.Context(), key, "", []byte(`{"metadata":{"resourceVersion":"1"}}`))))
	assert.True(t, status.IsNotFound(objects.Patch(t.Context(), key, "scale", []byte(`{}`))))
	assert.True(t, status.IsInvalid(objects.Patch(t.Context(), key, "", []byte(`{"spec":{"size":1000}}`))))

	gone, err := objects.Delete(t.Context(), key, apimeta.DeleteOptions{})
	require.NoError(t, err)
	assert.False(t, gone)
	require.NoError(t, objects.Patch(t.Context(), key, "", []byte(`{"metadata":{"finalizers":null}}`)))
	_, err = objects.Delete(t.Context(), key, apimeta.DeleteOptions{})
	assert.True(t, status.IsNotFound(err))
	apitest.CreateWidget(t, api, "b")
	gone, err = objects.Delete(t.Context(), storage.Key{Resource: key.Resource, Namespace: "default", Name: "b"},
		apimeta.DeleteOptions{DryRun: []string{apimeta.DryRunAll}})
	require.NoError(t, err)
	assert.True(t, gone)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/b", "").Code)
}

// Follow yields the changes of all resources in the one order in which they were committed, whoever wrote them.
func TestFollowAllObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		things, globals := apitest.ClientFor[apitest.Thing](t, s.API).Namespace("default"),
			apitest.ClientFor[apitest.GlobalThing](t, s.API)
		write := func(from, to int) {
			var writers sync.WaitGroup
			for i := from; i < to; i++ {
				writers.Go(func() {
					name := fmt.Sprint("t", i)
					_, err := things.Create(t.Context(), &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: name}})
					assert.NoError(t, err)
					_, err = globals.Create(t.Context(), &apitest.GlobalThing{ObjectMeta: apimeta.ObjectMeta{Name: name}})
					assert.NoError(t, err)
					if i%3 == 0 {
						assert.NoError(t, things.Delete(t.Context(), name, rest.DeleteOptions{}))
					}
				})
			}
			writers.Wait()
		}
		write(0, 1200)
		ctx, stop := context.WithCancel(t.Context())
		var mu sync.Mutex
		state := map[storage.Key]watch.Revision{}
		var through, last watch.Revision
		var ended error
		var following sync.WaitGroup
		following.Go(func() {
			for changes, err := range s.API.Objects().Follow(ctx) {
				if err != nil {
					ended = err
					return
				}
				mu.Lock()
				for _, c := range changes.List {
					if through > 0 {
						assert.Greater(t, c.Revision, last, "in order, and none twice")
					}
					last = max(last, c.Revision)
					if c.Current == nil {
						delete(state, c.Key)
					} else {
						state[c.Key] = c.Revision
					}
				}
				assert.GreaterOrEqual(t, changes.Through, through)
				through = changes.Through
				mu.Unlock()
			}
		})
		write(1200, 2000)
		synctest.Wait()
		want := map[storage.Key]watch.Revision{}
		for _, resource := range s.API.Objects().Resources() {
			records, err := s.API.Objects().List(t.Context(), resource.Name, "")
			require.NoError(t, err)
			for _, r := range records {
				want[r.Key] = r.Revision
			}
		}
		mu.Lock()
		assert.Equal(t, want, state)
		assert.Equal(t, s.Store.Revision(), through)
		mu.Unlock()
		stop()
		following.Wait()
		assert.ErrorIs(t, ended, context.Canceled)
	})
}

func TestFollowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		things := apitest.ClientFor[apitest.Thing](t, s.API).Namespace("default")
		_, err := things.Create(t.Context(), &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.NoError(t, err)
		for range s.API.Objects().Follow(t.Context()) {
			break
		}
		var following sync.WaitGroup
		var ended error
		following.Go(func() {
			for _, err := range s.API.Objects().Follow(t.Context()) {
				ended = err
			}
		})
		synctest.Wait()
		require.NoError(t, s.API.Close())
		following.Wait()
		assert.ErrorContains(t, ended, "the server is shutting down")
		for _, err := range s.API.Objects().Follow(t.Context()) {
			assert.True(t, status.IsServiceUnavailable(err))
		}
	})
}

// Nothing is created in a namespace whose deletion has begun, even when both happen at the same time: a create that is
// about to be committed finds that the namespace has changed.
func TestCreateRacesWithNamespaceDeletion(t *testing.T) {
	store := apitest.NewStore(t)
	var api *rest.API
	racing := false
	api = apitest.New(t, rest.Options{Store: store}, rest.NamespacesOf[apitest.Namespace](),
		apitest.WidgetResource(apitest.WithValidate(func(context.Context, *apitest.Widget,
			*apitest.Widget) (status.FieldErrors, error) {
			if racing { // the namespace was looked at before this hook, and the commit is after it
				racing = false
				apitest.Must(t, api, "DELETE", "/api/v1/namespaces/x", "")
			}
			return nil, nil
		})))
	apitest.Must(t, api, "POST", "/api/v1/namespaces", `{"metadata":{"name":"x"}}`)
	in := strings.ReplaceAll(apitest.Widgets, "default", "x")
	apitest.Must(t, api, "POST", in, apitest.WidgetBody(`"name":"a"`))
	racing = true
	a := apitest.Do(t, api, "POST", in, apitest.WidgetBody(`"name":"b"`))
	apitest.WantFailure(t, a, 403, "Forbidden",
		`widgets.example.com "b" is forbidden: unable to create new content in namespace x because it is being terminated`,
		`{"name":"b","group":"example.com","kind":"widgets","causes":[{"reason":"NamespaceTerminating","message":"namespace x is being terminated","field":"metadata.namespace"}]}`)
	assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", in, "").Names(t))
	apitest.WantFailure(t, apitest.Do(t, api, "POST", in+"?dryRun=All", apitest.WidgetBody(`"name":"b"`)), 403,
		"Forbidden", a.Text(t, "message"), detailsOf(t, a))
}

func detailsOf(t *testing.T, a apitest.Answer) string {
	t.Helper()
	text, err := json.Marshal(a.Value(t, "details"))
	require.NoError(t, err)
	return string(text)
}
