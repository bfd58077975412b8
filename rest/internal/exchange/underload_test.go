package exchange_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// What an API serves is exchanged under load: no request fails, an open watch misses nothing, and discovery and routes
// change together.
func TestTheServingSetIsExchangedUnderLoad(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource())
	const writes = 200
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	watching := make(chan struct{})
	var seen []string
	var work sync.WaitGroup
	work.Go(func() {
		first := true
		for event, err := range apitest.WidgetClient(t, api).Watch(ctx, rest.WatchOptions{}) {
			if !assert.NoError(t, err) {
				return
			}
			if first {
				first = false
				close(watching)
				continue
			}
			assert.Equal(t, apimeta.EventAdded, event.Type)
			if seen = append(seen, event.Object.Name); len(seen) == writes {
				return
			}
		}
	})
	apitest.CreateWidget(t, api, "first")
	<-watching

	written := make(chan struct{})
	work.Go(func() {
		defer close(written)
		for i := range writes {
			name := fmt.Sprintf("w-%d", i)
			assert.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`"`)).Code)
			assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/"+name, "").Code)
		}
	})
	const path = "/apis/example.com/v1/namespaces/default/cogs"
	cogs := rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1", Plural: "cogs"}
	swaps := 0
	for done := false; !done || swaps < 4; swaps++ {
		want := 404
		if swaps%2 == 0 {
			want = 200
			require.NoError(t, api.AddResources(ctx, cogs))
		} else {
			require.NoError(t, api.WithdrawResources(ctx, apimeta.GroupResource{Group: "example.com", Resource: "cogs"}))
		}
		assert.Equal(t, want, apitest.Do(t, api, "GET", path, "").Code)
		assert.Equal(t, want == 200, containsResource(t, api, "cogs"))
		select {
		case <-written:
			done = true
		default:
		}
	}
	work.Wait()
	require.Len(t, seen, writes)
	for i, name := range seen {
		assert.Equal(t, fmt.Sprintf("w-%d", i), name)
	}
	t.Logf("exchanged %d times", swaps)
}

func containsResource(t *testing.T, api *rest.API, plural string) bool {
	t.Helper()
	var list struct{ Resources []struct{ Name string } }
	apitest.Must(t, api, "GET", "/apis/example.com/v1", "").Decode(t, &list)
	for _, r := range list.Resources {
		if r.Name == plural {
			return true
		}
	}
	return false
}

// brokenDefinition is a definition of a kind that panics when the API reads it.
type brokenDefinition struct{ rest.Definition }

// A declaration that makes the API panic is an error of who declares it. The API goes on with what it serves.
func TestPanickingDeclaration(t *testing.T) {
	_, err := rest.New(rest.Options{Logger: slog.New(slog.DiscardHandler)}, brokenDefinition{})
	require.ErrorContains(t, err, "the declaration makes the API panic")

	api := apitest.New(t, rest.Options{Logger: slog.New(slog.DiscardHandler)}, apitest.WidgetResource())
	require.ErrorContains(t, api.AddResources(t.Context(), brokenDefinition{}), "the declaration makes the API panic")
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/healthz", "").Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets, "").Code)
	require.NoError(t, api.AddResources(t.Context(),
		rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1", Plural: "cogs"}))
}
