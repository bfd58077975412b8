package resource

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// register tells the store how to find and upgrade the objects of the resource.
func (res *Resource) register(ctx context.Context) error {
	var indexed []watch.Index
	for i := range res.fields {
		indexed = append(indexed, watch.Index{Field: i})
	}
	for _, label := range res.indexedLabels {
		indexed = append(indexed, watch.Index{Label: label})
	}
	return res.Store.Register(ctx, storage.Resource{
		Name:        res.StoredName(),
		Namespaced:  res.Kind.Namespaced,
		Extract:     res.extract,
		Indexed:     indexed,
		Fingerprint: res.fingerprint(),
		Upgrade:     res.upgrade,
		Declaration: res,
		Holder:      res.Holder,
	})
}

// fingerprint identifies the form of the stored objects.
func (res *Resource) fingerprint() string {
	return res.GVK.Version + "/" + res.Schema.Fingerprint() + "/" + strings.Join(res.Kind.SelectableFields, ",")
}

// unregister makes the store stop serving the resource, unless another API holds it.
func (res *Resource) unregister(ctx context.Context) error {
	if res.Kind.Virtual {
		return nil
	}
	return res.Store.Unregister(ctx, res.StoredName(), res.Holder)
}

// ensure creates the objects that must exist. asked may make that a dry run.
func (all *Writes) ensure(ctx context.Context, res *Resource, asked Asked) error {
	return errors.Join(all.ensureSingleton(ctx, res, asked), all.ensureFirst(ctx, res, asked))
}

// ensureSingleton creates the object of a singleton resource if it does not exist.
func (all *Writes) ensureSingleton(ctx context.Context, res *Resource, asked Asked) error {
	if res.Traits.Singleton == "" {
		return nil
	}
	obj := res.bare().WithAt(doc.Of(res.Traits.Singleton), "metadata", "name")
	if res.Schema.Property("spec") != nil {
		obj = obj.With("spec", doc.MapOf())
	}
	// The object is applied, so that nobody owns the defaults and anybody can apply other values without a conflict.
	w := all.New(res, Target{Name: res.Traits.Singleton}, asked)
	if res.Managed == nil {
		w.Replace(obj)
	} else if err := w.Apply(obj); err != nil {
		return err
	}
	if out, err := w.Create(ctx); err != nil && !out.taken {
		return fmt.Errorf("kind %q: cannot create the singleton from its defaults: %w", res.GVK.Kind, err)
	}
	return nil
}

// ensureFirst creates the kind's first object, such as the namespace default, if it does not exist.
func (all *Writes) ensureFirst(ctx context.Context, res *Resource, asked Asked) error {
	if res.strategy.first == "" {
		return nil
	}
	w := all.New(res, Target{}, asked)
	w.Replace(res.bare().WithAt(doc.Of(res.strategy.first), "metadata", objectmeta.Name))
	if out, err := w.Create(ctx); err != nil && !out.taken {
		return fmt.Errorf("cannot create the %s %q: %w", res.Kind.Singular, res.strategy.first, err)
	}
	return nil
}
