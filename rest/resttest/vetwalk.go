package resttest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
	served "github.com/decorum-go/decorum/rest/internal/kind"
)

// kind is a kind that is vetted: that of a resource, or of a subresource of the host's.
type kind struct {
	name string
	typ  goType
	// resource is what it belongs to, and own says that it is the resource's own kind.
	resource *served.Kind
	own      bool
	// versions are the other versions of the resource.
	versions []*served.Kind
}

// goType is a Go type and the schema that was derived from it.
type goType struct {
	Go     reflect.Type
	Schema *schema.Schema
}

func inspected(d rest.Definition) (*kind, error) {
	if d == nil {
		return &kind{}, errors.New("a resource is nil")
	}
	versions, err := rest.Inspect(d)
	if err != nil {
		name := fmt.Sprintf("%T", d)
		return &kind{name: name}, err
	}
	stored := versions[0]
	return &kind{name: stored.Kind, typ: goType{stored.GoType, stored.Schema}, resource: stored, own: true, versions: versions[1:]}, nil
}

// place is where a value can stand in a kind: in a field, as an element of a list or as a value of a map.
type place struct {
	kind   *kind
	path   string
	schema *schema.Schema
	typ    reflect.Type // without pointers
	// pointer says that the Go type is a pointer.
	pointer bool
	// inStatus says that the place is the status or below it.
	inStatus bool
	parent   *place // the field whose element or value this is, or whose struct has this field; nil at the top

	// What follows is of fields only.
	field    *schema.Property // nil for elements and values
	goField  reflect.StructField
	owner    reflect.Type // the struct
	siblings *schema.Object
}

// name is the field's name in JSON; empty for elements and values.
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
	kinds    map[string]string // names that a field may not have if it holds a name, and the kind of each
	findings []Finding

	said map[string]bool // of the kind at hand: rule and declaration
	been map[seen]bool   // of the kind at hand
}

// seen is a struct type in one of the two halves of an object.
type seen struct {
	typ      reflect.Type
	inStatus bool
}

// vet vets a kind and the kinds of its subresources, in all versions.
func (v *vetter) vet(k *kind) {
	v.vetOne(k)
	for _, sub := range k.resource.Subresources {
		if sub.GoType != nil {
			v.vetOne(&kind{name: sub.Kind, typ: goType{sub.GoType, sub.Schema}, resource: k.resource})
		}
	}
	for _, version := range k.versions {
		before := len(v.findings)
		v.vet(&kind{name: k.name, typ: goType{version.GoType, version.Schema}, resource: version})
		for j := range v.findings[before:] {
			v.findings[before+j].Kind += "." + version.Version
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
			v.findings = append(v.findings, Finding{Kind: k.name, Field: field, Rule: r.name, Section: r.section, Reason: reason})
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

// isMeta reports whether a field of an object is one that all objects have.
func isMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// place checks a place and what is below it.
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

// say reports what a rule found, once for each declaration.
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
	v.findings = append(v.findings, Finding{Kind: p.kind.name, Field: p.path, Rule: r.name, Section: r.section, Reason: reason})
}

// isForeign reports whether a type is not the host's to change: of Kubernetes, or of this module's public packages.
func isForeign(t reflect.Type) bool {
	pkg := t.PkgPath()
	return strings.HasPrefix(pkg, "k8s.io/") || pkg == reflect.TypeFor[apimeta.ObjectMeta]().PkgPath()
}

// goField is a field and the struct that declares it.
type goField struct {
	reflect.StructField
	owner reflect.Type
}

// goFields returns the fields of a struct by their names in JSON, those of embedded structs included; of two with one
// name the outer one counts.
func goFields(t reflect.Type) map[string]goField {
	out := map[string]goField{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			if f.Anonymous {
				continue // its fields come by themselves
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
