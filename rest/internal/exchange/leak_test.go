package exchange_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// Resources that come and go leave nothing behind: no goroutine, and at most 2 KiB for each name if the store keeps no
// objects of it. If it does, an object may cost 8 KiB more, but the declaration of its kind goes.
func TestWithdrawnResourcesLeaveNothingBehind(t *testing.T) {
	const warm, names = 20, 500
	for name, c := range map[string]struct {
		objects bool
		each    int64 // bytes
	}{"without objects": {false, 2 << 10}, "with an object": {true, 16 << 10}} {
		t.Run(name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, apitest.WidgetResource())
			var watching sync.WaitGroup
			round := func(n int) {
				plural, kind := fmt.Sprintf("levers%d", n), fmt.Sprintf("Lever%d", n)
				gvr := apimeta.GroupVersionResource{Group: "example.com", Version: "v1", Resource: plural}
				path := "/apis/example.com/v1/namespaces/default/" + plural
				require.NoError(t, api.AddResources(t.Context(),
					leverResource(func(r *rest.Resource[Lever]) { r.Plural, r.Names = plural, rest.Names{Kind: kind} })))
				seen, ended := make(chan struct{}, 2), make(chan error, 1)
				watching.Go(func() {
					for _, err := range apitest.ClientOf[Lever](t, api, gvr).Watch(t.Context(),
						rest.WatchOptions{ResourceVersion: "0"}) {
						if err != nil {
							ended <- err
							return
						}
						seen <- struct{}{}
					}
				})
				apitest.Must(t, api, "POST", path, strings.Replace(leverText, "Lever", kind, 1))
				<-seen
				apitest.Must(t, api, "GET", "/openapi/v3/apis/example.com/v1", "")
				if !c.objects {
					apitest.Must(t, api, "DELETE", path+"/x", "")
				}
				require.NoError(t, api.WithdrawResources(t.Context(), gvr.GroupResource()))
				err := <-ended
				assert.True(t, status.IsNotFound(err), "%v", err)
				watching.Wait()
			}
			for n := range warm {
				round(n)
			}
			goroutines, before := apitest.LibraryGoroutines(t), heaptest.InUse()
			for n := range names {
				round(warm + n)
			}
			apitest.Await(t, "the goroutines of the withdrawn resources end",
				func() bool { return apitest.LibraryGoroutines(t) <= goroutines })
			each := (heaptest.InUse() - before) / names
			t.Logf("%d bytes for each name", each)
			assert.Less(t, each, c.each)
		})
	}
}
