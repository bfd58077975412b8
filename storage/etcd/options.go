package etcd

import (
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/seal"
)

const (
	defaultPrefix    = "/decorum"
	defaultTimeout   = 5 * time.Second
	keepAlive        = 5 * time.Second
	keepAliveTimeout = 3 * time.Second
)

// Options configures [Open]. Client or Config is required.
type Options struct {
	// Client connects to etcd. The store does not close it.
	Client *clientv3.Client
	// WatchClient opens the watches if Client has no connection and calls a server in the same process directly.
	// Package embedded sets it. Nil means that watches use the connection of Client.
	WatchClient pb.WatchClient
	// Config has the endpoints, and the certificates or the user, if Client is nil. Open fills in timeouts that are zero,
	// and a logger that discards everything.
	Config clientv3.Config
	// Prefix is the beginning of all keys of the store, by default /decorum. A slash at the end has no meaning.
	Prefix string
	// Timeout bounds each request to etcd, by default 5 seconds. If a transaction takes longer, its outcome is unknown
	// (504).
	Timeout time.Duration
	// Transformer seals the JSON of objects, for example with seal.NewAEAD. Nil stores plain JSON. A prefix may contain
	// both sealed and plain objects. An object is sealed with the current key when it is next written.
	Transformer seal.Transformer
	// Engine configures the engine in memory. If Start is above the clock, revisions of a new store start above it, so a
	// host that imports objects sets it to the last revision of their former store.
	Engine storage.Options
}

func (o Options) withDefaults() Options {
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	c := &o.Config
	if c.DialTimeout == 0 {
		c.DialTimeout = o.Timeout
	}
	if c.DialKeepAliveTime == 0 {
		c.DialKeepAliveTime, c.DialKeepAliveTimeout = keepAlive, keepAliveTimeout
	}
	if c.Logger == nil && c.LogConfig == nil {
		c.Logger = zap.NewNop()
	}
	return o
}
