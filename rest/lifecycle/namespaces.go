package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// EmptyNamespaces deletes everything in the namespaces that are being deleted (API concepts, Resource deletion), tells in
// their conditions what remains and why, and lets each go when nothing does: it removes the finalizer "kubernetes" from
// spec.finalizers by the subresource /finalize.
//
// It works until ctx ends and then returns nil; it returns an error when the API ends before, or serves no namespaces (see
// [rest.NamespacesOf]).
func EmptyNamespaces(ctx context.Context, api *rest.API, options Options) error {
	objects := rest.ObjectsOf(api).As("namespace-controller")
	e := &emptier{objects: objects}
	for _, r := range objects.Resources() {
		switch {
		case r.Namespaces:
			e.namespaces = r.Name
		case r.Namespaced:
			e.resources = append(e.resources, r)
		}
	}
	if e.namespaces == "" {
		return errors.New("namespace controller: the API serves no namespaces")
	}
	f := follower{name: "namespace controller", objects: objects, options: options.withDefaults(), reset: e.reset, apply: e.apply, work: e.empty}
	return f.run(as(ctx, "namespace-controller"))
}

type emptier struct {
	objects    rest.Objects
	namespaces string                // the name of their resource
	resources  []rest.StoredResource // what can be in them
	ending     map[string]bool       // the names of those that are being deleted
}

func (e *emptier) reset() { e.ending = map[string]bool{} }

// apply finds the namespaces to look at: those that are being deleted, whenever something in them changes.
func (e *emptier) apply(changes rest.Changes) []storage.Key {
	var look []storage.Key
	for _, c := range changes.List {
		switch {
		case c.Scope.Resource != e.namespaces:
			if e.ending[c.Scope.Namespace] {
				look = append(look, e.key(c.Scope.Namespace))
			}
		case c.Current == nil:
			delete(e.ending, c.Scope.Name)
		case c.Current.Deleting:
			e.ending[c.Scope.Name] = true
			look = append(look, c.Scope)
		}
	}
	return look
}

func (e *emptier) key(name string) storage.Key {
	return storage.Key{Resource: e.namespaces, Name: name}
}

// namespaceFinalizer is the one in spec.finalizers that stands for the content.
const namespaceFinalizer = "kubernetes"

// namespace is what the controller reads of one.
type namespace struct {
	Spec struct {
		Finalizers []string `json:"finalizers"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// errRemains says that there is more to do, and that nothing may happen that says when.
var errRemains = errors.New("some of the content could not be deleted")

// empty deletes what is in a namespace, and lets the namespace go when nothing is.
func (e *emptier) empty(ctx context.Context, key storage.Key, _ func(storage.Key)) error {
	r, err := e.objects.Get(ctx, key)
	if status.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var n namespace
	if err := json.Unmarshal(r.JSON, &n); err != nil {
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
	case len(content.failures) > 0:
		return errRemains
	case content.remains():
		return nil // each change in it is a reason to look again
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

// patch changes a part of a namespace if nobody else has changed the namespace since.
func (e *emptier) patch(ctx context.Context, r *storage.Record, subresource string, change map[string]any) error {
	change["metadata"] = map[string]any{"resourceVersion": fmt.Sprint(r.Revision)}
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return ignoreNotFound(e.objects.Patch(ctx, r.Key, subresource, rest.MergePatch, patch))
}

// clear deletes what is in a namespace and returns what is left. An error is one of the API; what single objects are left for is
// told in the content.
func (e *emptier) clear(ctx context.Context, name string) (content, error) {
	left := content{resources: map[string]int{}, finalizers: map[string]int{}}
	for _, resource := range e.resources {
		if err := e.clearOf(ctx, resource, name, &left); err != nil {
			return left, err
		}
	}
	return left, nil
}

func (e *emptier) clearOf(ctx context.Context, resource rest.StoredResource, namespace string, left *content) error {
	records, err := e.objects.List(ctx, resource.Name, namespace)
	if err != nil {
		return err
	}
	policy := apimeta.DeletePropagationBackground // whatever depends on it is in the same namespace, and goes too
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
		left.failures = append(left.failures, failed.Error())
	}
	if len(records) == 0 {
		return nil
	}
	if records, err = e.objects.List(ctx, resource.Name, namespace); err != nil {
		return err
	}
	return left.count(resource, records)
}
