package embedded

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/proxy/grpcproxy/adapter"
	"google.golang.org/grpc"
)

// localClient returns a client that calls a member in this process directly, and the client for its watches.
func localClient(server *etcdserver.EtcdServer) (*clientv3.Client, pb.WatchClient) {
	client := v3client.New(server)
	calls := adapter.KvServerToKvClient(v3rpc.NewQuotaKVServer(server))
	client.KV = clientv3.NewKVFromKVClient(led{calls, server}, client)
	return client, adapter.WatchServerToWatchClient(v3rpc.NewWatchServer(server))
}

// led refuses requests while the member knows no leader, as etcd's gRPC server does. Otherwise each request would wait
// until it times out, and the outcome of writes would be unknown.
type led struct {
	pb.KVClient
	server *etcdserver.EtcdServer
}

func (l led) check() error {
	if l.server.Leader() == 0 {
		return rpctypes.ErrGRPCNoLeader
	}
	return nil
}

// Range implements [pb.KVClient].
func (l led) Range(ctx context.Context, in *pb.RangeRequest, opts ...grpc.CallOption) (*pb.RangeResponse, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	return l.KVClient.Range(ctx, in, opts...)
}

// Txn implements [pb.KVClient].
func (l led) Txn(ctx context.Context, in *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	return l.KVClient.Txn(ctx, in, opts...)
}
