package controller_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
)

const (
	lowerHalf = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	upperHalf = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
)

// shardedClients returns a workshop, and clients in process and over HTTP.
func shardedClients(t *testing.T, sharded bool) (*workshop, map[string]rest.Client[Gear]) {
	kind := gears()
	kind.Wire.Sharded = sharded
	w := workshopOf(t, kind)
	transport := http.RoundTripper(rest.RoundTripper(w.api))
	return w, map[string]rest.Client[Gear]{"in process": w.all, "over HTTP": elsewhere(t, transport)}
}

// The informers of all shards hold each object once.
func TestInformersOfShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, clients := shardedClients(t, true)
		var all []string
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			w.create(gear(name, 1))
			all = append(all, name)
		}
		for name, client := range clients {
			var held []string
			for _, half := range []string{lowerHalf, upperHalf} {
				informer := controller.NewInformer(client, controller.InformerOptions[Gear]{ShardSelector: half})
				run(t, informer)
				require.NoError(t, informer.WaitForSync(t.Context()))
				held = append(held, names(informer.List())...)
			}
			assert.ElementsMatch(t, all, held, name)
		}
	})
}

// An API without shards ignores the selector and answers with all objects. The informer does not take them for a shard.
func TestInformerOfAShardNeedsShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, clients := shardedClients(t, false)
		w.create(gear("a", 1))
		for name, client := range clients {
			informer := controller.NewInformer(client, controller.InformerOptions[Gear]{ShardSelector: lowerHalf})
			require.ErrorContains(t, informer.Run(t.Context()), "does not serve shards", name)
			assert.Empty(t, informer.List(), name)
		}
	})
}
