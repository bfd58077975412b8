package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// ReadOpenAPI is [FromOpenAPI] for a schema as JSON. The schema keeps the text, which must not change.
func ReadOpenAPI(json []byte) (*Schema, error) {
	source, duplicates, err := codec.DecodeJSON(json)
	switch {
	case err != nil:
		return nil, fmt.Errorf("schema: %w", err)
	case len(duplicates) > 0:
		return nil, fmt.Errorf("schema: duplicate member %s", duplicates[0])
	}
	s, err := FromOpenAPI(source)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s.root.source = json
	return s, nil
}

// FromOpenAPI returns the schema of a kind from its OpenAPI v3 schema, the openAPIV3Schema of a
// CustomResourceDefinition. It adds apiVersion, kind and metadata to the root and to embedded resources.
//
// FromOpenAPI reads the keywords that a structural schema may have. It returns all errors at once: for a value of a
// wrong type, a keyword that kube-apiserver does not support, an unknown keyword without the prefix "x-", an invalid
// pattern, and a default that is too large. Clients may see these errors. FromOpenAPI does not check that the schema is
// structural, and that the defaults satisfy the schema.
//
// Like kube-apiserver, FromOpenAPI accepts a root without a type that keeps unknown fields, and a root that is an
// integer or a string. No object satisfies the latter.
func FromOpenAPI(source doc.Value) (*Schema, error) {
	r := openReader{}
	s := r.place(source, nil)
	if s.Type == AnyType && s.PreserveUnknown && !s.IntOrString {
		s.Type = ObjectType // the API stores nothing else
	}
	if s.Type != ObjectType && !s.IntOrString {
		r.fail(nil, "type", errors.New("must be object at the root"))
	}
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	if s.open == nil || !s.open.embedded {
		s.see()
		s.Object = withObjectHead(s.Object)
	}
	s.distinct = s.distinct || s.Object.distinct
	sum := sha256.Sum256(appendWithoutDocs(nil, source))
	print := hex.EncodeToString(sum[:16])
	s.root = &root{print: func() string { return print }}
	return s, nil
}

// openRules are the rules that only a schema from OpenAPI can have.
type openRules struct {
	// required names the required members, in the order of the schema.
	required []string
	// allOf, anyOf, oneOf and not are schemas for the same value. They do not describe fields.
	allOf, anyOf, oneOf []*Schema
	not                 *Schema
	// embedded says that the value is an object with apiVersion, kind and metadata.
	embedded bool
	// closed rejects members that no property describes.
	closed bool
	// seen is the schema as rules see it. It is nil unless the values are whole objects or embedded resources.
	seen *Schema
}

// IsEmbedded reports whether the value is an object of another kind, with its own apiVersion, kind and metadata.
func (s *Schema) IsEmbedded() bool { return s.open != nil && s.open.embedded }

// FromOpenAPI reports whether the function of this name made the schema.
func (s *Schema) FromOpenAPI() bool { return s.fromOpenAPI }

// root is what only a whole schema has, and none of its parts.
type root struct {
	source []byte
	print  func() string // the fingerprint
}

// Source returns the text that [ReadOpenAPI] read. It is nil for other schemas, and for parts of a schema.
func (s *Schema) Source() []byte {
	if s.root == nil {
		return nil
	}
	return s.root.source
}

// maxOpenDefault bounds how many values the defaults of one place may contain with the defaults below them. Each list
// element of a default gets the defaults of its members, so a small schema can describe a huge default.
const maxOpenDefault = 1_000_000

const preserveUnknown = "x-kubernetes-preserve-unknown-fields"

// openReader reads an OpenAPI schema.
type openReader struct {
	errs     []error
	patterns Patterns
}

// openPlace is a place of the objects that the schema describes, for errors.
type openPlace struct {
	up   *openPlace
	name string
	// preserves says that a surrounding list keeps the unknown fields of its elements.
	preserves bool
}

func (p *openPlace) String() string {
	if p == nil {
		return "the root"
	}
	var names []string
	for ; p != nil; p = p.up {
		names = append(names, p.name)
	}
	slices.Reverse(names)
	return strings.TrimPrefix(strings.ReplaceAll(strings.Join(names, "."), ".[]", "[]"), ".")
}

func (r *openReader) fail(at *openPlace, keyword string, err error) {
	r.errs = append(r.errs, fmt.Errorf("%v: %s: %w", at, keyword, err))
}

// keepsElements reports whether a list of the schema s at p keeps the unknown fields of its elements.
func (p *openPlace) keepsElements(s *Schema) bool {
	return s.PreserveUnknown || p != nil && p.preserves
}

// place reads the schema of one place. It reads those below first, because a default contains theirs.
func (r *openReader) place(v doc.Value, at *openPlace) *Schema {
	s := &Schema{fromOpenAPI: true}
	if v.Kind() != doc.Map {
		r.fail(at, "schema", fmt.Errorf("must be an object, not %v", v.Kind()))
		return s
	}
	s.PreserveUnknown = v.Get(preserveUnknown).Bool() // the defaults below depend on it
	for keyword, value := range v.Members() {
		if value.IsNull() {
			continue
		}
		if err := r.keyword(s, keyword, value, at); err != nil {
			r.fail(at, keyword, err)
		}
	}
	r.finish(s, at)
	return s
}

// more returns the rules of a schema that are rare.
func (s *Schema) more() *openRules {
	if s.open == nil {
		s.open = &openRules{}
	}
	return s.open
}

// keyword reads one keyword of a schema.
func (r *openReader) keyword(s *Schema, keyword string, v doc.Value, at *openPlace) (err error) {
	switch keyword {
	case "type":
		if s.Type, err = textOf(v); err == nil &&
			!slices.Contains([]string{AnyType, ObjectType, ArrayType, StringType, IntegerType, NumberType, BooleanType},
				s.Type) {
			err = fmt.Errorf("%q is not a JSON type", s.Type)
		}
	case "format":
		s.Format, err = textOf(v)
	case "description":
		s.Description, err = textOf(v)
	case "nullable":
		s.Nullable, err = flagOf(v)
	case "default":
		s.DefaultValue = v
	case "enum":
		s.constrain().Enum, err = elementsOf(v)
	case "pattern":
		err = r.pattern(s, v)
	case "minimum", "maximum", "multipleOf":
		err = s.readBound(keyword, v)
	case "exclusiveMinimum":
		s.constrain().ExclusiveMinimum, err = flagOf(v)
	case "exclusiveMaximum":
		s.constrain().ExclusiveMaximum, err = flagOf(v)
	case "minLength":
		s.constrain().MinLength, err = countOf(v)
	case "maxLength":
		s.constrain().MaxLength, err = countOf(v)
	case "minItems":
		s.constrain().MinItems, err = countOf(v)
	case "maxItems":
		s.constrain().MaxItems, err = countOf(v)
	case "minProperties":
		s.constrain().MinProperties, err = countOf(v)
	case "maxProperties":
		s.constrain().MaxProperties, err = countOf(v)
	case "uniqueItems":
		if unique, wrong := flagOf(v); wrong != nil || unique {
			err = errors.Join(wrong, errors.New("uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
		}
	case "title":
		_, err = textOf(v)
	case "example", "externalDocs":
	case "id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions":
		if v.Len() > 0 || v.Text() != "" || v.Kind() == doc.Bool {
			err = fmt.Errorf("OpenAPIV3Schema '%s' is not supported", strings.TrimPrefix(keyword, "$"))
		}
	default:
		return r.structure(s, keyword, v, at)
	}
	return err
}

// structure reads a keyword with schemas of its own, or one that says how values are stored and merged.
func (r *openReader) structure(s *Schema, keyword string, v doc.Value, at *openPlace) (err error) {
	switch keyword {
	case "properties":
		return r.properties(s, v, at)
	case "additionalProperties":
		r.additional(s, v, at)
	case "items":
		if v.Kind() == doc.List {
			return errors.New("OpenAPIV3Schema 'items' must be a schema, but is an array")
		}
		s.Items = r.place(v, &openPlace{up: at, name: "[]", preserves: at.keepsElements(s)})
	case "required":
		s.more().required, err = textsOf(v)
	case "allOf":
		s.more().allOf, err = r.alternatives(v, at)
	case "anyOf":
		s.more().anyOf, err = r.alternatives(v, at)
	case "oneOf":
		s.more().oneOf, err = r.alternatives(v, at)
	case "not":
		s.more().not = r.place(v, at)
	case preserveUnknown:
		if s.PreserveUnknown, err = flagOf(v); err == nil && !s.PreserveUnknown {
			err = errors.New("must be true or undefined")
		}
	case "x-kubernetes-embedded-resource":
		s.more().embedded, err = flagOf(v)
	case "x-kubernetes-int-or-string":
		s.IntOrString, err = flagOf(v)
	case "x-kubernetes-list-type":
		s.ListType, err = textOf(v)
	case "x-kubernetes-list-map-keys":
		s.ListMapKeys, err = textsOf(v)
	case "x-kubernetes-map-type":
		s.MapType, err = textOf(v)
	case "x-kubernetes-validations":
		s.constrain().Rules, err = rulesFrom(v)
	default:
		if !strings.HasPrefix(keyword, "x-") {
			err = errors.New("unknown keyword")
		}
	}
	return err
}

func (r *openReader) properties(s *Schema, v doc.Value, at *openPlace) error {
	if v.Kind() != doc.Map {
		return fmt.Errorf("must be an object, not %v", v.Kind())
	}
	if v.Len() == 0 {
		return nil
	}
	s.Object = &Object{Properties: make([]Property, v.Len())}
	for i := range v.Len() {
		name := v.KeyAt(i)
		s.Object.Properties[i] = Property{Name: name, Schema: r.place(v.At(i), &openPlace{up: at, name: name}),
			OmitEmpty: true}
	}
	return nil
}

// additional reads additionalProperties. The values of a boolean have no schema: objects in them lose their members.
func (r *openReader) additional(s *Schema, v doc.Value, at *openPlace) {
	if v.Kind() == doc.Bool {
		s.Additional = &Schema{fromOpenAPI: true, Nullable: true}
		if !v.Bool() {
			s.more().closed = true
		}
		return
	}
	s.Additional = r.place(v, &openPlace{up: at, name: "{}"})
}

func (r *openReader) alternatives(v doc.Value, at *openPlace) ([]*Schema, error) {
	list, err := elementsOf(v)
	all := make([]*Schema, 0, len(list))
	for _, one := range list {
		all = append(all, r.place(one, at))
	}
	return all, err
}

// finish prepares the walks once all keywords of a place are known.
func (r *openReader) finish(s *Schema, at *openPlace) {
	if s.IntOrString {
		s.Type = AnyType
	}
	if s.IsEmbedded() {
		s.see()
		s.Object = withObjectHead(s.Object)
	}
	if o := s.Object; o != nil {
		o.prepare(s.open)
		s.distinct = o.distinct
	}
	s.distinct = s.distinct || s.tellsApart() || s.Items != nil && s.Items.distinct ||
		s.Additional != nil && s.Additional.distinct
	s.embeds = s.marksEmbedded()
	if s.DefaultValue.IsAbsent() || s.DefaultValue.IsNull() {
		s.DefaultValue = doc.Value{}
		return
	}
	s.DefaultValue = (&pruner{}).value(s, s.DefaultValue, at.keepsElements(s), &trail{})
	left := maxOpenDefault
	if filled, ok := s.complete(s.DefaultValue, &left); !ok || !s.fills(filled) {
		r.fail(at, "default", errors.New("it is too large with the defaults below it"))
	}
}

// prepare counts and marks the properties of an object.
func (o *Object) prepare(rules *openRules) {
	o.defaults, o.distinct, o.declared = nil, false, make([]int, len(o.Properties))
	required := map[string]bool{}
	if rules != nil {
		for _, name := range rules.required {
			required[name] = true
		}
	}
	for i := range o.Properties {
		p := &o.Properties[i]
		o.declared[i] = i
		p.Required = required[p.Name]
		o.distinct = o.distinct || p.Schema.distinct && !p.unchecked
		if !p.Schema.filled.IsAbsent() {
			o.defaults = append(o.defaults, i)
		}
	}
}

// objectMetadata is the schema of object metadata, which all kinds share.
var objectMetadata = sync.OnceValue(func() *Schema {
	s, err := Derive(reflect.TypeFor[apimeta.PartialObjectMetadata](), Options{})
	if err != nil {
		panic(err) // a test derives it
	}
	return s.Member("metadata")
})

// withObjectHead returns the members of an object with apiVersion, kind and metadata. The schema of o may restrict
// them.
func withObjectHead(o *Object) *Object {
	out := &Object{}
	if o != nil {
		*out = *o
		out.Properties = slices.Clone(o.Properties)
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		p := Property{Name: name, Schema: &Schema{Type: StringType, fromOpenAPI: true}, OmitEmpty: true}
		if name == "metadata" {
			p.Schema, p.unchecked = objectMetadata(), true
		}
		i, found := slices.BinarySearchFunc(out.Properties, name,
			func(p Property, name string) int { return strings.Compare(p.Name, name) })
		switch {
		case !found:
			out.Properties = slices.Insert(out.Properties, i, p)
		case name == "metadata":
			p.restricted, p.Required = out.Properties[i].Schema, out.Properties[i].Required
			out.Properties[i] = p
		}
	}
	required := out.requiredAmong()
	out.prepare(&openRules{required: required})
	return out
}

func (o *Object) requiredAmong() (names []string) {
	for i := range o.Properties {
		if o.Properties[i].Required {
			names = append(names, o.Properties[i].Name)
		}
	}
	return names
}

func (r *openReader) pattern(s *Schema, v doc.Value) error {
	text, err := textOf(v)
	if err != nil || text == "" {
		return err
	}
	if s.constrain().Pattern, err = r.patterns.New(text); err != nil {
		return fmt.Errorf("must be a valid regular expression, but isn't: %w", err)
	}
	return nil
}

func (s *Schema) readBound(keyword string, v doc.Value) error {
	f, ok := v.Float()
	if !ok || math.IsInf(f, 0) {
		return fmt.Errorf("must be a number, not %v", v.Kind())
	}
	v = doc.OfFloat(f)
	switch keyword {
	case "minimum":
		s.constrain().Minimum = v
	case "maximum":
		s.constrain().Maximum = v
	default:
		s.constrain().MultipleOf = v
	}
	return nil
}

func rulesFrom(v doc.Value) ([]Rule, error) {
	list, err := elementsOf(v)
	rules := make([]Rule, len(list))
	for i, one := range list {
		texts := map[string]*string{"rule": &rules[i].Rule, "message": &rules[i].Message,
			"messageExpression": &rules[i].MessageExpression, "fieldPath": &rules[i].FieldPath}
		for key, value := range one.Members() {
			var wrong error
			switch into := texts[key]; {
			case value.IsNull():
			case into != nil:
				*into, wrong = textOf(value)
			case key == "reason":
				var reason string
				reason, wrong = textOf(value)
				rules[i].Reason = status.CauseType(reason)
			case key == "optionalOldSelf":
				rules[i].OptionalOldSelf, wrong = flagOf(value)
			}
			if wrong != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", key, wrong))
			}
		}
	}
	return rules, err
}

func textOf(v doc.Value) (string, error) {
	if v.Kind() != doc.String {
		return "", fmt.Errorf("must be a string, not %v", v.Kind())
	}
	return v.Text(), nil
}

func flagOf(v doc.Value) (bool, error) {
	if v.Kind() != doc.Bool {
		return false, fmt.Errorf("must be a boolean, not %v", v.Kind())
	}
	return v.Bool(), nil
}

func countOf(v doc.Value) (*int64, error) {
	n, ok := v.Int()
	if !ok {
		return nil, fmt.Errorf("must be an integer, not %v", v.Kind())
	}
	return &n, nil
}

func elementsOf(v doc.Value) (list []doc.Value, err error) {
	if v.Kind() != doc.List {
		return nil, fmt.Errorf("must be an array, not %v", v.Kind())
	}
	for _, e := range v.Elements() {
		list = append(list, e)
	}
	return list, nil
}

func textsOf(v doc.Value) ([]string, error) {
	list, err := elementsOf(v)
	texts := make([]string, len(list))
	for i, e := range list {
		var wrong error
		texts[i], wrong = textOf(e)
		err = errors.Join(err, wrong)
	}
	return texts, err
}
