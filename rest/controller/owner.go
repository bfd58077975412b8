package controller

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
)

// OwnedError means that [SetControllerReference] found another controller in the object.
type OwnedError struct {
	// Owner is the object's reference to its controller.
	Owner apimeta.OwnerReference
}

// Error implements the error interface.
func (e *OwnedError) Error() string {
	return fmt.Sprintf("the object already has the controller %s %q with uid %q", e.Owner.Kind, e.Owner.Name, e.Owner.UID)
}

// SetControllerReference records in metadata.ownerReferences that owner is the controller of obj: the one owner that
// manages it (API conventions, Metadata). [Owned] then enqueues the owner when obj changes, and
// lifecycle.CollectGarbage deletes obj once the owner is gone. A foreground deletion of the owner waits for obj
// (blockOwnerDeletion). If obj has not been stored yet and the owner is namespaced, SetControllerReference also sets
// the owner's namespace in obj.
//
// It returns an [OwnedError] if obj has another controller. A reference with the owner's name but another uid counts as
// another controller: that owner was deleted, and the garbage collector will delete obj too. It also returns an error
// if the owner is namespaced and obj is in another namespace or cluster-scoped, and if owner lacks a name, uid,
// apiVersion or kind, usually because the caller did not read it through a client. An error leaves obj unchanged.
//
// Owner and T can be any Go types with Kubernetes metadata, including the types of k8s.io/api.
func SetControllerReference[Owner, T any](owner *Owner, obj *T) error {
	from, to := reflect.ValueOf(owner).Elem(), reflect.ValueOf(obj).Elem()
	references := field(to, "metadata", "ownerReferences")
	if !references.IsValid() {
		return fmt.Errorf("controller: %T has no metadata.ownerReferences", obj)
	}
	yes := true
	ref := apimeta.OwnerReference{
		APIVersion: text(from, "apiVersion"), Kind: text(from, "kind"), Name: text(from, "metadata", "name"),
		UID:        text(from, "metadata", "uid"),
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

// checkNamespaces refuses a namespaced owner unless obj is in the same namespace or has not been stored yet. A stored
// object without a namespace is cluster-scoped.
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

// withController adds a reference to a controller. It replaces an existing reference to the same owner.
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

// edit changes a list of owner references of any Go type. It converts them through JSON, which all such types share.
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

// field returns the field at a path of JSON names. It returns the zero Value if v has no such field.
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

// text returns the string at a path of JSON names. It returns "" if v has no such string.
func text(v reflect.Value, path ...string) string {
	if f := field(v, path...); f.Kind() == reflect.String {
		return f.String()
	}
	return ""
}
