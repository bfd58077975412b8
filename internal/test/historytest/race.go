package historytest

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// Race lets writers race for one object, in two programs at once. They leave a version for each write, in the order of
// the commits.
func Race(t *testing.T, open func() storage.Store) {
	const writers, each = 4, 5
	var programs []*program
	for range 2 {
		store := open()
		api, err := rest.New(rest.Options{Store: store}, declare(0, writers*each+1))
		require.NoError(t, err)
		p := &program{store, api}
		t.Cleanup(func() { p.stop(t) })
		programs = append(programs, p)
	}
	_, err := routes(t, programs[0].api).Namespace("n").Create(t.Context(), route("r", 0))
	require.NoError(t, err)
	var writing sync.WaitGroup
	for i := range writers {
		client := routes(t, programs[i%2].api).Namespace("n")
		writing.Go(func() {
			for range each {
				_, err := client.Modify(t.Context(), "r", func(d *apimeta.Document) error {
					specOf(d)["size"] = sizeOf(d) + 1
					return nil
				})
				assert.NoError(t, err)
			}
		})
	}
	writing.Wait()
	for _, p := range programs {
		client := routes(t, p.api).Namespace("n")
		list, err := rest.HistoryOf(client).List(t.Context(), "r")
		require.NoError(t, err)
		require.Len(t, list.Items, writers*each+1)
		for i, v := range slices.Backward(list.Items) {
			d, err := rest.HistoryOf(client).At(t.Context(), "r", v.ResourceVersion)
			require.NoError(t, err)
			require.EqualValues(t, writers*each-i, sizeOf(d))
		}
	}
}
