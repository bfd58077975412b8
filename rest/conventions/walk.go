package conventions

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
)

// names are what a declaration says about a kind besides the fields of its objects.
type names struct {
	group, version           string
	kind, listKind           string
	plural, singular         string
	builtin, isClusterScoped bool
	// isApproved reports whether the kind is one of the Kubernetes project.
	isApproved bool
	// isVirtual reports whether the objects are calls, whose status is an answer.
	isVirtual bool
}

// kind is a vetted kind: that of a resource, or of a host's subresource.
type kind struct {
	names
	// own reports whether it is the resource's own kind, rather than that of a subresource. isFurther reports whether it
	// is another version of a kind, whose names were checked before.
	own, isFurther bool
	typ            shape
	// at is where a definition describes the kind's objects. It is empty for a Go type.
	at string
	// subresources are the kinds of the host's subresources.
	subresources []*kind
	// versions are the other versions of the resource.
	versions []*kind
}

// shape describes the objects of a kind. Go is nil for a kind without a Go struct. A foreign Go type needs no schema.
type shape struct {
	Go     reflect.Type
	Schema *schema.Schema
}

func inspected(d rest.Definition) (*kind, error) {
	versions, err := rest.Describe(d)
	if err != nil {
		return &kind{names: names{kind: fmt.Sprintf("%T", d)}}, err
	}
	k, err := kindOf(&versions[0])
	k.own = true
	for i := range versions[1:] {
		other, failed := kindOf(&versions[1+i])
		other.isFurther = true
		k.versions, err = append(k.versions, other), errors.Join(err, failed)
	}
	return k, err
}

// kindOf returns the kind in one version, with the kinds of its subresources.
func kindOf(version *rest.Description) (*kind, error) {
	r := &version.Resource
	k := &kind{names: names{
		group: r.Group, version: r.Version, kind: r.Names.Kind, listKind: r.Names.ListKind, plural: r.Plural,
		singular: r.Names.Singular, builtin: r.Wire.Dialect == rest.DialectBuiltin,
		isClusterScoped: r.Scope == rest.ScopeCluster, isVirtual: slices.Contains(version.Hooks, "Call"),
	}}
	var err error
	if version.GoType == reflect.TypeFor[apimeta.Document]() {
		k.typ.Schema, err = schema.ReadOpenAPI(r.Schema.OpenAPI)
	} else {
		k.typ, err = derived(version.GoType, schema.Options{Builtin: k.builtin, Overlay: r.Overlay})
	}
	for _, s := range version.Subresources {
		if s.GoType == nil {
			continue
		}
		typ, failed := derived(s.GoType, schema.Options{})
		sub := &kind{names: k.names, typ: typ}
		sub.kind = s.Kind.Kind
		k.subresources, err = append(k.subresources, sub), errors.Join(err, failed)
	}
	return k, err
}

func derived(t reflect.Type, options schema.Options) (shape, error) {
	if isForeign(t) {
		return shape{Go: t}, nil
	}
	s, err := schema.Derive(t, options)
	return shape{t, s}, err
}

// place is a place for a value in a kind: a field, the elements of a list or the values of a map.
type place struct {
	kind *kind
	path string
	// at is where a definition describes the place. It is empty for a Go type.
	at     string
	schema *schema.Schema
	typ    reflect.Type // the type behind all pointers; nil without a Go type
	// pointer reports whether the Go type is a pointer.
	pointer bool
	// inStatus reports whether the place is the status or below it.
	inStatus bool
	parent   *place // the field of this element or value, or the struct of this field; nil at the top

	// The following members are set for fields only. The first two need a Go type.
	goField  reflect.StructField
	owner    reflect.Type     // the struct
	field    *schema.Property // nil for elements and values
	siblings *schema.Object
}

// hasGo reports whether a Go type describes the place.
func (p *place) hasGo() bool { return p.typ != nil }

// goKind returns the kind of the Go type, and reflect.Invalid without one.
func (p *place) goKind() reflect.Kind {
	if p.typ == nil {
		return reflect.Invalid
	}
	return p.typ.Kind()
}

// typeName returns the name of the Go type. It is empty without one.
func (p *place) typeName() string {
	if p.typ == nil {
		return ""
	}
	return p.typ.Name()
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

// words returns the words of Go for a place that a Go type describes, otherwise those of an OpenAPI schema.
func (p *place) words(ofGo, ofSchema string) string {
	if p.hasGo() {
		return ofGo
	}
	return ofSchema
}

// isBelow reports whether the place is a member of a field with that name at the top of the object.
func (p *place) isBelow(top string) bool {
	return p.parent != nil && p.parent.isTop() && p.parent.name() == top
}

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

// vetAll returns the findings about these kinds.
func vetAll(kinds []*kind) []Finding {
	v := vetter{rules: allRules(), kinds: kindNames(kinds)}
	for _, k := range kinds {
		v.vet(k)
	}
	return v.findings
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
		suffix := "." + version.version
		if version.group != k.group {
			suffix += "." + version.group
		}
		for j := range v.findings[before:] {
			v.findings[before+j].Kind += suffix
		}
	}
}

func (v *vetter) vetOne(k *kind) {
	if k.typ.Go != nil && isForeign(k.typ.Go) {
		return
	}
	v.said, v.been = map[string]bool{}, map[seen]bool{}
	for _, r := range v.rules {
		if r.kind == nil {
			continue
		}
		for field, reason := range r.kind(k) {
			if field != "" || !k.isFurther {
				v.add(k, r, field, k.atField(r.name, field), reason)
			}
		}
	}
	v.object(k, nil, k.typ.Go, k.typ.Schema, false)
}

// atField returns where a definition describes a field of the top of the object, or the kind as a whole.
func (k *kind) atField(r Rule, field string) string {
	if k.at == "" || field == "" {
		return k.atRule(r)
	}
	return k.at + ".properties." + strings.ReplaceAll(field, ".", ".properties.")
}

func (v *vetter) add(k *kind, r rule, field, at, reason string) {
	v.findings = append(v.findings, Finding{Kind: k.kind, Field: field, Severity: r.severity, Rule: r.name, Reason: reason,
		Section: r.section, Page: page + "#" + r.page, At: at})
}

// object walks the fields of a struct. t is nil without a Go type.
func (v *vetter) object(k *kind, parent *place, t reflect.Type, s *schema.Schema, inStatus bool) {
	if s.Object == nil {
		return
	}
	var fields map[string]goField
	if t != nil {
		t = bare(t)
		if t.Kind() != reflect.Struct || v.been[seen{t, inStatus}] {
			return
		}
		v.been[seen{t, inStatus}] = true
		fields = goFields(t)
	}
	for i := range s.Object.Properties {
		p := &s.Object.Properties[i]
		f, ok := fields[p.Name]
		if t != nil && !ok || parent == nil && isMeta(p.Name) {
			continue
		}
		at := &place{
			kind: k, path: p.Name, schema: p.Schema, parent: parent, inStatus: inStatus || parent == nil && p.Name == "status",
			field: p, goField: f.StructField, owner: f.owner, siblings: s.Object,
		}
		above := k.at
		if parent != nil {
			at.path, above = parent.path+"."+p.Name, parent.at
		}
		if above != "" {
			at.at = above + ".properties." + p.Name
		}
		v.place(at, f.Type)
	}
}

// isMeta reports whether all objects have this field.
func isMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// place checks a place and the places below it. t is nil without a Go type.
func (v *vetter) place(p *place, t reflect.Type) {
	p.typ = t
	if t != nil {
		p.pointer, p.typ = t.Kind() == reflect.Pointer, bare(t)
	}
	for _, r := range v.rules {
		if r.place == nil {
			continue
		}
		if reason := r.place(v, p); reason != "" {
			v.say(p, r, reason)
		}
	}
	below := func(suffix, keyword string, s *schema.Schema, kinds ...reflect.Kind) {
		next := &place{kind: p.kind, path: p.path + suffix, schema: s, parent: p, inStatus: p.inStatus}
		if p.at != "" {
			next.at = p.at + "." + keyword
		}
		switch {
		case !p.hasGo():
			v.place(next, nil)
		case slices.Contains(kinds, p.typ.Kind()):
			v.place(next, p.typ.Elem())
		}
	}
	switch {
	case p.isBorrowed():
	case p.schema.Object != nil:
		v.object(p.kind, p, p.typ, p.schema, p.inStatus)
	case p.schema.Items != nil:
		below("[]", "items", p.schema.Items, reflect.Slice, reflect.Array)
	case p.schema.Additional != nil:
		below("{}", "additionalProperties", p.schema.Additional, reflect.Map)
	}
}

// isBorrowed reports whether the author of the kind does not decide what is below the place, because the type is one of
// Kubernetes. A definition copies such types, so they are recognized by their fields.
func (p *place) isBorrowed() bool {
	if p.hasGo() {
		return isForeign(p.typ)
	}
	for _, fields := range [][]string{{"matchLabels", "matchExpressions"}, {"containers", "initContainers"},
		{"nodeAffinity", "podAffinity"}, {"limits", "requests"}, {"accessModes", "volumeMode"}} {
		if !slices.ContainsFunc(fields, func(name string) bool { return p.schema.Property(name) == nil }) {
			return true
		}
	}
	return p.schema.IsEmbedded()
}

// say adds a finding, once for each declaration.
func (v *vetter) say(p *place, r rule, reason string) {
	declared, suffix := p, ""
	for declared.field == nil && declared.parent != nil {
		suffix = p.path[len(declared.parent.path):]
		declared = declared.parent
	}
	key := fmt.Sprint(r.name, " ", declared.owner, ".", declared.goField.Name, suffix)
	if !p.hasGo() {
		key = fmt.Sprint(r.name, " ", p.path)
	}
	if v.said[key] {
		return
	}
	v.said[key] = true
	v.add(p.kind, r, p.path, p.at, reason)
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
