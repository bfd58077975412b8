package controller

import (
	"fmt"
	"reflect"
	"strings"
)

// metadata reads the metadata of a host's objects. It looks up the fields once, by their JSON names, because a kind may
// use any Go type for its metadata. It reads them in place, because an informer needs them for every event.
type metadata[T any] struct {
	namespace, name, uid, version []int
	owners                        []int // nil if objects of this type have no owners
	owner                         ownerFields
}

// ownerFields are the fields of an element of ownerReferences.
type ownerFields struct{ name, uid, controller []int }

// owner identifies the controller of an object: the one owner that manages it.
type owner struct{ name, uid string }

func metadataOf[T any]() (*metadata[T], error) {
	t := reflect.TypeFor[T]()
	at, meta := member(t, "metadata")
	m := &metadata[T]{}
	for _, f := range []struct {
		json string
		into *[]int
	}{{"namespace", &m.namespace}, {"name", &m.name}, {"uid", &m.uid}, {"resourceVersion", &m.version}} {
		index, found := member(meta, f.json)
		if found == nil || found.Kind() != reflect.String {
			return nil, fmt.Errorf("%s has no string metadata.%s", t, f.json)
		}
		*f.into = join(at, index)
	}
	index, owners := member(meta, "ownerReferences")
	if owners == nil || owners.Kind() != reflect.Slice {
		return m, nil
	}
	var name, uid, controller reflect.Type
	m.owner.name, name = member(owners.Elem(), "name")
	m.owner.uid, uid = member(owners.Elem(), "uid")
	m.owner.controller, controller = member(owners.Elem(), "controller")
	if name != nil && name.Kind() == reflect.String && uid != nil && uid.Kind() == reflect.String &&
		controller == reflect.TypeFor[*bool]() {
		m.owners = join(at, index)
	}
	return m, nil
}

// member returns the field of a struct that has this JSON name, and its type, or nil.
func member(t reflect.Type, name string) ([]int, reflect.Type) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == name, tag == "" && f.Name == name && !f.Anonymous:
			return []int{i}, f.Type
		case tag == "" && f.Anonymous:
			if index, found := member(f.Type, name); found != nil {
				return join([]int{i}, index), found
			}
		}
	}
	return nil, nil
}

func join(a, b []int) []int { return append(a[:len(a):len(a)], b...) }

func (m *metadata[T]) text(obj *T, field []int) string {
	return reflect.ValueOf(obj).Elem().FieldByIndex(field).String()
}

func (m *metadata[T]) key(obj *T) Key {
	return Key{Namespace: m.text(obj, m.namespace), Name: m.text(obj, m.name)}
}

// same reports whether two objects are the same state of the same object.
func (m *metadata[T]) same(a, b *T) bool {
	return m.text(a, m.version) == m.text(b, m.version) && m.text(a, m.uid) == m.text(b, m.uid)
}

// controllerOf returns the owner that manages the object (API conventions, Metadata; ownerReferences).
func (m *metadata[T]) controllerOf(obj *T) (owner, bool) {
	if m.owners == nil {
		return owner{}, false
	}
	references := reflect.ValueOf(obj).Elem().FieldByIndex(m.owners)
	for i := range references.Len() {
		r := references.Index(i)
		if manages := r.FieldByIndex(m.owner.controller); !manages.IsNil() && manages.Elem().Bool() {
			return owner{name: r.FieldByIndex(m.owner.name).String(), uid: r.FieldByIndex(m.owner.uid).String()}, true
		}
	}
	return owner{}, false
}
