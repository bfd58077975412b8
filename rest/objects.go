package rest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Objects reads and writes the objects of every resource of an API in process, for programs that do not know their Go types,
// like the controllers of package lifecycle. It reads records as the store keeps them, in the version that is stored and with what
// selection needs beside the JSON, so that nothing is decoded that nobody looks at. It writes by the same pipeline as everybody
// else. An Objects is a value. Objects of virtual kinds are not stored, so there are none here.
type Objects struct {
	api     *API
	manager string
}

// ObjectsOf returns the Objects of an API.
func ObjectsOf(api *API) Objects { return Objects{api: api} }

// As returns the Objects that write under the name of a field manager. Default: the name of the user in the context.
func (o Objects) As(manager string) Objects {
	o.manager = manager
	return o
}

// StoredResource is what [Objects.Resources] tells of a resource.
type StoredResource struct {
	// Name is its name in keys: the plural and the group, "widgets.example.com".
	Name string
	// Kinds are what its objects are called, in each version, the stored one first.
	Kinds      []apimeta.GroupVersionKind
	Namespaced bool
	// Namespaces says that its objects are the namespaces of the others.
	Namespaces bool
}

// Resources returns the resources that are stored, in the order in which the API was given them.
func (o Objects) Resources() []StoredResource {
	var out []StoredResource
	for _, res := range o.api.serving.Load().Resources {
		if res.Kind.Virtual {
			continue
		}
		r := StoredResource{Name: res.GR.String(), Namespaced: res.Kind.Namespaced, Namespaces: res.AreNamespaces()}
		for _, version := range res.EveryVersion() {
			r.Kinds = append(r.Kinds, version.GVK)
		}
		out = append(out, r)
	}
	return out
}

// begin lets a call in and finds the resource.
func (o Objects) begin(resource string) (*resource.Resource, func(), error) {
	for _, res := range o.api.serving.Load().Resources {
		if !res.Kind.Virtual && res.GR.String() == resource {
			if err := o.api.enterCall(); err != nil {
				return nil, nil, err
			}
			return res, o.api.leaveCall, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: the API stores no resource %q", storage.ErrResource, resource)
}

// Get returns the record of an object, or a NotFound error, from the most recent state.
func (o Objects) Get(ctx context.Context, key storage.Key) (*storage.Record, error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return nil, err
	}
	defer done()
	record, err := o.api.store.Get(ctx, key, storage.MostRecent)
	return record, res.StoreError(err, key.Name)
}

// List returns the records of one namespace of a resource, or of all with an empty namespace, from the most recent state.
func (o Objects) List(ctx context.Context, resource, namespace string) ([]*storage.Record, error) {
	_, done, err := o.begin(resource)
	if err != nil {
		return nil, err
	}
	defer done()
	page, err := o.api.store.List(ctx, storage.Query{Scope: storage.Key{Resource: resource, Namespace: namespace}, Revision: storage.MostRecent}, nil)
	return page.Records, err
}

// Patch changes an object by a patch, or the part of it that is its subresource "status" or "finalize"; "" is the object.
// What the patch says of metadata.uid and metadata.resourceVersion must be so, else the answer is 409.
func (o Objects) Patch(ctx context.Context, key storage.Key, subresource string, form PatchType, data []byte) error {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return err
	}
	defer done()
	t := resource.Target{Namespace: key.Namespace, Name: key.Name}
	if subresource != "" {
		if t.Through = res.Subresource(subresource); t.Through == nil || !t.Through.OfItself {
			return status.ResourceNotFound()
		}
	}
	ctx = o.api.asHost(ctx)
	w := res.NewWrite(t, resource.Asked{Manager: o.manager, Agent: userNameIn(ctx)})
	if err := w.Patch(string(form), data); err != nil {
		return err
	}
	_, err = w.Update(ctx)
	return err
}

// Delete deletes an object as the options say, and reports whether it is gone, which it is not while finalizers or its grace
// period hold it.
func (o Objects) Delete(ctx context.Context, key storage.Key, options apimeta.DeleteOptions) (gone bool, err error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return false, err
	}
	defer done()
	if !res.Possible(kind.Delete) {
		return false, status.MethodNotSupported(res.GR, string(Delete))
	}
	if err := resource.ValidateDeleteOptions(options); err != nil {
		return false, err
	}
	asked := resource.Asked{Manager: o.manager, Agent: userNameIn(ctx), DryRun: len(options.DryRun) > 0}
	out, err := res.NewWrite(resource.Target{Namespace: key.Namespace, Name: key.Name}, asked).Delete(o.api.asHost(ctx), options)
	return out.Gone, err
}
