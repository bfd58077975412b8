package resource_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// FuzzVersions writes through both versions at random, and asks after each step whether every read in the other version
// is what the conversion makes of the stored object: get, list, selected list, and a replica that is kept by a watch.
func FuzzVersions(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint16(40))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			// A budget for a few objects, so that views come and go.
			api := apitest.New(t, rest.Options{Limits: rest.Limits{CacheBytes: 18 << 10}}, apitest.CogResource())
			watches := map[string]*apitest.Watching{}
			for _, selector := range []string{"", "&fieldSelector=spec.metal%3Dtin", "&labelSelector=team%3Da"} {
				watches[selector] = apitest.OpenWatch(t, api, apitest.BetaCogs+"?watch=1&resourceVersion=1"+selector)
			}
			replicas := map[string]map[string]string{}
			for selector := range watches {
				replicas[selector] = map[string]string{}
			}
			for range steps % 64 {
				randomWrite(t, r, api)
				want := convertedList(t, api)
				for selector, w := range watches {
					replay(t, replicas[selector], w.Events())
					shown := map[string]string{}
					for name, object := range want {
						if strings.Contains(selector, "metal") && !strings.Contains(object, `"metal":"tin"`) ||
							strings.Contains(selector, "team") && !strings.Contains(object, `"team":"a"`) {
							continue
						}
						shown[name] = object
					}
					require.Equal(t, shown, replicas[selector], "watched with %q", selector)
					require.Equal(t, slices.Sorted(maps.Keys(shown)), listedNames(t, api, selector), "listed with %q", selector)
				}
			}
		})
	})
}

func randomWrite(t *testing.T, r *rand.Rand, api *rest.API) {
	t.Helper()
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	name := pick("x", "y", "z")
	metal, labels := pick("tin", "iron", "steel"), pick(`{}`, `{"team":"a"}`, `{"team":"b"}`)
	teeth := 2 + r.IntN(3)
	var a apitest.Answer
	switch r.IntN(7) {
	case 0:
		a = apitest.Do(t, api, "POST", apitest.Cogs,
			fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":%q,"labels":%s},"spec":{"teeth":%d,"material":%q}}`, name, labels, teeth, metal))
	case 1:
		a = apitest.Do(t, api, "POST", apitest.BetaCogs,
			fmt.Sprintf(`{"apiVersion":"example.com/v1beta1","kind":"Cog","metadata":{"name":%q,"labels":%s},"spec":{"toothCount":%d,"oiled":true}}`,
				name, labels, teeth))
	case 2:
		a = apitest.MergePatch(t, api, apitest.Cogs+"/"+name,
			fmt.Sprintf(`{"metadata":{"labels":{"team":%q}},"spec":{"material":%q,"note":%q}}`, pick("a", "b"), metal,
				pick("", "oil")))
	case 3:
		a = apitest.MergePatch(t, api, apitest.BetaCogs+"/"+name,
			fmt.Sprintf(`{"metadata":{"labels":{"team":null}},"spec":{"metal":%q,"oiled":%t}}`, metal, r.IntN(2) == 0))
	case 4:
		a = apitest.MergePatch(t, api, pick(apitest.BetaCogs, apitest.Cogs)+"/"+name+"/status",
			fmt.Sprintf(`{"status":{"turns":%d,"rotations":%d}}`, r.IntN(3), r.IntN(3)))
	case 5:
		a = apitest.Do(t, api, "DELETE", pick(apitest.BetaCogs, apitest.Cogs, apitest.AlphaCogs)+"/"+name, "")
	case 6:
		a = apitest.MergePatch(t, api, apitest.AlphaCogs+"/"+name, fmt.Sprintf(`{"spec":{"teeth":%d}}`, teeth))
	}
	require.Contains(t, []int{200, 201, 404, 409}, a.Code, a.Body)
}

// convertedList is what clients of v1beta1 read, by name. In its Go type it is what the conversion makes of the stored
// objects: only zeros that a client has sent are there besides.
func convertedList(t *testing.T, api *rest.API) map[string]string {
	t.Helper()
	var stored struct{ Items []apitest.Cog }
	apitest.Must(t, api, "GET", apitest.Cogs, "").Decode(t, &stored)
	out := map[string]string{}
	for _, item := range stored.Items {
		beta := apitest.CogV1beta1{ObjectMeta: item.ObjectMeta}
		require.NoError(t, apitest.CogFromV1(&item, &beta))
		beta.APIVersion, beta.Kind = "example.com/v1beta1", "Cog"
		text, err := json.Marshal(&beta)
		require.NoError(t, err)
		out[item.Name] = apitest.Unmanaged(t, apitest.Must(t, api, "GET", apitest.BetaCogs+"/"+item.Name, "").Body)
		var read apitest.CogV1beta1
		require.NoError(t, json.Unmarshal([]byte(out[item.Name]), &read))
		shown, err := json.Marshal(&read)
		require.NoError(t, err)
		require.Equal(t, apitest.Unmanaged(t, string(text)), apitest.Unmanaged(t, string(shown)))
	}
	return out
}

func listedNames(t *testing.T, api *rest.API, selector string) []string {
	t.Helper()
	names := apitest.Must(t, api, "GET", apitest.BetaCogs+"?"+strings.TrimPrefix(selector, "&"), "").Names(t)
	if len(names) == 0 {
		return nil
	}
	return names
}

// replay applies events to a replica, which holds objects by name.
func replay(t *testing.T, replica map[string]string, events []string) {
	t.Helper()
	for _, text := range events {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(text), &event))
		object := apitest.Unmanaged(t, string(event.Object))
		var named struct{ Metadata struct{ Name string } }
		require.NoError(t, json.Unmarshal([]byte(object), &named))
		_, had := replica[named.Metadata.Name]
		require.Equal(t, had, event.Type != "ADDED", text)
		if replica[named.Metadata.Name] = object; event.Type == "DELETED" {
			delete(replica, named.Metadata.Name)
		}
	}
}
