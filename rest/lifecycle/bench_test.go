package lifecycle_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
)

// The benchmark measures an owner with many dependents: what it costs to track a dependent, and to collect it once the
// owner is gone. The time to beat is that of deleting the same objects one by one, because the collector must do that
// too.
func BenchmarkCollectGarbage(b *testing.B) {
	const dependents = 10_000
	for b.Loop() {
		b.StopTimer()
		api, err := rest.New(rest.Options{}, parts(), sites())
		require.NoError(b, err)
		client := resttest.Client[Part](b, api).Namespace("a")
		owner, err := client.Create(b.Context(), &Part{ObjectMeta: apimeta.ObjectMeta{Name: "owner"}})
		require.NoError(b, err)
		ref := apimeta.OwnerReference{APIVersion: "example.com/v1", Kind: "Part", Name: "owner", UID: owner.UID}
		for i := range dependents {
			_, err := client.Create(b.Context(),
				&Part{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("x", i), OwnerReferences: []apimeta.OwnerReference{ref}}})
			require.NoError(b, err)
		}
		page, err := client.List(b.Context(), rest.ListOptions{Limit: 1})
		require.NoError(b, err)

		before := heaptest.InUse()
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() { ended <- lifecycle.CollectGarbage(ctx, api, lifecycle.Options{}) }()
		// The collector handles changes in order. Once it deletes this site, it knows everything created before it.
		_, err = resttest.Client[Site](b, api).Create(b.Context(), &Site{ObjectMeta: apimeta.ObjectMeta{Name: "last",
			OwnerReferences: []apimeta.OwnerReference{{APIVersion: "example.com/v1", Kind: "Site", Name: "none", UID: "u"}}}})
		require.NoError(b, err)
		awaitDeleted(b, resttest.Client[Site](b, api), page.ResourceVersion, 1)
		b.ReportMetric(float64(heaptest.InUse()-before)/dependents, "B/dependent")

		b.StartTimer()
		require.NoError(b, client.Delete(b.Context(), "owner", rest.DeleteOptions{}))
		awaitDeleted(b, client, page.ResourceVersion, dependents+1)
		b.StopTimer()
		stop()
		require.NoError(b, <-ended)
		require.NoError(b, api.Close())
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/dependents, "ns/dependent")
}

// awaitDeleted waits until count objects have been deleted since a version.
func awaitDeleted[T any](b *testing.B, client rest.Client[T], from string, count int) {
	b.Helper()
	for event, err := range client.Watch(b.Context(), rest.WatchOptions{ResourceVersion: from}) {
		require.NoError(b, err)
		if event.Type == apimeta.EventDeleted {
			count--
		}
		if count == 0 {
			return
		}
	}
}
