package etcdtest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/internal/test/floortest"
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
}

func (k *bare) replace(ctx context.Context, n int) error {
	operations := []clientv3.Op{clientv3.OpPut(k.key, large+fmt.Sprint(n))}
	if k.marker != "" {
		operations = append(operations, clientv3.OpPut(k.marker, fmt.Sprintf("%050d", n)))
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

// BenchmarkFloor compares a write of the store with the minimum that a store in etcd must do: a transaction that
// replaces a key of the same size, the same with a second key that marks the commit, and the first with a watch by
// another client. The first write of a replica after those of others waits for the watch, so each step makes twenty
// writes at a time.
func BenchmarkFloor(b *testing.B) {
	client := synced(b)
	plain := &bare{client: client, key: "plain"}
	marked := &bare{client: client, key: "marked", marker: "marker"}
	watched := &bare{client: client, key: "watched"}
	changes := watched.watch(b.Context(), clientOf(b, client.Endpoints()))
	alone := serving(b, etcd.Options{Client: client, Prefix: newPrefix()})
	prefix := newPrefix()
	store := serving(b, etcd.Options{Client: client, Prefix: prefix})
	peer := serving(b, etcd.Options{Client: clientOf(b, client.Endpoints()), Prefix: prefix})
	_, err := peer.List(b.Context(), storage.Query{Within: watch.Key{Resource: notes}}, nil)
	require.NoError(b, err)
	cursor, err := peer.Watch(b.Context(), watch.Key{Resource: notes}, peer.Revision())
	require.NoError(b, err)
	defer cursor.Close()
	replace := func(k *bare) func(int) error { return func(n int) error { return k.replace(b.Context(), n) } }
	write := func(store *etcd.Store) func(int) error {
		return func(n int) error {
			text := fmt.Appendf(nil, `{"metadata":{"name":"x","namespace":"default","resourceVersion":""},"text":"%s%d"}`, large, n)
			_, err := store.Update(b.Context(), note("x"), func(*storage.Record) ([]byte, error) { return text, nil })
			return err
		}
	}
	floortest.Compare(b, 20,
		&floortest.Step{Name: "bare", Write: replace(plain)},
		&floortest.Step{Name: "marked", Write: replace(marked)},
		&floortest.Step{Name: "watched", Write: replace(watched), Show: func() error { response := <-changes; return response.Err() }},
		&floortest.Step{Name: "store", Write: write(alone)},
		&floortest.Step{
			Name: "pair", Write: write(store),
			Show: func() error { _, err := cursor.Next(b.Context(), nil); return err },
		},
	)
}
