package rest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/sealed"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Objects returns the raw objects of every resource of the API, for programs that do not know their Go types. Other
// programs use a [Client].
func (a *API) Objects() raw.Objects { return objects{api: a} }

// objects implements [raw.Objects].
type objects struct {
	sealed.Mark
	api     *API
	manager string
}

func (o objects) FieldManager(manager string) raw.Objects {
	o.manager = manager
	return o
}

func (o objects) Now() time.Time { return o.api.options.Now() }

func (o objects) Resources() []raw.Resource {
	var out []raw.Resource
	for _, res := range o.api.front.Serving().Resources {
		if res.Kind.Virtual {
			continue
		}
		out = append(out, o.api.storedResource(res))
	}
	return out
}

func (a *API) storedResource(res *resource.Resource) raw.Resource {
	r := raw.Resource{Name: res.GR.String(), Namespaced: res.Kind.Namespaced, Namespaces: res.AreNamespaces(),
		TimeToLive: res.Traits.TimeToLive, RemoveWhenDue: res.Traits.RemoveWhenDue, Store: a.indexOf(res.Store),
		Fixed: res.Elsewhere && !res.Possible(kind.Delete)}
	for _, version := range res.EveryVersion() {
		r.Kinds = append(r.Kinds, version.GVK)
	}
	return r
}

func (o objects) GroupVersions() (served []apimeta.GroupVersion) {
	for _, group := range o.api.front.Serving().Groups {
		for _, version := range group.Versions {
			served = append(served, version.GroupVersion)
		}
	}
	return served
}

func (o objects) Changed() <-chan struct{} { return o.api.front.Serving().Replaced }

func (o objects) Ending() <-chan struct{} { return o.api.ending.Done() }

// begin admits a call and finds the resource. The caller calls the returned function when the call has ended.
func (o objects) begin(resource string) (*resource.Resource, func(), error) {
	res := o.api.front.Serving().Stored(resource)
	if res == nil {
		return nil, nil, fmt.Errorf("%w: the API stores no resource %q", storage.ErrResource, resource)
	}
	if err := o.api.flights.EnterCall(res); err != nil {
		return nil, nil, err
	}
	return res, func() { o.api.flights.LeaveCall(res) }, nil
}

func (o objects) Get(ctx context.Context, key storage.Key) (*storage.Record, error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return nil, err
	}
	defer done()
	record, err := res.Store.Get(ctx, key, storage.MostRecent)
	return record, res.StoreError(err, key.Name)
}

func (o objects) List(ctx context.Context, resource, namespace string) ([]*storage.Record, error) {
	res, done, err := o.begin(resource)
	if err != nil {
		return nil, err
	}
	defer done()
	page, err := res.Store.List(ctx,
		storage.Query{Within: storage.Key{Resource: resource, Namespace: namespace}, Revision: storage.MostRecent}, nil)
	return page.Records, err
}

func (o objects) ResourcesIn(ctx context.Context, namespace string) ([]string, error) {
	if err := o.api.flights.EnterCall(nil); err != nil {
		return nil, err
	}
	defer o.api.flights.LeaveCall(nil)
	var held []string
	for _, store := range o.api.stores {
		found, err := store.ResourcesIn(ctx, namespace)
		if err != nil {
			return nil, err
		}
		held = append(held, found...)
	}
	slices.Sort(held)
	return slices.DeleteFunc(slices.Compact(held), notes.IsResource), nil
}

func (o objects) PurgeHistory(ctx context.Context, namespace string) error {
	if err := o.api.flights.EnterCall(nil); err != nil {
		return err
	}
	defer o.api.flights.LeaveCall(nil)
	for _, store := range o.api.stores {
		if err := past.PurgeNamespace(ctx, store, o.api.ending, namespace); err != nil {
			return err
		}
	}
	return nil
}

func (o objects) PurgeHistoryOf(ctx context.Context, resource string) error {
	res, done, err := o.begin(resource)
	if err != nil {
		return err
	}
	defer done()
	return past.PurgeResource(ctx, res)
}

func (o objects) Patch(ctx context.Context, key storage.Key, subresource string, patch []byte) error {
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
	at := service.Address{Namespace: key.Namespace, Name: key.Name, Subresource: subresource}
	ctx = o.api.calling(ctx, at.Access(res, kind.Patch))
	w := o.api.writes.New(res, t, write.Asked{Manager: o.manager, Agent: userNameIn(ctx)})
	if err := w.Patch(string(apimeta.MergePatch), patch); err != nil {
		return err
	}
	_, err = w.Update(ctx)
	return err
}

func (o objects) Delete(ctx context.Context, key storage.Key, options apimeta.DeleteOptions) (gone bool, err error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return false, err
	}
	defer done()
	if !res.Possible(kind.Delete) {
		return false, status.MethodNotSupported(res.GR, string(access.VerbDelete))
	}
	if err := write.ValidateDeleteOptions(options); err != nil {
		return false, err
	}
	asked := write.Asked{Manager: o.manager, Agent: userNameIn(ctx), DryRun: len(options.DryRun) > 0}
	ctx = o.api.calling(ctx, service.Address{Namespace: key.Namespace, Name: key.Name}.Access(res, kind.Delete))
	out, err := o.api.writes.New(res, resource.Target{Namespace: key.Namespace, Name: key.Name}, asked).Delete(ctx,
		options)
	return out.Gone, err
}

func (o objects) EndGracePeriod(ctx context.Context, key storage.Key,
	late time.Duration) (left time.Duration, err error) {
	res, done, err := o.begin(key.Resource)
	if err != nil {
		return 0, err
	}
	defer done()
	ctx = o.api.calling(ctx, service.Address{Namespace: key.Namespace, Name: key.Name}.Access(res, kind.Delete))
	return o.api.writes.EndGrace(ctx, res, key, late)
}
