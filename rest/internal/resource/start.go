package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// register makes the resource known to the store.
func (res *Resource) register() error {
	var indexed []watch.Index
	for i := range res.fields {
		indexed = append(indexed, watch.Index{Field: i})
	}
	for _, label := range res.indexedLabels {
		indexed = append(indexed, watch.Index{Label: label})
	}
	return res.Store.Register(storage.Resource{
		Name:        res.GR.String(),
		Namespaced:  res.Kind.Namespaced,
		Extract:     res.extract,
		Indexed:     indexed,
		Fingerprint: res.GVK.Version + "/" + res.Schema.Fingerprint() + "/" + strings.Join(res.fields, ","),
		Upgrade:     res.upgrade,
	})
}

// ensureSingleton makes the one object of a singleton resource where it is not there yet.
func (res *Resource) ensureSingleton(ctx context.Context) error {
	if res.Traits.Singleton == "" {
		return nil
	}
	obj := res.bare().WithAt(doc.Of(res.Traits.Singleton), "metadata", "name")
	if res.Schema.Property("spec") != nil {
		obj = obj.With("spec", doc.MapOf())
	}
	w := res.NewWrite(Target{Name: res.Traits.Singleton}, Asked{Trusted: true, Agent: selfAgent})
	if res.Managed == nil {
		w.Replace(obj)
	} else if err := w.Apply(obj); err != nil { // so that nobody owns the defaults and whoever wants others can apply them
		return err
	}
	if out, err := w.Create(ctx); err != nil && !out.taken {
		return fmt.Errorf("kind %q: the singleton cannot be made from its defaults: %w", res.GVK.Kind, err)
	}
	return nil
}

// ensureFirst makes the object that is there from the beginning, if the kind has one.
func (res *Resource) ensureFirst(ctx context.Context) error {
	if res.life.first == "" {
		return nil
	}
	w := res.NewWrite(Target{}, Asked{Trusted: true, Agent: selfAgent})
	w.Replace(res.bare().WithAt(doc.Of(res.life.first), "metadata", objectmeta.Name))
	if out, err := w.Create(ctx); err != nil && !out.taken {
		return fmt.Errorf("the %s %q cannot be made: %w", res.Kind.Singular, res.life.first, err)
	}
	return nil
}

// Begin makes the resources known to the store, makes the objects that have to be there, and finds what waits to be removed.
func (s Set) Begin(ctx context.Context) error {
	stored := slices.DeleteFunc(slices.Clone(s.Resources), func(res *Resource) bool { return res.Kind.Virtual })
	for _, res := range stored {
		if err := res.register(); err != nil {
			return fmt.Errorf("kind %q: %w", res.GVK.Kind, err)
		}
		if err := errors.Join(res.ensureSingleton(ctx), res.ensureFirst(ctx)); err != nil {
			return err
		}
	}
	for _, res := range stored {
		if err := res.reaper.load(res); err != nil {
			return fmt.Errorf("kind %q: %w", res.GVK.Kind, err)
		}
	}
	return nil
}
