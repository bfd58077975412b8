package controller

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
)

// OwnedError is the error of [SetControllerReference] for an object that has another controller.
type OwnedError struct {
	// Owner is the reference to the other controller.
	Owner apimeta.OwnerReference
}

// Error implements the error interface.
func (e *OwnedError) Error() string {
	return fmt.Sprintf("the object already has the controller %s %q with uid %q", e.Owner.Kind, e.Owner.Name, e.Owner.UID)
}

// SetControllerReference makes owner the controller of obj: the one owner that manages it (API conventions, Metadata;
// ownerReferences). A change of the object then enqueues its owner (see [Owned]), and lifecycle.CollectGarbage deletes the object
// once the owner is gone. A foreground deletion of the owner waits for the object (blockOwnerDeletion). If obj is new and the
// owner has a namespace, SetControllerReference sets the same namespace.
//
// It fails with an [OwnedError] if obj has another controller. A controller of the same name with another uid is another one: it
// has been deleted, and obj waits for the garbage collection. It fails if the namespaces do not fit: the owner must be in the
// namespace of obj, or cluster-scoped. And it fails if owner has no uid, apiVersion or kind, because it was not read through a
// client. After an error, obj is as it was.
//
// Both may be of any Go type with metadata, such as those of k8s.io/api.
func SetControllerReference[Owner, T any](owner *Owner, obj *T) error {
	from, to := reflect.ValueOf(owner).Elem(), reflect.ValueOf(obj).Elem()
	references := field(to, "metadata", "ownerReferences")
	if !references.IsValid() {
		return fmt.Errorf("controller: %T has no metadata.ownerReferences", obj)
	}
	yes := true
	ref := apimeta.OwnerReference{
		APIVersion: text(from, "apiVersion"), Kind: text(from, "kind"), Name: text(from, "metadata", "name"), UID: text(from, "metadata", "uid"),
		Controller: &yes, BlockOwnerDeletion: &yes,
	}
	if ref.APIVersion == "" || ref.Kind == "" || ref.Name == "" || ref.UID == "" {
		return fmt.Errorf("controller: the owner %q has no name, uid, apiVersion or kind: read it through a client", ref.Name)
	}
	namespace := text(from, "metadata", "namespace")
	if err := checkNamespaces(namespace, to); err != nil {
		return err
	}
	if err := edit(references, func(refs []apimeta.OwnerReference) ([]apimeta.OwnerReference, error) {
		return withController(refs, ref)
	}); err != nil {
		return err
	}
	if namespace != "" {
		field(to, "metadata", "namespace").SetString(namespace)
	}
	return nil
}

// checkNamespaces refuses an owner in a namespace for an object outside of it. An object without a namespace is cluster-scoped if
// it is stored.
func checkNamespaces(ofOwner string, obj reflect.Value) error {
	namespace, stored := text(obj, "metadata", "namespace"), text(obj, "metadata", "uid") != ""
	switch {
	case ofOwner == "" || ofOwner == namespace || namespace == "" && !stored:
		return nil
	case namespace == "":
		return fmt.Errorf("controller: an owner in namespace %q cannot own a cluster-scoped object", ofOwner)
	}
	return fmt.Errorf("controller: an owner in namespace %q cannot own an object in namespace %q", ofOwner, namespace)
}

// withController adds a reference to a controller, or replaces the reference to the same owner.
func withController(refs []apimeta.OwnerReference, ref apimeta.OwnerReference) ([]apimeta.OwnerReference, error) {
	for _, other := range refs {
		if other.UID != ref.UID && other.Controller != nil && *other.Controller {
			return nil, &OwnedError{Owner: other}
		}
	}
	if i := slices.IndexFunc(refs, func(r apimeta.OwnerReference) bool { return r.UID == ref.UID }); i >= 0 {
		refs[i] = ref
		return refs, nil
	}
	return append(refs, ref), nil
}

// edit changes owner references of any Go type. Their JSON is what all types have in common.
func edit(v reflect.Value, change func([]apimeta.OwnerReference) ([]apimeta.OwnerReference, error)) error {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return err
	}
	var refs []apimeta.OwnerReference
	if err := json.Unmarshal(text, &refs); err != nil {
		return err
	}
	if refs, err = change(refs); err != nil {
		return err
	}
	if text, err = json.Marshal(refs); err != nil {
		return err
	}
	changed := reflect.New(v.Type())
	if err := json.Unmarshal(text, changed.Interface()); err != nil {
		return err
	}
	v.Set(changed.Elem())
	return nil
}

// field returns the field at a path of JSON names, or the zero Value if there is none.
func field(v reflect.Value, path ...string) reflect.Value {
	for _, name := range path {
		index, found := member(v.Type(), name)
		if found == nil {
			return reflect.Value{}
		}
		v = v.FieldByIndex(index)
	}
	return v
}

// text returns the text at a path of JSON names, or "" if there is none.
func text(v reflect.Value, path ...string) string {
	if f := field(v, path...); f.Kind() == reflect.String {
		return f.String()
	}
	return ""
}
