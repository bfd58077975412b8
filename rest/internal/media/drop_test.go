package media_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// dropping asks for answers without managedFields. The API ignores the field that it cannot drop.
const dropping = ";drop=metadata.uid+metadata.managedFields"

const asPartialList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// wantDropped asserts that two texts differ only by their managedFields, and that the first one has managedFields.
func wantDropped(t *testing.T, whole, dropped, label string) {
	t.Helper()
	assert.Contains(t, whole, `"managedFields"`, label)
	assert.NotContains(t, dropped, `"managedFields"`, label)
	assert.JSONEq(t, apitest.Unmanaged(t, whole), dropped, label)
}

// Every verb that returns objects can omit managedFields.
func TestDropManagedFields(t *testing.T) {
	large := apitest.WidgetBody(`"name":"large","annotations":{"a":"` + strings.Repeat("x", 100<<10) + `"}`)
	for _, dialect := range []rest.Dialect{rest.DialectCustom, rest.DialectBuiltin} {
		api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Wire.Dialect = dialect })
		apitest.CreateWidget(t, api, "a")
		apitest.CreateWidget(t, api, "b")
		apitest.Must(t, api, "POST", apitest.Widgets, large)
		for _, c := range []struct{ method, path, body, as string }{
			{"GET", apitest.Widgets + "/a", "", ""},
			{"GET", apitest.Widgets + "/large", "", ""},
			{"GET", apitest.Widgets + "/a", "", asPartial},
			{"GET", apitest.Widgets, "", ""},
			{"GET", apitest.Widgets, "", asPartialList},
			{"GET", apitest.Widgets + "?labelSelector=!none", "", ""},
			{"GET", apitest.Widgets + "?limit=1", "", ""},
			{"PATCH", apitest.Widgets + "/a?dryRun=All", `{"spec":{"size":2}}`, ""},
			{"PATCH", apitest.Widgets + "/a/status?dryRun=All", `{"status":{"phase":"Ready"}}`, ""},
			{"DELETE", apitest.Widgets + "?dryRun=All", "", ""},
		} {
			form := apitest.TypeJSON
			if c.method == "PATCH" {
				form = apitest.TypeMergePatch
			}
			for range 3 { // the third list comes from the cache
				whole := apitest.Must(t, api, c.method, c.path, c.body, "Content-Type", form,
					"Accept", "application/json"+c.as)
				dropped := apitest.Must(t, api, c.method, c.path, c.body, "Content-Type", form,
					"Accept", "application/json"+dropping+c.as)
				wantDropped(t, whole.Body, dropped.Body, c.method+" "+c.path)
				if c.method != "GET" {
					break
				}
			}
		}
		for _, accept := range []string{"application/yaml", apitest.TypeProtobuf + asPartialList} {
			whole := apitest.Must(t, api, "GET", apitest.Widgets, "", "Accept", accept)
			assert.Contains(t, whole.Body, "FieldsV1", accept)
			for range 2 {
				dropped := apitest.Must(t, api, "GET", apitest.Widgets, "", "Accept", accept+dropping)
				assert.NotContains(t, dropped.Body, "FieldsV1", accept)
				assert.Less(t, len(dropped.Body), len(whole.Body), accept)
			}
		}
		created := apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"c"`), "Accept",
			"application/json"+dropping)
		stored := apitest.Must(t, api, "GET", apitest.Widgets+"/c", "")
		wantDropped(t, stored.Body, created.Body, "POST")
		table := apitest.Must(t, api, "GET", apitest.Widgets, "", "Accept",
			"application/json;as=Table;g=meta.k8s.io;v=v1"+dropping)
		assert.Contains(t, table.Body, "managedFields", "the objects in the rows of a Table keep their managedFields")
	}
}

// A watch omits managedFields from each event, even from the events of large and of deleted objects.
func TestDropManagedFieldsFromWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		for _, as := range []string{"", asPartial} {
			target := apitest.Widgets + "?watch=1&labelSelector=!hidden&resourceVersion=" +
				apitest.Must(t, api, "GET", apitest.Widgets, "").ResourceVersion(t)
			apitest.CreateWidget(t, api, "a")
			apitest.MergePatch(t, api, apitest.Widgets+"/a",
				`{"metadata":{"annotations":{"a":"`+strings.Repeat("x", 100<<10)+`"}}}`)
			apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"labels":{"hidden":"yes"}}}`)
			apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
			whole := apitest.OpenWatch(t, api, target, "Accept", "application/json"+as).Events()
			dropped := apitest.OpenWatch(t, api, target, "Accept", "application/json"+dropping+as).Events()
			require.Len(t, whole, 3)
			require.Len(t, dropped, 3)
			for i := range whole {
				var a, b struct{ Object json.RawMessage }
				require.NoError(t, json.Unmarshal([]byte(whole[i]), &a))
				require.NoError(t, json.Unmarshal([]byte(dropped[i]), &b))
				wantDropped(t, string(a.Object), string(b.Object), fmt.Sprint(as, i))
			}
		}
	})
}

// An API that keeps managedFields ignores the parameter.
func TestKeepManagedFields(t *testing.T) {
	api := apitest.New(t, rest.Options{KeepManagedFields: true}, apitest.WidgetResource())
	apitest.CreateWidget(t, api, "a")
	for _, path := range []string{apitest.Widgets, apitest.Widgets + "/a"} {
		a := apitest.Must(t, api, "GET", path, "", "Accept", "application/json"+dropping)
		assert.Contains(t, a.Body, "managedFields")
	}
}

// BenchmarkListWithoutManagedFields compares a list with and without managedFields. About half of each object consists
// of managedFields. Target: 0.7, because no object is decoded.
func BenchmarkListWithoutManagedFields(b *testing.B) {
	api := apitest.Start(b, rest.Options{}, apitest.WidgetResource())
	for i := range 2000 {
		apitest.CreateWidget(b, api, fmt.Sprintf("w%04d", i), `"spec":{"size":1}`)
		target := fmt.Sprintf("%s/w%04d", apitest.Widgets, i)
		for m := range 4 {
			apitest.Must(b, api, "PATCH", fmt.Sprintf("%s?fieldManager=manager-%d", target, m),
				fmt.Sprintf(`{"metadata":{"annotations":{"example.com/of-manager-%d":"a value of this manager, of a usual size"}}}`, m),
				"Content-Type", apitest.TypeMergePatch)
		}
	}
	list := func(accept string) func(n int) {
		w := &apitest.DiscardWriter{Headers: http.Header{}}
		return func(n int) {
			for range n {
				w.Reset()
				api.ServeHTTP(w, apitest.NewRequest("GET", apitest.Widgets+"?limit=100000", nil, "Accept", accept))
			}
		}
	}
	apitest.Compare(b, 20, list("application/json"+dropping), list("application/json"))
}
