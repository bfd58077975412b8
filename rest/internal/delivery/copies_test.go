package delivery_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// An object in another version than the stored one is a copy, which takes memory from the budget while its client
// reads.
func TestConvertedObjectTakesFromTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := storage.NewBudget(64 << 20)
		api := apitest.New(t, rest.Options{Limits: rest.Limits{Budget: budget, CacheBytes: -1}}, rest.Resource[Slab]{
			Group: "slabs.example.com", Version: "v1", Plural: "slabs", Scope: rest.ScopeCluster, Wire: rest.Wire{Untracked: true},
			Versions: []rest.VersionOf[Slab]{rest.Converted[Slab](rest.Resource[SlabV2]{Version: "v2"}, nil, nil)},
		})
		(&slabServer{api: api}).create(t, "large", 200_000)
		for version, copied := range map[string]bool{"v1": false, "v2": true} {
			unread := apitest.SendUnread(t, api, "GET", "/apis/slabs.example.com/"+version+"/slabs/large")
			assert.Equal(t, copied, budget.Used() > 200_000, version)
			unread.Read()
			assert.Zero(t, budget.Used(), version)
		}
	})
}
