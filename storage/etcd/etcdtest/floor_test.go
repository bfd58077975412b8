package etcdtest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/watch"
)

// bare is a key of etcd that is replaced if it has not changed, as a store must.
type bare struct {
	client   *clientv3.Client
	key      string
	marker   string // another key that each transaction writes, or empty
	revision int64
	version  int
}

func (k *bare) replace(ctx context.Context) error {
	k.version++
	operations := []clientv3.Op{clientv3.OpPut(k.key, large+fmt.Sprint(k.version))}
	if k.marker != "" {
		operations = append(operations, clientv3.OpPut(k.marker, fmt.Sprintf("%050d", k.version)))
	}
	response, err := k.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(k.key), "=", k.revision)).
		Then(operations...).Commit()
	if err != nil {
		return err
	}
	if !response.Succeeded {
		return fmt.Errorf("%s has changed", k.key)
	}
	k.revision = response.Header.Revision
	return nil
}

// watch returns the changes of the key. It returns once etcd has begun to watch.
func (k *bare) watch(ctx context.Context, client *clientv3.Client) clientv3.WatchChan {
	changes := client.Watch(ctx, k.key, clientv3.WithCreatedNotify())
	<-changes
	return changes
}

// BenchmarkFloor compares a write of the store with what a store in etcd does at least: a transaction that replaces a
// key of the same size, then with a second key that marks the commit, and then with a watch of another program. The
// benchmark alternates between turns of twenty writes each, because the first write of a replica after those of others
// waits for the watch. It reports the fastest twentieth of each in microseconds, so other work on the
// machine matters little, and how many times as long as the bare transaction this is; and both for the median.
func BenchmarkFloor(b *testing.B) {
	const turn = 20
	type step struct {
		name           string
		write          func() error
		show           func() error // returns when a watch of another program has the write; nil without one
		written, shown []time.Duration
	}
	client := synced(b)
	plain := &bare{client: client, key: "plain"}
	marked := &bare{client: client, key: "marked", marker: "marker"}
	watched := &bare{client: client, key: "watched"}
	changes := watched.watch(b.Context(), clientOf(b, client.Endpoints()))
	steps := []*step{
		{name: "bare", write: func() error { return plain.replace(b.Context()) }},
		{name: "marked", write: func() error { return marked.replace(b.Context()) }},
		{
			name:  "watched",
			write: func() error { return watched.replace(b.Context()) },
			show:  func() error { response := <-changes; return response.Err() },
		},
	}
	version := 0
	write := func(store *etcd.Store) error {
		version++
		text := fmt.Appendf(nil, `{"metadata":{"name":"x","namespace":"default","resourceVersion":""},"text":"%s%d"}`, large, version)
		_, err := store.Update(b.Context(), note("x"), func(*storage.Record) ([]byte, error) { return text, nil })
		return err
	}
	alone := serving(b, etcd.Options{Client: client, Prefix: newPrefix()})
	steps = append(steps, &step{name: "store", write: func() error { return write(alone) }})
	prefix := newPrefix()
	store := serving(b, etcd.Options{Client: client, Prefix: prefix})
	peer := serving(b, etcd.Options{Client: clientOf(b, client.Endpoints()), Prefix: prefix})
	_, err := peer.List(b.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(b, err)
	cursor, err := peer.Watch(b.Context(), watch.Key{Resource: notes}, peer.Revision())
	require.NoError(b, err)
	defer cursor.Close()
	steps = append(steps, &step{
		name:  "pair",
		write: func() error { return write(store) },
		show:  func() error { _, err := cursor.Next(b.Context(), nil); return err },
	})
	for b.Loop() {
		for _, i := range rand.Perm(len(steps)) { // what is still under way after a write burdens another step each time
			step := steps[i]
			for range turn {
				began := time.Now()
				require.NoError(b, step.write())
				step.written = append(step.written, time.Since(began))
				if step.show != nil {
					require.NoError(b, step.show())
					step.shown = append(step.shown, time.Since(began))
				}
			}
		}
	}
	slices.Sort(steps[0].written)
	floor, median := fastest(steps[0].written), micros(steps[0].written[len(steps[0].written)/2])
	report := func(times []time.Duration, name string) {
		if len(times) > 0 {
			slices.Sort(times)
			b.ReportMetric(fastest(times), name+"-µs")
			b.ReportMetric(fastest(times)/floor, name+"/bare")
			b.ReportMetric(micros(times[len(times)/2]), name+"-median-µs")
			b.ReportMetric(micros(times[len(times)/2])/median, name+"-median/bare")
		}
	}
	for _, step := range steps {
		report(step.written, step.name)
		report(step.shown, step.name+"-shown")
	}
}

// fastest returns the fastest twentieth of sorted times in microseconds.
func fastest(times []time.Duration) float64 { return micros(times[len(times)/20]) }

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
