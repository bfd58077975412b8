package rest

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
)

// KindOf returns the group, version and kind that the API serves with the Go type of obj, a *T. It tells the kind of an object
// that was made in Go and whose TypeMeta is empty; objects that were read have it filled in. ok is false if the API serves no
// resource, or several, with this type.
func (a *API) KindOf(obj any) (gvk apimeta.GroupVersionKind, ok bool) {
	t := reflect.TypeOf(obj)
	if t == nil || t.Kind() != reflect.Pointer {
		return gvk, false
	}
	for res := range a.serving.Load().EveryVersion {
		switch {
		case res.GoType.ObjectType() != t.Elem():
		case ok:
			return apimeta.GroupVersionKind{}, false
		default:
			gvk, ok = res.GVK, true
		}
	}
	return gvk, ok
}
