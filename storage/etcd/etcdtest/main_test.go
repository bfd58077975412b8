package etcdtest_test

import (
	"cmp"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// shared is a cluster that all tests share. Each uses a prefix of its own.
var shared *etcdtest.Cluster

func TestMain(m *testing.M) {
	etcdtest.Member()
	isVictim()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "etcd")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if shared, err = etcdtest.Start(dir, etcdtest.Options{}); err != nil {
		panic(err)
	}
	defer shared.Stop()
	return m.Run()
}

var prefixes atomic.Int64

func newPrefix() string { return fmt.Sprint("/stores/", prefixes.Add(1)) }

func connect(t testing.TB, cluster *etcdtest.Cluster) *clientv3.Client {
	t.Helper()
	return clientOf(t, cluster.Endpoints())
}

func clientOf(t testing.TB, endpoints []string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	_, err = client.Get(t.Context(), "connected") // the goroutines of the connection run from here on
	require.NoError(t, err)
	return client
}

// open opens a store. Unless the test sets a timeout, a busy machine has a minute for each request.
func open(t testing.TB, opts etcd.Options) (store *etcd.Store) {
	t.Helper()
	opts.Timeout = cmp.Or(opts.Timeout, time.Minute)
	storagetest.Insist(t, func() (err error) {
		store, err = etcd.Open(t.Context(), opts)
		return err
	})
	return store
}
