package resource

import (
	"slices"

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

// Resource is one version of a resource, working on documents: it creates, reads, changes, deletes and selects objects, and knows
// nothing of how a request came or how its answer is shown. The API's handlers and the clients in process call the same few methods.
type Resource struct {
	*Environment
	Kind     *kind.Kind
	GVK      apimeta.GroupVersionKind
	GR       apimeta.GroupResource
	Dialect  upstream.Dialect
	Traits   Traits
	GoType   GoType
	Schema   *schema.Schema
	metadata *schema.Schema // of the member metadata
	view     schema.View    // through the Go type
	rules    rules.Checker  // nil for a kind without rules
	Managed  *managed.Kind  // nil where nobody keeps track of who writes what
	lineage
	index
	hooks        []*Hook // of admission, that may concern the resource
	Subresources []*Subresource
	scale        *scaler // nil where no counts are to be checked
	life         *Life
}

// lineage is where a version stands among the versions of its kind.
type lineage struct {
	// Stored is the version in which objects are stored, mostly the resource itself; versions are the others then.
	Stored   *Resource
	versions []*Resource
	// toStored and fromStored convert; nil in the stored version.
	toStored, fromStored func(doc.Value) (doc.Value, error)
}

// key names an object of the resource in the store.
func (res *Resource) key(namespace, name string) storage.Key {
	return storage.Key{Resource: res.GR.String(), Namespace: namespace, Name: name}
}

// Has reports whether clients may use a verb.
func (res *Resource) Has(verb string) bool { return slices.Contains(res.Kind.Verbs, verb) }

// Subresource returns the subresource of a name, or nil.
func (res *Resource) Subresource(name string) *Subresource {
	for _, s := range res.Subresources {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Serves reports whether a subresource of that name has paths below it.
func (res *Resource) Serves(name string) bool {
	s := res.Subresource(name)
	return s != nil && s.Stream != nil && s.Stream.Below
}

// HasStatus reports whether the kind has the subresource /status.
func (res *Resource) HasStatus() bool { return res.Subresource("status") != nil }

// NotFound is the error for an object that does not exist.
func (res *Resource) NotFound(name string) error { return status.NotFound(res.GR, name) }

// bare is an object of the kind with nothing but its kind and apiVersion.
func (res *Resource) bare() doc.Value {
	return doc.MapOf(
		doc.Member{Key: "apiVersion", Value: doc.Of(res.GVK.GroupVersion().String())},
		doc.Member{Key: "kind", Value: doc.Of(res.GVK.Kind)})
}
