package resource_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// Lamp and LampNow are one kind before and after a release of its host.
type Lamp struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Watts int32  `json:"watts"`
		Base  string `json:"base,omitempty"`
	} `json:"spec"`
}

type LampNow struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Watts int32  `json:"watts"`
		Color string `json:"color,omitempty" api:"default=warm"`
	} `json:"spec"`
}

// LampText cannot hold what the other two store.
type LampText struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Watts string `json:"watts"`
	} `json:"spec"`
}

const lamps = "/apis/example.com/v1/namespaces/default/lamps"

// restarted hands a store from one API to the next, as a host does when it restarts. Others are the kinds that stay as
// they are.
func restarted(t *testing.T, before, after rest.Definition, fill func(api *rest.API),
	others ...rest.Definition) (*rest.API, *memory.Store, error) {
	store := apitest.NewStore(t)
	first := apitest.Start(t, rest.Options{Store: store, Now: apitest.Now}, append(others, before)...)
	fill(first)
	require.NoError(t, first.Close())
	second, err := rest.New(rest.Options{Store: store, Now: apitest.Now}, append(others, after)...)
	if err == nil {
		t.Cleanup(func() { require.NoError(t, second.Close()) })
	}
	return second, store, err
}

func lampResource[T any](fields ...string) rest.Resource[T] {
	return rest.Resource[T]{Group: "example.com", Version: "v1", Plural: "lamps", Names: rest.Names{Kind: "Lamp"},
		SelectableFields: fields}
}

func makeLamp(t *testing.T) func(api *rest.API) {
	return func(api *rest.API) {
		made := apitest.Do(t, api, "POST", lamps,
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":5,"base":"E27"}}`)
		require.Equal(t, 201, made.Code, made.Body)
	}
}

func TestChangedGoType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, store, err := restarted(t, lampResource[Lamp]("spec.base"), lampResource[LampNow]("spec.color"), makeLamp(t))
		require.NoError(t, err)
		lamp := apitest.Must(t, api, "GET", lamps+"/a", "")
		assert.Equal(t, "2", lamp.ResourceVersion(t))
		assert.Equal(t, map[string]any{"watts": 5.0, "color": "warm"}, lamp.Value(t, "spec"), "pruned and defaulted")
		assert.Equal(t, []string{"a"}, apitest.Must(t, api, "GET", lamps+"?fieldSelector=spec.color%3Dwarm", "").Names(t))
		typed, err := apitest.ClientFor[LampNow](t, api).Namespace("default").Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "warm", typed.Spec.Color)
		assert.EqualValues(t, 2, store.Revision(), "no new revision")

		assert.Equal(t, 410, apitest.Do(t, api, "GET", lamps+"?resourceVersion=1&resourceVersionMatch=Exact", "").Code)
		w := apitest.OpenWatch(t, api, lamps+"?watch=1&resourceVersion=2")
		assert.Equal(t, 200, apitest.MergePatch(t, api, lamps+"/a", `{"spec":{"color":"warm"}}`).Code)
		w.Want()
		assert.Equal(t, "3", apitest.MergePatch(t, api, lamps+"/a", `{"spec":{"color":"cold"}}`).ResourceVersion(t))
		require.Len(t, w.Events(), 1)
	})
}

// Clients that follow the changed kind list again, even if none of its objects remains. Other clients do not.
func TestOnlyFollowersOfAChangedKindListAgain(t *testing.T) {
	for name, left := range map[string]bool{"an object is left": true, "none is left": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var page apitest.Answer
				api, store, err := restarted(t, lampResource[Lamp](), lampResource[LampNow](), func(api *rest.API) {
					apitest.CreateWidget(t, api, "a")
					apitest.CreateWidget(t, api, "b")
					page = apitest.Must(t, api, "GET", apitest.Widgets+"?limit=1", "") // the page is at revision 3
					makeLamp(t)(api)                                                   // 4
					if !left {
						apitest.Must(t, api, "DELETE", lamps+"/a", "") // 5
					}
					apitest.CreateWidget(t, api, "c")
				}, apitest.WidgetResource())
				require.NoError(t, err)
				last := fmt.Sprint(store.Revision())
				assert.Equal(t, "ERROR 410 Expired: too old resource version: 3 ("+last+")",
					told(t, apitest.OpenWatch(t, api, lamps+"?watch=1&resourceVersion=3").Events()))
				assert.Equal(t, 410, apitest.Do(t, api, "GET", lamps+"?resourceVersion=4&resourceVersionMatch=Exact", "").Code)
				assert.Empty(t, apitest.OpenWatch(t, api, lamps+"?watch=1&resourceVersion="+last).Events())

				assert.Equal(t, "ADDED c",
					told(t, apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion=3").Events()))
				page = apitest.Must(t, api, "GET", apitest.Widgets+"?continue="+page.Text(t, "metadata.continue"), "")
				assert.Equal(t, "b at 3", listed(t, page))
			})
		})
	}
}

func TestChangedStoredVersion(t *testing.T) {
	beta := apitest.BetaCogResource()
	beta.Group, beta.Plural, beta.Names.Kind = "example.com", "cogs", "Cog"
	api, _, err := restarted(t, beta, apitest.CogResource(), func(api *rest.API) {
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.BetaCogs,
			apitest.BetaCogBody(`{"toothCount":5,"oiled":true}`)).Code)
	})
	require.NoError(t, err)
	stored := apitest.Must(t, api, "GET", apitest.Cogs+"/a", "")
	assert.Equal(t, map[string]any{"teeth": 5.0, "material": "iron"}, stored.Value(t, "spec"))
	assert.Equal(t, "2", stored.ResourceVersion(t))
	assert.Equal(t, []string{"a"},
		apitest.Must(t, api, "GET", apitest.Cogs+"?fieldSelector=spec.material%3Diron", "").Names(t))
	assert.Equal(t, map[string]any{"toothCount": 5.0, "metal": "iron", "oiled": true},
		apitest.Must(t, api, "GET", apitest.BetaCogs+"/a", "").Value(t, "spec"))
}

func TestStoredObjectsThatTheNewTypeCannotRead(t *testing.T) {
	t.Run("its version is gone", func(t *testing.T) {
		old := lampResource[Lamp]()
		old.Version = "v1alpha1"
		_, store, err := restarted(t, old, lampResource[LampNow](), func(api *rest.API) {
			body := `{"apiVersion":"example.com/v1alpha1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":5}}`
			require.Equal(t, 201, apitest.Do(t, api, "POST", "/apis/example.com/v1alpha1/namespaces/default/lamps", body).Code)
		})
		require.ErrorContains(t, err,
			`rest.New: kind "Lamp": lamps.example.com default/a: it is stored as "example.com/v1alpha1", which is not a version of kind "Lamp"`)
		record, err := store.Get(t.Context(), storage.Key{Resource: "lamps.example.com", Namespace: "default", Name: "a"}, 0)
		require.NoError(t, err)
		assert.Contains(t, string(storagetest.Text(record)), "v1alpha1", "nothing has changed")
	})
	t.Run("its conversion fails", func(t *testing.T) {
		beta := apitest.BetaCogResource()
		beta.Group, beta.Plural, beta.Names.Kind = "example.com", "cogs", "Cog"
		_, _, err := restarted(t, beta, apitest.CogResource(), func(api *rest.API) {
			require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.BetaCogs,
				apitest.BetaCogBody(`{"toothCount":5,"metal":"secret"}`)).Code)
		})
		require.ErrorContains(t, err, `conversion of Cog.example.com "a" from v1beta1 to v1 failed`)
		require.ErrorContains(t, err, apitest.CogSecret, "the host is told why")
	})
	// As upstream serves what no longer fits a schema.
	t.Run("its type cannot hold it", func(t *testing.T) {
		api, _, err := restarted(t, lampResource[Lamp](), lampResource[LampText](), makeLamp(t))
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"watts": 5.0}, apitest.Must(t, api, "GET", lamps+"/a", "").Value(t, "spec"))
		_, err = apitest.ClientFor[LampText](t, api).Namespace("default").Get(t.Context(), "a")
		require.Error(t, err)
		fixed := apitest.MergePatch(t, api, lamps+"/a", `{"spec":{"watts":"five"}}`)
		require.Equal(t, 200, fixed.Code, fixed.Body)
	})
}
