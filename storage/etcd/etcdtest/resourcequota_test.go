package etcdtest_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
)

type page struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// Replicas learn limits that are objects from each other: writers on two of them get exactly the available places, and
// the one that runs the controller shows what both have used.
func TestResourceQuotas(t *testing.T) {
	const places = 5
	client, prefix := connect(t, shared), newPrefix()
	replica := func() (*rest.API, *quota.ResourceQuotas) {
		quotas := quota.NewResourceQuotas(nil)
		store, err := etcd.Open(t.Context(),
			etcd.Options{Client: client, Prefix: prefix, Engine: storage.Options{MaxWait: time.Minute, Ledger: quotas.Ledger}})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		pages := rest.Resource[page]{Group: "example.com", Version: "v1", Plural: "pages"}
		api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{quotas}}, pages)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, api.Close()) })
		return api, quotas
	}
	here, shows := replica()
	there, _ := replica()
	go func() { assert.NoError(t, shows.Run(t.Context(), here)) }()

	limit, err := resttest.Client[quota.ResourceQuota](t, here).Namespace("default").Create(t.Context(),
		&quota.ResourceQuota{
			ObjectMeta: apimeta.ObjectMeta{Name: "small"},
			Spec:       quota.ResourceQuotaSpec{Hard: map[string]quota.Quantity{"count/pages.example.com": quota.Count(places)}},
		})
	require.NoError(t, err)
	_, err = resttest.Client[quota.ResourceQuota](t, there).Namespace("default").Get(t.Context(), limit.Name) // reads the most recent state
	require.NoError(t, err)

	var created atomic.Int64
	var writers sync.WaitGroup
	for i := range 4 * places {
		writers.Go(func() {
			api := []*rest.API{here, there}[i%2]
			_, err := resttest.Client[page](t, api).Namespace("default").Create(t.Context(),
				&page{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("p", i)}})
			if err == nil {
				created.Add(1)
				return
			}
			assert.True(t, status.IsForbidden(err), err)
		})
	}
	writers.Wait()
	assert.EqualValues(t, places, created.Load())
	resttest.WaitFor(t, resttest.Client[quota.ResourceQuota](t, there).Namespace("default"), "small",
		func(q *quota.ResourceQuota) bool {
			return q.Status.Used["count/pages.example.com"] == quota.Count(places)
		})
}
