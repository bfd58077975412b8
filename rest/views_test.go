package rest_test

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
)

// countingCogs is an API of Cogs that counts how often an object is converted from the stored version.
func countingCogs(t testing.TB, options rest.Options) (*rest.API, *atomic.Int64) {
	var count atomic.Int64
	r := cogResource()
	r.Versions = []rest.VersionOf[Cog]{rest.Converted(betaCogResource(), cogToV1, func(in *Cog, out *CogV1beta1) error {
		count.Add(1)
		return cogFromV1(in, out)
	})}
	return newAPI(t, options, r), &count
}

func namedCog(name string) string {
	return strings.Replace(cogBody(`{"teeth":12}`), `"a"`, `"`+name+`"`, 1)
}

func TestAnObjectIsConvertedOnceForAllReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, count := countingCogs(t, rest.Options{})
		var watches []*stream
		for range 20 {
			watches = append(watches, follow(t, api, betaCogs+"?watch=1&resourceVersion=1&labelSelector=!x"))
		}
		create := do(t, api, "POST", cogs, namedCog("a"))
		require.Equal(t, 201, create.Code, create.Body)
		for _, w := range watches {
			require.Len(t, w.events(), 1)
		}
		// Watchers that wake at the same moment may each convert.
		require.LessOrEqual(t, count.Load(), int64(len(watches)))
		before := count.Load()
		for range 10 {
			must(t, api, "GET", betaCogs+"/a", "")
			must(t, api, "GET", betaCogs+"?fieldSelector=spec.metal%3Dsteel", "", "Accept", acceptTable)
		}
		assert.Equal(t, before, count.Load())
		must(t, api, "PATCH", cogs+"/a", `{"spec":{"teeth":13}}`, "Content-Type", typeMergePatch)
		assert.Contains(t, must(t, api, "GET", betaCogs+"/a", "").Body, `"toothCount":13`, "a view is of one state of the object")
	})
}

func TestWhatIsKeptOfOtherVersionsIsBounded(t *testing.T) {
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
			api, count := countingCogs(t, rest.Options{MaxConvertedBytes: c.budget})
			for i := range objects {
				require.Equal(t, 201, do(t, api, "POST", cogs, namedCog(fmt.Sprintf("c%02d", i))).Code)
			}
			first := must(t, api, "GET", betaCogs, "")
			require.Len(t, first.names(t), objects)
			assert.Equal(t, first.Body, must(t, api, "GET", betaCogs, "").Body)
			assert.GreaterOrEqual(t, count.Load(), c.min)
			assert.LessOrEqual(t, count.Load(), c.max)
		})
	}
}

// Run with the race detector.
func TestReadersOfAllVersionsAtOnce(t *testing.T) {
	api, _ := countingCogs(t, rest.Options{MaxConvertedBytes: 8 << 10})
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for i := range 4 {
		name := fmt.Sprintf("c%d", i)
		require.Equal(t, 201, do(t, api, "POST", cogs, namedCog(name)).Code)
		writers.Go(func() {
			for n := range 50 {
				target, patch := cogs, fmt.Sprintf(`{"spec":{"teeth":%d}}`, n+2)
				if n%2 == 0 {
					target, patch = betaCogs, fmt.Sprintf(`{"spec":{"toothCount":%d}}`, n+2)
				}
				assert.Equal(t, 200, merge(t, api, target+"/"+name, patch).Code)
			}
		})
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				stored, shown := must(t, api, "GET", cogs+"/"+name, ""), must(t, api, "GET", betaCogs+"/"+name, "")
				if stored.rv(t) == shown.rv(t) {
					assert.Equal(t, stored.value(t, "spec.teeth"), shown.value(t, "spec.toothCount"))
				}
				must(t, api, "GET", betaCogs, "")
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	assert.Equal(t, "51", fmt.Sprint(must(t, api, "GET", betaCogs+"/c0", "").value(t, "spec.toothCount")))
}
