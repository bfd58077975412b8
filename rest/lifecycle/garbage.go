package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// CollectGarbage deletes the objects whose owners are all gone (API conventions, Metadata, ownerReferences; API concepts,
// Resource deletion), and carries out what the propagation policy of a deletion asks for: with Foreground an object goes
// after the dependents that block it (blockOwnerDeletion), with Orphan its dependents forget it first.
//
// An owner is the object of that kind, name and uid in the namespace of its dependent, or in none if the kind is
// cluster-scoped; one that is elsewhere is absent. A cluster-scoped object that names a namespaced owner is never collected,
// nor is one that names an owner of a kind that the API does not serve: nobody can say that such an owner is gone.
//
// It works until ctx ends and then returns nil; it returns an error when the API ends before. It keeps the references of those objects in
// memory that have some.
func CollectGarbage(ctx context.Context, api *rest.API, options Options) error {
	objects := rest.ObjectsOf(api).As("garbage-collector")
	c := &collector{objects: objects, graph: newGraph(objects.Resources())}
	f := follower{name: "garbage collector", objects: objects, options: options.withDefaults(), reset: c.graph.reset, apply: c.graph.apply, work: c.collect}
	return f.run(as(ctx, "generic-garbage-collector"))
}

type collector struct {
	objects rest.Objects
	graph   *graph
}

// collect does what there is to do about one object.
func (c *collector) collect(ctx context.Context, key storage.Key, look func(storage.Key)) error {
	if key.Resource == "" {
		return nil // an owner of a kind that is not served
	}
	r, err := c.objects.Get(ctx, key)
	if status.IsNotFound(err) {
		return nil // its dependents are looked at because it has gone
	}
	if err != nil {
		return err
	}
	m, err := metadataOf(r)
	switch {
	case err != nil:
		return err
	case orphans(r, m):
		return c.orphan(ctx, r, m)
	case waits(r, m):
		return c.await(ctx, r, m, look)
	case r.Deleting || len(m.OwnerReferences) == 0:
		return nil
	}
	return c.judge(ctx, r, m)
}

// orphan lets the dependents of an object forget it, and then lets the object go.
func (c *collector) orphan(ctx context.Context, r *storage.Record, m metadata) error {
	if !c.graph.reached(r.Revision) {
		return nil // the change that brought it here is to come, after all that went before
	}
	dependents, _ := c.graph.dependentsOf(r.UID, false)
	for _, key := range dependents {
		d, err := c.objects.Get(ctx, key)
		if status.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		of, err := metadataOf(d)
		if err != nil {
			return err
		}
		if err := c.forget(ctx, d, of, []string{r.UID}); err != nil && !status.IsNotFound(err) {
			return err
		}
	}
	return c.release(ctx, r, m, apimeta.FinalizerOrphanDependents)
}

// await lets an object go when no dependent blocks it any more.
func (c *collector) await(ctx context.Context, r *storage.Record, m metadata, look func(storage.Key)) error {
	if !c.graph.reached(r.Revision) {
		return nil
	}
	blocking, _ := c.graph.dependentsOf(r.UID, true)
	if len(blocking) == 0 {
		return c.release(ctx, r, m, apimeta.FinalizerDeleteDependents)
	}
	for _, key := range blocking {
		look(key)
	}
	return nil
}

// judge decides on an object by what has become of its owners.
func (c *collector) judge(ctx context.Context, r *storage.Record, m metadata) error {
	var solid bool
	var gone, waiting []string // uids of owners
	for _, ref := range m.OwnerReferences {
		o := c.graph.ownerOf(r.Key.Namespace, ref)
		if o.key.Resource == "" || r.Key.Namespace == "" && o.namespaced {
			return nil // nobody can say whether it exists
		}
		state, err := c.look(ctx, o)
		switch {
		case err != nil:
			return err
		case state == absent:
			gone = append(gone, o.uid)
		case state == awaiting:
			waiting = append(waiting, o.uid)
		default:
			solid = true
		}
	}
	if solid {
		if len(gone)+len(waiting) == 0 {
			return nil
		}
		return c.forget(ctx, r, m, append(gone, waiting...))
	}
	version := fmt.Sprint(r.Revision)
	options := apimeta.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &r.UID, ResourceVersion: &version}}
	policy := apimeta.DeletePropagationBackground
	dependents, anyWaits := c.graph.dependentsOf(r.UID, false)
	switch {
	case len(waiting) > 0 && len(dependents) > 0:
		// Its owner waits for it, so it waits for its own dependents. Where one of them waits too, it may be that they wait for
		// each other: then the object must not block its owners.
		if anyWaits {
			if err := c.unblock(ctx, r, m); err != nil {
				return err
			}
			options.Preconditions.ResourceVersion = nil
		}
		policy = apimeta.DeletePropagationForeground
	case m.has(apimeta.FinalizerOrphanDependents):
		policy = apimeta.DeletePropagationOrphan
	case m.has(apimeta.FinalizerDeleteDependents):
		policy = apimeta.DeletePropagationForeground
	}
	options.PropagationPolicy = &policy
	_, err := c.objects.Delete(ctx, r.Key, options)
	if status.IsNotFound(err) || status.IsMethodNotAllowed(err) { // somebody was faster, or it is a singleton, which stays
		return nil
	}
	return err
}

// state is what has become of an owner.
type state int

const (
	present state = iota
	awaiting
	absent
)

// look finds out what has become of an owner. Another object of its name is not it.
func (c *collector) look(ctx context.Context, o owner) (state, error) {
	r, err := c.objects.Get(ctx, o.key)
	switch {
	case status.IsNotFound(err):
		return absent, nil
	case err != nil:
		return present, err
	case r.UID != o.uid:
		return absent, nil
	case !r.Deleting:
		return present, nil
	}
	m, err := metadataOf(r)
	if err == nil && waits(r, m) {
		return awaiting, nil
	}
	return present, err
}

// forget removes owners from an object's references.
func (c *collector) forget(ctx context.Context, r *storage.Record, m metadata, uids []string) error {
	kept := slices.DeleteFunc(slices.Clone(m.OwnerReferences), func(o apimeta.OwnerReference) bool { return slices.Contains(uids, o.UID) })
	if len(kept) == len(m.OwnerReferences) {
		return nil
	}
	return c.patch(ctx, r, "ownerReferences", kept, len(kept))
}

// unblock lets the owners of an object be deleted before it.
func (c *collector) unblock(ctx context.Context, r *storage.Record, m metadata) error {
	free := slices.Clone(m.OwnerReferences)
	for i := range free {
		if free[i].BlockOwnerDeletion != nil {
			free[i].BlockOwnerDeletion = new(bool)
		}
	}
	return c.patch(ctx, r, "ownerReferences", free, len(free))
}

// release removes a finalizer.
func (c *collector) release(ctx context.Context, r *storage.Record, m metadata, finalizer string) error {
	kept := slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == finalizer })
	err := c.patch(ctx, r, "finalizers", kept, len(kept))
	if status.IsNotFound(err) {
		return nil
	}
	return err
}

// patch sets a list in an object's metadata, or takes it away where it is empty.
func (c *collector) patch(ctx context.Context, r *storage.Record, member string, list any, length int) error {
	if length == 0 {
		list = nil
	}
	patch, err := patchOf(r, member, list)
	if err != nil {
		return err
	}
	return c.objects.Patch(ctx, r.Key, "", rest.MergePatch, patch)
}
