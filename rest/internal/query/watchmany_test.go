package query_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// told describes an event by its Go type, its name and its revision.
func told(e rest.ManyEvent) string {
	switch obj := e.Object.(type) {
	case *Crate:
		return fmt.Sprint(e.Type, " crate ", obj.Name, " ", e.ResourceVersion)
	case *apitest.Widget:
		return fmt.Sprint(e.Type, " widget ", obj.Name, " ", e.ResourceVersion)
	}
	return fmt.Sprint(e.Type, " ", e.Complete, " ", e.ResourceVersion)
}

// clients returns clients of crates and widgets that WatchMany may use together.
func clients(t *testing.T, by apitest.Transport, api *rest.API) (rest.Client[Crate], rest.Client[apitest.Widget]) {
	t.Helper()
	if by != apitest.OverHTTP {
		return apitest.ClientFor[Crate](t, api), apitest.ClientFor[apitest.Widget](t, api)
	}
	server := apitest.EndpointOf(http.StripPrefix("/pre/fix", api))
	return apitest.ClientForEndpoint(t, server, crateResource()),
		apitest.ClientForEndpoint(t, server, apitest.WidgetResource())
}

// follow calls see with what a stream says until see returns false, and returns the error of the stream.
func follow(ctx context.Context, resourceVersion string, see func(string) bool, watches ...rest.Watched) error {
	for e, err := range rest.WatchMany(ctx, resourceVersion, watches...) {
		if err != nil {
			return err
		}
		if !see(told(e)) {
			return nil
		}
	}
	return nil
}

func TestWatchMany(t *testing.T) { apitest.OverBoth(t, testWatchMany) }

func testWatchMany(t *testing.T, by apitest.Transport) {
	api := newCratesAndWidgets(t, rest.Options{})
	apitest.Must(t, api, "POST", crates, crate("c", "red", 1, ""))
	apitest.CreateWidget(t, api, "w")
	apitest.Must(t, api, "POST", crates, crate("small", "red", 0, ""))
	crateClient, widgetClient := clients(t, by, api)
	all := []rest.Watched{
		crateClient.Watched(rest.WatchOptions{FieldQuery: "spec.size>0"}),
		widgetClient.Namespace("default").Watched(rest.WatchOptions{}),
	}
	var seen []string
	require.NoError(t, follow(t.Context(), "", func(event string) bool {
		seen = append(seen, event)
		switch event {
		case "BOOKMARK true 4": // all existing objects have come
			apitest.CreateWidget(t, api, "w2")
			apitest.MergePatch(t, api, crates+"/small", `{"spec":{"size":5}}`)
			apitest.Must(t, api, "DELETE", apitest.Widgets+"/w", "")
			apitest.MergePatch(t, api, crates+"/c", `{"spec":{"size":0}}`)
		case "DELETED crate c 8":
			return false
		}
		return true
	}, all...))
	later := []string{"ADDED widget w2 5", "ADDED crate small 6", "DELETED widget w 7", "DELETED crate c 8"}
	assert.Equal(t, append([]string{"ADDED crate c 2", "ADDED widget w 3", "BOOKMARK true 4"}, later...), seen)

	seen = nil
	require.NoError(t, follow(t.Context(), "4", func(event string) bool {
		seen = append(seen, event)
		return len(seen) < len(later)
	}, all...))
	assert.Equal(t, later, seen, "one revision resumes the whole stream")

	ctx, cancel := context.WithCancelCause(t.Context())
	done := fmt.Errorf("enough")
	assert.ErrorIs(t, follow(ctx, "", func(string) bool { cancel(done); return true }, all...), done)
}

func TestRefusedWatchMany(t *testing.T) { apitest.OverBoth(t, testRefusedWatchMany) }

func testRefusedWatchMany(t *testing.T, by apitest.Transport) {
	store := apitest.NewStore(t)
	own := storage.NewMemory(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, own.Close()) })
	api := newCratesAndWidgets(t, rest.Options{Store: store, Stores: map[apimeta.GroupResource]storage.Store{
		{Group: "example.com", Resource: "widgets"}: own}})
	apitest.Must(t, api, "POST", crates, crate("c", "red", 1, ""))
	apitest.MergePatch(t, api, crates+"/c", `{"spec":{"size":2}}`)
	require.NoError(t, store.Compact(t.Context(), 3))
	client, widgetClient := clients(t, by, api)
	one := client.Watched(rest.WatchOptions{})
	another := apitest.ClientBy(t, by, newCrates(t, rest.Options{}), crateResource()).Watched(rest.WatchOptions{})
	for name, c := range map[string]struct {
		resourceVersion string
		watches         []rest.Watched
		refused         func(error) bool
	}{
		"no watch":      {"", nil, status.IsBadRequest},
		"too many":      {"", make([]rest.Watched, 101), status.IsBadRequest},
		"two APIs":      {"", []rest.Watched{one, another}, status.IsBadRequest},
		"another store": {"", []rest.Watched{one, widgetClient.Watched(rest.WatchOptions{})}, status.IsBadRequest},
		"a revision of its own": {"", []rest.Watched{client.Watched(rest.WatchOptions{ResourceVersion: "1"})},
			status.IsBadRequest},
		"an unknown field": {"", []rest.Watched{client.Watched(rest.WatchOptions{FieldQuery: "spec.weight>1"})},
			status.IsBadRequest},
		"no revision":         {"x", []rest.Watched{one}, status.IsBadRequest},
		"an expired revision": {"2", []rest.Watched{one}, status.IsExpired},
	} {
		t.Run(name, func(t *testing.T) {
			err := follow(t.Context(), c.resourceVersion, func(string) bool { return true }, c.watches...)
			assert.True(t, c.refused(err), "%v", err)
		})
	}
}

// A server without the extension does not have the path.
func TestWatchManyWithoutQueries(t *testing.T) {
	api := apitest.New(t, rest.Options{}, crateResource())
	apitest.Must(t, api, "POST", crates, crate("c", "red", 1, ""))
	remote := apitest.ClientBy(t, apitest.OverHTTP, api, crateResource()).Watched(rest.WatchOptions{})
	err := follow(t.Context(), "", func(string) bool { return true }, remote)
	assert.True(t, status.IsNotFound(err), "%v", err)

	inProcess := apitest.ClientFor[Crate](t, api).Watched(rest.WatchOptions{})
	require.NoError(t, follow(t.Context(), "", func(event string) bool { return event != "BOOKMARK true 2" }, inProcess))
}

// A user needs the right to watch each resource.
func TestRightsOfWatchMany(t *testing.T) {
	api := newCratesAndWidgets(t, rest.Options{Authorizer: rest.AuthorizerFunc(
		func(_ context.Context, a rest.Access) (rest.Decision, error) {
			if a.Resource == "widgets" {
				return rest.Deny("crates only"), nil
			}
			return rest.Allow("anybody"), nil
		})})
	user := rest.User{Name: "ann"}
	seen := apitest.ClientFor[Crate](t, api).AsUser(user).Watched(rest.WatchOptions{})
	hidden := apitest.ClientFor[apitest.Widget](t, api).AsUser(user).Watched(rest.WatchOptions{})
	require.NoError(t, follow(t.Context(), "", func(string) bool { return false }, seen))
	err := follow(t.Context(), "", func(string) bool { return true }, seen, hidden)
	assert.True(t, status.IsForbidden(err), "%v", err)
}

// The end of the API ends the stream.
func TestWatchManyEndsWithTheAPI(t *testing.T) {
	api := newCratesAndWidgets(t, rest.Options{})
	crateClient, widgetClient := clients(t, apitest.Transports[0], api)
	err := follow(t.Context(), "", func(string) bool {
		go api.Close()
		return true
	}, crateClient.Watched(rest.WatchOptions{}), widgetClient.Watched(rest.WatchOptions{}))
	assert.ErrorIs(t, err, watch.ErrClosed)
	assert.True(t, status.IsServiceUnavailable(err), "%v", err)
}

// A stream ends when one of its resources is replaced, and the client begins again.
func TestWatchManyOfAReplacedResource(t *testing.T) {
	api := newCratesAndWidgets(t, rest.Options{})
	crateClient, widgetClient := clients(t, apitest.Transports[0], api)
	changed := crateResource()
	changed.Description = "another declaration"
	err := follow(t.Context(), "", func(string) bool {
		go func() { assert.NoError(t, api.ReplaceResources(context.WithoutCancel(t.Context()), changed)) }()
		return true
	}, crateClient.Watched(rest.WatchOptions{}), widgetClient.Watched(rest.WatchOptions{}))
	assert.True(t, status.IsExpired(err), "%v", err)
}
