package resource_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestSingleton(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SettingsResource())
	object := func(rv, generation, level, more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster","uid":"uid-1","resourceVersion":"` + rv +
			`","generation":` + generation +
			`,"creationTimestamp":"` + apitest.NowText + `"},"spec":{"level":"` + level + `"}` + more + `}`
	}
	one := apitest.SettingsPath + "/cluster"
	apitest.WantJSON(t, apitest.Do(t, api, "GET", one, ""), 200, object("2", "1", "low", ""))
	assert.Equal(t, []string{"cluster"}, apitest.Do(t, api, "GET", apitest.SettingsPath, "").Names(t))
	apitest.WantJSON(t, apitest.MergePatch(t, api, one, `{"spec":{"level":"high"}}`), 200, object("3", "2", "high", ""))
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", one,
		`{"apiVersion":"example.com/v1","kind":"Settings","metadata":{"name":"cluster","resourceVersion":"3"},"spec":{}}`),
		200, object("4", "3", "low", ""))
	apitest.WantJSON(t, apitest.MergePatch(t, api, one+"/status", `{"status":{"applied":"low"}}`), 200,
		object("5", "3", "low", `,"status":{"applied":"low"}`))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.SettingsPath+"/other", "").Code)
	for _, c := range []struct{ method, target string }{{"POST", apitest.SettingsPath}, {"DELETE", apitest.SettingsPath},
		{"DELETE", one}} {
		assert.Equal(t, 405, apitest.Do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
	}
	t.Run("by the client", func(t *testing.T) {
		client := apitest.ClientFor[apitest.Settings](t, api)
		got, err := client.Get(context.Background(), "cluster")
		require.NoError(t, err)
		got.Spec.Level = "high"
		_, err = client.Update(context.Background(), got)
		require.NoError(t, err)
		_, err = client.Create(context.Background(),
			&apitest.Settings{ObjectMeta: apimeta.ObjectMeta{Name: "other"}, Spec: apitest.SettingsSpec{Level: "low"}})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		err = client.Delete(context.Background(), "cluster", rest.DeleteOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
	})
}

func TestSingletonNeedsValidDefaults(t *testing.T) {
	r := apitest.WidgetResource()
	singleton := rest.Resource[apitest.Widget]{Group: r.Group, Version: r.Version, Plural: r.Plural,
		Scope: rest.ScopeCluster, Singleton: "one"}
	_, err := rest.New(rest.Options{}, singleton)
	require.ErrorContains(t, err, "Widget")
	require.ErrorContains(t, err, "spec.size: Required value")

	another := status.AlreadyExists(apimeta.GroupResource{Resource: "gadgets"}, "g")
	singleton.Hooks.Default = func(context.Context, *apitest.Widget) error { return another }
	_, err = rest.New(rest.Options{}, singleton)
	require.ErrorContains(t, err, another.Error(), "it is another object that exists already")
}
