package foreign

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// Options configures a [Store]. The zero value selects the defaults.
type Options struct {
	// Engine bounds the history, and has the clock and the logger. See [storage.Options].
	Engine storage.Options
}

// Store is a [storage.Store] of kinds whose objects live elsewhere. The host closes it after the API.
type Store struct {
	*engine.Engine
	authority *authority
}

var (
	_ storage.Store        = (*Store)(nil)
	_ storage.Prober       = (*Store)(nil)
	_ storage.Reporter     = (*Store)(nil)
	_ storage.PartialStore = (*Store)(nil)
)

// Open returns a store of the objects of these sources. It calls none of their functions: the store begins to read a
// source when an API begins to serve its resource. [rest.New] waits for that, but an API also starts if a source fails.
//
// [rest.New]: https://pkg.go.dev/github.com/decorum-go/decorum/rest#New
func Open(options Options, definitions ...Definition) (*Store, error) {
	opts := options.Engine
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Start == 0 {
		opts.Start = watch.Revision(max(1, opts.Now().UnixMicro()))
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	sources := map[string]*source{}
	for _, d := range definitions {
		s, err := d.define()
		if err == nil && sources[s.resource] != nil {
			err = fmt.Errorf("%s: declared twice", s.resource)
		}
		if err != nil {
			return nil, fmt.Errorf("foreign.Open: %w", err)
		}
		s.prepare(opts.Logger)
		sources[s.resource] = s
	}
	a := newAuthority(sources, opts.Start, opts.Now)
	engine, err := engine.OpenReplica(context.Background(), a, opts)
	if err != nil {
		return nil, fmt.Errorf("foreign.Open: %w", err)
	}
	return &Store{engine, a}, nil
}

// Register implements [storage.Store]. It returns when the store has looked at the source, whether or not the source
// has answered.
func (s *Store) Register(ctx context.Context, resource storage.Resource) error {
	of := s.authority.sources[resource.Name]
	if of == nil {
		return fmt.Errorf("%w: package foreign has no source of %q", storage.ErrResource, resource.Name)
	}
	s.authority.setScope(of, resource.Namespaced)
	if err := s.Engine.Register(ctx, resource); err != nil {
		return err
	}
	s.authority.start(of)
	select {
	case <-of.tried:
	case <-s.authority.ctx.Done():
		return storage.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := s.Engine.List(ctx, storage.Query{Within: watch.Key{Resource: resource.Name}, Limit: 1}, nil) // until it shows what was seen
	return err
}

// setScope says whether the objects of a source have namespaces.
func (a *authority) setScope(s *source, namespaced bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.started {
		s.namespaced = namespaced
	}
}

// Unsupported implements [storage.PartialStore].
func (s *Store) Unsupported(resource string) (storage.Unsupported, bool) {
	of := s.authority.sources[resource]
	if of == nil {
		return storage.Unsupported{}, true
	}
	return storage.Unsupported{Create: of.create == nil, Update: of.update == nil, Delete: of.remove == nil}, true
}

// Ready implements [storage.Prober]. It returns an error that names the sources whose objects clients cannot read.
func (s *Store) Ready() error {
	err := s.Engine.Ready()
	for _, name := range s.authority.resources() {
		of := s.authority.sources[name]
		if age, trouble, stale := s.authority.stale(of); stale {
			err = errors.Join(err, staleness(name, age, trouble))
		}
	}
	return err
}

// staleness says that the state of a source is too old.
func staleness(resource string, age time.Duration, trouble error) error {
	text := fmt.Errorf("the source of %s has not been read yet", resource)
	if age > 0 {
		text = fmt.Errorf("the source of %s has not answered for %v", resource, age.Round(time.Second))
	}
	if trouble != nil {
		text = fmt.Errorf("%w: %w", text, trouble)
	}
	return text
}

// retryAfter is how many seconds a client should wait before it reads again.
const retryAfter = 1

// readable returns an error if the objects of a resource are too old for clients, or if the revision is of another
// process.
func (s *Store) readable(resource string, revision watch.Revision) error {
	if of := s.authority.sources[resource]; of != nil {
		if age, trouble, stale := s.authority.stale(of); stale {
			unavailable := status.ServiceUnavailable(staleness(resource, age, nil).Error())
			unavailable.Status.Details = &status.Details{RetryAfterSeconds: retryAfter}
			return errors.Join(unavailable, trouble)
		}
	}
	if revision > storage.Any && !s.authority.knows(revision) {
		return status.Expired("the resourceVersion is of another process, or too old: list again")
	}
	return nil
}

// Get implements [storage.Store].
func (s *Store) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	if err := s.readable(key.Resource, atLeast); err != nil {
		return nil, err
	}
	return s.Engine.Get(ctx, key, atLeast)
}

// List implements [storage.Store].
func (s *Store) List(ctx context.Context, q storage.Query, into []*storage.Record) (storage.Listing, error) {
	if err := s.readable(q.Within.Resource, q.Revision); err != nil {
		return storage.Listing{}, err
	}
	return s.Engine.List(ctx, q, into)
}

// Watch implements [storage.Store].
func (s *Store) Watch(
	ctx context.Context, within watch.Key, after watch.Revision, terms ...watch.Term,
) (watch.Cursor[storage.Record], error) {
	if err := s.readable(within.Resource, after); err != nil {
		return nil, err
	}
	return s.Engine.Watch(ctx, within, after, terms...)
}

// ResourcesIn implements [storage.Store]. It leaves out the resources whose objects cannot be deleted here, because
// they do not keep a namespace from being removed.
func (s *Store) ResourcesIn(ctx context.Context, namespace string) ([]string, error) {
	names, err := s.Engine.ResourcesIn(ctx, namespace)
	return slices.DeleteFunc(names, func(name string) bool { return s.authority.sources[name].remove == nil }), err
}

// Update implements [storage.Store]. The record is the object as the source has kept it.
func (s *Store) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	if err := s.readable(key.Resource, storage.Any); err != nil {
		return nil, err
	}
	return s.Engine.Update(ctx, key, fn)
}
