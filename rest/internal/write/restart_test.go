package write_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage/bolt"
)

// After a restart, the file yields the same bytes of an object, including its uid, resourceVersion, managedFields and
// deletion, and its grace period continues.
func TestObjectsInAFileComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "objects.db")
		run := func(f func(api *rest.API, client rest.Client[apitest.Widget])) {
			store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			require.NoError(t, err)
			api, err := rest.New(rest.Options{Store: store}, apitest.WidgetResource(removedWhenDue))
			require.NoError(t, err)
			f(api, apitest.WidgetClient(t, api))
			require.NoError(t, api.Close())
			require.NoError(t, store.Close())
		}
		var before apitest.Answer
		run(func(api *rest.API, client rest.Client[apitest.Widget]) {
			for _, name := range []string{"kept", "dying"} {
				_, err := client.FieldManager("tester").Create(t.Context(),
					&apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: apitest.WidgetSpec{Size: new(int32(30))}})
				require.NoError(t, err)
			}
			require.NoError(t, client.Delete(t.Context(), "dying", rest.DeleteOptions{}))
			before = apitest.Do(t, api, "GET", apitest.Widgets, "")
			require.Contains(t, before.Body, `"manager":"tester"`)
		})
		<-time.After(10 * time.Second)
		run(func(api *rest.API, client rest.Client[apitest.Widget]) {
			after := apitest.Do(t, api, "GET", apitest.Widgets, "")
			assert.Equal(t, before.Value(t, "items"), after.Value(t, "items"))
			dying, err := client.Get(t.Context(), "dying")
			require.NoError(t, err)
			remaining := deletedAfter(t, client, dying.ResourceVersion)
			assert.InDelta(t, 20*time.Second, remaining, float64(time.Second))
		})
		run(func(_ *rest.API, client rest.Client[apitest.Widget]) {
			all, err := client.List(t.Context(), rest.ListOptions{})
			require.NoError(t, err)
			assert.Len(t, all.Items, 1)
		})
	})
}
