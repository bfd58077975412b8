package schema

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/internal/gotype"
)

// Options configures [Derive]. The zero value suits a host's own structs.
type Options struct {
	// Builtin says that the type is one of Kubernetes, or follows the same conventions: a field is required only if an api
	// tag says so, lists may have null elements, and duplicate elements are rejected only if an api tag says so.
	Builtin bool
	// Overlay supplies api tags for types whose source cannot be changed. A key names a Go type or one of its members,
	// "Container" or "Container.ports". If two types share a name, the key includes the import path
	// ("k8s.io/api/core/v1.Container.ports"). A value is the text of an api tag, and wins over the tag of the field.
	// Derive returns an error for a key that matches no type or field.
	Overlay map[string]string
	// Rules are published with the schema. Their keys have the form of the keys of Overlay.
	Rules map[string][]Rule
	// Description replaces the documentation of the type.
	Description string
}

// Derive returns the schema of a Go type, usually of the struct of a kind. The root's apiVersion, kind, metadata and
// status are never required. Derive reports all mistakes at once; each error names the Go type and field.
func Derive(t reflect.Type, options Options) (*Schema, error) { return new(Types).Derive(t, options) }

func (m *Types) derive(t reflect.Type, options Options) (*Schema, error) {
	d := deriver{types: m, options: options, root: t, objects: map[reflect.Type]*Object{}, used: map[string]bool{},
		usedRules: map[string]bool{}}
	for d.root.Kind() == reflect.Pointer {
		d.root = d.root.Elem()
	}
	s := d.schema(t, t.String())
	for _, key := range slices.Sorted(maps.Keys(options.Overlay)) {
		if !d.used[key] {
			d.fail("overlay "+key, errors.New("unknown type or field"))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(options.Rules)) {
		if !d.usedRules[key] {
			d.fail("rules of "+key, errors.New("unknown type or field"))
		}
	}
	if len(d.errs) == 0 {
		d.finish(s)
	}
	if err := errors.Join(d.errs...); err != nil {
		return nil, err
	}
	if options.Description != "" {
		s.Description = options.Description
	}
	s.root = &root{print: sync.OnceValue(s.computeFingerprint)}
	return s, nil
}

// deriver holds the state of one derivation.
type deriver struct {
	types   *Types
	options Options
	root    reflect.Type
	objects map[reflect.Type]*Object
	made    []*Object       // the descriptions of all structs
	ruled   []ruled         // every schema with constraints, to be checked once the whole tree is known
	used    map[string]bool // keys of the overlay that matched
	// usedRules are the keys of the rules that matched.
	usedRules map[string]bool
	errs      []error
	key       []byte           // the last key of overlayKey
	unknown   map[*Schema]bool // the schemas of [Tags.Unknown]
}

// ruled is a schema with constraints, and the Go field that it describes.
type ruled struct {
	schema *Schema
	where  string
}

// fail records a fault. It is not inlined: many places call it, and its speed does not matter.
//
//go:noinline
func (d *deriver) fail(where string, err error) {
	d.errs = append(d.errs, &Fault{Where: where, Err: err})
}

// schema returns a new schema for one use of a type. Uses share only the objects of structs. where names the place in
// errors.
func (d *deriver) schema(t reflect.Type, where string) *Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var s *Schema
	if d.types.of(t).ownEncoding {
		var err error
		if s, err = leaf(t); err != nil {
			d.fail(where, err)
			return anything()
		}
	}
	if s != nil && !d.options.Builtin && decides(t) {
		s.goType.foreign = &foreignTypes{value: t}
	}
	if s == nil {
		s = scalar(t)
		if s != nil && s.Type == NumberType && !d.options.Builtin {
			s.Format = "" // schemas of custom resources have no format here; it would only change error messages
		}
	}
	if s != nil {
		d.overlayType(s, t)
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		s = &Schema{Type: ObjectType, Object: d.object(t)}
		s.Description = s.Object.Description
	case reflect.Map:
		s = d.mapSchema(t, where)
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return &Schema{Type: StringType, Format: "byte", goType: goLimits{bytes: true}}
		}
		s = &Schema{Type: ArrayType, Items: d.schema(t.Elem(), where), goType: goLimits{nullElements: d.options.Builtin}}
	case reflect.Interface:
		s = anything()
	default:
		d.fail(where, fmt.Errorf("JSON cannot represent a %s", t))
		return anything()
	}
	d.overlayType(s, t)
	return s
}

// mapSchema returns the schema of a Go map. JSON has only strings as keys, so the type of other keys is kept in goType
// for CheckTypes, except in built-in kinds, whose objects are decoded anyway.
func (d *deriver) mapSchema(t reflect.Type, where string) *Schema {
	switch t.Key().Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	default:
		if !isA[encoding.TextUnmarshaler](t.Key()) {
			d.fail(where, fmt.Errorf("JSON cannot represent a map with keys of type %s", t.Key()))
		}
	}
	values := d.schema(t.Elem(), where)
	limits := goLimits{nullElements: d.options.Builtin}
	var foreign foreignTypes
	if !d.options.Builtin && (t.Key().Kind() != reflect.String || isA[encoding.TextUnmarshaler](t.Key())) {
		foreign.key = t.Key()
	}
	if values.Anything() && values.goType.foreign != nil && values.goType.foreign.value != nil {
		foreign.value = t
	}
	if foreign != (foreignTypes{}) {
		limits.foreign = &foreign
	}
	return mapOf(values, limits)
}

// mapOf returns the schema of a map with values of a schema.
func mapOf(values *Schema, limits goLimits) *Schema {
	if values.Anything() {
		return &Schema{Type: ObjectType, PreserveUnknown: true, goType: limits}
	}
	return &Schema{Type: ObjectType, Additional: values, goType: limits}
}

// object returns the description of a struct type. It registers the object before it derives the members, because they
// may contain the type again.
func (d *deriver) object(t reflect.Type) *Object {
	if o := d.objects[t]; o != nil {
		return o
	}
	of := d.types.of(t)
	o := &Object{Name: of.name, Description: of.description}
	d.objects[t] = o
	d.made = append(d.made, o)
	if of.fault != nil {
		d.fail(t.String(), of.fault)
		return o
	}
	o.Properties = make([]Property, 0, len(of.fields))
	for _, f := range of.fields {
		declared := of.docs
		if f.Owner != t {
			declared = d.types.of(f.Owner).docs
		}
		p, m := d.property(t, f, declared[f.Name])
		o.Properties = append(o.Properties, p)
		if err := o.join(p, m); err != nil {
			d.fail(f.Owner.String()+"."+f.Go.Name, err)
		}
	}
	o.declared = inDeclaration(of.fields)
	d.checkUnions(o, t.String())
	return o
}

// checkUnions reports the unions of a struct that are incomplete once all its members are known.
func (d *deriver) checkUnions(o *Object, where string) {
	for i := range o.unions {
		if err := o.unions[i].incomplete(); err != nil {
			d.fail(where, err)
		}
	}
}

// property returns the property of one struct member, and the member's role in a union.
func (d *deriver) property(t reflect.Type, f gotype.Field, description string) (Property, membership) {
	where := f.Owner.String() + "." + f.Go.Name
	p := Property{Name: f.Name, Schema: d.schema(f.Go.Type, where), OmitEmpty: f.OmitEmpty, OmitZero: f.OmitZero}
	s := p.Schema
	if description != "" {
		s.Description = description
	}
	r := d.tag(s, f.Go.Tag, where)
	for _, text := range d.overlay(f.Owner, f.Name) {
		rules, err := parseTag(text)
		if err != nil {
			d.fail(where, err)
		}
		r.merge(d.rule(s, rules, where))
	}
	s.addRules(d.rulesOf(f.Owner, f.Name))
	p.PublishRequired = r.publishRequired
	isPointer := f.Go.Type.Kind() == reflect.Pointer
	p.Required = d.isRequired(s, r, f.OmitEmpty || f.OmitZero || f.BehindPointer || isPointer)
	if t == d.root {
		switch f.Name {
		case "apiVersion", "kind", "status":
			p.Required = false
		case "metadata":
			p.Required, p.unchecked = false, true
		}
	}
	return p, r.membership
}

// tag applies the tags of a field, except its name, to the schema of its type.
func (d *deriver) tag(s *Schema, tag reflect.StructTag, where string) presence {
	s.PatchStrategy, s.PatchMergeKey = tag.Get("patchStrategy"), tag.Get("patchMergeKey")
	s.inferList()
	options, err := parseTag(tag.Get("api"))
	if err != nil {
		d.fail(where, err)
	}
	return d.rule(s, options, where)
}

// isRequired reports whether a member is required. mayBeAbsent means that Go may omit it.
func (d *deriver) isRequired(s *Schema, r presence, mayBeAbsent bool) bool {
	return r.required || !r.optional && !d.options.Builtin && !mayBeAbsent && s.DefaultValue.IsAbsent()
}

// overlayType applies the overlay of a whole type.
func (d *deriver) overlayType(s *Schema, t reflect.Type) {
	if t.Name() == "" {
		return
	}
	s.addRules(d.rulesOf(t, ""))
	for _, text := range d.overlay(t, "") {
		rules, err := parseTag(text)
		if err != nil {
			d.fail(t.String(), err)
		}
		d.rule(s, rules, t.String())
	}
}

// overlay returns the tags that apply to a type or to one of its members: this module's own first, then the host's,
// which wins.
func (d *deriver) overlay(t reflect.Type, field string) []string {
	var texts []string
	if isMeta(t) {
		if text, ok := metaOverlay(t.Name(), field); ok {
			texts = append(texts, text)
		}
		// Kubernetes' own kinds check their conditions in code, and only some of them do.
		if t.Name() == "Condition" && (t.PkgPath() == ownMeta || !d.options.Builtin) {
			texts = append(texts, conditionOverlay(field))
		}
	}
	if len(d.options.Overlay) == 0 {
		return texts
	}
	of := d.types.of(t)
	for _, name := range [...]string{of.short, of.name} {
		if text, ok := d.options.Overlay[string(d.overlayKey(name, field))]; ok {
			d.used[string(d.key)] = true
			texts = append(texts, text)
		}
	}
	return texts
}

// overlayKey returns a key under which an overlay may name a type, or one of its members. The next call overwrites it,
// because most keys are in no overlay.
func (d *deriver) overlayKey(typeName, field string) []byte {
	d.key = append(d.key[:0], typeName...)
	if field != "" {
		d.key = append(append(d.key, '.'), field...)
	}
	return d.key
}

// typeName returns a type's import path and name. An unnamed struct has neither.
func typeName(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return t.PkgPath() + "." + t.Name()
}

// describe returns the documentation of a struct's members and of the struct itself, from its SwaggerDoc method or, for
// object metadata and its parts, from this module's own table.
func describe(t reflect.Type) (fields map[string]string, text string) {
	if isMeta(t) {
		return metaDocs(t.Name())
	}
	teller, ok := reflect.New(t).Interface().(interface{ SwaggerDoc() map[string]string })
	if !ok {
		return nil, ""
	}
	defer func() {
		if recover() != nil { // a missing description is better than an error
			fields, text = nil, ""
		}
	}()
	fields = teller.SwaggerDoc()
	return fields, strings.TrimSpace(fields[""])
}
