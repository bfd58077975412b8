package embedded

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
)

// Store is a [storage.Store] over a member of etcd in this process.
type Store struct {
	*etcd.Store
	member *member
	close  func() error // works once
}

var (
	_ storage.Store  = (*Store)(nil)
	_ storage.Prober = (*Store)(nil)
)

// Open starts the member of this process and opens the store on it. It returns when the member has a vote and the
// replica has received all earlier commits. It therefore waits for a quorum of the members, limited only by ctx. A
// process with an empty directory also waits for its peers, as the package comment describes. The caller must close the
// store.
//
// Open returns [ErrOldCopy] if the directory was restored to an earlier state, [ErrRemoved] if the member was removed
// from the cluster, and [etcd.ErrFormat] if the prefix holds other data.
//
// If etcd cannot write its files, it ends the process, because it could no longer keep its promises.
func Open(ctx context.Context, opts Options) (*Store, error) {
	id, err := opts.identify()
	if err != nil {
		return nil, err
	}
	if err := id.place(); err != nil {
		return nil, err
	}
	m, err := startMember(ctx, id)
	if err != nil {
		return nil, err
	}
	options := id.Store
	options.Client, options.WatchClient = localClient(m.server())
	store, err := openStore(ctx, options)
	if err != nil {
		_ = options.Client.Close() // the client has no connection, so Close cannot fail in a way that matters
		m.close()
		return nil, err
	}
	s := &Store{Store: store, member: m}
	s.close = sync.OnceValue(func() error {
		err := store.Close()
		_ = options.Client.Close()
		m.close()
		return err
	})
	return s, nil
}

// openStore opens the store. It tries again while the cluster has no leader, as happens after each change of its
// members.
func openStore(ctx context.Context, options etcd.Options) (*etcd.Store, error) {
	tick := time.NewTicker(tryEvery)
	defer tick.Stop()
	for {
		store, err := etcd.Open(ctx, options)
		if err == nil || !errors.Is(err, storage.ErrUnavailable) {
			return store, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Close closes the store and stops the member, which passes its leadership to another member first. Further calls
// return the same error and do nothing.
func (s *Store) Close() error { return s.close() }

// Cluster returns the operations of the cluster. The caller must close it before the store.
func (s *Store) Cluster(ctx context.Context) (*Cluster, error) {
	if len(s.member.id.peers) > 0 {
		return connect(ctx, s.member.id)
	}
	client, _ := localClient(s.member.server())
	return &Cluster{client: client, only: s.member.server()}, nil
}
