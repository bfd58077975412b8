package rest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/caller"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Objects reads and writes the objects of every resource of an API in process, for programs that do not know their Go types, such
// as the controllers of package lifecycle. It returns the records of the store, in the stored version and without decoding them.
// Its writes take the same steps as all others. Virtual kinds store no objects, so Objects does not know them.
//
// An Objects is a value, and may be used by many goroutines at once.
type Objects struct {
	api     *API
	manager string
}

// ObjectsOf returns the Objects of an API.
func ObjectsOf(api *API) Objects { return Objects{api: api} }

// As returns an Objects that writes under the name of a field manager, which managedFields record (API concepts, Server-Side
// Apply). Default: the name of the user in the context.
func (o Objects) As(manager string) Objects {
	o.manager = manager
	return o
}

// StoredResource describes a resource whose objects are stored.
type StoredResource struct {
	// Name is the resource in a [storage.Key]: the plural and the group of the stored version, such as "widgets.example.com".
	Name string
	// Kinds are the kind of the objects in each version, the stored version first.
	Kinds []apimeta.GroupVersionKind
	// Namespaced says that the objects live in namespaces.
	Namespaced bool
	// Namespaces says that the objects are the namespaces of other resources (see [NamespacesOf]).
	Namespaces bool
	// TimeToLive is how long an object lives after its last write (see [storage.Record.Written]), or 0 if objects do not expire (see
	// [Resource]).
	TimeToLive time.Duration
	// RemoveWhenDue says that objects are removed when their grace period has passed (see [Resource]).
	RemoveWhenDue bool
}

// Now returns the time of the API's clock (see [Options]).
func (o Objects) Now() time.Time { return o.api.options.Now() }

// Resources returns the resources whose objects are stored, in the order in which the API took them.
func (o Objects) Resources() []StoredResource {
	var out []StoredResource
	for _, res := range o.api.serving.Load().Resources {
		if res.Kind.Virtual {
			continue
		}
		out = append(out, storedResource(res))
	}
	return out
}

func storedResource(res *resource.Resource) StoredResource {
	r := StoredResource{Name: res.GR.String(), Namespaced: res.Kind.Namespaced, Namespaces: res.AreNamespaces(),
		TimeToLive: res.Traits.TimeToLive, RemoveWhenDue: res.Traits.RemoveWhenDue}
	for _, version := range res.EveryVersion() {
		r.Kinds = append(r.Kinds, version.GVK)
	}
	return r
}

// GroupVersions returns the groups and versions that clients find in discovery, in its order.
func (o Objects) GroupVersions() (served []apimeta.GroupVersion) {
	for _, group := range o.api.serving.Load().groups {
		for _, version := range group.Versions {
			served = append(served, version.GroupVersion)
		}
	}
	return served
}

// Changed returns a channel that is closed when the API next takes, replaces or gives up a resource. A caller that depends on [Objects.Resources]
// calls Changed first.
func (o Objects) Changed() <-chan struct{} { return o.api.serving.Load().replaced }

// Ending returns a channel that is closed when the API shuts down or closes.
func (o Objects) Ending() <-chan struct{} { return o.api.ending.Done() }

// begin admits a call and finds the resource. The caller calls the returned function when the call has ended.
func (o Objects) begin(resource string) (*resource.Resource, func(), error) {
	res := o.api.serving.Load().Stored(resource)
	if res == nil {
		return nil, nil, fmt.Errorf("%w: the API stores no resource %q", storage.ErrResource, resource)
	}
	if err := o.api.flights.EnterCall(res); err != nil {
		return nil, nil, err
	}
	return res, func() { o.api.flights.LeaveCall(res) }, nil
}

// Get returns the most recent record of an object, or a NotFound error. The caller must not change the record.
func (o Objects) Get(ctx context.Context, key storage.Key) (*storage.Record, error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return nil, err
	}
	defer done()
	record, err := o.api.store.Get(ctx, key, storage.MostRecent)
	return record, res.StoreError(err, key.Name)
}

// List returns the most recent records of a resource in one namespace, or in all if namespace is empty. The caller must not
// change the records.
func (o Objects) List(ctx context.Context, resource, namespace string) ([]*storage.Record, error) {
	_, done, err := o.begin(resource)
	if err != nil {
		return nil, err
	}
	defer done()
	page, err := o.api.store.List(ctx, storage.Query{Scope: storage.Key{Resource: resource, Namespace: namespace}, Revision: storage.MostRecent}, nil)
	return page.Records, err
}

// ResourcesIn returns the names of the resources that have objects in a namespace, or any object if namespace is empty, from the most
// recent state. It also names resources that the API does not serve but whose objects are in the store, for example those of a
// definition that waits for its conversion webhook. So a caller that releases a namespace asks ResourcesIn first.
func (o Objects) ResourcesIn(ctx context.Context, namespace string) ([]string, error) {
	if err := o.api.flights.EnterCall(nil); err != nil {
		return nil, err
	}
	defer o.api.flights.LeaveCall(nil)
	held, err := o.api.store.ResourcesIn(ctx, namespace)
	return slices.DeleteFunc(held, notes.IsResource), err
}

// Patch applies a patch to an object, or to one of its subresources "status" and "finalize"; "" means the object itself. A
// metadata.uid or metadata.resourceVersion in the patch is a precondition: if the object has another one, the error is Conflict.
func (o Objects) Patch(ctx context.Context, key storage.Key, subresource string, form PatchType, data []byte) error {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return err
	}
	defer done()
	t := resource.Target{Namespace: key.Namespace, Name: key.Name}
	if subresource != "" {
		if t.Through = res.FindSubresource(subresource); t.Through == nil || !t.Through.OfItself {
			return status.ResourceNotFound()
		}
	}
	at := caller.Address{Namespace: key.Namespace, Name: key.Name, Subresource: subresource}
	ctx = o.api.calling(ctx, at.Question(res, kind.Patch))
	w := o.api.writes.New(res, t, write.Asked{Manager: o.manager, Agent: userNameIn(ctx)})
	if err := w.Patch(string(form), data); err != nil {
		return err
	}
	_, err = w.Update(ctx)
	return err
}

// Delete deletes an object, and reports whether it is gone. It is not gone while finalizers or its grace period hold it.
func (o Objects) Delete(ctx context.Context, key storage.Key, options apimeta.DeleteOptions) (gone bool, err error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return false, err
	}
	defer done()
	if !res.Possible(kind.Delete) {
		return false, status.MethodNotSupported(res.GR, string(VerbDelete))
	}
	if err := write.ValidateDeleteOptions(options); err != nil {
		return false, err
	}
	asked := write.Asked{Manager: o.manager, Agent: userNameIn(ctx), DryRun: len(options.DryRun) > 0}
	ctx = o.api.calling(ctx, caller.Address{Namespace: key.Namespace, Name: key.Name}.Question(res, kind.Delete))
	out, err := o.api.writes.New(res, resource.Target{Namespace: key.Namespace, Name: key.Name}, asked).Delete(ctx, options)
	return out.Gone, err
}

// EndGracePeriod removes an object whose grace period has passed, as the API itself does for a resource with RemoveWhenDue (see
// [Resource]). Hooks and admission are not asked again. late is how long after its end the grace period counts as passed. If it has not
// passed, EndGracePeriod removes nothing and returns how long to wait. It does nothing if the object is gone, or if no grace period holds
// it.
func (o Objects) EndGracePeriod(ctx context.Context, key storage.Key, late time.Duration) (left time.Duration, err error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return 0, err
	}
	defer done()
	ctx = o.api.calling(ctx, caller.Address{Namespace: key.Namespace, Name: key.Name}.Question(res, kind.Delete))
	return o.api.writes.EndGrace(ctx, res, key, late)
}
