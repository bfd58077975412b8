package k8s

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// overlayOf returns the overlay of a resource: what the apply configurations of client-go state about a kind beyond its
// tags, which is how lists and maps merge, and which fields have a default. obj is an empty object of the kind.
func overlayOf(obj runtime.Object, gvk schema.GroupVersionKind) map[string]string {
	if overlay, ok := tabledOverlay(reflect.TypeOf(obj)); ok {
		return overlay
	}
	return overlayOfClientGo(obj, gvk)
}

// overlayOfClientGo is overlayOf without the table.
func overlayOfClientGo(obj runtime.Object, gvk schema.GroupVersionKind) map[string]string {
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	// The converter is the only public way to the schema. The value is empty and does not matter.
	typed, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(obj)
	if err != nil {
		return nil // without apply configurations, only the tags count
	}
	w := walker{schema: typed.Schema(), seen: map[reflect.Type]bool{}, tags: map[string]string{},
		zeroKeys: map[string]bool{}}
	w.place(reflect.TypeOf(obj), typed.TypeRef())
	for field := range w.zeroKeys {
		w.tags[field] = strings.TrimPrefix(w.tags[field]+",zeroKey", ",")
	}
	return w.tags
}

// walker walks through a Go type and its schema side by side.
type walker struct {
	schema *smd.Schema
	seen   map[reflect.Type]bool
	tags   map[string]string // api tags, by type or by type and member
	// zeroKeys are the members that are keys of list elements and count as their zero value if absent.
	zeroKeys map[string]bool
}

// place returns the options of an api tag for a place of type t, and visits the structs below it.
func (w *walker) place(t reflect.Type, ref smd.TypeRef) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	atom, ok := w.schema.Resolve(ref)
	switch {
	case !ok:
	case encodesItself(t):
		if t.Kind() == reflect.Struct && atom.Map != nil && atom.Map.ElementRelationship == smd.Atomic {
			return []string{"map=atomic"} // a RawExtension
		}
	case t.Kind() == reflect.Struct && atom.Map != nil:
		w.object(t, ref)
		if ref.ElementRelationship != nil {
			return []string{"map=" + mapType(*ref.ElementRelationship)}
		}
	case t.Kind() == reflect.Map && atom.Map != nil:
		var options []string
		if atom.Map.ElementRelationship == smd.Atomic {
			options = append(options, "map=atomic")
		}
		return append(options, prefixed("values.", w.place(t.Elem(), atom.Map.ElementType))...)
	case t.Kind() == reflect.Slice && atom.List != nil:
		w.keys(t.Elem(), atom.List)
		return append(listType(atom.List), prefixed("items.", w.place(t.Elem(), atom.List.ElementType))...)
	}
	return nil
}

// keys records which keys of list elements count as their zero value if absent.
func (w *walker) keys(elem reflect.Type, l *smd.List) {
	atom, ok := w.schema.Resolve(l.ElementType)
	if !ok || atom.Map == nil || elem.Kind() != reflect.Struct || isMeta(elem) {
		return
	}
	for _, key := range l.Keys {
		owner, f, ok := memberNamed(elem, key)
		if field, _ := atom.Map.FindField(key); ok && field.Default != nil && reflect.ValueOf(field.Default).IsZero() &&
			f.Type.Kind() != reflect.Pointer {
			w.zeroKeys[typeName(owner)+"."+key] = true
		}
	}
}

// memberNamed returns the field of a struct with a JSON name, and the struct that declares it.
func memberNamed(t reflect.Type, name string) (reflect.Type, reflect.StructField, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name {
			return t, f, true
		}
		if f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct {
			if owner, f, ok := memberNamed(f.Type, name); ok {
				return owner, f, true
			}
		}
	}
	return t, reflect.StructField{}, false
}

// object records the tags of a struct type and of each of its members.
func (w *walker) object(t reflect.Type, ref smd.TypeRef) {
	if w.seen[t] || ref.NamedType == nil || isMeta(t) {
		return
	}
	w.seen[t] = true
	def, _ := w.schema.FindNamedType(*ref.NamedType)
	if def.Map == nil {
		return
	}
	if def.Map.ElementRelationship == smd.Atomic {
		w.tags[typeName(t)] = "map=atomic"
	}
	w.members(t, def.Map)
}

// members records the tags of the members of t. It records those of an embedded struct under the type that declares
// them.
func (w *walker) members(t reflect.Type, m *smd.Map) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			if !isMeta(f.Type) && f.Type.Kind() == reflect.Struct {
				w.members(f.Type, m)
			}
			continue
		}
		field, ok := m.FindField(name)
		if !ok {
			continue
		}
		options := w.place(f.Type, field.Type)
		if text, ok := defaultOf(f.Type, field.Default); ok {
			options = append(options, "default="+text)
		}
		if t == condition {
			options = append(options, "optional")
		}
		if len(options) > 0 {
			w.tags[typeName(t)+"."+name] = strings.Join(options, ",")
		}
	}
}

// listType returns the api tags for how a list merges. Kubernetes allows duplicate elements in its own kinds, unless
// its code checks the kind.
func listType(l *smd.List) []string {
	switch {
	case l.ElementRelationship != smd.Associative:
		return []string{"list=atomic"}
	case len(l.Keys) == 0:
		return []string{"list=set", "duplicates"}
	}
	options := []string{"list=map"}
	for _, key := range l.Keys {
		options = append(options, "key="+key)
	}
	return append(options, "duplicates")
}

func mapType(r smd.ElementRelationship) string {
	if r == smd.Atomic {
		return "atomic"
	}
	return "granular"
}

// defaultOf returns a default in the form of an api tag. It ignores defaults that are only the zero value of the Go
// type, because an object gets these when it passes through its Go type.
func defaultOf(t reflect.Type, value any) (string, bool) {
	if value == nil {
		return "", false
	}
	data, err := json.Marshal(value)
	if err != nil {
		return "", false
	}
	if t.Kind() != reflect.Pointer {
		switch string(data) {
		case `""`, "0", "false", "{}":
			return "", false
		}
	}
	return "'" + strings.ReplaceAll(string(data), "'", "''") + "'", true
}

func prefixed(prefix string, options []string) []string {
	for i := range options {
		options[i] = prefix + options[i]
	}
	return options
}

// encodesItself reports whether a type is a leaf, because it encodes itself.
func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// condition is the type whose fields Decorum requires in the kinds of hosts. Kubernetes checks them in code, for some
// kinds only.
var condition = reflect.TypeFor[metav1.Condition]()

// isMeta reports whether a type belongs to the metadata that all objects share, which Decorum knows itself.
func isMeta(t reflect.Type) bool {
	return t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" && t != condition
}

func typeName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }
