package rest_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage/bolt"
)

// After a failed commit, the API answers writes with the cause, and serves reads and open watches without what failed.
// After the file is opened again, a watch continues from its last position.
func TestFailedCommitInAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "objects.db")
		serve := func(use func(api *rest.API)) {
			store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			require.NoError(t, err)
			api, err := rest.New(rest.Options{Store: store}, apitest.WidgetResource())
			require.NoError(t, err)
			use(api)
			require.NoError(t, api.Close())
			_ = store.Close() // returns the error of the failed commit
		}
		size := func(n string) string { return `{"spec":{"size":` + n + `}}` }
		patch := func(api *rest.API, body string) apitest.Answer {
			return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", body, "Content-Type", "application/merge-patch+json")
		}
		var position string
		serve(func(api *rest.API) {
			apitest.CreateWidget(t, api, "a")
			open := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1")
			require.Len(t, open.Events(), 1)
			require.Equal(t, 200, patch(api, size("2")).Code)
			require.Len(t, open.Events(), 1)
			before := apitest.Do(t, api, "GET", apitest.Widgets, "")
			position = before.Value(t, "metadata.resourceVersion").(string)

			require.NoError(t, os.Rename(path, path+".away"))
			a := patch(api, size("3"))
			assert.Equal(t, 504, a.Code, "nobody knows whether the write is durable")
			assert.Contains(t, a.Body, "Timeout")
			for range 2 {
				a = patch(api, size("4"))
				assert.Equal(t, 503, a.Code)
				assert.Equal(t, "10", a.Header.Get("Retry-After"))
				assert.Contains(t, a.Body, `"reason":"StoreReadOnly"`)
				assert.Contains(t, a.Body, path)
			}
			a = apitest.Do(t, api, "GET", "/readyz", "")
			assert.Equal(t, 500, a.Code)
			assert.Contains(t, a.Body, path)
			assert.Equal(t, 200, apitest.Do(t, api, "GET", "/livez", "").Code)
			assert.Equal(t, before.Body, apitest.Do(t, api, "GET", apitest.Widgets, "").Body)
			assert.Empty(t, open.Events())
			assert.False(t, open.Ended())
			assert.Empty(t, apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion="+position).Events())
		})
		require.NoError(t, os.Rename(path+".away", path))
		serve(func(api *rest.API) {
			resumed := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion="+position)
			missed := resumed.Events()
			require.Len(t, missed, 1, "the write whose outcome was unknown had reached the file")
			assert.Contains(t, missed[0], `"type":"MODIFIED"`)
			assert.Contains(t, missed[0], `"size":3`)
			require.Equal(t, 200, patch(api, size("4")).Code)
			assert.Len(t, resumed.Events(), 1)
			assert.Equal(t, "ok", apitest.Do(t, api, "GET", "/readyz", "").Body)
		})
	})
}
