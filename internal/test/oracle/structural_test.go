package oracle

import (
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// shape is an abstract schema, which becomes the schema of a custom resource definition for upstream and a Go type with
// tags for us.
type shape struct {
	kind   string // a type of JSON, or "any", "intOrString" or "map"
	format string

	options []string // options of the api tag; those of elements and values have no prefix
	props   apiextensions.JSONSchemaProps

	members []member // the members of an object
	element *shape   // the element of an array or map
}

type member struct {
	name     string
	required bool
	shape    *shape
}

// randomShape returns a shape that is nested at most depth levels.
func randomShape(r *rand.Rand, depth int) *shape {
	kinds := []string{"string", "string", "integer", "integer", "number", "boolean", "any", "intOrString"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "array", "map")
	}
	s := &shape{kind: pickText(r, kinds...)}
	switch s.kind {
	case "object":
		for _, name := range []string{"a", "b", "c", "d"}[:1+r.Intn(4)] {
			s.members = append(s.members, member{name: name, required: r.Intn(4) == 0, shape: randomShape(r, depth-1)})
		}
	case "array", "map":
		for s.element == nil || s.kind == "map" && s.element.kind == "any" { // such a map keeps a null, like Go's
			s.element = randomShape(r, depth-1)
		}
	}
	s.constrain(r)
	return s
}

func oneIn(r *rand.Rand, n int) bool { return r.Intn(n) == 0 }

func (s *shape) option(format string, args ...any) {
	s.options = append(s.options, fmt.Sprintf(format, args...))
}

// constrain adds some of the rules that the kind of a shape can have.
func (s *shape) constrain(r *rand.Rand) {
	p := &s.props
	count := func(name string) *int64 {
		n := int64(r.Intn(4))
		s.option("%s=%d", name, n)
		return &n
	}
	if s.kind != "any" && oneIn(r, 5) {
		p.Nullable = true
		s.option("nullable")
	}
	switch s.kind {
	case "string":
		if oneIn(r, 4) {
			p.MinLength = count("minLength")
		}
		if oneIn(r, 4) {
			p.MaxLength = count("maxLength")
		}
		if oneIn(r, 4) {
			p.Pattern = pickText(r, "^[a-z]+$", "b", "^x?$")
			s.option("pattern='%s'", p.Pattern)
		}
		if oneIn(r, 4) {
			s.enum(`"a"`, `"b"`, `""`)
		}
		if oneIn(r, 4) {
			s.format = pickText(r, "date-time", "date", "uuid", "ipv4", "hostname", "byte", "password", "nonsense")
			s.option("format=%s", s.format)
		}
	case "integer", "number":
		if s.kind == "integer" {
			s.format = pickText(r, "int32", "int64")
		}
		if oneIn(r, 3) {
			f := float64(r.Intn(3))
			p.Minimum = &f
			s.option("min=%v", f)
			if oneIn(r, 3) {
				p.ExclusiveMinimum = true
				s.option("exclusiveMin")
			}
		}
		if oneIn(r, 3) {
			f := float64(2 + r.Intn(3))
			p.Maximum = &f
			s.option("max=%v", f)
			if oneIn(r, 3) {
				p.ExclusiveMaximum = true
				s.option("exclusiveMax")
			}
		}
		if oneIn(r, 5) {
			f := float64(1 + r.Intn(3))
			p.MultipleOf = &f
			s.option("multipleOf=%v", f)
		}
		if oneIn(r, 5) {
			s.enum("1", "2")
		}
	case "array":
		if oneIn(r, 4) {
			p.MinItems = count("minItems")
		}
		if oneIn(r, 4) {
			p.MaxItems = count("maxItems")
		}
		s.listType(r)
	case "map", "object":
		if oneIn(r, 4) {
			p.MinProperties = count("minProperties")
		}
		if oneIn(r, 4) {
			p.MaxProperties = count("maxProperties")
		}
	}
	s.setDefault(r)
}

func (s *shape) enum(values ...string) {
	var texts []string
	for _, v := range values {
		var value any
		if err := utiljson.Unmarshal([]byte(v), &value); err != nil {
			panic(err)
		}
		s.props.Enum = append(s.props.Enum, value)
		texts = append(texts, v)
	}
	s.option("enum=%s", strings.Join(texts, "|"))
}

// listType turns some lists into sets, and some lists whose elements have a suitable member into keyed lists.
func (s *shape) listType(r *rand.Rand) {
	set := func(text string) { s.props.XListType = &text }
	switch {
	case oneIn(r, 2):
	case s.element.kind != "object":
		set("set")
		s.option("list=set")
	default:
		var keys []string
		for i := range s.element.members {
			m := &s.element.members[i]
			if slices.Contains([]string{"string", "integer", "boolean"}, m.shape.kind) && len(keys) < 2 {
				m.required = true
				m.shape.props.Default = nil
				m.shape.options = slices.DeleteFunc(m.shape.options,
					func(o string) bool { return strings.HasPrefix(o, "default=") })
				keys = append(keys, m.name)
			}
		}
		if len(keys) == 0 {
			return
		}
		set("map")
		s.props.XListMapKeys = keys
		s.option("list=map")
		for _, k := range keys {
			s.option("key=%s", k)
		}
	}
}

func (s *shape) setDefault(r *rand.Rand) {
	if !oneIn(r, 4) {
		return
	}
	text, ok := map[string]string{"string": `"a"`, "integer": "2", "number": "2", "boolean": "true", "object": "{}",
		"array": "[]", "map": `{}`, "intOrString": "1"}[s.kind]
	if !ok {
		return
	}
	var value any
	if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	j := apiextensions.JSON(value)
	s.props.Default = &j
	s.option("default='%s'", text)
}

// goType returns the shape as a Go type. The field that holds it has its own options.
func (s *shape) goType() reflect.Type {
	switch s.kind {
	case "string":
		return reflect.TypeFor[*string]()
	case "integer":
		if s.format == "int32" {
			return reflect.TypeFor[*int32]()
		}
		return reflect.TypeFor[*int64]()
	case "number":
		return reflect.TypeFor[*float64]()
	case "boolean":
		return reflect.TypeFor[*bool]()
	case "object":
		var fields []reflect.StructField
		for i, m := range s.members {
			tag := fmt.Sprintf(`json:"%s,omitempty" api:%s`, m.name, strconv.Quote(strings.Join(m.tag(), ",")))
			fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: m.shape.goType(),
				Tag: reflect.StructTag(tag)})
		}
		return reflect.PointerTo(reflect.StructOf(fields))
	case "array":
		return reflect.SliceOf(s.element.goType())
	case "map":
		return reflect.MapOf(reflect.TypeFor[string](), s.element.goType())
	}
	return reflect.TypeFor[any]()
}

func (m member) tag() []string {
	tag := m.shape.tag("")
	if m.required {
		tag = append(tag, "required")
	}
	return tag
}

// tag returns the options of an api tag for the shape and for its elements and values, with this prefix.
func (s *shape) tag(prefix string) []string {
	var tag []string
	if s.kind == "intOrString" {
		tag = append(tag, prefix+"intOrString")
	}
	for _, o := range s.options {
		tag = append(tag, prefix+o)
	}
	switch s.kind {
	case "array":
		tag = append(tag, s.element.tag(prefix+"items.")...)
	case "map":
		tag = append(tag, s.element.tag(prefix+"values.")...)
	}
	return tag
}

// schemaProps returns the shape as upstream's schema.
func (s *shape) schemaProps() *apiextensions.JSONSchemaProps {
	p := s.props
	yes := true
	p.Type, p.Format = s.kind, s.format
	switch s.kind {
	case "any":
		p.Type, p.XPreserveUnknownFields = "", &yes
	case "intOrString":
		p.Type, p.XIntOrString = "", true
	case "map":
		p.Type = "object"
		p.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: s.element.schemaProps()}
	case "array":
		p.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: s.element.schemaProps()}
	case "object":
		p.Properties = map[string]apiextensions.JSONSchemaProps{}
		for _, m := range s.members {
			p.Properties[m.name] = *m.shape.schemaProps()
			if m.required {
				p.Required = append(p.Required, m.name)
			}
		}
	}
	return &p
}

// twins are the schemas of one shape for both sides.
type twins struct {
	shape      *shape
	ours       *schema.Schema
	props      *apiextensions.JSONSchemaProps
	structural *structuralschema.Structural
}

// randomTwins returns the schemas of a random object that both sides accept.
func randomTwins(t *testing.T, r *rand.Rand) twins {
	for range 1000 {
		s := randomShape(r, 3)
		if s.kind != "object" || len(s.options) > 0 {
			continue
		}
		ours, err := schema.Derive(s.goType(), schema.Options{})
		if err != nil {
			continue // its rules contradict each other
		}
		props := s.schemaProps()
		structural, err := structuralschema.NewStructural(props)
		require.NoError(t, err)
		return twins{s, ours, props, structural}
	}
	require.FailNow(t, "no shape makes sense")
	return twins{}
}

// randomValue returns what a client might send for the shape: mostly of its kind, mostly within its rules.
func (s *shape) randomValue(r *rand.Rand) any {
	if oneIn(r, 12) {
		v := anything(r)
		_, isList := v.([]any)
		_, isMap := v.(map[string]any)
		if !(isList && s.format != "" || isMap && s.kind == "any") { // upstream accepts any list as a text of a format
			return v
		}
	}
	switch s.kind {
	case "string":
		return pickText(r, "a", "b", "", "abc", "xyzzy", "é", "ÄÖ", "2024-01-02", "2024-01-02T03:04:05Z", "1.2.3.4", "x.y",
			"AAAA", "0b5bff6d-1b1a-4a0e-9a3c-3f1f3cbb1f7a")
	case "integer":
		if s.props.Enum != nil {
			return int64(r.Intn(4))
		}
		return []any{int64(0), int64(1), int64(2), int64(3), int64(4), int64(-1), 2.0, 2.5, int64(1) << 40}[r.Intn(9)]
	case "number":
		if s.props.Enum != nil { // upstream cuts off a fraction before it checks whether a number is allowed
			return int64(r.Intn(4))
		}
		return []any{int64(0), int64(1), 2.5, 3.0, int64(4), -0.5}[r.Intn(6)]
	case "boolean":
		return oneIn(r, 2)
	case "intOrString":
		return []any{int64(1), "a", "80%"}[r.Intn(3)]
	case "array":
		list := make([]any, 0)
		for range r.Intn(4) {
			list = append(list, s.element.randomValue(r))
		}
		return list
	case "map":
		m := map[string]any{}
		for range r.Intn(4) {
			m[pickText(r, "k", "l", "a.b/c", "m")] = s.element.randomValue(r)
		}
		return m
	case "object":
		m := map[string]any{}
		for _, member := range s.members {
			if !oneIn(r, 4) {
				m[member.name] = member.shape.randomValue(r)
			}
		}
		if oneIn(r, 4) {
			m[pickText(r, "unknown", "A", "e")] = anything(r)
		}
		return m
	}
	// Not a map: if the schema does not describe its content, upstream treats it as changed.
	return []any{"text", int64(7), 7.5, true, []any{}, []any{int64(1)}}[r.Intn(6)]
}

// lacksKeys reports whether a keyed list of the value has an element without keys, or two elements with the same keys.
func (s *shape) lacksKeys(v any) bool {
	switch v := v.(type) {
	case []any:
		seen := map[string]bool{}
		for _, e := range v {
			m, isMap := e.(map[string]any)
			identity := ""
			for _, key := range s.props.XListMapKeys {
				value, has := m[key]
				if identity += fmt.Sprintf("%#v ", value); !has {
					return true
				}
			}
			if s.props.XListMapKeys != nil && seen[identity] {
				return true
			}
			seen[identity] = true
			if s.element != nil && s.element.lacksKeys(e) || !isMap && s.props.XListMapKeys != nil {
				return true
			}
		}
	case map[string]any:
		if s.kind == "map" {
			return slices.ContainsFunc(slices.Collect(maps.Values(v)), s.element.lacksKeys)
		}
		for _, m := range s.members {
			if m.shape.lacksKeys(v[m.name]) {
				return true
			}
		}
	}
	return false
}

func anything(r *rand.Rand) any {
	return []any{nil, nil, "text", int64(7), 7.5, true, []any{}, []any{int64(1)}, map[string]any{},
		map[string]any{"a": int64(1)}}[r.Intn(10)]
}

// document returns a value in our form.
func document(t *testing.T, v any) doc.Value {
	data, err := utiljson.Marshal(v)
	require.NoError(t, err)
	d, _, err := codec.DecodeJSON(data)
	require.NoError(t, err)
	return d
}

// plainValue returns a copy of a value in upstream's form.
func plainValue(t testing.TB, v any) any {
	data, err := utiljson.Marshal(v)
	require.NoError(t, err)
	var out any
	require.NoError(t, utiljson.Unmarshal(data, &out))
	return out
}
