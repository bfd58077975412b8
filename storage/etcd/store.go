package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/seal"
)

// Store is a [storage.Store] in etcd. It is one replica of the objects below its prefix.
type Store struct {
	*engine.Engine
	authority *authority
}

var (
	_ storage.Store  = (*Store)(nil)
	_ storage.Prober = (*Store)(nil)
)

// Open opens a replica, and creates the store if the prefix has none. It returns when the replica has received what was
// committed before. The caller must close the store. Open returns [storage.ErrUnavailable] if etcd does not answer, and
// [ErrFormat] if other data is below the prefix. The store loads objects when their resource is registered.
func Open(ctx context.Context, opts Options) (*Store, error) {
	if err := seal.Check(opts.Transformer); err != nil {
		return nil, fmt.Errorf("etcd: Options.Transformer: %w", err)
	}
	opts = opts.withDefaults()
	opts.Prefix = strings.TrimRight(opts.Prefix, "/")
	a := &authority{opts: opts, client: opts.Client, keys: keysOf(opts.Prefix), pending: map[string]chan int64{}}
	a.Forms = engine.NewForms(a.readForms, a.addForm)
	if a.client == nil {
		if len(opts.Config.Endpoints) == 0 {
			return nil, errors.New("etcd: Options.Client or Options.Config.Endpoints is required")
		}
		client, err := clientv3.New(opts.Config)
		if err != nil {
			return nil, storage.Unavailable(fmt.Errorf("the client of etcd: %w", err))
		}
		a.client, a.owned = client, true
	}
	engine, err := engine.OpenReplica(ctx, a, opts.Engine)
	if err != nil {
		return nil, err
	}
	return &Store{engine, a}, nil
}

// Ready implements [storage.Prober]. The store is not ready while etcd cannot be reached or has no space left.
func (s *Store) Ready() error {
	if err := s.Engine.Ready(); err != nil {
		return err
	}
	s.authority.mu.Lock()
	defer s.authority.mu.Unlock()
	return s.authority.full
}

// ID returns the identity of the objects below the prefix, which all replicas share.
func (s *Store) ID() string { return s.authority.id }
