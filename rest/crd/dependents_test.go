package crd_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
)

// The dependents of the objects of a deleted definition are deleted too, also if another replica collects garbage.
func TestDependentsOfADeletedDefinition(t *testing.T) {
	for _, n := range []int{1, 20, 100} {
		for replicas := range 2 {
			t.Run(fmt.Sprint(n, " owners, ", replicas+1, " replicas"), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hosts, _ := newReplicas(t, replicas+1)
					ctx, stop := context.WithCancel(t.Context())
					ended := make(chan error, 1)
					go func() { ended <- lifecycle.Run(ctx, hosts[replicas].API, lifecycle.Options{Logger: discard}) }()
					synctest.Wait() // the collector follows the API: owners that go before are not seen to go
					leases := resttest.Client[builtin.Lease](t, hosts[0].API).Namespace("default")
					for round := range 3 {
						hosts[0].post(gears)
						gearsV1 := apimeta.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "gears"}
						gearsOf := documents(t, hosts[0].API, gearsV1).Namespace("default")
						for i := range n {
							owner, err := gearsOf.Create(ctx, &apimeta.Document{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("o", i)}})
							require.NoError(t, err)
							_, err = leases.Create(ctx,
								&builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("d", i),
									Labels: map[string]string{"dependent": "yes"},
									OwnerReferences: []apimeta.OwnerReference{{APIVersion: "example.org/v1", Kind: "Gear", Name: owner.Name,
										UID: owner.UID}}}})
							require.NoError(t, err)
						}
						require.Equal(t, 200, send(t, hosts[0], "DELETE "+definitions+"/gears.example.org", "", nil))
						await(t, hosts[0].API, "gears.example.org", gone)
						<-time.After(time.Minute)
						synctest.Wait()
						page, err := leases.List(ctx, rest.ListOptions{LabelSelector: "dependent=yes"})
						require.NoError(t, err)
						require.Empty(t, page.Items, "round %d", round)
					}
					stop()
					assert.NoError(t, <-ended)
				})
			})
		}
	}
}
