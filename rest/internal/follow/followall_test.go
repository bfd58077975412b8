package follow_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// manyKinds are kinds beside Things that nobody writes.
func manyKinds(n int) []rest.Definition {
	var definitions []rest.Definition
	for i := range n {
		definitions = append(definitions, rest.Resource[apitest.GlobalThing]{Group: apitest.ThingGroup, Version: "v1",
			Names: rest.Names{Kind: fmt.Sprint("Idle", i)}, Plural: fmt.Sprint("idles", i), Scope: rest.ScopeCluster})
	}
	return append(definitions, apitest.ThingResource())
}

// The last change of a burst is yielded without another write, however many kinds the API has.
func TestFollowYieldsTheLastChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{}, manyKinds(200)...)
		things := apitest.ClientFor[apitest.Thing](t, s.API).Namespace("default")
		for i := range 4 {
			_, err := things.Create(t.Context(), &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint(i)}})
			require.NoError(t, err)
		}
		var through atomic.Uint64
		var following sync.WaitGroup
		following.Go(func() {
			for changes, err := range s.API.Objects().Follow(t.Context()) {
				if err != nil {
					assert.True(t, status.IsServiceUnavailable(err), "%v", err)
					return
				}
				through.Store(uint64(changes.Through))
			}
		})
		for burst := range 1000 {
			var writers sync.WaitGroup
			for i := range 4 {
				writers.Go(func() {
					_, err := things.Modify(t.Context(), fmt.Sprint(i), func(thing *apitest.Thing) error {
						thing.Spec.Data = map[string]string{"burst": fmt.Sprint(burst)}
						return nil
					})
					assert.NoError(t, err)
				})
			}
			writers.Wait()
			synctest.Wait() // nothing happens any more
			require.Equal(t, uint64(s.Store.Revision()), through.Load(), "after burst %d", burst)
		}
		require.NoError(t, s.API.Close())
		following.Wait()
	})
}

// turningStore calls turn before and after each list.
type turningStore struct {
	storage.Store
	turn func()
}

func (s *turningStore) List(ctx context.Context, options storage.Query,
	into []*storage.Record) (storage.Listing, error) {
	s.turn()
	page, err := s.Store.List(ctx, options, into)
	s.turn()
	return page, err
}

// What Follow yields while objects come, change and go in every place of the lists that it begins with leads to the
// state at Through.
func TestFollowWhileItLists(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			memory := apitest.NewStore(t)
			store := &turningStore{Store: memory, turn: func() {}}
			api := apitest.Start(t, rest.Options{Store: store}, apitest.ThingResource(), apitest.GlobalThingResource())
			defer func() {
				require.NoError(t, api.Close())
				require.NoError(t, memory.Close())
			}()
			random := rand.New(rand.NewPCG(seed, 0))
			things, globals := apitest.ClientFor[apitest.Thing](t, api).Namespace("default"),
				apitest.ClientFor[apitest.GlobalThing](t, api)
			write := func() {
				name := fmt.Sprintf("%04d", random.IntN(2000))
				_, err := things.Create(t.Context(), &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: name}})
				switch {
				case status.IsAlreadyExists(err) && random.IntN(2) == 0:
					err = things.Delete(t.Context(), name, rest.DeleteOptions{})
				case status.IsAlreadyExists(err):
					_, err = things.Modify(t.Context(), name, func(thing *apitest.Thing) error { thing.Spec.Size++; return nil })
				}
				require.NoError(t, err)
				if _, err = globals.Create(t.Context(),
					&apitest.GlobalThing{ObjectMeta: apimeta.ObjectMeta{Name: name}}); status.IsAlreadyExists(err) {
					err = globals.Delete(t.Context(), name, rest.DeleteOptions{})
				}
				require.NoError(t, err)
			}
			turn := func() {
				for range 30 {
					write()
				}
			}
			for range 3000 {
				write()
			}
			store.turn = turn
			state := map[storage.Key]watch.Revision{}
			for changes, err := range api.Objects().Follow(t.Context()) {
				require.NoError(t, err)
				for _, c := range changes.List {
					require.Greater(t, c.Revision, state[c.Key], "%v goes back", c.Key)
					if state[c.Key] = c.Revision; c.Previous != nil && c.Current == nil {
						delete(state, c.Key)
					}
				}
				if changes.Through == memory.Revision() {
					break
				}
				if changes.Through == 0 {
					turn()
				}
			}
			want := map[storage.Key]watch.Revision{}
			for _, resource := range []string{"things." + apitest.ThingGroup, "globalthings." + apitest.ThingGroup} {
				page, err := memory.List(t.Context(), storage.Query{Within: watch.Key{Resource: resource}}, nil)
				require.NoError(t, err)
				for _, r := range page.Records {
					want[r.Key] = r.Revision
				}
			}
			require.Equal(t, want, state)
		})
	}
}

// A watch of everything leaves out resources that the API does not have, such as those of another API on the same
// store.
func TestFollowKeepsToItsAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{}, apitest.ThingResource())
		other := apitest.Start(t, rest.Options{Store: s.Store}, apitest.GlobalThingResource())
		globals, things := apitest.ClientFor[apitest.GlobalThing](t, other),
			apitest.ClientFor[apitest.Thing](t, s.API).Namespace("default")
		var keys []storage.Key
		var through watch.Revision
		var following sync.WaitGroup
		following.Go(func() {
			for changes, err := range s.API.Objects().Follow(t.Context()) {
				if err != nil {
					assert.True(t, status.IsServiceUnavailable(err), "%v", err)
					return
				}
				for _, c := range changes.List {
					keys = append(keys, c.Key)
				}
				through = changes.Through
			}
		})
		synctest.Wait()
		_, err := things.Create(t.Context(), &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.NoError(t, err)
		_, err = globals.Create(t.Context(), &apitest.GlobalThing{ObjectMeta: apimeta.ObjectMeta{Name: "b"}})
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []storage.Key{{Resource: "things." + apitest.ThingGroup, Namespace: "default", Name: "a"}}, keys)
		assert.Equal(t, s.Store.Revision(), through)
		require.NoError(t, other.Close())
		require.NoError(t, s.API.Close())
		following.Wait()
	})
}
