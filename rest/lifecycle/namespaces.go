package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// EmptyNamespaces deletes everything in the namespaces that are being deleted (API concepts, Resource deletion),
// reports in their conditions what remains and why, and removes a namespace once it is empty. To remove it, it erases
// the history of its objects (see [rest.History]), and takes the finalizer "kubernetes" out of spec.finalizers through
// the subresource /finalize.
//
// A namespace stays as long as the store holds objects in it, also objects of resources that the API does not serve at
// the moment. EmptyNamespaces cannot delete those. It names their resources in the condition
// NamespaceDeletionDiscoveryFailure, and continues when the API serves them.
//
// EmptyNamespaces works until ctx ends and then returns nil. It returns an error if the API closes first. As long as
// the API does not serve namespaces (see [rest.NamespacesOf]), it waits.
func EmptyNamespaces(ctx context.Context, api *rest.API, options Options) error {
	objects := api.Objects().FieldManager("namespace-controller")
	return whileServed(as(ctx, "namespace-controller"), objects, func(r raw.Resource) bool { return r.Namespaces },
		func(ctx context.Context, r raw.Resource) error {
			e := &emptier{objects: objects, namespaces: r.Name}
			f := follower{name: "namespace controller", objects: objects, options: options.withDefaults(), reset: e.reset,
				apply: e.apply, work: e.empty}
			return f.run(ctx)
		})
}

type emptier struct {
	objects    raw.Objects
	namespaces string          // the name of their resource
	ending     map[string]bool // the names of the namespaces that are being deleted
}

func (e *emptier) reset() { e.ending = map[string]bool{} }

// apply returns the namespaces that are being deleted and in which something has changed. A resource that the API takes
// or gives up may have objects in each of them.
func (e *emptier) apply(_ context.Context, changes raw.Changes) []storage.Key {
	var look []storage.Key
	for _, c := range changes.List {
		switch {
		case c.Key.Resource != e.namespaces:
			if e.ending[c.Key.Namespace] {
				look = append(look, e.key(c.Key.Namespace))
			}
		case c.Current == nil:
			delete(e.ending, c.Key.Name)
		case c.Current.Deleting:
			e.ending[c.Key.Name] = true
			look = append(look, c.Key)
		}
	}
	if len(changes.Read)+len(changes.GivenUp) > 0 {
		for name := range e.ending {
			look = append(look, e.key(name))
		}
	}
	return look
}

func (e *emptier) key(name string) storage.Key {
	return storage.Key{Resource: e.namespaces, Name: name}
}

// namespaceFinalizer is the element of spec.finalizers that holds a namespace until it is empty.
const namespaceFinalizer = "kubernetes"

// namespace is the part of a namespace that the controller decodes.
type namespace struct {
	Spec struct {
		Finalizers []string `json:"finalizers"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// errRemains makes the follower retry. Some objects could not be deleted, and possibly no change will announce that
// they can be.
var errRemains = errors.New("some of the content could not be deleted")

// empty deletes the content of a namespace, and releases the namespace once it is empty.
func (e *emptier) empty(ctx context.Context, key storage.Key, _ func(storage.Key)) error {
	r, err := e.objects.Get(ctx, key)
	if status.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := r.JSON(ctx)
	if err != nil {
		return err
	}
	var n namespace
	if err := json.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("stored object %v: %w", key, err)
	}
	if !r.Deleting || !slices.Contains(n.Spec.Finalizers, namespaceFinalizer) {
		return nil
	}
	content, err := e.clear(ctx, key.Name)
	if err != nil {
		return err
	}
	if conditions, changed := content.conditions(n.Status.Conditions); changed {
		if err := e.patch(ctx, r, "status", map[string]any{"status": map[string]any{"conditions": conditions}}); err != nil {
			return err
		}
		if r, err = e.objects.Get(ctx, key); err != nil {
			return ignoreNotFound(err)
		}
	}
	switch {
	case len(content.failures)+len(content.unserved) > 0:
		return errors.Join(append([]error{errRemains}, content.causes...)...)
	case content.remains():
		return nil // each change of the content enqueues the namespace again
	}
	kept := slices.DeleteFunc(slices.Clone(n.Spec.Finalizers), func(f string) bool { return f == namespaceFinalizer })
	return e.patch(ctx, r, "finalize", map[string]any{"spec": map[string]any{"finalizers": kept}})
}

func ignoreNotFound(err error) error {
	if status.IsNotFound(err) {
		return nil
	}
	return err
}

// patch changes a part of a namespace. It fails if the namespace has changed since it was read.
func (e *emptier) patch(ctx context.Context, r *storage.Record, subresource string, change map[string]any) error {
	change["metadata"] = map[string]any{"resourceVersion": fmt.Sprint(r.Revision)}
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return ignoreNotFound(e.objects.Patch(ctx, r.Key, subresource, patch))
}

// clear deletes the content of a namespace and returns what is left. It returns an error only if the API fails; the
// reasons why single objects remain are part of the content.
func (e *emptier) clear(ctx context.Context, name string) (content, error) {
	left := content{resources: map[string]int{}, finalizers: map[string]int{}}
	for _, resource := range e.objects.Resources() { // some may have arrived after the start
		if !resource.Namespaced || resource.Fixed {
			continue
		}
		if err := e.clearOf(ctx, resource, name, &left); err != nil {
			return left, err
		}
	}
	if !left.remains() {
		if err := e.objects.PurgeHistory(ctx, name); err != nil {
			return left, err
		}
	}
	// The store decides whether the namespace is empty. It is asked after the lists, so an object of a resource that the
	// API took or gave up meanwhile is either among them or in the store.
	held, err := e.objects.ResourcesIn(ctx, name)
	for _, resource := range held {
		if left.resources[dotted(resource)] == 0 {
			left.unserved = append(left.unserved, resource)
		}
	}
	return left, err
}

// clearOf deletes the objects of one resource in a namespace. It then lists again, because finalizers or a rejected
// deletion may hold some of them.
func (e *emptier) clearOf(ctx context.Context, resource raw.Resource, namespace string, left *content) error {
	records, err := e.objects.List(ctx, resource.Name, namespace)
	if err != nil {
		return err
	}
	policy := apimeta.DeletePropagationBackground // all dependents are in the same namespace, so they are deleted anyway
	var failed error
	for _, r := range records {
		if r.Deleting {
			continue
		}
		options := apimeta.DeleteOptions{PropagationPolicy: &policy, Preconditions: &apimeta.Preconditions{UID: &r.UID}}
		if _, err := e.objects.Delete(ctx, r.Key, options); err != nil && !status.IsNotFound(err) && !status.IsConflict(err) {
			failed = err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if failed != nil {
		left.failures = append(left.failures, status.From(failed).Error()) // clients read it in the namespace
		left.causes = append(left.causes, failed)
	}
	if len(records) == 0 {
		return nil
	}
	if records, err = e.objects.List(ctx, resource.Name, namespace); err != nil {
		return err
	}
	return left.count(ctx, resource, records)
}
