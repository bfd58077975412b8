package postgres

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
)

// Store is a [storage.Store] in a schema of Postgres. It is one replica of the objects in this schema.
type Store struct {
	*engine.Engine
	authority *authority
}

var (
	_ storage.Store  = (*Store)(nil)
	_ storage.Prober = (*Store)(nil)
)

// Open opens a replica. It creates the schema and its tables, or upgrades those of an older version of this package. It
// returns when the replica has received what was committed before. The caller must close the store. Open returns
// [storage.ErrUnavailable] if Postgres does not answer or does not deliver notifications, and [ErrFormat] if the schema
// has tables of a newer version. The store loads objects when their resource is registered.
func Open(ctx context.Context, opts Options) (*Store, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	a := newAuthority(opts)
	err = a.layOut(ctx)
	if err == nil && opts.Poll == 0 {
		err = a.tryListening(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	engine, err := engine.OpenReplica(ctx, a, opts.Engine)
	if err != nil {
		return nil, err
	}
	return &Store{engine, a}, nil
}

// Ready implements [storage.Prober]. The store is not ready while Postgres does not answer or refuses writes.
func (s *Store) Ready() error {
	if err := s.Engine.Ready(); err != nil {
		return err
	}
	s.authority.mu.Lock()
	defer s.authority.mu.Unlock()
	return s.authority.refuses
}

// ID returns the identity of the objects in the schema, which all replicas share.
func (s *Store) ID() string { return s.authority.identity() }
