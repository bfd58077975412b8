package conventions

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
)

// kind is a vetted kind: that of a resource, or of a host's subresource.
type kind struct {
	name string
	typ  goType
	// resource declares the resource of the kind. own reports whether it is the resource's own kind, rather than that of a
	// subresource.
	resource *rest.Resource[apimeta.Document]
	own      bool
	// subresources are the kinds of the host's subresources.
	subresources []*kind
	// versions are the other versions of the resource.
	versions []*kind
}

// isBuiltin reports whether the objects pass through their Go type, as those of Kubernetes' own kinds do.
func (k *kind) isBuiltin() bool { return k.resource.Wire.Dialect == rest.DialectBuiltin }

// goType is a Go type and the schema that was derived from it. A foreign type needs no schema.
type goType struct {
	Go     reflect.Type
	Schema *schema.Schema
}

func inspected(d rest.Definition) (*kind, error) {
	versions, err := rest.Describe(d)
	if err != nil {
		return &kind{name: fmt.Sprintf("%T", d)}, err
	}
	k, err := kindOf(&versions[0])
	k.own = true
	for i := range versions[1:] {
		other, failed := kindOf(&versions[1+i])
		k.versions, err = append(k.versions, other), errors.Join(err, failed)
	}
	return k, err
}

// kindOf returns the kind in one version, with the kinds of its subresources.
func kindOf(version *rest.Description) (*kind, error) {
	k := &kind{name: version.Resource.Names.Kind, resource: &version.Resource}
	var err error
	k.typ, err = derived(version.GoType, schema.Options{Builtin: k.isBuiltin(), Overlay: k.resource.Overlay})
	for _, s := range version.Subresources {
		if s.GoType == nil {
			continue
		}
		typ, failed := derived(s.GoType, schema.Options{})
		sub := &kind{name: s.Kind.Kind, typ: typ, resource: k.resource}
		k.subresources, err = append(k.subresources, sub), errors.Join(err, failed)
	}
	return k, err
}

func derived(t reflect.Type, options schema.Options) (goType, error) {
	if isForeign(t) {
		return goType{Go: t}, nil
	}
	s, err := schema.Derive(t, options)
	return goType{t, s}, err
}

// place is a place for a value in a kind: a field, the elements of a list or the values of a map.
type place struct {
	kind   *kind
	path   string
	schema *schema.Schema
	typ    reflect.Type // the type behind all pointers
	// pointer reports whether the Go type is a pointer.
	pointer bool
	// inStatus reports whether the place is the status or below it.
	inStatus bool
	parent   *place // the field of this element or value, or the struct of this field; nil at the top

	// The following members are set for fields only.
	field    *schema.Property // nil for elements and values
	goField  reflect.StructField
	owner    reflect.Type // the struct
	siblings *schema.Object
}

// name returns the field's name in JSON. It is empty for elements and values.
func (p *place) name() string {
	if p.field == nil {
		return ""
	}
	return p.field.Name
}

// isTop reports whether the place is a field of the kind itself.
func (p *place) isTop() bool { return p.parent == nil }

// vetter collects findings.
type vetter struct {
	rules    []rule
	kinds    map[string]string // names that a field with the name of an object may not have, and the kind of each
	findings []Finding

	said map[string]bool // the rules and declarations that the present kind has broken so far
	been map[seen]bool   // the types that the walk has seen in the present kind
}

// seen is a struct type in the spec or in the status of an object.
type seen struct {
	typ      reflect.Type
	inStatus bool
}

// vet checks a kind and the kinds of its subresources, in all versions.
func (v *vetter) vet(k *kind) {
	v.vetOne(k)
	for _, sub := range k.subresources {
		v.vetOne(sub)
	}
	for _, version := range k.versions {
		before := len(v.findings)
		v.vet(version)
		suffix := "." + version.resource.Version
		if version.resource.Group != k.resource.Group {
			suffix += "." + version.resource.Group
		}
		for j := range v.findings[before:] {
			v.findings[before+j].Kind += suffix
		}
	}
}

func (v *vetter) vetOne(k *kind) {
	if isForeign(k.typ.Go) {
		return
	}
	v.said, v.been = map[string]bool{}, map[seen]bool{}
	for _, r := range v.rules {
		if r.kind == nil {
			continue
		}
		for field, reason := range r.kind(k) {
			v.findings = append(v.findings, Finding{Kind: k.name, Field: field, Rule: r.name, Section: r.section,
				Reason: reason})
		}
	}
	v.object(k, nil, k.typ.Go, k.typ.Schema, false)
}

// object walks the fields of a struct.
func (v *vetter) object(k *kind, parent *place, t reflect.Type, s *schema.Schema, inStatus bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s.Object == nil || t.Kind() != reflect.Struct || v.been[seen{t, inStatus}] {
		return
	}
	v.been[seen{t, inStatus}] = true
	fields := goFields(t)
	for i := range s.Object.Properties {
		p := &s.Object.Properties[i]
		f, ok := fields[p.Name]
		if !ok || parent == nil && isMeta(p.Name) {
			continue
		}
		at := &place{
			kind: k, path: p.Name, schema: p.Schema, parent: parent, inStatus: inStatus || parent == nil && p.Name == "status",
			field: p, goField: f.StructField, owner: f.owner, siblings: s.Object,
		}
		if parent != nil {
			at.path = parent.path + "." + p.Name
		}
		v.place(at, f.Type)
	}
}

// isMeta reports whether all objects have this field.
func isMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// place checks a place and the places below it.
func (v *vetter) place(p *place, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		p.pointer, t = true, t.Elem()
	}
	p.typ = t
	for _, r := range v.rules {
		if r.place == nil {
			continue
		}
		if reason := r.place(v, p); reason != "" {
			v.say(p, r, reason)
		}
	}
	below := func(suffix string, s *schema.Schema) {
		v.place(&place{kind: p.kind, path: p.path + suffix, schema: s, parent: p, inStatus: p.inStatus}, t.Elem())
	}
	switch {
	case isForeign(t):
	case p.schema.Object != nil:
		v.object(p.kind, p, t, p.schema, p.inStatus)
	case p.schema.Items != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		below("[]", p.schema.Items)
	case p.schema.Additional != nil && t.Kind() == reflect.Map:
		below("{}", p.schema.Additional)
	}
}

// say adds a finding, once for each declaration.
func (v *vetter) say(p *place, r rule, reason string) {
	declared, suffix := p, ""
	for declared.field == nil && declared.parent != nil {
		suffix = p.path[len(declared.parent.path):]
		declared = declared.parent
	}
	key := fmt.Sprint(r.name, " ", declared.owner, ".", declared.goField.Name, suffix)
	if v.said[key] {
		return
	}
	v.said[key] = true
	v.findings = append(v.findings, Finding{Kind: p.kind.name, Field: p.path, Rule: r.name, Section: r.section,
		Reason: reason})
}

// isForeign reports whether the host cannot change a type, and Vet does not check it: it belongs to Kubernetes, or to the
// metadata of this module. The Condition of this module is checked like a type of the host.
func isForeign(t reflect.Type) bool {
	pkg := t.PkgPath()
	return strings.HasPrefix(pkg, "k8s.io/") ||
		pkg == reflect.TypeFor[apimeta.ObjectMeta]().PkgPath() && t != reflect.TypeFor[apimeta.Condition]()
}

// goField is a field and the struct that declares it.
type goField struct {
	reflect.StructField
	owner reflect.Type
}

// goFields returns the fields of a struct, including those of embedded structs, by their names in JSON. If two fields
// have the same name, the outer one counts.
func goFields(t reflect.Type) map[string]goField {
	out := map[string]goField{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			if f.Anonymous {
				continue // the loop visits its fields
			}
			name = f.Name
		}
		if other, ok := out[name]; name == "-" || !f.IsExported() || ok && len(other.Index) <= len(f.Index) {
			continue
		}
		owner := t
		for _, i := range f.Index[:len(f.Index)-1] {
			if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
				owner = owner.Elem()
			}
		}
		out[name] = goField{f, owner}
	}
	return out
}
