package resource

import (
	"context"
	"log/slog"
	"reflect"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/storage"
)

// Host is what the resources need from the API that serves them.
type Host struct {
	// Store keeps the objects of the resources that have no store of their own in Stores.
	Store  storage.Store
	Stores map[apimeta.GroupResource]storage.Store
	Now    func() time.Time
	NewUID func() string
	Logger *slog.Logger
	// MaxObjectBytes is the size limit of an object.
	MaxObjectBytes int64
	// Budget bounds the memory of the caches. Answers is a part of it, and bounds the memory of answers that are built as
	// a whole.
	Budget, Answers *storage.Budget
	// Borrower returns whom memory of Answers counts for in the request or the call with this context, or "".
	Borrower func(context.Context) string
	// MaxConvertedBytes limits the memory for objects that are kept in other versions than the stored one, see shownCache.
	MaxConvertedBytes int64
	// MaxDecodedBytes limits the memory for documents of objects that were written recently, see decodedCache.
	MaxDecodedBytes int64
	// UnsafeDeletion allows clients to delete an object that cannot be decoded.
	UnsafeDeletion bool
	// Sharded lets clients list and watch shards of every resource, see package shard.
	Sharded bool
	// Queries is nil unless clients may query, see [Query].
	Queries *QueryLimits
	// Holder stands for the API in the store, which several APIs may share.
	Holder storage.Holder
	// Owner is the API itself. Code that finds the Environment in a context, and knows the type, gets the API from it.
	Owner any
	// Served returns what the API serves now. The set may differ from one call to the next.
	Served func() Set
	// UntilRetired returns the context of a watch of the resource, which also ends when the API ends, and with
	// [ErrRetired] when the API gives up or replaces the resource.
	UntilRetired func(context.Context, *Resource) (context.Context, context.CancelFunc)
	// Types remembers the schemas of Go types.
	Types *schema.Types
	// Begin registers a write that no client asked for, so that the API's shutdown waits for it. The caller must call
	// done.
	Begin func() (ctx context.Context, done func(), err error)
}

// Environment is what all resources of an API share.
type Environment struct {
	Host
	// Authorizer is that of the host and its plug-ins, which the API sets before it serves anything; nil without one.
	Authorizer   access.Authorizer
	shownCache   shownCache
	decodedCache decodedCache
}

// HookAuthorizer returns the Authorizer of the API for its hooks. [access.AuthorizerFrom] calls it.
func (e *Environment) HookAuthorizer() access.Authorizer { return e.Authorizer }

// NewEnvironment returns the Environment of an API.
func NewEnvironment(h Host) *Environment {
	return &Environment{Host: h, shownCache: newShownCache(h.Budget, h.MaxConvertedBytes),
		decodedCache: newDecodedCache(h.Budget, h.MaxDecodedBytes)}
}

// Lend returns a Loan of nothing from Answers to who makes the request or the call with this context.
func (env *Environment) Lend(ctx context.Context) storage.Loan {
	return env.Answers.LendTo(env.Borrower(ctx))
}

// storeOf returns the store of a resource, given by its stored version, and whether it is another one than that of the
// API.
func (env *Environment) storeOf(gr apimeta.GroupResource) (store storage.Store, apart bool) {
	if own := env.Stores[gr]; own != nil && own != env.Host.Store {
		return own, true
	}
	return env.Host.Store, false
}

// KnownTypes returns what remembers the schemas of Go types. A resource that no API serves remembers nothing.
func (env *Environment) KnownTypes() *schema.Types {
	if env == nil || env.Types == nil {
		return new(schema.Types)
	}
	return env.Types
}

// Derive returns the schema of a Go type, as [schema.Derive] does.
func (env *Environment) Derive(t reflect.Type, options schema.Options) (*schema.Schema, error) {
	return env.KnownTypes().Derive(t, options)
}

// Set is what an API serves at one moment. It does not change.
type Set struct {
	// Resources holds one resource for each kind, in the stored version.
	Resources []*Resource
	// Namespaces is the resource that serves namespaces. It is nil if the API serves none.
	Namespaces *Resource
	stored     map[string]*Resource
	versions   map[apimeta.GroupVersionResource]*Resource
}

// NewSet returns the set of these resources, which are in their stored versions.
func NewSet(resources []*Resource) Set {
	s := Set{
		Resources: resources, stored: make(map[string]*Resource, len(resources)),
		versions: make(map[apimeta.GroupVersionResource]*Resource, len(resources)),
	}
	for _, res := range resources {
		if res.AreNamespaces() {
			s.Namespaces = res
		}
		if !res.Kind.Virtual {
			s.stored[res.StoredName()] = res
		}
	}
	for res := range s.EveryVersion {
		s.versions[res.GVK.GroupVersion().WithResource(res.GR.Resource)] = res
	}
	return s
}

// Stored returns the resource whose objects have this name in the store, such as "widgets.example.com". It returns nil
// if the API does not store this resource.
func (s Set) Stored(name string) *Resource { return s.stored[name] }

// Namespaces returns the resource that serves namespaces, or nil.
func (env *Environment) Namespaces() *Resource { return env.Served().Namespaces }

// EveryVersion yields every version of every resource, including a stored version that is not served.
func (s Set) EveryVersion(yield func(*Resource) bool) {
	for _, stored := range s.Resources {
		for _, res := range stored.EveryVersion() {
			if !yield(res) {
				return
			}
		}
	}
}
