package rest

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
)

// KindOf returns the group, version and kind that the API serves with the Go type of obj, a *T. Use it for an object
// that a program has made in Go, and whose TypeMeta is therefore empty. Objects that a client has read have their
// TypeMeta. ok is false if the API serves no resource, or several, with this type.
func (a *API) KindOf(obj any) (gvk apimeta.GroupVersionKind, ok bool) {
	t := reflect.TypeOf(obj)
	if t == nil || t.Kind() != reflect.Pointer {
		return gvk, false
	}
	for res := range a.front.Serving().EveryVersion {
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
