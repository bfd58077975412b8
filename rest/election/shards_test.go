package election_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// factory runs replicas that share shards. It fails the test if two of them work on a shard at the same time.
type factory struct {
	*testing.T
	store *memory.Store
	mu    sync.Mutex
	works map[int]string // the replica that works on each shard
	moves int
}

const shards = 12

func inFactory(t *testing.T, f func(f *factory)) {
	synctest.Test(t, func(t *testing.T) {
		all := &factory{T: t, store: memory.New(storage.Options{}), works: map[int]string{}}
		defer func() { assert.NoError(t, all.store.Close()) }()
		f(all)
	})
}

// start starts a replica. It is cut off from the store while cut is set. The returned function stops it cleanly.
func (f *factory) start(id string) (cut *atomic.Bool, stop func()) {
	f.Helper()
	cut = new(atomic.Bool)
	api := f.api(rest.Options{Store: f.store})
	wire := transport(func(r *http.Request) (*http.Response, error) {
		if cut.Load() {
			return nil, errors.New("cut off")
		}
		return rest.RoundTripper(api).RoundTrip(r)
	})
	client, err := rest.ClientForEndpoint(rest.Endpoint{URL: "http://leases.example.com", HTTP: &http.Client{Transport: wire}},
		builtin.Leases())
	require.NoError(f, err)
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan error, 1)
	go func() { ended <- election.RunShards(ctx, f.options(client, id), f.worker(id)) }()
	synctest.Wait()
	return cut, func() {
		cancel()
		require.NoError(f, <-ended)
		synctest.Wait()
	}
}

// transport is a function that implements http.RoundTripper.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// api returns a new API of leases.
func (f *factory) api(options rest.Options) *rest.API {
	f.Helper()
	options.Logger = slog.New(slog.DiscardHandler)
	api, err := rest.New(options, builtin.Leases())
	require.NoError(f, err)
	f.Cleanup(func() { assert.NoError(f, api.Close()) })
	return api
}

func (f *factory) options(leases rest.Client[builtin.Lease], id string) election.ShardOptions {
	return election.ShardOptions{Shards: shards, Options: election.Options{
		Client: leases.Namespace("default"), Name: "parts", Identity: id,
		Logger: slog.New(slog.DiscardHandler)}}
}

func (f *factory) worker(id string) func(context.Context, election.Shard) error {
	return func(ctx context.Context, s election.Shard) error {
		f.mu.Lock()
		assert.NotContains(f, f.works, s.Number, "two replicas work on a shard")
		f.works[s.Number] = id
		f.moves++
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.works, s.Number)
		return nil
	}
}

// shares returns the number of shards of each replica, and the number of shards that have moved since the last call.
func (f *factory) shares() (map[string]int, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	count := map[string]int{}
	for id := range maps.Values(f.works) {
		count[id]++
	}
	moves := f.moves
	f.moves = 0
	return count, moves
}

func TestReplicasShareTheShards(t *testing.T) {
	inFactory(t, func(f *factory) {
		_, stopA := f.start("a")
		pass(time.Second)
		count, _ := f.shares()
		assert.Equal(f, map[string]int{"a": shards}, count)

		_, stopB := f.start("b")
		pass(time.Second)
		count, moves := f.shares()
		assert.Equal(f, shards, count["a"]+count["b"])
		assert.Positive(f, count["a"])
		assert.Positive(f, count["b"])
		assert.Equal(f, count["b"], moves, "only the shards of the new replica have moved")

		_, stopC := f.start("c")
		pass(time.Second)
		count, moves = f.shares()
		assert.Equal(f, shards, count["a"]+count["b"]+count["c"])
		assert.Positive(f, count["c"])
		assert.Equal(f, count["c"], moves, "only the shards of the new replica have moved")

		began := time.Now()
		stopB()
		assert.Equal(f, began, time.Now(), "a replica that stops hands its shards over at once")
		count, _ = f.shares()
		assert.Zero(f, count["b"])
		assert.Equal(f, shards, count["a"]+count["c"])

		pass(20 * time.Second)
		_, moves = f.shares()
		assert.Zero(f, moves)
		stopC()
		stopA()
		count, _ = f.shares()
		assert.Empty(f, count)
	})
}

// Each object belongs to exactly one shard.
func TestSelectorsOfShards(t *testing.T) {
	inFactory(t, func(f *factory) {
		leases := resttest.Client[builtin.Lease](f, f.api(rest.Options{Store: f.store, Sharded: true}))
		for n := range 50 {
			_, err := leases.Namespace(fmt.Sprint("ns-", n%7)).Create(f.Context(), &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprint("lease-", n)}})
			require.NoError(f, err)
		}
		for _, byNamespace := range []bool{false, true} {
			var mu sync.Mutex
			found, namespaces := map[string]int{}, map[string]map[int]bool{}
			ctx, cancel := context.WithCancel(f.Context())
			ended := make(chan error, 1)
			options := election.ShardOptions{Shards: 5, ByNamespace: byNamespace,
				Options: election.Options{Client: leases.Namespace("elsewhere"), Name: "parts"}}
			go func() {
				ended <- election.RunShards(ctx, options, func(ctx context.Context, s election.Shard) error {
					page, err := leases.List(ctx, rest.ListOptions{ShardSelector: s.Selector()})
					if err != nil {
						return err
					}
					mu.Lock()
					for _, l := range page.Items {
						if l.Namespace != "elsewhere" {
							found[l.Namespace+"/"+l.Name]++
							if namespaces[l.Namespace] == nil {
								namespaces[l.Namespace] = map[int]bool{}
							}
							namespaces[l.Namespace][s.Number] = true
						}
					}
					mu.Unlock()
					<-ctx.Done()
					return nil
				})
			}()
			pass(time.Second)
			cancel()
			require.NoError(f, <-ended)
			assert.Len(f, found, 50)
			for name, times := range found {
				assert.Equal(f, 1, times, name)
			}
			for ns, in := range namespaces {
				if byNamespace {
					assert.Len(f, in, 1, "%s is in one shard: %v", ns, slices.Collect(maps.Keys(in)))
				}
			}
		}
	})
}

// A former holder commits nothing.
func TestFormerHoldersOfAShardCommitNothing(t *testing.T) {
	inFactory(t, func(f *factory) {
		api := f.api(rest.Options{Store: f.store})
		leases := resttest.Client[builtin.Lease](f, api)
		held := make(chan election.Shard, 1)
		ctx, cancel := context.WithCancel(f.Context())
		ended := make(chan error, 1)
		options := f.options(leases, "first")
		options.Shards = 1
		go func() {
			ended <- election.RunShards(ctx, options, func(ctx context.Context, s election.Shard) error {
				held <- s
				<-ctx.Done()
				return nil
			})
		}()
		former := <-held
		objects := leases.Namespace("objects")
		write := func(s election.Shard, name string) error {
			return s.Transact(f.Context(), api, func(ctx context.Context) error {
				_, err := objects.Create(ctx, &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: name}})
				return err
			})
		}
		require.NoError(f, write(former, "by-the-holder"))
		cancel()
		require.NoError(f, <-ended)
		require.ErrorIs(f, write(former, "by-nobody"), election.ErrTaken)

		ctx, cancel = context.WithCancel(f.Context())
		options.Identity = "second"
		go func() {
			ended <- election.RunShards(ctx, options, func(ctx context.Context, s election.Shard) error {
				held <- s
				<-ctx.Done()
				return nil
			})
		}()
		next := <-held
		assert.Greater(f, next.Epoch, former.Epoch)
		require.ErrorIs(f, write(former, "by-the-former"), election.ErrTaken)
		require.NoError(f, write(next, "by-the-next"))
		page, err := objects.List(f.Context(), rest.ListOptions{})
		require.NoError(f, err)
		require.Len(f, page.Items, 2)
		cancel()
		require.NoError(f, <-ended)
	})
}

// A replica that can no longer write stops its work in time, and the others take its shards after the duration of the
// lease.
func TestDeadReplicasLoseTheirShards(t *testing.T) {
	inFactory(t, func(f *factory) {
		cut, stopDying := f.start("dying")
		_, stop := f.start("other")
		pass(time.Second)
		count, _ := f.shares()
		require.Positive(f, count["dying"])
		cut.Store(true)
		pass(11 * time.Second)
		count, _ = f.shares()
		assert.Zero(f, count["dying"], "it has stopped before others begin")
		pass(20 * time.Second)
		count, _ = f.shares()
		assert.Equal(f, map[string]int{"other": shards}, count)
		cut.Store(false)
		pass(time.Minute)
		count, _ = f.shares()
		assert.Positive(f, count["dying"], "it has come back")
		assert.Equal(f, shards, count["dying"]+count["other"])
		stop()
		stopDying()
	})
}
