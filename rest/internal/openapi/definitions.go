package openapi

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/status"
)

// form is what OpenAPI 3.0 and Swagger 2.0 write differently in a schema.
type form struct {
	prefix string // the prefix of references to named schemas
	v3     bool
}

// definitions gathers the named schemas of a document.
type definitions struct {
	form   form
	schema map[string]doc.Value      // the named schemas
	prints map[string]string         // the fingerprint of what has the name
	names  map[*schema.Object]string // the names that were given to schemas
	gvks   map[string][]doc.Value    // the kinds that the name stands for
	kinds  map[apimeta.GroupVersionKind]bool
	fields map[string][]doc.Value // the selectable fields of the kind with the name
}

func newDefinitions(f form) *definitions {
	return &definitions{form: f, schema: map[string]doc.Value{}, prints: map[string]string{},
		names: map[*schema.Object]string{}, gvks: map[string][]doc.Value{}, kinds: map[apimeta.GroupVersionKind]bool{},
		fields: map[string][]doc.Value{}}
}

// reference returns a schema that is only the name of another one.
func (d *definitions) reference(name string) doc.Value {
	return doc.MapOf(doc.Member{Key: "$ref", Value: doc.Of(d.form.prefix + name)})
}

// answer is the schema of an answer: that of this name, or of bytes.
func (d *definitions) answer(name string) doc.Value {
	if name == "" {
		return doc.MapOf(doc.Member{Key: "type", Value: doc.Of("string")})
	}
	return d.reference(name)
}

// addKind defines a kind's schema under the kind's name.
func (d *definitions) addKind(gvk apimeta.GroupVersionKind, s *schema.Schema, description string) string {
	name := kindName(gvk)
	if d.kinds[gvk] {
		return name
	}
	d.kinds[gvk] = true
	if s == nil {
		s = &schema.Schema{Type: schema.ObjectType, PreserveUnknown: true}
	}
	if s.Object != nil && d.names[s.Object] == "" {
		d.names[s.Object] = name // where the type contains itself, it is this kind
	}
	d.prints[name] = s.Fingerprint()
	if s.Source() != nil {
		d.schema[name] = d.openKind(s, description)
		d.standsFor(name, gvk)
		return name
	}
	o := d.members(s)
	if s.Description == "" {
		o.text("description", description)
	}
	d.schema[name] = o.value()
	d.standsFor(name, gvk)
	return name
}

// standsFor says which kind a named schema describes; clients find it by that.
func (d *definitions) standsFor(name string, gvk apimeta.GroupVersionKind) {
	d.gvks[name] = append(d.gvks[name], kindValue(gvk))
}

// selects says which fields of a kind a field selector may name.
func (d *definitions) selects(name string, fields []string) {
	for _, field := range fields {
		if _, paths := kind.Selectable(field); paths[0] != field {
			continue // OpenAPI cannot describe a name for other fields
		}
		d.fields[name] = append(d.fields[name], doc.MapOf(doc.Member{Key: "fieldPath", Value: doc.Of(field)}))
	}
}

func kindValue(gvk apimeta.GroupVersionKind) doc.Value {
	return doc.MapOf(doc.Member{Key: "group", Value: doc.Of(gvk.Group)}, doc.Member{Key: "kind", Value: doc.Of(gvk.Kind)},
		doc.Member{Key: "version", Value: doc.Of(gvk.Version)})
}

// addList defines the schema of a kind's collections.
func (d *definitions) addList(k *kind.Kind) (string, error) {
	gvk := apimeta.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.ListKind}
	name := kindName(gvk)
	if d.kinds[gvk] {
		return name, nil
	}
	d.kinds[gvk] = true
	meta, err := schema.Derive(reflect.TypeFor[apimeta.ListMeta](), schema.Options{})
	if err != nil {
		return "", err
	}
	types, err := schema.Derive(reflect.TypeFor[apimeta.TypeMeta](), schema.Options{})
	if err != nil {
		return "", err
	}
	meta.Description = "The metadata of the list."
	list := &schema.Schema{Type: schema.ObjectType, Description: k.ListKind + " is a list of " + k.Kind + ".",
		Object: &schema.Object{Properties: []schema.Property{
			*types.Property("apiVersion"),
			{Name: "items", Required: true,
				Schema: &schema.Schema{Type: schema.ArrayType, Description: "The objects of the list."}},
			*types.Property("kind"),
			{Name: "metadata", Schema: meta},
		}}}
	o := d.members(list)
	d.schema[name] = o.value().WithAt(d.reference(kindName(k.GroupVersionKind)), "properties", "items", "items")
	d.standsFor(name, gvk)
	return name, nil
}

// addOwn defines a schema that every server has, from our own Go type.
func (d *definitions) addOwn(t reflect.Type) (string, error) {
	s, err := schema.Derive(t, schema.Options{})
	if err != nil {
		return "", fmt.Errorf("openapi: %w", err)
	}
	return d.name(s.Object), nil
}

// addPatch defines the schema of patches: what they hold depends on their media type.
func (d *definitions) addPatch() string {
	const name = metaName + "Patch"
	d.schema[name] = doc.MapOf(doc.Member{Key: "type", Value: doc.Of(schema.ObjectType)},
		doc.Member{Key: "description", Value: doc.Of("Patch is the change to make, in the form that its media type says.")})
	return name
}

// name returns the name of a struct's schema, and defines it when it is met first. Two structs of one name that say
// different things, as one Go type does under different overlays, get different names.
func (d *definitions) name(o *schema.Object) string {
	if name, ok := d.names[o]; ok {
		return name
	}
	described := &schema.Schema{Type: schema.ObjectType, Object: o, Description: o.Description}
	name, print := typeName(o.Name), described.Fingerprint()
	for i := 2; d.prints[name] != "" && d.prints[name] != print; i++ {
		name = typeName(o.Name) + "_" + strconv.Itoa(i)
	}
	d.names[o] = name
	if d.prints[name] == "" {
		d.prints[name] = print // set before the members, which may lead back to it
		d.schema[name] = d.members(described).value()
	}
	return name
}

// value returns all named schemas.
func (d *definitions) value() doc.Value {
	all := make(object, 0, len(d.schema))
	for name, v := range d.schema {
		if kinds := d.gvks[name]; len(kinds) > 0 {
			v = v.With("x-kubernetes-group-version-kind", doc.ListOf(kinds...))
		}
		if fields := d.fields[name]; len(fields) > 0 {
			v = v.With("x-kubernetes-selectable-fields", doc.ListOf(fields...))
		}
		all.set(name, v)
	}
	return all.value()
}

// own are the schemas that every server has and operations refer to.
type own struct{ status, deleteOptions, patch string }

// addOwnTypes defines them. Each stands for the kind of its name in the core group, and requests may also name it in
// the group and version that they go to.
func (d *definitions) addOwnTypes(versions []apimeta.GroupVersion) (o own, err error) {
	if o.status, err = d.addOwn(reflect.TypeFor[status.Status]()); err != nil {
		return o, err
	}
	if o.deleteOptions, err = d.addOwn(reflect.TypeFor[apimeta.DeleteOptions]()); err != nil {
		return o, err
	}
	event, err := d.addOwn(reflect.TypeFor[apimeta.WatchEvent]())
	if err != nil {
		return o, err
	}
	o.patch = d.addPatch()
	core := apimeta.GroupVersion{Version: "v1"}
	d.standsFor(o.status, core.WithKind("Status"))
	for _, gv := range append([]apimeta.GroupVersion{core}, versions...) {
		if gv == core && len(d.gvks[event]) > 0 {
			continue
		}
		d.standsFor(o.deleteOptions, gv.WithKind("DeleteOptions"))
		d.standsFor(event, gv.WithKind("WatchEvent"))
	}
	return o, nil
}
