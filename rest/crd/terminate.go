package crd

import (
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
)

// terminate begins to delete the objects of the kind of a deleted definition, and then their history. The definition
// keeps its finalizer until they are gone.
func (k *kinds) terminate(ctx context.Context, d *definition) error {
	if !slices.Contains(d.Finalizers, apiextensions.CleanupFinalizer) || k.emptying[d.Name] != nil {
		return nil
	}
	if k.served[d.Name] == nil {
		if err := k.serveOpen(ctx, d); err != nil {
			return err
		}
	}
	name, uid, kind := d.Name, d.UID, k.served[d.Name]
	ctx, k.emptying[name] = context.WithCancel(ctx)
	k.running.Go(func() {
		var err error
		if kind != nil {
			err = k.empty(ctx, kind)
		}
		if err == nil && kind != nil {
			err = k.api.Objects().PurgeHistoryOf(ctx, kind.resource().String())
		}
		if err == nil {
			err = k.release(ctx, name, uid)
		}
		if err != nil {
			_ = k.inTurn(ctx, func() error {
				if ctx.Err() == nil { // the definition is still there
					k.stopEmptying(name)
					k.tryAgain(ctx, d, err)
				}
				return nil
			})
		}
	})
	return nil
}

// serveOpen serves the kind of a deleted definition that the API cannot serve in its real form, so that its objects can
// be deleted. Clients can read them and remove their finalizers, unless the names of the kind are taken. If the host
// has declared the resource itself, its objects are not those of the definition.
func (k *kinds) serveOpen(ctx context.Context, d *definition) error {
	if k.declaredByHost(d) {
		return nil
	}
	open := newKind(d, d.Spec.Names)
	open.withoutSchemas()
	err := k.declare(ctx, open, k.api.AddResources)
	if taken := (*rest.NameTakenError)(nil); errors.As(err, &taken) {
		open.hide()
		err = k.declare(ctx, open, k.api.AddResources)
	}
	return err
}

// declaredByHost reports whether the API serves the resource of a definition, but not because of the definition.
func (k *kinds) declaredByHost(d *definition) bool {
	return slices.ContainsFunc(k.api.Objects().Resources(), func(r raw.Resource) bool { return r.Name == d.Name })
}

func (k *kinds) stopEmptying(definition string) {
	if stop := k.emptying[definition]; stop != nil {
		stop()
		delete(k.emptying, definition)
	}
}

// release removes the finalizer of a definition whose kind has no objects any more.
func (k *kinds) release(ctx context.Context, name, uid string) error {
	_, err := k.client.Modify(ctx, name, func(stored *apiextensions.CustomResourceDefinition) error {
		if stored.UID == uid {
			stored.Finalizers = slices.DeleteFunc(stored.Finalizers,
				func(f string) bool { return f == apiextensions.CleanupFinalizer })
		}
		return nil
	})
	if status.IsNotFound(err) {
		return nil
	}
	return err
}

// empty deletes all objects of a kind whose definition is deleted, and waits until they are gone. No replica creates
// further ones, because the store commits a new object only together with a definition that is not deleted.
func (k *kinds) empty(ctx context.Context, kind *kindOf) error {
	gvr := apimeta.GroupVersionResource{Group: kind.spec.Group, Version: kind.storageVersion(),
		Resource: kind.spec.Names.Plural}
	objects, err := rest.ClientForResource[apimeta.Document](k.api, gvr)
	if err != nil {
		return err
	}
	objects = objects.FieldManager(manager)
	page, err := deleteAll(ctx, objects)
	if err == nil && len(page.Items) > 0 {
		page, err = deleteAll(ctx, objects)
	}
	if err != nil {
		return err
	}
	if len(page.Items) > 0 {
		k.inProgress(ctx, kind.definition)
	}
	left := map[string]bool{}
	for _, obj := range page.Items {
		left[obj.UID] = true
	}
	if len(left) == 0 {
		return nil
	}
	for event, err := range objects.Follow(ctx, rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
		if err != nil {
			return err
		}
		switch event.Type {
		case apimeta.EventDeleted:
			delete(left, event.Object.UID)
		default:
			left[event.Object.UID] = true
			err = deleteOne(ctx, objects, event.Object)
		}
		if err != nil || len(left) == 0 {
			return err
		}
	}
	return ctx.Err()
}

// deleteAll deletes all objects of a kind, and returns those that there were.
func deleteAll(ctx context.Context, objects rest.Client[apimeta.Document]) (*rest.Page[apimeta.Document], error) {
	page, err := objects.List(ctx, rest.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, obj := range page.Items {
		if err := deleteOne(ctx, objects, obj); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// deleteOne deletes an object unless its deletion has begun.
func deleteOne(ctx context.Context, objects rest.Client[apimeta.Document], obj *apimeta.Document) error {
	if obj.DeletionTimestamp != nil {
		return nil
	}
	if obj.Namespace != "" {
		objects = objects.Namespace(obj.Namespace)
	}
	err := objects.Delete(ctx, obj.Name, rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &obj.UID}})
	if status.IsNotFound(err) || status.IsConflict(err) {
		return nil
	}
	return err
}

// inProgress reports that the objects of a kind are being deleted.
func (k *kinds) inProgress(ctx context.Context, definition string) {
	_, err := k.client.ModifyStatus(ctx, definition, func(d *apiextensions.CustomResourceDefinition) error {
		set(&d.Status, condition{Type: apiextensions.Terminating, Status: apimeta.ConditionTrue,
			Reason: "InstanceDeletionInProgress", Message: "CustomResource deletion is in progress"}, k.api.Objects().Now)
		return nil
	})
	if err != nil && !status.IsNotFound(err) && ctx.Err() == nil { // nothing waits for the condition
		k.options.Logger.Error("crd: the API cannot report that the objects of a definition are being deleted", "definition",
			definition, "error", err)
	}
}
