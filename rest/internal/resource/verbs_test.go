package resource_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestDisabledVerbs(t *testing.T) {
	t.Run("read-only", func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
			r.Verbs, r.Scale = []access.Verb{access.VerbGet, access.VerbList, access.VerbWatch}, nil
		})
		client := apitest.WidgetClient(t, api)
		_, err := client.Create(context.Background(),
			&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: apitest.WidgetSpec{Size: new(int32(1))}})
		require.NoError(t, err, "the host writes in process")
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
		assert.Equal(t, []string{"a"}, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
		for _, c := range []struct{ method, target string }{
			{"POST", apitest.Widgets}, {"DELETE", apitest.Widgets}, {"PUT", apitest.Widgets + "/a"},
			{"PATCH", apitest.Widgets + "/a"},
			{"DELETE", apitest.Widgets + "/a"},
		} {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), 405, "MethodNotAllowed",
				"the server does not allow this method on the requested resource", "{}")
		}
		assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a/status", "").Code)
		for method, verb := range map[string]string{"PUT": "update", "PATCH": "patch"} {
			apitest.WantFailure(t, apitest.Do(t, api, method, apitest.Widgets+"/a/status", ""), 405, "MethodNotAllowed",
				verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
	})
	t.Run("nothing but create", func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Verbs = []access.Verb{access.VerbCreate} })
		apitest.CreateWidget(t, api, "a")
		for _, c := range []struct{ method, target string }{{"GET", apitest.Widgets}, {"GET", apitest.Widgets + "?watch=1"},
			{"GET", apitest.AllWidgets}, {"GET", apitest.Widgets + "/a"}} {
			assert.Equal(t, 405, apitest.Do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
		}
	})
	t.Run("list without watch", func(t *testing.T) {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Verbs = []access.Verb{access.VerbList} })
		assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets, "").Code)
		assert.Equal(t, 405, apitest.Do(t, api, "GET", apitest.Widgets+"?watch=1", "").Code)
	})
}
