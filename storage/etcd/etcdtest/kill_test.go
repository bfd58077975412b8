package etcdtest_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// victim is the variable that makes the test program a process that writes until it dies: commit, prefix and endpoint.
const victim = "DECORUM_ETCD_VICTIM"

// firstCommit is how many transactions precede the first commit: one makes the store, and one announces each resource
// of the suite.
const firstCommit = 4

// die runs storagetest.Work, and ends the process at a commit: before the request at commits with an even number, and
// after the answer at others.
func die(commit int, prefix, endpoint string) error {
	var transactions atomic.Int64
	intercept := func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		last := strings.HasSuffix(method, "/Txn") && transactions.Add(1) == int64(firstCommit+commit+1)
		if last && commit%2 == 0 {
			os.Exit(0)
		}
		err := invoke(ctx, method, request, reply, conn, opts...)
		if last {
			os.Exit(0)
		}
		return err
	}
	store, err := etcd.Open(context.Background(),
		etcd.Options{Prefix: prefix, Timeout: time.Minute,
			Config: clientv3.Config{Endpoints: []string{endpoint},
				DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(intercept)}}})
	if err != nil {
		return err
	}
	return storagetest.Work(context.Background(), store, os.Stdout)
}

// isVictim runs this process as a victim if it was started as one.
func isVictim() {
	words := strings.Fields(os.Getenv(victim))
	if len(words) != 3 {
		return
	}
	commit, err := strconv.Atoi(words[0])
	if err == nil {
		err = die(commit, words[1], words[2])
	}
	panic(err)
}

func kill(client *clientv3.Client) func(t *testing.T, n int) ([]byte, storage.Store) {
	return func(t *testing.T, n int) ([]byte, storage.Store) {
		t.Helper()
		prefix := newPrefix()
		printed := storagetest.RunAgain(t, victim+"="+strconv.Itoa(n)+" "+prefix+" "+shared.Endpoints()[0])
		return printed, open(t, etcd.Options{Client: client, Prefix: prefix})
	}
}
