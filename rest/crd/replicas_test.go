package crd_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// newReplicas returns hosts that share a store. Two of them know of each other by their Leases.
func newReplicas(t *testing.T, n int) (hosts []*host, views []*unreliable) {
	t.Helper()
	store := newUnreliable(t).Store
	for range n {
		view := &unreliable{Store: store}
		views = append(views, view)
		hosts = append(hosts, newHost(t, view, crd.Options{}, builtin.Leases()))
	}
	return hosts, views
}

func installing(d *apiextensions.CustomResourceDefinition) bool {
	return conditionOf(d, apiextensions.Established).Reason == "Installing"
}

// A definition is Established when every replica serves its kind. Until then, the replica that lags behind answers 503.
func TestEstablishedWaitsForEveryReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, views := newReplicas(t, 2)
		synctest.Wait() // each has seen the Leases of the others
		var serves atomic.Bool
		asked := make(chan struct{}, 1000)
		lags := func(resource string) bool {
			if resource != "gears.example.org" || serves.Load() {
				return false
			}
			asked <- struct{}{}
			return true
		}
		views[1].refuse.Store(&lags)
		require.Equal(t, 201, send(t, hosts[0], "POST "+definitions, gears, nil))
		d := await(t, hosts[0].API, "gears.example.org", installing)
		assert.True(t, d.Is(apiextensions.NamesAccepted))
		<-asked
		assert.Equal(t, 503, send(t, hosts[1], "GET "+gearPath, "", nil))
		assert.Equal(t, 200, send(t, hosts[0], "GET "+gearPath, "", nil))
		serves.Store(true)
		await(t, hosts[0].API, "gears.example.org", established)
		require.Equal(t, 201, send(t, hosts[1], "POST "+gearPath, gear("a"), nil))
		assert.Equal(t, []string{"a"}, hosts[0].namesAt(gearPath))
	})
}

// A replica that does not serve a kind within 5 seconds no longer holds up the others.
func TestEstablishedDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, views := newReplicas(t, 2)
		synctest.Wait() // each has seen the Leases of the others
		lags := func(resource string) bool { return resource == "gears.example.org" }
		views[1].refuse.Store(&lags)
		begun := time.Now()
		hosts[0].post(gears)
		assert.Equal(t, 5*time.Second, time.Since(begun))
		require.Equal(t, 201, send(t, hosts[0], "POST "+gearPath, gear("a"), nil))
	})
}

// A replica that ends, and one whose Lease expires, hold up nothing.
func TestReplicaThatHasEndedIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, _ := newReplicas(t, 3)
		leases := rest.ClientFor[builtin.Lease](hosts[0].API).Namespace("default")
		page, err := leases.List(t.Context(), rest.ListOptions{})
		require.NoError(t, err)
		require.Len(t, page.Items, 3)
		hosts[1].stop()
		hosts[2].stop()
		synctest.Wait() // the first replica has seen that the others have ended
		page, err = leases.List(t.Context(), rest.ListOptions{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1, "a replica that ends deletes its Lease")

		expired := page.Items[0] // a replica that crashed an hour ago
		then := apimeta.NewMicroTime(time.Now().Add(-time.Hour))
		_, err = leases.Create(t.Context(), &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: "crashed", Labels: expired.Labels}, Spec: builtin.LeaseSpec{RenewTime: &then}})
		require.NoError(t, err)
		require.Equal(t, 201, send(t, hosts[0], "POST "+definitions, gears, nil))
		await(t, hosts[0].API, "gears.example.org", func(d *apiextensions.CustomResourceDefinition) bool {
			assert.False(t, installing(d))
			return established(d)
		})
	})
}

// No replica leaves objects behind, whichever of them serves the clients that create them.
func TestNothingIsLeftOnAnyReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, _ := newReplicas(t, 2)
		synctest.Wait() // each has seen the Leases of the others
		for round := range 4 {
			hosts[round%2].post(gears)
			assert.Empty(t, hosts[0].namesAt(gearPath), "round %d", round)
			begun, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				for i, code := 0, 201; code == 201 && i < 200; i++ {
					code = send(t, hosts[1], "POST "+gearPath, gear("g"+string(rune('a'+i/26))+string(rune('a'+i%26))), nil)
					if i == 2 {
						close(begun)
					}
				}
			}()
			<-begun
			require.Equal(t, 200, send(t, hosts[0], "DELETE "+definitions+"/gears.example.org", "", nil))
			await(t, hosts[0].API, "gears.example.org", gone)
			<-ended
		}
	})
}
