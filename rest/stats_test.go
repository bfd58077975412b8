package rest_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

var things = apimeta.GroupResource{Group: apitest.ThingGroup, Resource: "things"}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{MaxInFlight: 20}})
		stats := s.API.Stats()
		assert.Zero(t, stats.Requests)
		assert.Equal(t, observe.Usage{Limit: 20}, stats.Places)
		assert.Equal(t, observe.Usage{Limit: 20}, stats.Answers)
		assert.Equal(t, observe.Usage{Limit: 10}, stats.Webhooks)
		assert.Zero(t, stats.Objects[things])
		assert.Contains(t, stats.Objects, things)
		assert.NotContains(t, stats.Objects,
			apimeta.GroupResource{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"}, "nobody stores these")

		server := apitest.ServeOnPipes(t, s.API)
		stuck := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1")
		good := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1&labelSelector=a%3Db")
		synctest.Wait()
		s.MustCreate(t, "a")
		synctest.Wait()
		s.MustCreate(t, "b")
		synctest.Wait()
		stats = s.API.Stats()
		assert.Equal(t, 2, stats.Requests)
		assert.Equal(t, 2, stats.Watches)
		assert.Equal(t, 1, stats.WatchesBehind)
		assert.Equal(t, s.API.OpenWatches()[0].Behind, stats.MostBehind)
		assert.Equal(t, 2, stats.Objects[things])
		assert.EqualValues(t, 2, stats.Store.Resources["things."+apitest.ThingGroup].Changes)
		stuck.Stop()
		good.Stop()
		synctest.Wait()
		assert.Zero(t, s.API.Stats().Watches)
	})
}

func TestStatsCountPlacesAndCalls(t *testing.T) {
	var inside rest.Stats
	var api *rest.API
	hook := admission.Hook{Name: "look.example.com", SideEffects: admission.SideEffectsNone,
		Validate: func(ctx context.Context, _ *admission.Request) error {
			done, err := api.WaitOutside(ctx, "a service")
			if err == nil {
				inside = api.Stats()
				done()
			}
			return err
		}}
	api = apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, apitest.WidgetResource())
	assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`)).Code)
	assert.Equal(t, 1, inside.Requests)
	assert.Equal(t, observe.Usage{Used: 1, Limit: 1000}, inside.Places)
	assert.Equal(t, observe.Usage{Used: 1, Limit: 500}, inside.Webhooks)
	after := api.Stats()
	assert.Zero(t, after.Requests+after.Places.Used+after.Webhooks.Used+after.Calls)
}

// silent is a store that reports no figures.
type silent struct{ storage.Store }

func TestStatsOfAStoreThatReportsNone(t *testing.T) {
	store := memory.New(storage.Options{})
	defer store.Close()
	stats := apitest.New(t, rest.Options{Store: silent{store}}, apitest.WidgetResource()).Stats()
	assert.Nil(t, stats.Store)
	assert.Empty(t, stats.Objects)
}
