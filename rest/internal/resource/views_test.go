package resource_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// countingCogs is an API of Cogs that counts how often an object is converted from the stored version.
func countingCogs(t testing.TB, options rest.Options) (*rest.API, *atomic.Int64) {
	var count atomic.Int64
	r := apitest.CogResource()
	r.Versions = []rest.VersionOf[apitest.Cog]{rest.Converted(apitest.BetaCogResource(), apitest.CogToV1,
		func(in *apitest.Cog, out *apitest.CogV1beta1) error {
			count.Add(1)
			return apitest.CogFromV1(in, out)
		})}
	return apitest.New(t, options, r), &count
}

func namedCog(name string) string {
	return strings.Replace(apitest.CogBody(`{"teeth":12}`), `"a"`, `"`+name+`"`, 1)
}

func TestOneConversionServesAllReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, count := countingCogs(t, rest.Options{})
		var watches []*apitest.Watching
		for range 20 {
			watches = append(watches, apitest.OpenWatch(t, api, apitest.BetaCogs+"?watch=1&resourceVersion=1&labelSelector=!x"))
		}
		create := apitest.Do(t, api, "POST", apitest.Cogs, namedCog("a"))
		require.Equal(t, 201, create.Code, create.Body)
		for _, w := range watches {
			require.Len(t, w.Events(), 1)
		}
		// Watchers that wake at the same moment may each convert.
		require.LessOrEqual(t, count.Load(), int64(len(watches)))
		before := count.Load()
		for range 10 {
			apitest.Must(t, api, "GET", apitest.BetaCogs+"/a", "")
			apitest.Must(t, api, "GET", apitest.BetaCogs+"?fieldSelector=spec.metal%3Dsteel", "", "Accept", apitest.AcceptTable)
		}
		assert.Equal(t, before, count.Load())
		apitest.Must(t, api, "PATCH", apitest.Cogs+"/a", `{"spec":{"teeth":13}}`, "Content-Type", apitest.TypeMergePatch)
		assert.Contains(t, apitest.Must(t, api, "GET", apitest.BetaCogs+"/a", "").Body, `"toothCount":13`,
			"a view is of one state of the object")
	})
}

func TestConvertedObjectsAreCachedWithinABudget(t *testing.T) {
	const objects = 50
	for _, c := range []struct {
		name     string
		budget   int64
		min, max int64 // conversions of two lists
	}{
		{"room for all", 1 << 20, objects, objects},
		{"room for some", 20 << 10, objects + 1, 4 * objects},
		{"room for none", 2, 2 * objects, 4 * objects}, // each is converted once to see whether it can be, and once to be sent
	} {
		t.Run(c.name, func(t *testing.T) {
			api, count := countingCogs(t, rest.Options{Limits: rest.Limits{CacheBytes: c.budget * 9 / 4}})
			for i := range objects {
				require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, namedCog(fmt.Sprintf("c%02d", i))).Code)
			}
			first := apitest.Must(t, api, "GET", apitest.BetaCogs, "")
			require.Len(t, first.Names(t), objects)
			assert.Equal(t, first.Body, apitest.Must(t, api, "GET", apitest.BetaCogs, "").Body)
			assert.GreaterOrEqual(t, count.Load(), c.min)
			assert.LessOrEqual(t, count.Load(), c.max)
		})
	}
}

// Run with the race detector.
func TestReadersOfAllVersionsAtOnce(t *testing.T) {
	api, _ := countingCogs(t, rest.Options{Limits: rest.Limits{CacheBytes: 18 << 10}})
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for i := range 4 {
		name := fmt.Sprintf("c%d", i)
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, namedCog(name)).Code)
		writers.Go(func() {
			for n := range 50 {
				target, patch := apitest.Cogs, fmt.Sprintf(`{"spec":{"teeth":%d}}`, n+2)
				if n%2 == 0 {
					target, patch = apitest.BetaCogs, fmt.Sprintf(`{"spec":{"toothCount":%d}}`, n+2)
				}
				assert.Equal(t, 200, apitest.MergePatch(t, api, target+"/"+name, patch).Code)
			}
		})
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				stored, shown := apitest.Must(t, api, "GET", apitest.Cogs+"/"+name, ""),
					apitest.Must(t, api, "GET", apitest.BetaCogs+"/"+name, "")
				if stored.ResourceVersion(t) == shown.ResourceVersion(t) {
					assert.Equal(t, stored.Value(t, "spec.teeth"), shown.Value(t, "spec.toothCount"))
				}
				apitest.Must(t, api, "GET", apitest.BetaCogs, "")
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	assert.Equal(t, "51", fmt.Sprint(apitest.Must(t, api, "GET", apitest.BetaCogs+"/c0", "").Value(t, "spec.toothCount")))
}
