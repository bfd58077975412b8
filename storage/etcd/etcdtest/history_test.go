package etcdtest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/internal/test/historytest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/seal"
)

// Whichever of two replicas clients ask, and however the replicas end, the history of each object is the list of its
// versions. It is sealed as the objects are.
func TestHistoryOfObjects(t *testing.T) {
	client, prefix := connect(t, shared), newPrefix()
	transformer, err := seal.NewAEAD(seal.Key{ID: "1", Secret: bytes.Repeat([]byte("k"), 16)})
	require.NoError(t, err)
	historytest.Run(t, historytest.Stores{
		Open: func() storage.Store {
			return open(t, etcd.Options{Client: client, Prefix: prefix, Transformer: transformer})
		},
		Replicas: 2,
	}, 200)
	written, err := client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	require.NotEmpty(t, written.Kvs)
	for _, kv := range written.Kvs {
		assert.NotContains(t, string(kv.Value), historytest.Planted, "%s", kv.Key)
	}
}

func TestRacingWritersOfAHistory(t *testing.T) {
	opts := etcd.Options{Client: connect(t, shared), Prefix: newPrefix()}
	historytest.Race(t, func() storage.Store { return open(t, opts) })
}
