package exchange_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

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
	ctx, cancel := context.WithTimeout(t.Context(), apitest.Deadline)
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

// lateWriter calls a function when the API first asks for the header. That is after the API has looked up the path, and
// before the request counts as under way.
type lateWriter struct {
	*httptest.ResponseRecorder
	begin func()
}

func (w *lateWriter) Header() http.Header {
	if begin := w.begin; begin != nil {
		w.begin = nil
		begin()
	}
	return w.ResponseRecorder.Header()
}

// A request that arrives just before a resource goes is answered as if it had arrived just after.
func TestRequestsDuringRemovalOfAResource(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*testing.T, *rest.API)
		code   int
		body   string
	}{
		"gone": {func(t *testing.T, api *rest.API) {
			require.NoError(t, api.WithdrawResources(t.Context(), leverName))
		}, http.StatusNotFound, "404 page not found\n"},
		"gone, and its group stays": {func(t *testing.T, api *rest.API) {
			require.NoError(t, api.AddResources(t.Context(),
				rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1", Plural: "cogs"}))
			require.NoError(t, api.WithdrawResources(t.Context(), leverName))
		}, http.StatusNotFound, "the server could not find the requested resource"},
		"gone and back": {func(t *testing.T, api *rest.API) {
			require.NoError(t, api.WithdrawResources(t.Context(), leverName))
			require.NoError(t, api.AddResources(t.Context(), leverResource()))
		}, http.StatusOK, `"kind":"LeverList"`},
		"replaced": {func(t *testing.T, api *rest.API) {
			require.NoError(t, api.ReplaceResources(t.Context(), longLeverResource()))
		}, http.StatusOK, `"kind":"LeverList"`},
	} {
		t.Run(name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, leverResource())
			w := &lateWriter{httptest.NewRecorder(), func() { c.change(t, api) }}
			api.ServeHTTP(w, apitest.NewRequest("GET", levers, nil))
			assert.Equal(t, c.code, w.Code)
			assert.Contains(t, w.Body.String(), c.body)
		})
	}
}
