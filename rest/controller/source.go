package controller

import "context"

// Source tells a controller which objects to look at. It runs until ctx ends, calls enqueue for each key, from any
// goroutine and as often as it likes, and calls synced when what it reads from is filled: until all sources have done
// so, nothing is reconciled. It may return nil earlier when it has nothing more to tell; an error ends the controller.
//
// Hosts write their own for what happens outside of the API, like a timer or a device.
type Source func(ctx context.Context, enqueue func(Key), synced func()) error

// For is the source of the objects that a controller is about: each, whenever it is added, updated or deleted.
func For[T any](objects *Informer[T]) Source {
	return Mapped(objects, func(obj *T) []Key { return []Key{objects.metadata.key(obj)} })
}

// Owned is the source for objects that the controller makes for others: when one is added, updated or deleted, its owner
// is looked at, the one that an owner reference names as its controller (API conventions, Metadata). Owners are those of
// the other informer, which is mostly that of [For].
func Owned[T, Owner any](objects *Informer[T], owners *Informer[Owner]) Source {
	return Mapped(objects, func(obj *T) []Key {
		o, ok := objects.metadata.controllerOf(obj)
		if !ok {
			return nil
		}
		// The owner lives in the same namespace or in none. When it is not known yet, its own arrival will be told.
		for _, key := range []Key{{objects.metadata.key(obj).Namespace, o.name}, {"", o.name}} {
			if owner, ok := owners.cache.get(key); ok && owners.metadata.text(owner, owners.metadata.uid) == o.uid {
				return []Key{key}
			}
		}
		return nil
	})
}

// Mapped is the source for objects that others depend on in a way that only the host knows: when one is added, updated or
// deleted, the keys are looked at; after an update also those of the state before. keys must not change the object.
func Mapped[T any](objects *Informer[T], keys func(obj *T) []Key) Source {
	return func(ctx context.Context, enqueue func(Key), synced func()) error {
		look := func(obj *T) {
			for _, key := range keys(obj) {
				enqueue(key)
			}
		}
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
