package resource

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// An admission hook works in one version of a kind, whatever the version of the request is: in that of the Go type it decodes
// into, or in the stored one. What it changes there is carried over into the version of the request and, where that has no
// words for it, kept in the stored form.

// isOfObject reports whether the write is that of the object itself, of which there may be several versions.
func (w *admittedWrite) isOfObject() bool { return w.schema == w.res.Schema }

// versionOf is the version in which a hook works that decodes the object into a value.
func (w *admittedWrite) versionOf(value any) *Resource {
	if !w.isOfObject() {
		return w.res
	}
	t := reflect.TypeOf(value)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, res := range append([]*Resource{w.res}, w.res.Stored.EveryVersion()...) {
		if res.GoType.ObjectType() == t {
			return res
		}
	}
	return w.res.Stored
}

// viewOf shows the object, in a version, through the type of a host's value.
func (w *admittedWrite) viewOf(in *Resource, value any) schema.View {
	t := reflect.TypeOf(value)
	if !w.isOfObject() {
		return schema.NewView(w.schema, t)
	}
	if in.view.IsOf(t) {
		return in.view
	}
	return schema.NewView(in.Schema, t)
}

// storedForm is obj, an object in the version of the request, as it would be stored.
func (w *admittedWrite) storedForm(obj doc.Value) (doc.Value, error) {
	if w.known.shown == obj {
		return w.known.stored, nil
	}
	v, err := w.res.convertStored(obj, w.base)
	if err == nil {
		w.known = forms{obj, v}
	}
	return v, err
}

// as returns the object, given in the version of the request, as another version shows it.
func (w *admittedWrite) as(to *Resource, obj doc.Value) (doc.Value, error) {
	if to == w.res || obj.IsAbsent() {
		return obj, nil
	}
	stored, err := w.storedForm(obj)
	if err != nil {
		return doc.Value{}, err
	}
	return w.res.Stored.convert(stored, to)
}

// oldAs returns the object that is changed or deleted as a version shows it.
func (w *admittedWrite) oldAs(to *Resource) (doc.Value, error) {
	if to == w.res && !w.old.shown.IsAbsent() || w.old.stored.IsAbsent() {
		return w.old.shown, nil
	}
	return w.res.Stored.convert(w.old.stored, to)
}

// changed returns the object, given in the version of the request, with what a hook has changed in a version.
func (w *admittedWrite) changed(obj doc.Value, in *Resource, before, after doc.Value) (doc.Value, error) {
	if in == w.res {
		return after, nil
	}
	stored, err := w.storedForm(obj)
	if err != nil {
		return doc.Value{}, err
	}
	next := after
	if in != w.res.Stored {
		if next, err = in.convertStored(after, forms{before, stored}); err != nil {
			return doc.Value{}, err
		}
	}
	next = w.res.Stored.mutated(next, stored, w.o.part)
	shown, err := w.res.fromStored(stored)
	if err != nil {
		return doc.Value{}, err
	}
	nextShown, err := w.res.fromStored(next)
	if err != nil {
		return doc.Value{}, err
	}
	w.base = forms{w.res.Schema.Merge(obj, shown, nextShown), next}
	w.known = w.base
	return w.base.shown, nil
}
