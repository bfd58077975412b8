package resource_test

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// Each of the two shards contains four of the eight uids of the tests, whose hashes are close to each other.
var lowerShard, upperShard = halves()

func halves() (lower, upper string) {
	var hashes []uint64
	for i := range 8 {
		h := fnv.New64a()
		fmt.Fprintf(h, "uid-%d", i+1)
		hashes = append(hashes, h.Sum64())
	}
	slices.Sort(hashes)
	return fmt.Sprintf("shardRange(object.metadata.uid, '0x0000000000000000', '0x%016x')", hashes[4]),
		fmt.Sprintf("shardRange(object.metadata.uid, '0x%016x', '0x10000000000000000')", hashes[4])
}

// shardOf returns the address of the Widgets with a shardSelector.
func shardOf(selector, more string) string {
	return apitest.Widgets + "?shardSelector=" + url.QueryEscape(selector) + more
}

// sharded returns an API whose kinds have shards, over a store, with eight Widgets.
func sharded(t *testing.T, store storage.Store) *rest.API {
	api := apitest.New(t, rest.Options{Sharded: true, Store: store}, apitest.WidgetResource())
	for i := range 8 {
		apitest.CreateWidget(t, api, fmt.Sprintf("w%d", i))
	}
	return api
}

// In any form of list, each object is in one shard, and the list names its shard.
func TestListOfAShard(t *testing.T) {
	api := sharded(t, nil)
	all := apitest.Must(t, api, "GET", apitest.Widgets, "")
	assert.Nil(t, all.Value(t, "metadata.shardInfo"))
	for _, accept := range []string{"application/json", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"} {
		for range 3 { // the third answers come from the cache of lists
			var found []string
			for _, selector := range []string{lowerShard, upperShard} {
				list := apitest.Must(t, api, "GET", shardOf(selector, ""), "", "Accept", accept)
				assert.Equal(t, selector, list.Text(t, "metadata.shardInfo.selector"))
				assert.NotEmpty(t, list.Names(t))
				found = append(found, list.Names(t)...)
			}
			assert.ElementsMatch(t, all.Names(t), found)
		}
	}
	both := apitest.Must(t, api, "GET", shardOf("("+upperShard+")||"+lowerShard, ""), "")
	assert.Equal(t, upperShard+" || "+lowerShard, both.Text(t, "metadata.shardInfo.selector"))
	assert.Equal(t, all.Names(t), both.Names(t))
	none := apitest.Must(t, api, "GET", shardOf(lowerShard, "&fieldSelector=spec.color%3DRed&labelSelector=a"), "")
	assert.Empty(t, none.Names(t), "the other selectors apply too")
}

// The pages of a shard contain its objects. How many remain is unknown, as with other selectors.
func TestPagesOfAShard(t *testing.T) {
	api := sharded(t, nil)
	whole := apitest.Must(t, api, "GET", shardOf(lowerShard, ""), "").Names(t)
	require.Greater(t, len(whole), 1)
	var paged []string
	for token, more := "", true; more; more = token != "" {
		page := apitest.Must(t, api, "GET", shardOf(lowerShard, "&limit=1&continue="+token), "")
		assert.Nil(t, page.Value(t, "metadata.remainingItemCount"))
		assert.Equal(t, lowerShard, page.Text(t, "metadata.shardInfo.selector"))
		paged, token = append(paged, page.Names(t)...), page.Text(t, "metadata.continue")
	}
	assert.Equal(t, whole, paged)
}

// A watch of a shard reports the changes of its objects since the revision of its list, even through another API over
// the same store.
func TestWatchOfAShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := apitest.NewStore(t)
		api := sharded(t, store)
		other := apitest.New(t, rest.Options{Sharded: true, Store: apitest.RegisteredStore{Store: store}}, apitest.WidgetResource())
		list := apitest.Must(t, api, "GET", shardOf(lowerShard, ""), "")
		inside := map[string]bool{}
		for _, name := range list.Names(t) {
			inside[name] = true
		}
		first := apitest.OpenWatch(t, api, shardOf(lowerShard, "&watch=1&resourceVersion="+list.ResourceVersion(t)))
		var want []string
		for i := range 8 {
			name := fmt.Sprintf("w%d", i)
			apitest.MergePatch(t, api, apitest.Widgets+"/"+name, `{"spec":{"size":2}}`)
			apitest.Must(t, other, "DELETE", apitest.Widgets+"/"+name, "")
			if inside[name] {
				want = append(want, "MODIFIED "+name, "DELETED "+name)
			}
		}
		require.NotEmpty(t, want)
		events := first.Events()
		assert.Equal(t, want, eventNames(t, events))
		half := apitest.Answer{Body: events[0]}.Text(t, "object.metadata.resourceVersion")
		resumed := apitest.OpenWatch(t, other, shardOf(lowerShard, "&watch=1&resourceVersion="+half))
		assert.Equal(t, want[1:], eventNames(t, resumed.Events()))
	})
}

// eventNames returns the type and the object of each event.
func eventNames(t *testing.T, events []string) (names []string) {
	for _, e := range events {
		a := apitest.Answer{Body: e}
		names = append(names, a.Text(t, "type")+" "+a.Text(t, "object.metadata.name"))
	}
	return names
}

// The deletion of a collection deletes only the objects in the shard.
func TestDeletionOfAShard(t *testing.T) {
	api := sharded(t, nil)
	left := apitest.Must(t, api, "GET", shardOf(upperShard, ""), "").Names(t)
	apitest.Must(t, api, "DELETE", shardOf(lowerShard, ""), "")
	assert.Equal(t, left, apitest.Must(t, api, "GET", apitest.Widgets, "").Names(t))
}

func TestInvalidShard(t *testing.T) {
	api := sharded(t, nil)
	for _, more := range []string{"", "&watch=1"} {
		a := apitest.Do(t, api, "GET", shardOf("x", more), "")
		apitest.WantFailure(t, a, 400, "BadRequest",
			`invalid shardSelector: only shardRange(...) and || are allowed: "x"`, "")
	}
}

// A kind has shards if the options of the API or of the kind enable them. Otherwise the API ignores the parameter and
// does not publish it.
func TestWhichKindsHaveShards(t *testing.T) {
	for _, has := range []bool{false, true} {
		api := apitest.New(t, rest.Options{}, apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) {
			r.Wire.Sharded = has
		}))
		apitest.CreateWidget(t, api, "a")
		apitest.CreateWidget(t, api, "b")
		list := apitest.Must(t, api, "GET", shardOf(lowerShard, ""), "")
		assert.Equal(t, has, list.Value(t, "metadata.shardInfo") != nil)
		if !has {
			assert.Len(t, list.Names(t), 2)
			assert.Equal(t, 200, apitest.Do(t, api, "GET", shardOf("x", ""), "").Code)
		}
		document := apitest.Must(t, api, "GET", "/openapi/v3/apis/example.com/v1", "").Body
		assert.Equal(t, has, strings.Contains(document, `"shardSelector"`))
		page, err := apitest.WidgetClient(t, api).List(t.Context(), rest.ListOptions{ShardSelector: lowerShard})
		require.NoError(t, err)
		assert.Equal(t, has, page.Shard != "")
		assert.Len(t, page.Items, len(list.Names(t)))
	}
}

// A list in Protobuf also names its shard.
func TestShardInProtobuf(t *testing.T) {
	api := sharded(t, nil)
	a := apitest.Must(t, api, "GET", shardOf(lowerShard, ""), "", "Accept",
		apitest.TypeProtobuf+";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	info := append([]byte{0x0a, byte(len(lowerShard))}, lowerShard...) // field 1 of ShardInfo
	assert.Contains(t, a.Body, string(append([]byte{0x2a, byte(len(info))}, info...)), "field 5 of ListMeta")
}
