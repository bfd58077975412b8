package rest_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/observe"
)

// A watch whose client has read everything is not behind. One whose client does not read falls behind.
func TestOpenWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		server := apitest.ServeOnPipes(t, s.API)
		assert.Empty(t, s.API.OpenWatches())
		stuck := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1")
		good := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Things+"?watch=1&labelSelector=a%3Db")
		synctest.Wait()
		require.Len(t, s.API.OpenWatches(), 2)
		for _, w := range s.API.OpenWatches() {
			assert.Zero(t, w.Behind)
		}
		s.MustCreate(t, "a")
		synctest.Wait()
		s.MustCreate(t, "b")
		synctest.Wait()
		open := s.API.OpenWatches()
		require.Len(t, open, 2)
		assert.NotZero(t, open[0].Behind)
		assert.Equal(t, observe.OpenWatch{User: "system:anonymous", Path: apitest.Things, Query: "watch=1",
			Behind: open[0].Behind}, open[0])
		assert.Equal(t, "watch=1&labelSelector=a%3Db", open[1].Query)
		assert.Zero(t, open[1].Behind, "the changes are not for this client")

		stuck.Next(t)
		stuck.Next(t)
		synctest.Wait()
		assert.Zero(t, s.API.OpenWatches()[0].Behind)
		stuck.Stop()
		good.Stop()
		synctest.Wait()
		assert.Empty(t, s.API.OpenWatches())
	})
}
