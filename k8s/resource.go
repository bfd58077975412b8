package k8s

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/decorum-go/decorum/rest"
)

// Resource returns the resource of a kind of k8s.io/api, in the built-in dialect, with the names, the scope, the rules
// and the table columns that Kubernetes gives it and with what the apply configurations of client-go say of its fields.
// P follows from T and is never written:
//
//	api, err := rest.New(rest.Options{}, k8s.Resource[corev1.ConfigMap](), k8s.Resource[appsv1.Deployment]())
//
// The result is a value of the caller's own: a host that wants other columns, fewer verbs or hooks sets them on it.
//
// For corev1.Namespace the result is that of [rest.NamespacesOf], by which the API checks namespaces.
//
// A T that is not stored under a name of its own (lists, options, reviews, Binding, and kinds from elsewhere than
// k8s.io/api) comes back with its kind alone, and [rest.New] refuses it by that name for want of a Plural. The review
// kinds are in [rest.Reviews].
func Resource[T any, P interface {
	*T
	runtime.Object
}]() rest.Resource[T] {
	var r rest.Resource[T]
	gvks, _, err := scheme.Scheme.ObjectKinds(P(new(T)))
	if err != nil || len(gvks) == 0 {
		return r
	}
	gvk := gvks[0]
	if gvk.Group == "" && gvk.Kind == "Namespace" {
		r = rest.NamespacesOf[T]()
	}
	k, ok := kindOf(gvk.GroupKind())
	if !ok {
		return r
	}
	r.Group, r.Version, r.Kind, r.Plural = gvk.Group, gvk.Version, gvk.Kind, k.plural
	r.ShortNames, r.Categories = k.shortNames, k.categories
	r.Dialect, r.Scope, r.Names = rest.Builtin, k.scope, k.names
	r.CreateOnUpdate, r.VersionRequired, r.Generation, r.PlainMetadata = k.createOnUpdate, k.versionRequired, k.generation, k.plainMetadata
	r.ReturnDeleted = k.returnDeleted
	r.SelectableFields, r.Scale, r.Columns = k.selectable, k.scale, columnsOf[T](k.columns)
	r.Overlay = overlayOf(P(new(T)), gvk)
	return r
}
