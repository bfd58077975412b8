package crd_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// newReplicas returns hosts that share a store. Two of them know of each other by their notes.
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
		synctest.Wait() // each has seen the notes of the others
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
		synctest.Wait() // each has seen the notes of the others
		lags := func(resource string) bool { return resource == "gears.example.org" }
		views[1].refuse.Store(&lags)
		begun := time.Now()
		hosts[0].post(gears)
		assert.Equal(t, 5*time.Second, time.Since(begun))
		require.Equal(t, 201, send(t, hosts[0], "POST "+gearPath, gear("a"), nil))
	})
}

// replicasIn returns how many replicas the store knows.
func replicasIn(t *testing.T, store storage.Store) int {
	t.Helper()
	page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: replicaNotes}}, nil)
	require.NoError(t, err)
	return len(page.Records)
}

// changesWithin awaits the changes of a resource until a time of the bubble has passed, and returns how many there
// were.
func changesWithin(t *testing.T, store storage.Store, resource string, d time.Duration) (n int) {
	t.Helper()
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: resource}, store.Revision())
	require.NoError(t, err)
	defer cursor.Close()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	for {
		changes, err := cursor.Next(ctx, nil)
		if ctx.Err() != nil {
			return n
		}
		require.NoError(t, err)
		n += len(changes)
	}
}

// replicaNotes is the resource of the notes of replicas in the store.
const replicaNotes = "definitionreplicas.decorum"

// A replica that has ended holds up nothing, and one that has crashed holds up nothing after 15 seconds.
func TestReplicaThatHasEndedIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, _ := newReplicas(t, 3)
		synctest.Wait() // each has seen the notes of the others
		require.Equal(t, 3, replicasIn(t, hosts[0].store))
		hosts[1].stop()
		require.NoError(t, hosts[2].Close()) // without the end of the plug-in, as in a crash
		synctest.Wait()                      // the first replica has seen that the second has ended
		require.Equal(t, 2, replicasIn(t, hosts[0].store), "a replica that ends removes its note")

		changesWithin(t, hosts[0].store, replicaNotes, 16*time.Second)
		require.Equal(t, 201, send(t, hosts[0], "POST "+definitions, gears, nil))
		await(t, hosts[0].API, "gears.example.org", func(d *apiextensions.CustomResourceDefinition) bool {
			assert.False(t, installing(d))
			return established(d)
		})
		assert.NotZero(t, changesWithin(t, hosts[0].store, replicaNotes, 20*time.Second))
		synctest.Wait()
		require.Equal(t, 1, replicasIn(t, hosts[0].store), "the others remove the note of a replica that has crashed")
		last := hosts[0].store.Revision()
		assert.Zero(t, changesWithin(t, hosts[0].store, replicaNotes, time.Hour))
		assert.Equal(t, last, hosts[0].store.Revision(), "a replica without others writes nothing")
	})
}

// Leases that clients forge have no effect on definitions.
func TestForgedLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, _ := newReplicas(t, 2)
		synctest.Wait() // each has seen the note of the other
		for _, annotations := range []map[string]string{nil, {"crd.decorum/followed": "1"}} {
			then := apimeta.NewMicroTime(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC))
			forged := &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{GenerateName: "crd-",
				Labels: map[string]string{"crd.decorum/replica": "true"}, Annotations: annotations},
				Spec: builtin.LeaseSpec{RenewTime: &then}}
			_, err := resttest.Client[builtin.Lease](t, hosts[0].API).Namespace("default").Create(t.Context(), forged)
			require.NoError(t, err)
		}
		begun := time.Now()
		hosts[0].post(gears)
		assert.Equal(t, begun, time.Now(), "Established")
		require.Equal(t, 200, send(t, hosts[0], "DELETE "+definitions+"/gears.example.org", "", nil))
		await(t, hosts[0].API, "gears.example.org", gone)
		assert.Equal(t, begun, time.Now(), "deleted")
	})
}

// Clients cannot reach the records that replicas keep of each other. The API does not serve them, and no admission hook
// sees them.
func TestRecordsOfReplicasAreOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newUnreliable(t).Store
		var seen atomic.Int32
		start := func(name string) *rest.API {
			hook := admission.Hook{Name: name, Validate: func(_ context.Context, r *admission.Request) error {
				if r.Resource.Resource != "customresourcedefinitions" {
					seen.Add(1)
				}
				return nil
			}}
			return started(t, rest.Options{Store: store, Logger: discard, Admission: []admission.Hook{hook}}, crd.Options{},
				builtin.Leases())
		}
		one, _ := start("one"), start("two")
		assert.NotZero(t, changesWithin(t, store, replicaNotes, time.Minute), "the replicas renew their notes")
		require.Equal(t, 2, replicasIn(t, store))
		assert.Zero(t, seen.Load())
		for _, path := range []string{"/apis/decorum", "/apis/decorum/v1", "/apis/decorum/v1/definitionreplicas"} {
			assert.Equal(t, 404, send(t, one, "GET "+path, "", nil), path)
		}
		held, err := one.Objects().ResourcesIn(t.Context(), "")
		require.NoError(t, err)
		assert.Empty(t, held)
		err = one.AddResources(t.Context(),
			rest.Resource[apimeta.Document]{Group: "decorum", Version: "v1", Plural: "definitionreplicas",
				Scope: rest.ScopeCluster, Names: rest.Names{Kind: "DefinitionReplica"},
				Schema: rest.Schema{OpenAPI: []byte(`{"type":"object"}`)}})
		assert.ErrorContains(t, err, `Group "decorum": belongs to records of the API`)
	})
}

// No replica leaves objects behind, whichever of them serves the clients that create them.
func TestADeletedDefinitionLeavesNoObjectsOnAnyReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, _ := newReplicas(t, 2)
		synctest.Wait() // each has seen the notes of the others
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

// A replica that slept while a definition was deleted creates no objects of it: neither with a request that was under
// way, nor with a later one, nor when there is another definition of the name.
func TestReplicaThatSleepsThroughADeletion(t *testing.T) {
	store := newUnreliable(t).Store
	awake := newHost(t, store, crd.Options{}, builtin.Leases())
	awake.post(gears)
	begun, woken := make(chan struct{}), make(chan struct{})
	plugin := &apart{Plugin: crd.New(crd.Options{})}
	asleep, err := rest.New(rest.Options{Store: store, Logger: discard, Plugins: []rest.Plugin{plugin},
		Admission: []admission.Hook{{Name: "sleep", Validate: func(_ context.Context, r *admission.Request) error {
			if r.Name == "underway" {
				close(begun)
				<-woken
			}
			return nil
		}}}}, builtin.Leases())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, asleep.Close()) })
	require.NoError(t, asleep.Start(t.Context()))
	require.Equal(t, 201, send(t, asleep, "POST "+gearPath, gear("before"), nil))
	require.NoError(t, plugin.stop()) // it no longer learns of changes, and others do not wait for it

	code := make(chan int)
	go func() { code <- send(t, asleep, "POST "+gearPath, gear("underway"), nil) }()
	<-begun
	require.Equal(t, 200, send(t, awake, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, awake.API, "gears.example.org", gone)
	close(woken)
	assert.Equal(t, 503, <-code)
	assert.Equal(t, 503, send(t, asleep, "POST "+gearPath, gear("later"), nil))

	awake.post(gears)
	assert.Equal(t, 503, send(t, asleep, "POST "+gearPath, gear("latest"), nil))
	assert.Empty(t, awake.namesAt(gearPath))
	require.Equal(t, 201, send(t, awake, "POST "+gearPath, gear("new"), nil))
}
