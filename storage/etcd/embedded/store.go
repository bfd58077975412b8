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

// Open starts the member of this process, and opens the store on it. It returns when the member has a vote, and the
// replica has received what was committed before; so it waits for a quorum of the members, and bounds nothing but by
// ctx. A process with an empty directory also waits for its peers, as described above. The caller must close the store.
//
// Open returns [ErrOldCopy] if the directory was put back to an earlier state, [ErrRemoved] if somebody has removed the
// member, and [etcd.ErrFormat] if the prefix has other data.
//
// If etcd cannot write its files, it ends the process, because it can keep no promise then.
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
		_ = options.Client.Close() // it has no connection, so its error says only that it is closed
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

// openStore opens the store, again while the cluster has no leader, as after each change of its members.
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

// Cluster returns the operations of the cluster. The caller must close it, before the store.
func (s *Store) Cluster(ctx context.Context) (*Cluster, error) {
	if len(s.member.id.peers) > 0 {
		return connect(ctx, s.member.id)
	}
	client, _ := localClient(s.member.server())
	return &Cluster{client: client, only: s.member.server()}, nil
}

// Beside opens another store on the same member, with another prefix. The caller must close it, before this one.
// Options.Client, Config and WatchClient have no meaning.
func (s *Store) Beside(ctx context.Context, opts etcd.Options) (*etcd.Store, error) {
	opts.Client, opts.WatchClient = localClient(s.member.server())
	return etcd.Open(ctx, opts)
}
