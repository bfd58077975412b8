package controller

import "context"

// Source tells a controller which objects to reconcile. It runs until ctx ends, and calls enqueue for each key, from
// any goroutine and any number of times. It calls synced once its initial keys are known. The controller reconciles
// nothing until all sources have called synced. It may return nil before ctx ends if it has no more keys; an error ends
// the controller.
//
// Hosts write their own sources for events outside of the API, such as a timer or a device.
type Source func(ctx context.Context, enqueue func(Key), synced func()) error

// inOrder returns two functions for the handler of a source. add enqueues a key. Until synced is called, add enqueues
// keys behind the changed objects of all sources, because the objects of a first list are not known to have changed.
func inOrder(ctx context.Context, enqueue func(Key), done func()) (add func(Key), synced func()) {
	current := enqueue
	if g, ok := ctx.Value(gateKey{}).(*gate); ok {
		current = g.queue.AddBehind
	}
	return func(key Key) { current(key) }, func() {
		current = enqueue
		done()
	}
}

// For returns the source of a controller's primary objects. It enqueues each object when it is added, updated or
// deleted.
func For[T any](objects *Informer[T]) Source {
	return func(ctx context.Context, enqueue func(Key), synced func()) error {
		defer objects.holdBack(ctx, func(key Key, _ *T) []Key { return []Key{key} })()
		enqueue, synced = inOrder(ctx, enqueue, synced)
		defer objects.AddHandler(Handler[T]{onKey: enqueue, OnSynced: synced})()
		return objects.Run(ctx)
	}
}

// Owned returns the source of objects that the controller creates for others. When one is added, updated or deleted,
// the source enqueues its owner: the one whose owner reference has controller set (API conventions, Metadata). owners
// is the informer of the owners, usually the informer of [For].
func Owned[T, Owner any](objects *Informer[T], owners *Informer[Owner]) Source {
	return Mapped(objects, func(obj *T) []Key {
		o, ok := objects.metadata.controllerOf(obj)
		if !ok {
			return nil
		}
		// The owner is in the same namespace or cluster-scoped. If the informer does not know it yet, its own OnAdd will
		// enqueue it.
		for _, key := range []Key{{objects.metadata.key(obj).Namespace, o.name}, {"", o.name}} {
			if owners.content.uid(key) == o.uid {
				return []Key{key}
			}
		}
		return nil
	})
}

// Mapped returns the source of objects on which others depend in a way that only the host knows. When one is added,
// updated or deleted, the source enqueues the keys of the dependents. After an update, it also enqueues the keys for
// the previous state. keys must not change the object.
func Mapped[T any](objects *Informer[T], keys func(obj *T) []Key) Source {
	return func(ctx context.Context, enqueue func(Key), synced func()) error {
		enqueue, synced = inOrder(ctx, enqueue, synced)
		look := func(obj *T) {
			for _, key := range keys(obj) {
				enqueue(key)
			}
		}
		defer objects.holdBack(ctx, func(_ Key, obj *T) []Key {
			if obj == nil {
				return nil
			}
			return keys(obj)
		})()
		remove := objects.AddHandler(Handler[T]{
			OnAdd:    look,
			OnUpdate: func(old, obj *T) { look(old); look(obj) },
			OnDelete: look,
			OnSynced: synced,
		})
		defer remove()
		return objects.Run(ctx)
	}
}
