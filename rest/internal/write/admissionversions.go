package write

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// An admission hook works in one version of a kind, whatever the version of the request is: in that of the Go type it
// decodes into, or in the stored one. What it changes there is carried over into the version of the request and, where
// that has no words for it, kept in the stored form.

// isOfObject reports whether the hooks see the object itself, which may have several versions, rather than a
// subresource's own kind.
func (a *underReview) isOfObject() bool { return a.schema == a.res.Schema }

// versionOf returns the version in which a hook works: that of the Go type of value, or the stored version if no
// version has this type.
func (a *underReview) versionOf(value any) *resource.Resource {
	if !a.isOfObject() {
		return a.res
	}
	t := reflect.TypeOf(value)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, res := range append([]*resource.Resource{a.res}, a.res.Stored.EveryVersion()...) {
		if res.GoType.ObjectType() == t {
			return res
		}
	}
	return a.res.Stored
}

// typeViewOf returns the view that the Go type of value gives of the object in a version.
func (a *underReview) typeViewOf(in *resource.Resource, value any) schema.View {
	t := reflect.TypeOf(value)
	if !a.isOfObject() {
		return a.res.KnownTypes().View(a.schema, t)
	}
	if in.TypeView.IsOf(t) {
		return in.TypeView
	}
	return a.res.KnownTypes().View(in.Schema, t)
}

// storedForm converts obj from the version of the request to the stored version.
func (a *underReview) storedForm(obj doc.Value) (doc.Value, error) {
	if a.known.shown == obj {
		return a.known.stored, nil
	}
	v, err := convertStored(a.res, obj, a.base)
	if err == nil {
		a.known = forms{obj, v}
	}
	return v, err
}

// as converts obj from the version of the request to another version.
func (a *underReview) as(to *resource.Resource, obj doc.Value) (doc.Value, error) {
	if to == a.res || obj.IsAbsent() {
		return obj, nil
	}
	stored, err := a.storedForm(obj)
	if err != nil {
		return doc.Value{}, err
	}
	return a.res.Stored.Convert(stored, to)
}

// oldAs returns the old object in a version.
func (a *underReview) oldAs(to *resource.Resource) (doc.Value, error) {
	if to == a.res && !a.old.shown.IsAbsent() || a.old.stored.IsAbsent() {
		return a.old.shown, nil
	}
	return a.res.Stored.Convert(a.old.stored, to)
}

// changed returns obj, an object in the version of the request, with the changes that a hook made in the version in. It
// also keeps the new stored form, for what the version of the request cannot express.
func (a *underReview) changed(obj doc.Value, in *resource.Resource, before, after doc.Value) (doc.Value, error) {
	if in == a.res {
		return after, nil
	}
	stored, err := a.storedForm(obj)
	if err != nil {
		return doc.Value{}, err
	}
	next := after
	if in != a.res.Stored {
		if next, err = convertStored(in, after, forms{before, stored}); err != nil {
			return doc.Value{}, err
		}
	}
	// The hook worked in another version, so the fields that it may not change must be restored in the stored form too.
	next = mutated(a.res.Stored, next, stored, a.Write.Part())
	shown, err := a.res.FromStored(stored)
	if err != nil {
		return doc.Value{}, err
	}
	nextShown, err := a.res.FromStored(next)
	if err != nil {
		return doc.Value{}, err
	}
	// Only what differs between the two conversions changes in obj, so obj keeps what a conversion would lose.
	a.base = forms{a.res.Schema.Merge(obj, shown, nextShown), next}
	a.known = a.base
	return a.base.shown, nil
}
