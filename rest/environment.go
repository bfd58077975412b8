package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/decorum-go/decorum/storage"
)

// Host is what resources need of the API that serves them.
type Host struct {
	Store  storage.Store
	Now    func() time.Time
	NewUID func() string
	Logger *slog.Logger
	// MaxObjectBytes bounds what an object may grow to.
	MaxObjectBytes int64
	// MaxConvertedBytes bounds what is kept of objects in versions that are not stored.
	MaxConvertedBytes int64
	// UnsafeDeletion allows clients to delete an object that cannot be read any more.
	UnsafeDeletion bool
	// Admission are the hooks on the writes of all resources, in the order in which they run.
	Admission []*hook
	// Served returns what the API serves now.
	Served func() Set
	// Begin lets in a write that nobody has asked for, as the API lets in calls, and returns its context.
	Begin func() (ctx context.Context, done func(), err error)
}

// environment is what all resources of an API share.
type environment struct {
	Host
	views  *views
	reaper *reaper
}

// newEnvironment makes what the resources of an API share. Close ends it.
func newEnvironment(h Host) *environment {
	env := &environment{Host: h, views: newViews(h.MaxConvertedBytes)}
	env.reaper = newReaper(h)
	return env
}

// Close ends what the resources do by themselves.
func (env *environment) Close() { env.reaper.stop() }

// Set is what an API serves at one time.
type Set struct {
	// Resources holds one resource for each kind, in the stored version.
	Resources []*resource
	// Namespaces is the resource of the namespaces, nil if there is none.
	Namespaces *resource
}

// namespaces returns the resource of the namespaces that the API serves, or nil.
func (env *environment) namespaces() *resource { return env.Served().Namespaces }

// begin makes the resources known to the store, makes the objects that have to be there, and finds what waits to be removed.
func (s Set) begin(ctx context.Context) error {
	stored := slices.DeleteFunc(slices.Clone(s.Resources), func(res *resource) bool { return res.kind.Virtual })
	for _, res := range stored {
		if err := res.register(); err != nil {
			return fmt.Errorf("kind %q: %w", res.gvk.Kind, err)
		}
		if err := errors.Join(res.ensureSingleton(ctx), res.ensureDefaultNamespace(ctx)); err != nil {
			return err
		}
	}
	for _, res := range stored {
		if err := res.reaper.load(res); err != nil {
			return fmt.Errorf("kind %q: %w", res.gvk.Kind, err)
		}
	}
	return nil
}
