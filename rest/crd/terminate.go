package crd

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// terminate begins to delete the objects of the kind of a deleted definition, and removes the finalizer once they are gone.
func (k *kinds) terminate(ctx context.Context, d *apiextensions.CustomResourceDefinition) {
	if !slices.Contains(d.Finalizers, apiextensions.CleanupFinalizer) {
		return
	}
	kind := k.served[d.Name]
	if kind == nil { // without a served kind, no object can be deleted
		k.release(ctx, d)
		return
	}
	if k.emptying[d.Name] != nil {
		return
	}
	ctx, k.emptying[d.Name] = context.WithCancel(ctx)
	k.running.Go(func() {
		if err := k.empty(ctx, kind); err == nil {
			k.release(ctx, d)
		} else {
			k.log(ctx, d.Name, err)
		}
	})
}

func (k *kinds) stopEmptying(definition string) {
	if stop := k.emptying[definition]; stop != nil {
		stop()
		delete(k.emptying, definition)
	}
}

// release removes the finalizer of a definition whose kind has no objects any more.
func (k *kinds) release(ctx context.Context, d *apiextensions.CustomResourceDefinition) {
	_, err := k.client.Modify(ctx, d.Name, func(stored *apiextensions.CustomResourceDefinition) error {
		if stored.UID == d.UID {
			stored.Finalizers = slices.DeleteFunc(stored.Finalizers, func(f string) bool { return f == apiextensions.CleanupFinalizer })
		}
		return nil
	})
	if err != nil && !status.IsNotFound(err) {
		k.log(ctx, d.Name, err)
	}
}

// empty deletes all objects of a kind and waits until they are gone.
func (k *kinds) empty(ctx context.Context, kind *kindOf) error {
	gvr := apimeta.GroupVersionResource{Group: kind.spec.Group, Version: kind.storageVersion(), Resource: kind.spec.Names.Plural}
	objects := rest.ClientOf[apimeta.Document](k.api, gvr).As(manager)
	page, err := deleteAll(ctx, objects)
	if err == nil && len(page.Items) > 0 {
		page, err = deleteAll(ctx, objects)
	}
	if err != nil || len(page.Items) == 0 {
		return err
	}
	// Finalizers hold the rest. From now on the kind refuses new objects, which ends the watches.
	refusing := *kind
	refusing.ending = true
	if err := k.api.Replace(ctx, refusing.declare(k.options)); err != nil {
		return err
	}
	k.inProgress(ctx, kind.definition)
	if page, err = deleteAll(ctx, objects); err != nil {
		return err
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
		case watch.Deleted:
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
		set(&d.Status, condition{Type: apiextensions.Terminating, Status: apimeta.ConditionTrue, Reason: "InstanceDeletionInProgress",
			Message: "CustomResource deletion is in progress", ObservedGeneration: d.Generation}, rest.ObjectsOf(k.api).Now)
		return nil
	})
	if err != nil && !status.IsNotFound(err) {
		k.log(ctx, definition, err)
	}
}
