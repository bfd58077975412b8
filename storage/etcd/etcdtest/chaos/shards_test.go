package chaos_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

// shardCount is the number of shards. Each of the three replicas holds some of them.
const shardCount = 12

// tally is the value of a shard's register: how often replicas have written it, and which one wrote it last.
type tally struct {
	count  int
	epoch  int32
	worker string
}

func (y tally) String() string { return fmt.Sprint(y.count, " ", y.epoch, " ", y.worker) }

func tallyOf(value string) (y tally, err error) {
	_, err = fmt.Sscan(value, &y.count, &y.epoch, &y.worker)
	return y, err
}

// workOnShards counts in the registers of a replica's shards until ctx ends. The leases are short, so that a test need
// not wait long for another replica to take them.
func workOnShards(ctx context.Context, api *rest.API, worker string) error {
	leases, err := rest.ClientForType[builtin.Lease](api)
	if err != nil {
		return err
	}
	all, err := rest.ClientForType[Register](api)
	if err != nil {
		return err
	}
	all = all.Namespace("default")
	options := election.ShardOptions{Shards: shardCount, Options: election.Options{
		Client: leases.Namespace("default"), Name: "shards", Identity: worker, Logger: slog.New(slog.DiscardHandler),
		LeaseDuration: 4 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 500 * time.Millisecond,
	}}
	return election.RunShards(ctx, options, func(ctx context.Context, shard election.Shard) error {
		pace := time.NewTicker(20 * time.Millisecond)
		defer pace.Stop()
		for ended := false; !ended; {
			select {
			case <-pace.C:
			case <-ctx.Done():
				ended = true // and write once more, like work that is slow to stop
			}
			// The history of etcd shows whether a write that failed had an effect.
			_ = shard.Transact(context.WithoutCancel(ctx), api, func(ctx context.Context) error {
				_, err := all.Modify(ctx, shardName(shard.Number), func(r *Register) error {
					was, err := tallyOf(r.Spec.Value)
					r.Spec.Value = tally{was.count + 1, shard.Epoch, worker}.String()
					return err
				})
				return err
			})
		}
		return nil
	})
}

func shardName(number int) string { return fmt.Sprint("shard-", number) }

// Three replicas share shards. One after the other is paused, killed or cut off from etcd until the others have taken its
// shards, and then works again. The history of etcd shows that no replica has written in a shard after another one took
// it, and that no write was lost. DECORUM_TORTURE sets the number of faults.
func TestShardsChangeHands(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 0, etcdtest.Options{})
	for i := range replicaCount {
		f.replicas = append(f.replicas, newReplica(t, f.cluster, fmt.Sprint("worker-", i)))
	}
	for number := range shardCount {
		f.insist(http.MethodPost, f.replicas[0].url+path, registerOf(shardName(number), tally{worker: "test"}.String(), ""),
			http.StatusCreated)
	}
	for i := range replicaCount {
		f.awaitWorkers(0, func(workers map[string]int) bool { return workers[fmt.Sprint("worker-", i)] > 0 })
	}
	for n := range max(3, int(number(t, "DECORUM_TORTURE", 0))/4) {
		i := n % replicaCount
		r, worker, other := f.replicas[i], fmt.Sprint("worker-", i), (i+1)%replicaCount
		kinds := []fault{{"paused", r.pause, r.resume}, {"killed", r.kill, r.start}, {"cut off", r.cut, r.heal}}
		fault := kinds[(n+n/replicaCount)%len(kinds)] // each replica has each fault in turn
		fault.begin()
		f.awaitWorkers(other, func(workers map[string]int) bool { return workers[worker] == 0 })
		fault.repair()
		f.awaitWorkers(other, func(workers map[string]int) bool { return workers[worker] > 0 })
		t.Logf("%s %s", worker, fault.name)
	}

	last, changes := map[string]tally{}, 0
	for _, e := range f.truth().entries {
		now, err := tallyOf(e.value)
		require.NoError(t, err, e)
		was, known := last[e.name]
		last[e.name] = now
		if !known {
			continue
		}
		require.Equal(t, was.count+1, now.count, "%s: a write is lost", e)
		require.GreaterOrEqual(t, now.epoch, was.epoch, "%s: a former holder has written", e)
		if now.epoch == was.epoch && was.worker != "test" {
			require.Equal(t, was.worker, now.worker, "%s: two replicas share an epoch", e)
		}
		changes++
	}
	t.Logf("%d writes", changes)
}

// awaitWorkers lists the registers through a replica until a function accepts their last writers. The function gets the
// number of registers that each replica was the last to write.
func (f *fleet) awaitWorkers(replica int, until func(workers map[string]int) bool) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), patience)
	defer cancel()
	for {
		workers := map[string]int{}
		for _, r := range f.until(replica, path, http.StatusOK).list().Items {
			y, err := tallyOf(r.Spec.Value)
			require.NoError(f, err)
			workers[y.worker]++
		}
		if until(workers) {
			return
		}
		require.NoError(f, ctx.Err(), "the last writers are %v", workers)
	}
}
