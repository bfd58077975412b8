package crd

import (
	"context"
	"maps"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/raw"
)

// serve makes the API serve the kind of a definition, in the form that the definition has now.
func (k *kinds) serve(ctx context.Context, d *definition, names apiextensions.CustomResourceDefinitionNames) error {
	next := newKind(d, names)
	if c := k.conversions[d.Name]; c != nil && (next.ending || !c.next.isLike(next)) {
		k.stopConversion(d.Name)
	}
	old := k.served[d.Name]
	switch {
	case old == nil && next.mayConvert(d):
		if next.ending { // the objects can be deleted without a schema
			return errConverting
		}
		return k.convertFirst(ctx, d, next)
	case old == nil:
		err := k.declare(ctx, next, k.api.AddResources)
		if err != nil && !isOfStore(err) {
			k.serveOlder(ctx, d)
		}
		return err
	case old.uid != next.uid || old.spec.Scope != next.spec.Scope:
		k.withdraw(ctx, d.Name)
		return k.declare(ctx, next, k.api.AddResources)
	case old.open || old.isLike(next):
		return nil
	case k.isConverting(d.Name) || next.callsWebhook() && next.storageVersion() != old.storageVersion():
		if next.ending { // the objects can be deleted as they are
			return nil
		}
		return k.convert(ctx, next, k.api.ReplaceResources)
	}
	return k.declare(ctx, next, k.api.ReplaceResources)
}

// convertFirst begins to convert the stored objects for the first declaration of a kind since the start. Meanwhile the
// API serves the kind in the last form that worked, if there is one.
func (k *kinds) convertFirst(ctx context.Context, d *definition, next *kindOf) error {
	if !k.isConverting(d.Name) && k.serveOlder(ctx, d) {
		return k.convert(ctx, next, k.api.ReplaceResources)
	}
	return k.convert(ctx, next, k.api.AddResources)
}

// isLike reports whether two kinds come from the same generation of a definition, and have the same names and history.
// An annotation makes no generation.
func (k *kindOf) isLike(other *kindOf) bool {
	return k.uid == other.uid && k.generation == other.generation && sameNames(k.spec.Names, other.spec.Names) &&
		maps.Equal(k.history, other.history)
}

// declare passes a kind to [rest.API.AddResources] or [rest.API.ReplaceResources].
func (k *kinds) declare(ctx context.Context, next *kindOf,
	serve func(context.Context, ...rest.Definition) error) error {
	err := serve(ctx, next.declare(k.options))
	if err == nil {
		k.served[next.definition] = next
	}
	return err
}

// serveTogether serves the kinds of all definitions with accepted names in one step. If the API refuses some of them,
// it serves the others, and leaves it to apply to find out why. Then it serves those that may call a webhook, and does
// not wait long for the webhook.
func (k *kinds) serveTogether(ctx context.Context, all []*apiextensions.CustomResourceDefinition) {
	var declared []rest.Definition
	var next, converting []*kindOf
	for _, d := range all {
		if k.served[d.Name] == nil && (d.Is(apiextensions.Established) || d.Is(apiextensions.NamesAccepted)) {
			kind := newKind(k.definitions[d.Name], d.Status.AcceptedNames)
			switch {
			case !kind.mayConvert(k.definitions[d.Name]):
				next, declared = append(next, kind), append(declared, kind.declare(k.options))
			case !kind.ending:
				converting = append(converting, kind)
			}
		}
	}
	k.serveMost(ctx, next, declared)
	for _, kind := range converting {
		_ = k.convertFirst(ctx, k.definitions[kind.definition], kind)
	}
	k.awaitConversions(ctx)
}

// serveMost serves several kinds in one step, and if that fails, each half of them.
func (k *kinds) serveMost(ctx context.Context, next []*kindOf, declared []rest.Definition) {
	switch half := len(next) / 2; {
	case len(next) == 0:
	case k.api.AddResources(ctx, declared...) == nil:
		for _, kind := range next {
			k.served[kind.definition] = kind
		}
	case half > 0:
		k.serveMost(ctx, next[:half], declared[:half])
		k.serveMost(ctx, next[half:], declared[half:])
	}
}

// withdraw stops serving the kind of a definition. It returns when requests of the kind get a 404, and does not wait
// for those under way.
func (k *kinds) withdraw(ctx context.Context, name string) {
	k.stopConversion(name)
	kind := k.served[name]
	if kind == nil {
		return
	}
	delete(k.served, name)
	k.stopEmptying(name)
	withdrawn := make(chan struct{})
	k.running.Go(func() {
		defer close(withdrawn)
		if err := k.api.WithdrawResources(ctx, kind.resource()); err != nil && ctx.Err() == nil {
			k.options.Logger.Error("crd: the API still serves the kind of a definition that is gone", "definition", name,
				"error", err)
		}
	})
	for objects := k.api.Objects(); ; {
		changed := objects.Changed()
		if !slices.ContainsFunc(objects.Resources(),
			func(r raw.Resource) bool { return r.Name == kind.resource().String() }) {
			return
		}
		select {
		case <-changed:
		case <-withdrawn:
			return
		}
	}
}

// resource names the resource of a kind.
func (k *kindOf) resource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: k.spec.Group, Resource: k.spec.Names.Plural}
}

// storageVersion returns the version in which the objects are stored.
func (k *kindOf) storageVersion() string {
	for _, v := range k.spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}
