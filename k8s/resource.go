package k8s

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/decorum-go/decorum/rest"
)

// Resource returns the resource of a kind of k8s.io/api in the built-in dialect. It has the names, the scope, the rules
// and the table columns of Kubernetes, and the list types and defaults of client-go's apply configurations. The
// compiler infers P from T:
//
//	api, err := rest.New(rest.Options{}, k8s.Resource[corev1.ConfigMap](), k8s.Resource[appsv1.Deployment]())
//
// The caller owns the result, and may change its columns, verbs or hooks.
//
// Resource stores the Events of the core group separately from the Events of events.k8s.io. To serve each event in both
// groups, as Kubernetes does, use package rest/builtin.
//
// For corev1.Namespace the result is that of [rest.NamespacesOf], by which the API checks namespaces.
//
// For a T that is not stored under a name of its own (lists, options, reviews, Binding, and kinds from other modules
// than k8s.io/api), Resource sets only the kind, and [rest.New] returns an error that names the kind because it has no
// Plural. For the review kinds use auth.Reviews of package rest/auth.
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
	r.Group, r.Version, r.Names.Kind, r.Plural = gvk.Group, gvk.Version, gvk.Kind, k.plural
	r.Names.Short, r.Names.Categories = k.shortNames, k.categories
	r.Wire.Dialect, r.Scope, r.Names.Rule = rest.DialectBuiltin, k.scope, k.names
	r.Wire.CreateOnUpdate, r.Wire.VersionRequired, r.Wire.Generation, r.Wire.PlainMetadata = k.createOnUpdate,
		k.versionRequired, k.generation, k.plainMetadata
	r.Wire.ReturnDeleted = k.returnDeleted
	r.SelectableFields, r.Scale, r.Columns = k.selectable, k.scale, columnsOf[T](k.columns)
	r.Overlay = overlayOf(P(new(T)), gvk)
	addPublished(r.Overlay, reflect.TypeFor[T]())
	return r
}
