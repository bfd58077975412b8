package schema

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
)

// Fault is a mistake in the declaration of a Go type.
type Fault struct {
	// Where is the Go type, or the type and the field, such as "main.Widget.Spec". The suffix "[]" means the elements
	// of a list, and "{}" the values of a map.
	Where string
	Err   error
}

func (f *Fault) Error() string { return fmt.Sprintf("schema: %s: %v", f.Where, f.Err) }

func (f *Fault) Unwrap() error { return f.Err }

// Tags checks the tags of Go types that have no [reflect.Type], because a program has only read their code. It finds
// the same faults as [Derive]. The caller describes the types with [Tags.Of] for types that the program has,
// [Tags.List], [Tags.Map], and [Tags.Object] and [Tags.Fill] for structs.
type Tags struct{ d deriver }

// NewTags returns Tags for the types of one root. builtin has the meaning of the field of [Options].
func NewTags(builtin bool) *Tags {
	return &Tags{deriver{types: new(Types), options: Options{Builtin: builtin}, objects: map[reflect.Type]*Object{},
		unknown: map[*Schema]bool{}}}
}

// TagMember is a member of a struct, as encoding/json sees it.
type TagMember struct {
	// Name is the name in JSON, and Where is the Where of a [Fault].
	Name, Where string
	// Schema is the schema of the type of the field. [Tags.Fill] changes it.
	Schema *Schema
	Tag    reflect.StructTag
	// OmitEmpty and OmitZero are the options of the json tag. Pointer means that the field is a pointer or belongs to
	// an embedded pointer.
	OmitEmpty, OmitZero, Pointer bool
}

// Of returns the schema of a type that the program has.
func (t *Tags) Of(typ reflect.Type) *Schema { return t.d.schema(typ, typ.String()) }

// Unknown returns the schema of a type whose schema depends on its methods or type arguments. Any option may fit such a
// type, so Tags checks only the names and the form of the options.
func (t *Tags) Unknown() *Schema {
	s := anything()
	t.d.unknown[s] = true
	return s
}

// List returns the schema of a list.
func (t *Tags) List(items *Schema) *Schema {
	return &Schema{Type: ArrayType, Items: items, goType: goLimits{nullElements: t.d.options.Builtin}}
}

// Map returns the schema of a map.
func (t *Tags) Map(values *Schema) *Schema {
	if t.d.unknown[values] {
		return &Schema{Type: ObjectType, Additional: values}
	}
	return mapOf(values, goLimits{nullElements: t.d.options.Builtin})
}

// Object returns the description of a struct, which a schema may use before [Tags.Fill] has filled it. name is the
// import path and the name of the type.
func (t *Tags) Object(name string) *Object {
	o := &Object{Name: name}
	t.d.made = append(t.d.made, o)
	return o
}

// Fill adds the members to the description of a struct. where is the name of the type in faults.
func (t *Tags) Fill(o *Object, where string, members []TagMember) {
	members = slices.Clone(members)
	sort.Slice(members, func(i, j int) bool { return members[i].Name < members[j].Name })
	for i, m := range members {
		r := t.d.tag(m.Schema, m.Tag, m.Where)
		p := Property{Name: m.Name, Schema: m.Schema, OmitEmpty: m.OmitEmpty, OmitZero: m.OmitZero,
			Required: t.d.isRequired(m.Schema, r, m.OmitEmpty || m.OmitZero || m.Pointer)}
		o.Properties, o.declared = append(o.Properties, p), append(o.declared, i)
		if err := o.join(p, r.membership); err != nil {
			t.d.fail(m.Where, err)
		}
	}
	t.d.checkUnions(o, where)
}

// Faults returns the faults of all types, once the root is complete.
func (t *Tags) Faults(root *Schema) (faults []*Fault) {
	if len(t.d.errs) == 0 {
		t.d.finish(root)
	}
	for _, err := range t.d.errs {
		faults = append(faults, err.(*Fault))
	}
	return faults
}
