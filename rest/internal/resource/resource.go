package resource

import (
	"slices"
	"sync/atomic"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// WithKind sets the apiVersion and kind of a document that came from a Go type, which may lack these fields.
func (res *Resource) WithKind(obj doc.Value) doc.Value {
	return obj.With("apiVersion", doc.Of(res.GVK.GroupVersion().String())).With("kind", doc.Of(res.GVK.Kind))
}

// Resource is one version of a resource. It creates, reads, changes, deletes and selects objects, as documents. It does
// not know how a request arrived or how its answer is shown.
//
// [New] builds a Resource, and AddVersion links the versions of a kind. From then on a Resource is immutable, and any
// number of goroutines may use it.
type Resource struct {
	*Environment
	Store       storage.Store       // keeps the objects of all versions
	unsupported storage.Unsupported // what Store cannot do
	Elsewhere   bool                // the store is a storage.PartialStore, for objects that live elsewhere
	Apart       bool                // Store is not the API's, so no transaction spans it and most other resources
	Kind        *kind.Kind
	GVK         apimeta.GroupVersionKind
	GR          apimeta.GroupResource
	Dialect     upstream.Dialect
	Traits      Traits
	GoType      GoType
	Schema      *schema.Schema
	Metadata    *schema.Schema // the schema of the field metadata
	TypeView    schema.View    // the object as its Go type shows it
	Rules       rules.Checker  // nil for a kind without rules
	Managed     *managed.Kind  // nil if the kind keeps no managedFields
	lineage
	index
	Subresources []*Subresource
	scale        *scaler // nil if the dialect does not check the counts of /scale
	Strategy     *Strategy
	DefinedBy    *DefinedBy                 // nil for a kind without a definition; only the stored version has it
	retirement   atomic.Pointer[Retirement] // nil while the API serves the resource; only the stored version has it
	underway     *underway                  // all versions use that of Stored
}

// lineage is the place of a version among the versions of its kind.
type lineage struct {
	// Stored is the version in which objects are stored. Only in that version does versions hold the others.
	Stored     *Resource
	storedName string // see StoredName; every read and write of an object needs it
	versions   []*Resource
	// toStored and fromStored convert documents. They are nil in the stored version.
	ToStored, FromStored func(doc.Value) (doc.Value, error)
	// outside converts between the versions if the process does not. Only the stored version has it.
	outside *outside
	// copiesFields says that the versions of the kind are converted by the names of their fields.
	copiesFields bool
}

// Retired reports whether the API gives up or replaces the resource, or has done so.
func (res *Resource) Retired() bool { return res.Stored.retirement.Load() != nil }

// Left reports whether the API no longer serves the resource, because it has given it up or replaced it. If
// so, it already serves its next set of resources, and a new lookup does not find this one. The resource may be nil.
func (res *Resource) Left() bool {
	if res == nil {
		return false
	}
	f := res.Stored.retirement.Load()
	if f == nil {
		return false
	}
	select {
	case <-f.decided:
		return true
	default:
		return false
	}
}

// Replaced reports whether another resource takes or has taken the place of this one.
func (res *Resource) Replaced() bool {
	f := res.Stored.retirement.Load()
	return f != nil && f.replaced
}

// Reshaped reports whether the store may hold the objects in the form of another resource, which takes or has taken the
// place of this one. Without another form, watches still show what has happened before they end.
func (res *Resource) Reshaped() bool {
	f := res.Stored.retirement.Load()
	return f != nil && f.reshaped
}

// underway counts the requests and calls under way on a resource in all its versions and declarations.
type underway struct {
	count int
	none  chan struct{} // closed when the count falls to 0; nil if no goroutine waits
}

// Continues reports whether the API has served the resource since it served another declaration of it, without giving
// it up in between.
func (res *Resource) Continues(old *Resource) bool { return res.underway == old.underway }

// ContinueFrom says that the resource takes the place of old, so requests under way on old count for it too.
func (res *Resource) ContinueFrom(old *Resource) { res.underway = old.underway }

// Enter counts a request or a call. The API calls it, Leave and None under a lock. The resource may be nil.
func (res *Resource) Enter() {
	if res != nil {
		res.Stored.underway.count++
	}
}

// Leave ends a request or a call.
func (res *Resource) Leave() {
	if res == nil {
		return
	}
	u := res.Stored.underway
	if u.count--; u.count == 0 && u.none != nil {
		close(u.none)
		u.none = nil
	}
}

// None returns a channel that is closed when no request and no call is under way.
func (res *Resource) None() <-chan struct{} {
	u := res.Stored.underway
	if u.none == nil {
		u.none = make(chan struct{})
	}
	none := u.none
	if u.count == 0 {
		close(none)
		u.none = nil
	}
	return none
}

// Key returns the key of an object in the store. All versions of a kind share it.
func (res *Resource) Key(namespace, name string) storage.Key {
	return storage.Key{Resource: res.StoredName(), Namespace: namespace, Name: name}
}

// StoredName returns the name of the resource in the store. All versions share it, including versions in other groups.
func (res *Resource) StoredName() string { return res.storedName }

// Has reports whether clients may use a verb on the resource.
func (res *Resource) Has(verb string) bool { return slices.Contains(res.Kind.Verbs, verb) }

// FindSubresource returns the subresource with this name, or nil.
func (res *Resource) FindSubresource(name string) *Subresource {
	for _, s := range res.Subresources {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Serves reports whether the subresource with this name also serves the paths below its own.
func (res *Resource) Serves(name string) bool {
	s := res.FindSubresource(name)
	return s != nil && s.Stream != nil && s.Stream.Below
}

// HasStatus reports whether the kind has the subresource /status.
func (res *Resource) HasStatus() bool { return res.FindSubresource("status") != nil }

// NotFound returns the error for an object that does not exist. As in all errors about objects, the group is the one in
// which objects are stored.
func (res *Resource) NotFound(name string) error { return status.NotFound(res.Stored.GR, name) }

// Bare returns an object that has only its kind and apiVersion.
func (res *Resource) Bare() doc.Value {
	return doc.MapOf(
		doc.Member{Key: "apiVersion", Value: doc.Of(res.GVK.GroupVersion().String())},
		doc.Member{Key: "kind", Value: doc.Of(res.GVK.Kind)})
}
