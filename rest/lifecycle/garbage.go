package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// CollectGarbage deletes the objects whose owners are all gone (API conventions, Metadata, ownerReferences; API
// concepts, Resource deletion). It also carries out the propagation policy of a deletion: with Foreground, an object is
// deleted after the dependents that block it (blockOwnerDeletion); with Orphan, the references of its dependents to it
// are removed first.
//
// An owner is found by kind, name and uid, in the namespace of the dependent, or among the cluster-scoped objects if
// the kind is cluster-scoped. An owner elsewhere counts as absent. CollectGarbage never deletes a cluster-scoped object
// that names a namespaced owner, or an object that names an owner of a kind that the API does not serve, because it
// cannot know whether such an owner exists. An owner that CollectGarbage has seen go is absent, whether or not the API
// still serves its kind.
//
// CollectGarbage follows the resources that the API takes, declares again and gives up. While the store holds objects
// of a resource that the API does not serve, an object that may have dependents among them is not removed with
// Foreground or Orphan.
//
// CollectGarbage works until ctx ends and then returns nil. It returns an error if the API closes first. It keeps the
// owner references of all objects in memory.
func CollectGarbage(ctx context.Context, api *rest.API, options Options) error {
	objects := api.Objects().FieldManager("garbage-collector")
	c := &collector{objects: objects, graph: newGraph()}
	f := follower{name: "garbage collector", objects: objects, options: options.withDefaults(), reset: c.graph.reset,
		apply: c.graph.apply, work: c.collectIfPossible}
	return f.run(as(ctx, "generic-garbage-collector"))
}

type collector struct {
	objects raw.Objects
	graph   *graph
}

// collectIfPossible is collect, and leaves alone an object that lives elsewhere and that the API cannot change.
func (c *collector) collectIfPossible(ctx context.Context, key storage.Key, look func(storage.Key)) error {
	err := c.collect(ctx, key, look)
	if status.IsMethodNotAllowed(err) {
		return nil
	}
	return err
}

// collect handles one object: it orphans its dependents, waits for them, or decides whether to delete it.
func (c *collector) collect(ctx context.Context, key storage.Key, look func(storage.Key)) error {
	r, err := c.objects.Get(ctx, key)
	if status.IsNotFound(err) || errors.Is(err, storage.ErrResource) {
		return nil // the removal of an object enqueues its dependents, and a resource that comes back is read again
	}
	if err != nil {
		return err
	}
	m, err := metadataOf(ctx, r)
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

// orphan removes the object from the references of its dependents, and then releases the object.
func (c *collector) orphan(ctx context.Context, r *storage.Record, m metadata) error {
	if !c.graph.reached(r) {
		return nil // apply will enqueue the object again once the graph has reached its revision
	}
	if !c.graph.reachedElsewhere(r, c.objects.RevisionOf) {
		return errReading
	}
	if err := c.knowsAll(ctx, r.Key); err != nil {
		return err
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
		of, err := metadataOf(ctx, d)
		if err != nil {
			return err
		}
		if err := c.forget(ctx, d, of, []string{r.UID}); err != nil && !status.IsNotFound(err) {
			return err
		}
	}
	return c.release(ctx, r, m, apimeta.FinalizerOrphanDependents)
}

// await releases an object once no dependent blocks it.
func (c *collector) await(ctx context.Context, r *storage.Record, m metadata, look func(storage.Key)) error {
	if !c.graph.reached(r) {
		return nil
	}
	if !c.graph.reachedElsewhere(r, c.objects.RevisionOf) {
		return errReading
	}
	blocking, _ := c.graph.dependentsOf(r.UID, true)
	if len(blocking) == 0 {
		if err := c.knowsAll(ctx, r.Key); err != nil {
			return err
		}
		return c.release(ctx, r, m, apimeta.FinalizerDeleteDependents)
	}
	for _, key := range blocking {
		look(key)
	}
	return nil
}

// knowsAll returns an error if the store holds objects that may be dependents of an object and that the graph does not
// know: the API does not serve their resource, or it has just taken it. Dependents of a namespaced object are in the
// same namespace.
func (c *collector) knowsAll(ctx context.Context, key storage.Key) error {
	held, err := c.objects.ResourcesIn(ctx, key.Namespace)
	if err != nil {
		return err
	}
	unknown := c.graph.unknown(key, held)
	if len(unknown) == 0 {
		return nil
	}
	for _, r := range c.objects.Resources() {
		unknown = slices.DeleteFunc(unknown, func(name string) bool { return name == r.Name })
	}
	if len(unknown) == 0 {
		return errReading
	}
	return fmt.Errorf("dependents may be among the objects of resources that the API does not serve at the moment: %s",
		strings.Join(unknown, ", "))
}

// errReading makes the follower retry. The graph does not know all objects of a resource yet.
var errReading = errors.New("objects that may be dependents are still being read")

// judge decides on an object by the states of its owners: keep it, drop references to absent owners, or delete it.
func (c *collector) judge(ctx context.Context, r *storage.Record, m metadata) error {
	var solid bool
	var gone, waiting []string // uids of owners
	for _, ref := range m.OwnerReferences {
		at := c.graph.find(r.Key.Namespace, ownerIn(ref))
		if !at.served && !at.departed || r.Key.Namespace == "" && at.namespaced {
			return nil // the API cannot know whether the owner exists
		}
		state, err := c.look(ctx, at, ref.UID)
		switch {
		case errors.Is(err, storage.ErrResource):
			return nil // the API has given up the kind meanwhile
		case err != nil:
			return err
		case state == absent:
			gone = append(gone, ref.UID)
		case state == awaiting:
			waiting = append(waiting, ref.UID)
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
		// The owner waits for this object, so the object must wait for its own dependents. If one of those waits too, they
		// may wait for each other in a cycle; the object then stops blocking its owners.
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
	if status.IsNotFound(err) || status.IsMethodNotAllowed(err) { // another client was faster, or the object is a singleton, which cannot be deleted
		return nil
	}
	return err
}

// state is the state of an owner.
type state int

const (
	present state = iota
	awaiting
	absent
)

// look returns the state of an owner. An object with the same name but another uid is not the owner.
func (c *collector) look(ctx context.Context, at place, uid string) (state, error) {
	if at.departed {
		return absent, nil
	}
	r, err := c.objects.Get(ctx, at.key)
	switch {
	case status.IsNotFound(err):
		return absent, nil
	case err != nil:
		return present, err
	case r.UID != uid:
		return absent, nil
	case !r.Deleting:
		return present, nil
	}
	m, err := metadataOf(ctx, r)
	if err == nil && waits(r, m) {
		return awaiting, nil
	}
	return present, err
}

// forget removes owners from an object's references.
func (c *collector) forget(ctx context.Context, r *storage.Record, m metadata, uids []string) error {
	kept := slices.DeleteFunc(slices.Clone(m.OwnerReferences),
		func(o apimeta.OwnerReference) bool { return slices.Contains(uids, o.UID) })
	if len(kept) == len(m.OwnerReferences) {
		return nil
	}
	return c.patch(ctx, r, "ownerReferences", kept, len(kept))
}

// unblock clears blockOwnerDeletion in an object's references, so that its owners can be deleted first.
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

// patch sets a list in an object's metadata, or removes it if it is empty.
func (c *collector) patch(ctx context.Context, r *storage.Record, member string, list any, length int) error {
	if length == 0 {
		list = nil
	}
	patch, err := patchOf(r, member, list)
	if err != nil {
		return err
	}
	return c.objects.Patch(ctx, r.Key, "", patch)
}
