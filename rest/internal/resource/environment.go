package resource

import (
	"context"
	"log/slog"
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
	Admission []*Hook
	// Owner is the API itself, for those who find an environment and know the type.
	Owner any
	// Served returns what the API serves now.
	Served func() Set
	// Begin lets in a write that nobody has asked for, as the API lets in calls, and returns its context.
	Begin func() (ctx context.Context, done func(), err error)
}

// Environment is what all resources of an API share.
type Environment struct {
	Host
	views  *views
	reaper *reaper
}

// NewEnvironment makes what the resources of an API share. Close ends it.
func NewEnvironment(h Host) *Environment {
	env := &Environment{Host: h, views: newViews(h.MaxConvertedBytes)}
	env.reaper = newReaper(h)
	return env
}

// Close ends what the resources do by themselves.
func (env *Environment) Close() { env.reaper.stop() }

// Set is what an API serves at one time.
type Set struct {
	// Resources holds one resource for each kind, in the stored version.
	Resources []*Resource
	// Namespaces is the resource of the namespaces, nil if there is none.
	Namespaces *Resource
}

// namespaces returns the resource of the namespaces that the API serves, or nil.
func (env *Environment) namespaces() *Resource { return env.Served().Namespaces }

// EveryVersion yields the resources in all their versions, also in those that are stored only.
func (s Set) EveryVersion(yield func(*Resource) bool) {
	for _, stored := range s.Resources {
		for _, res := range stored.EveryVersion() {
			if !yield(res) {
				return
			}
		}
	}
}
