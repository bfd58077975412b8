package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// ensure creates the objects that must exist. asked may make that a dry run.
func (all *Exchanges) ensure(ctx context.Context, res *resource.Resource, asked write.Asked) error {
	return errors.Join(all.ensureSingleton(ctx, res, asked), all.ensureFirst(ctx, res, asked))
}

// ensureSingleton creates the object of a singleton resource if it does not exist.
func (all *Exchanges) ensureSingleton(ctx context.Context, res *resource.Resource, asked write.Asked) error {
	if res.Traits.Singleton == "" {
		return nil
	}
	obj := res.Bare().WithAt(doc.Of(res.Traits.Singleton), "metadata", "name")
	if res.Schema.Property("spec") != nil {
		obj = obj.With("spec", doc.MapOf())
	}
	// The object is applied, so that nobody owns the defaults and anybody can apply other values without a conflict.
	w := all.writes.New(res, resource.Target{Name: res.Traits.Singleton}, asked)
	if res.Managed == nil {
		w.Replace(obj)
	} else if err := w.Apply(obj); err != nil {
		return err
	}
	if out, err := w.Create(ctx); err != nil && !out.Taken {
		return fmt.Errorf("kind %q: cannot create the singleton from its defaults: %w", res.GVK.Kind, err)
	}
	return nil
}

// ensureFirst creates the kind's first object, such as the namespace default, if it does not exist.
func (all *Exchanges) ensureFirst(ctx context.Context, res *resource.Resource, asked write.Asked) error {
	if res.Strategy.First == "" {
		return nil
	}
	w := all.writes.New(res, resource.Target{}, asked)
	w.Replace(res.Bare().WithAt(doc.Of(res.Strategy.First), "metadata", objectmeta.Name))
	if out, err := w.Create(ctx); err != nil && !out.Taken {
		return fmt.Errorf("cannot create the %s %q: %w", res.Kind.Singular, res.Strategy.First, err)
	}
	return nil
}

// selfAgent is the field manager of the objects that the API creates on its own behalf.
const selfAgent = "decorum"
