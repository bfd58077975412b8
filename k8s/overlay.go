package k8s

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// overlayOf returns what the apply configurations of client-go say of a kind and its tags do not, as the overlay of a
// resource: how lists and maps belong together, and which fields have a default. obj is an empty object of the kind.
func overlayOf(obj runtime.Object, gvk schema.GroupVersionKind) map[string]string {
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	// The converter is the one public way to the schema: the value is empty, and of no interest.
	typed, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(obj)
	if err != nil {
		return nil // without apply configurations the tags are all there is
	}
	w := walker{schema: typed.Schema(), seen: map[reflect.Type]bool{}, tags: map[string]string{}, zeroKeys: map[string]bool{}}
	w.place(reflect.TypeOf(obj), typed.TypeRef())
	for field := range w.zeroKeys {
		w.tags[field] = strings.TrimPrefix(w.tags[field]+",zeroKey", ",")
	}
	return w.tags
}

// walker goes through a Go type and its schema side by side.
type walker struct {
	schema *smd.Schema
	seen   map[reflect.Type]bool
	tags   map[string]string // api tags, by type or by type and member
	// zeroKeys are the members that are keys of list elements and count as their zero value where they are absent.
	zeroKeys map[string]bool
}

// place returns the options of an api tag for a place that holds a t, and looks at the structs below it.
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

// keys notes which keys of list elements count as their zero value where they are absent.
func (w *walker) keys(elem reflect.Type, l *smd.List) {
	atom, ok := w.schema.Resolve(l.ElementType)
	if !ok || atom.Map == nil || elem.Kind() != reflect.Struct || isMeta(elem) {
		return
	}
	for _, key := range l.Keys {
		owner, f, ok := memberNamed(elem, key)
		if field, _ := atom.Map.FindField(key); ok && field.Default != nil && reflect.ValueOf(field.Default).IsZero() && f.Type.Kind() != reflect.Pointer {
			w.zeroKeys[typeName(owner)+"."+key] = true
		}
	}
}

// memberNamed returns the field of a struct that JSON knows by a name, and the struct that declares it.
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

// object notes what the schema says of a struct type and of each of its members.
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

// members notes the members that t declares itself. Those of embedded structs count as members of the struct around
// them, and are noted under the type that declares them.
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
		if len(options) > 0 {
			w.tags[typeName(t)+"."+name] = strings.Join(options, ",")
		}
	}
}

// listType writes how the elements of a list belong together. Kubernetes lets the elements of its own kinds repeat, but
// where it checks a kind by hand.
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

// defaultOf writes a default as an api tag has it. The schema also has defaults that are only the zero value of the Go
// type, which every object gets by passing through it: those are left out.
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

// encodesItself reports whether a type is a leaf: whatever its Go form, it says itself how it is encoded.
func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// isMeta reports whether a type belongs to what all objects share. Decorum knows object metadata by itself.
func isMeta(t reflect.Type) bool { return t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" }

func typeName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }
