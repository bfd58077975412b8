package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// summary describes the schema of one place in one line.
func summary(s *schema.Schema) string {
	c := s.Constraints()
	var b strings.Builder
	b.WriteString(strings.Join(s.Types(), "|"))
	word := func(on bool, text string, args ...any) {
		if on {
			fmt.Fprintf(&b, " "+text, args...)
		}
	}
	word(s.Format != "", "%s", s.Format)
	word(s.Nullable, "nullable")
	word(s.PreserveUnknown, "preserve")
	word(s.Immutable, "immutable")
	word(!s.DefaultValue.IsAbsent(), "default=%s", codec.AppendJSON(nil, s.DefaultValue))
	for _, e := range c.Enum {
		word(true, "enum=%s", codec.AppendJSON(nil, e))
	}
	word(!c.Minimum.IsAbsent(), "min=%s", c.Minimum.Literal())
	word(!c.Maximum.IsAbsent(), "max=%s", c.Maximum.Literal())
	word(c.ExclusiveMinimum, "exclusiveMin")
	word(c.ExclusiveMaximum, "exclusiveMax")
	for name, n := range map[string]*int64{"maxLength": c.MaxLength, "maxItems": c.MaxItems,
		"maxProperties": c.MaxProperties} {
		word(n != nil, "%s=%d", name, deref(n))
	}
	for name, n := range map[string]*int64{"minLength": c.MinLength, "minItems": c.MinItems,
		"minProperties": c.MinProperties} {
		word(n != nil, "%s=%d", name, deref(n))
	}
	word(c.Pattern != nil, "pattern=%v", c.Pattern)
	word(s.ListType != "", "list=%s", s.ListType)
	word(len(s.ListMapKeys) > 0, "keys=%s", strings.Join(s.ListMapKeys, "+"))
	word(s.MapType != "", "map=%s", s.MapType)
	word(s.PatchStrategy != "", "patch=%s", s.PatchStrategy)
	word(s.PatchMergeKey != "", "mergeKey=%s", s.PatchMergeKey)
	word(s.Items != nil, "of")
	if s.Items != nil {
		word(true, "%s", summary(s.Items))
	}
	if s.Additional != nil {
		word(true, "to %s", summary(s.Additional))
	}
	return b.String()
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// The Go sketch of the Widget kind must derive the schema of its custom resource definition.
func TestWidgetIsTheKindOfTheTranscripts(t *testing.T) {
	s := widget(t)
	for path, want := range map[string]string{
		"spec":                               "object required",
		"spec.size":                          "integer int32 min=1 max=100 required",
		"spec.color":                         `string default="red" enum="red" enum="green" enum="blue"`,
		"spec.owner":                         "string maxLength=10",
		"spec.code":                          "string pattern=^[a-z]+$",
		"spec.replicas":                      "integer int32 default=1 min=0",
		"spec.big":                           "integer int64",
		"spec.weight":                        "number",
		"spec.paused":                        "boolean",
		"spec.note":                          "string nullable",
		"spec.port":                          "integer|string",
		"spec.tags":                          "array maxItems=5 list=set of string",
		"spec.steps":                         "array of string",
		"spec.parts":                         "array list=map keys=name of object",
		"spec.parts.[].name":                 "string required",
		"spec.parts.[].count":                "integer int32 default=1",
		"spec.parts.[].kind":                 `string enum="bolt" enum="nut"`,
		"spec.settings":                      "object to string",
		"spec.limits":                        "object map=atomic to string",
		"spec.template":                      "object default={}",
		"spec.template.image":                `string default="none"`,
		"spec.template.args":                 "array of string",
		"spec.extra":                         "object preserve",
		"status":                             "object",
		"status.phase":                       `string enum="Pending" enum="Ready" enum="Failed"`,
		"status.replicas":                    "integer int32",
		"status.selector":                    "string",
		"status.observedGeneration":          "integer int64",
		"status.conditions":                  "array list=map keys=type of object",
		"status.conditions.[].type":          "string required",
		"status.conditions.[].status":        `string enum="True" enum="False" enum="Unknown" required`,
		"status.conditions.[].reason":        "string",
		"metadata":                           "object",
		"metadata.finalizers":                "array list=set patch=merge of string",
		"metadata.ownerReferences":           "array list=map keys=uid patch=merge mergeKey=uid of object map=atomic",
		"metadata.ownerReferences.[].name":   "string required",
		"metadata.managedFields":             "array list=atomic of object",
		"metadata.managedFields.[].fieldsV1": "object preserve",
		"metadata.creationTimestamp":         "string date-time",
		"metadata.labels":                    "object to string",
		"metadata.generation":                "integer int64",
		"apiVersion":                         "string",
		"kind":                               "string",
	} {
		t.Run(path, func(t *testing.T) {
			names := strings.Split(path, ".")
			at := s.At(names...)
			require.NotNil(t, at)
			got := summary(at)
			if p := s.At(names[:len(names)-1]...).Property(names[len(names)-1]); p.Required {
				got += " required"
			}
			assert.Equal(t, want, got)
		})
	}
	assert.NotEmpty(t, s.At("metadata", "labels").Description)
	assert.Nil(t, s.At("spec", "none", "deeper"))
}

type leaves struct {
	Time     time.Time           `json:"time"`
	Micro    apimeta.MicroTime   `json:"micro"`
	Raw      json.RawMessage     `json:"raw"`
	Any      any                 `json:"any"`
	Number   json.Number         `json:"number"`
	Addr     netip.Addr          `json:"addr"`
	Bytes    []byte              `json:"bytes"`
	Array    [3]byte             `json:"array"`
	Quantity quantity            `json:"quantity"`
	Port     intOrString         `json:"port"`
	Own      ownJSON             `json:"own"`
	Int8     int8                `json:"int8"`
	Int      int                 `json:"int"`
	Uint16   uint16              `json:"uint16"`
	Uint64   uint64              `json:"uint64"`
	Float32  float32             `json:"float32"`
	Map      map[string]any      `json:"map"`
	ByNumber map[int]*bool       `json:"byNumber"`
	ByAddr   map[netip.Addr]bool `json:"byAddr"`
	Deep     [][]map[string]int  `json:"deep"`
	Pointer  **string            `json:"pointer"`
	Told     any                 `json:"told" api:"type=integer,format=int32"`
}

type quantity struct{}

func (quantity) MarshalJSON() ([]byte, error)  { return []byte(`"1"`), nil }
func (*quantity) UnmarshalJSON([]byte) error   { return nil }
func (quantity) OpenAPISchemaType() []string   { return []string{"string"} }
func (quantity) OpenAPISchemaFormat() string   { return "" }
func (quantity) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }

type intOrString struct{}

func (*intOrString) UnmarshalJSON([]byte) error   { return nil }
func (intOrString) OpenAPISchemaType() []string   { return []string{"string"} }
func (intOrString) OpenAPISchemaFormat() string   { return "int-or-string" }
func (intOrString) OpenAPIV3OneOfTypes() []string { return []string{"integer", "string"} }

type ownJSON struct{ Hidden int }

func (*ownJSON) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

func TestLeafTypes(t *testing.T) {
	s := derive[leaves](t)
	for name, want := range map[string]string{
		"time": "string date-time", "micro": "string date-time", "raw": " preserve", "any": " preserve", "number": "number",
		"addr": "string", "bytes": "string byte", "array": "array of integer int32 min=0 max=255",
		"quantity": "string|number",
		"port":     "integer|string", "own": " preserve", "int8": "integer int32 min=-128 max=127", "int": "integer int64",
		"uint16": "integer int32 min=0 max=65535", "uint64": "integer min=0", "float32": "number", "map": "object preserve",
		"byNumber": "object to boolean", "byAddr": "object to boolean", "deep": "array of array of object to integer int64",
		"pointer": "string", "told": "integer int32",
	} {
		require.NotNil(t, s.Member(name), name)
		assert.Equal(t, want, summary(s.Member(name)), name)
	}
	builtin, err := schema.Derive(reflect.TypeFor[leaves](), schema.Options{Builtin: true})
	require.NoError(t, err)
	assert.Equal(t, "number float", summary(builtin.Member("float32")))
}

type deepest struct {
	A string `json:"a"`
	B string `json:"b"`
	C string
}

type left struct {
	deepest
	Both string `json:"both"`
	X    string
}

type Right struct {
	Both string `json:"both"`
	B    string `json:"b"`
	X    string `json:"X"`
}

type Deeper struct {
	A string `json:"a"`
	B string `json:"b"`
}

// OneWay and OtherWay embed the same type at the same depth, so its members hide each other.
type OneWay struct {
	Deeper
	Own string `json:"own"`
}

type OtherWay struct{ Deeper }

type embedding struct {
	left
	*Right  `json:",inline"`
	Named   deepest `json:"named"`
	Skipped string  `json:"-"`
	hidden  string
	Plain   string
	Odd     string `json:"a/b_c.d"`
	apimeta.Condition
}

// The schema must have the members that encoding/json writes.
func TestMembersAreThoseOfEncodingJSON(t *testing.T) {
	for _, value := range []any{
		embedding{Right: &Right{}, hidden: "x"}, left{}, deepest{}, Widget{}, apimeta.ObjectMeta{}, apimeta.Table{},
		reflect.New(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](),
			Tag: `json:"-,"`}})).Elem().Interface(),
		reflect.New(reflect.StructOf([]reflect.StructField{
			{Name: "OneWay", Type: reflect.TypeFor[OneWay](), Anonymous: true},
			{Name: "OtherWay", Type: reflect.TypeFor[OtherWay](), Anonymous: true},
		})).Elem().Interface(),
		reflect.New(reflect.StructOf([]reflect.StructField{ // built at run time, because vet would see that the fields hide each other
			{Name: "Deeper", Type: reflect.TypeFor[Deeper](), Anonymous: true},
			{Name: "Right", Type: reflect.TypeFor[Right](), Anonymous: true},
		})).Elem().Interface(),
		struct {
			left
			*Right `json:"both"`
		}{},
	} {
		t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
			s, err := schema.Derive(reflect.TypeOf(value), schema.Options{Builtin: true})
			require.NoError(t, err)
			data, err := json.Marshal(value)
			require.NoError(t, err)
			var members map[string]any
			require.NoError(t, json.Unmarshal(data, &members))
			var names []string
			omissible := 0
			for _, p := range s.Object.Properties {
				if p.OmitEmpty || p.OmitZero {
					omissible++
					continue
				}
				names = append(names, p.Name)
			}
			for name := range members {
				if p := s.Property(name); p != nil && (p.OmitEmpty || p.OmitZero) {
					delete(members, name)
				}
			}
			assert.Equal(t, slices.Sorted(maps.Keys(members)), names)
			assert.True(t, slices.IsSortedFunc(s.Object.Properties,
				func(a, b schema.Property) int { return strings.Compare(a.Name, b.Name) }))
		})
	}
}

func TestRequired(t *testing.T) {
	type spec struct {
		Plain     string   `json:"plain"`
		List      []string `json:"list"`
		Pointer   *string  `json:"pointer"`
		OmitEmpty string   `json:"omitEmpty,omitempty"`
		OmitZero  string   `json:"omitZero,omitzero"`
		Default   string   `json:"default" api:"default=x"`
		Optional  string   `json:"optional" api:"optional"`
		Tagged    *string  `json:"tagged,omitempty" api:"required"`
		*Right
	}
	type kind struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata"`
		Spec               spec `json:"spec"`
		Status             struct {
			Phase string `json:"phase"`
		} `json:"status"`
	}
	required := func(o *schema.Object) (names []string) {
		for _, p := range o.Properties {
			if p.Required {
				names = append(names, p.Name)
			}
		}
		return names
	}
	custom := derive[kind](t)
	assert.Equal(t, []string{"spec"}, required(custom.Object))
	assert.Equal(t, []string{"list", "plain", "tagged"}, required(custom.Member("spec").Object))
	assert.Equal(t, []string{"phase"}, required(custom.Member("status").Object))

	builtin := derive[kind](t, schema.Options{Builtin: true})
	assert.Empty(t, required(builtin.Object))
	assert.Equal(t, []string{"tagged"}, required(builtin.Member("spec").Object))
}

type node struct {
	Name     string           `json:"name"`
	Children []node           `json:"children,omitempty" api:"list=map,key=name"`
	Next     *node            `json:"next,omitempty"`
	ByName   map[string]*node `json:"byName,omitempty"`
}

func TestRecursiveTypesShareTheirObject(t *testing.T) {
	s := derive[node](t)
	assert.Same(t, s.Object, s.At("children", "[]").Object)
	assert.Same(t, s.Object, s.At("next", "byName", "x").Object)
	assert.Equal(t, "github.com/decorum-go/decorum/internal/schema_test.node", s.Object.Name)

	v := parse(t, `{name: a, children: [{name: b, bogus: 1}, {name: b}], next: {next: {}}}`)
	pruned, unknown := s.Prune(v)
	assert.Equal(t, []string{"children[0].bogus"}, unknown)
	assert.Equal(t, []string{"next.next.name: Required value", "next.name: Required value",
		`children[1]: Duplicate value: {"name":"b"}`}, texts(s.Validate(nil, pruned)))
}

type documented struct {
	A string `json:"a"`
	B string `json:"b" api:"doc='ours, with a comma, and a ''quote'''"`
	C *inner `json:"c"`
	D *inner `json:"d"`
}

func (documented) SwaggerDoc() map[string]string {
	return map[string]string{"": "All of it.", "a": "The first.", "b": "Theirs.", "d": "One of them."}
}

type inner struct{}

func (inner) SwaggerDoc() map[string]string { return map[string]string{"": "What is inside."} }

func TestDescriptions(t *testing.T) {
	s := derive[documented](t)
	assert.Equal(t, "All of it.", s.Description)
	assert.Equal(t, "The first.", s.Member("a").Description)
	assert.Equal(t, "ours, with a comma, and a 'quote'", s.Member("b").Description, "the api tag wins")
	assert.Equal(t, "What is inside.", s.Member("c").Description)
	assert.Equal(t, "One of them.", s.Member("d").Description)
	assert.Equal(t, "What is inside.", s.Member("d").Object.Description)
}

// Every member of the shared types must be documented, so that kubectl explain has something to print.
func TestMetadataIsDocumented(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[apimeta.ObjectMeta](), reflect.TypeFor[apimeta.ListMeta](),
		reflect.TypeFor[apimeta.TypeMeta](), reflect.TypeFor[apimeta.DeleteOptions](), reflect.TypeFor[apimeta.Condition](),
		reflect.TypeFor[apimeta.LabelSelector](),
		reflect.TypeFor[apimeta.WatchEvent]()} {
		s, err := schema.Derive(typ, schema.Options{})
		require.NoError(t, err)
		seen := map[*schema.Object]bool{}
		var walk func(where string, s *schema.Schema)
		walk = func(where string, s *schema.Schema) {
			if s == nil || s.Object != nil && seen[s.Object] {
				return
			}
			walk(where, s.Items)
			walk(where, s.Additional)
			if s.Object == nil {
				return
			}
			seen[s.Object] = true
			for _, p := range s.Object.Properties {
				assert.NotEmpty(t, p.Schema.Description, where+"."+p.Name)
				walk(where+"."+p.Name, p.Schema)
			}
		}
		walk(typ.Name(), s)
	}
}

func TestBuiltinOverlay(t *testing.T) {
	type port struct {
		Port     int32  `json:"port"`
		Protocol string `json:"protocol,omitempty"`
	}
	type service struct {
		Ports []port   `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
		IPs   []string `json:"ips,omitempty" patchStrategy:"merge"`
		Refs  []port   `json:"refs,omitempty"`
	}
	plain := derive[service](t, schema.Options{Builtin: true})
	assert.Equal(t, "array list=map keys=port patch=merge mergeKey=port of object", summary(plain.Member("ports")))
	assert.Equal(t, "array list=set patch=merge of string", summary(plain.Member("ips")))
	twice := parse(t, `{ports: [{port: 1}, {port: 1}], ips: [a, a, null]}`)
	assert.Empty(t, plain.Validate(nil, twice), "patch tags affect merging only")
	assert.Empty(t, plain.CheckTypes(nil, twice), "Go accepts null elements")

	s := derive[service](t, schema.Options{Builtin: true, Overlay: map[string]string{
		"service.ports": "list=map,key=port,key=protocol",
		"port":          "map=atomic",
		"github.com/decorum-go/decorum/internal/schema_test.port.protocol": "default=TCP",
		"service.ips": "list=atomic",
	}})
	assert.Equal(t, "array list=map keys=port+protocol patch=merge mergeKey=port of object map=atomic",
		summary(s.Member("ports")))
	assert.Equal(t, "object map=atomic", summary(s.At("refs", "[]")))
	assert.Equal(t, `string default="TCP"`, summary(s.At("ports", "[]", "protocol")))
	assert.Equal(t, "array list=atomic patch=merge of string", summary(s.Member("ips")))
	assert.Len(t, s.Validate(nil, s.Default(twice)), 1, "a rule from the overlay is checked")
	lenient := derive[service](t,
		schema.Options{Builtin: true,
			Overlay: map[string]string{"service.ports": "list=map,key=port,key=protocol,duplicates"}})
	assert.Empty(t, lenient.Validate(nil, twice), "unless the overlay allows duplicates")

	_, err := schema.Derive(reflect.TypeFor[service](),
		schema.Options{Overlay: map[string]string{"service.ports": "list", "port": "x=1,", "service.refs": "key"}})
	require.ErrorContains(t, err, "service.Ports: option list: missing value")
	require.ErrorContains(t, err, "service.Refs: option key: missing value")
	require.ErrorContains(t, err, "schema_test.port: the api tag")
	_, err = schema.Derive(reflect.TypeFor[service](),
		schema.Options{Overlay: map[string]string{"service.prots": "list=set"}})
	require.ErrorContains(t, err, "overlay service.prots: unknown type or field")
}

func TestFingerprint(t *testing.T) {
	prints := map[string]string{}
	add := func(name string, s *schema.Schema) {
		fingerprint := s.Fingerprint()
		assert.Len(t, fingerprint, 32)
		for other, p := range prints {
			assert.NotEqual(t, p, fingerprint, "%s and %s", other, name)
		}
		prints[name] = fingerprint
	}
	add("string", derive[struct{ A string }](t))
	add("int", derive[struct{ A int }](t))
	add("name", derive[struct{ B string }](t))
	add("list", derive[struct{ A []string }](t))
	add("map", derive[struct{ A map[string]string }](t))
	add("nested", derive[struct{ A struct{ A string } }](t))
	for _, tag := range []string{"default=x", "default=y", "enum=a", "enum=a|b", "minLength=1", "maxLength=1", "pattern=a",
		"nullable",
		"immutable", "optional", "format=date"} {
		typ := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[string](),
			Tag: reflect.StructTag(fmt.Sprintf("api:%q", tag))}})
		s, err := schema.Derive(typ, schema.Options{})
		require.NoError(t, err)
		add(tag, s)
	}
	add("widget", widget(t))
	add("recursive", derive[node](t))
	assert.Equal(t, prints["widget"], widget(t).Fingerprint())
	assert.Equal(t, prints["string"], derive[struct {
		A string `api:"doc=documentation"`
	}](t).Fingerprint(), "the fingerprint ignores documentation")
	assert.Equal(t, "a7618af576c8b4bbc4cf40fc4a337815", derive[struct{ A string }](t).Fingerprint(),
		"stored fingerprints must stay valid")
}

type panics struct{}

func (panics) OpenAPISchemaType() []string { panic("no") }

type selfDefault struct {
	Again *selfDefault `json:"again,omitempty" api:"default={}"`
}

type twins struct {
	A *twins2 `json:"a,omitempty" api:"default={}"`
	B *twins2 `json:"b,omitempty" api:"default={}"`
}

type twins2 struct {
	A *twins `json:"a,omitempty" api:"default={}"`
	B *twins `json:"b,omitempty" api:"default={}"`
}

func TestDeriveErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		value any
		want  []string // each a part of the error
	}{
		{"nothing", nil, []string{"Derive needs a type"}},
		{"channel", struct{ C chan int }{}, []string{".C: JSON cannot represent a chan int"}},
		{"function", struct{ F func() }{}, []string{".F: JSON cannot represent a func()"}},
		{"complex in a list", struct{ C []complex128 }{}, []string{".C: JSON cannot represent a complex128"}},
		{"map key", struct{ M map[float64]int }{}, []string{".M: JSON cannot represent a map with keys of type float64"}},
		{"string option", struct {
			A int `json:"a,string"`
		}{}, []string{".A: the json option string is not supported"}},
		{"inline field", struct {
			A inner `json:",inline"`
		}{}, []string{".A: the json option inline needs an embedded struct"}},
		{"name of an unexported embedded struct", struct {
			left `json:"a"`
		}{}, []string{".left: an unexported embedded struct"}},
		{"pointer to an unexported embedded struct", struct{ *left }{}, []string{".left: encoding/json cannot set fields"}},
		{"json name", reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"a\\b"`}}),
			[]string{`does not accept the name "a\\b"`}},
		{"panicking type", struct{ P panics }{}, []string{".P: schema_test.panics: its schema methods panicked: no"}},
		{"unknown option", tagged[string]("frobnicate"), []string{".A: option frobnicate: unknown option"}},
		{"several errors", tagged[string]("min=1,maxLength=x,bogus=1"),
			[]string{"option min", "option maxLength", "option bogus"}},
		{"missing value", tagged[string]("maxLength"), []string{"option maxLength: missing value"}},
		{"empty value", tagged[string]("maxLength="), []string{"option maxLength: missing value"}},
		{"unwanted value", tagged[string]("nullable=yes"), []string{"option nullable: it does not take a value"}},
		{"unwanted value of required", tagged[string]("required=yes"), []string{"option required"}},
		{"nameless option", tagged[string]("=1"), []string{"an option without a name"}},
		{"two commas", tagged[string]("nullable,,immutable"), []string{"an option without a name"}},
		{"last comma", tagged[string]("nullable,"), []string{"ends in a comma"}},
		{"open quote", tagged[string]("pattern='a"), []string{"option pattern: the value has no closing quote"}},
		{"text after quote", tagged[string]("pattern='a'b"), []string{"a comma must follow the closing quote"}},
		{"min of a string", tagged[string]("min=1"), []string{"it applies to values of type integer or number, not string"}},
		{"min is not a number", tagged[int]("min=one"), []string{`"one" is not of type integer`}},
		{"min is not an integer", tagged[int]("min=1.5"), []string{`"1.5" is not of type integer`}},
		{"min above max", tagged[int]("min=2,max=1"), []string{"min 2 exceeds max 1"}},
		{"exclusive without bound", tagged[int]("exclusiveMin"), []string{"an exclusive bound needs min or max"}},
		{"negative count", tagged[string]("maxLength=-1"), []string{`"-1" is not a count`}},
		{"lengths crossed", tagged[string]("minLength=2,maxLength=1"), []string{"minLength 2 exceeds maxLength 1"}},
		{"items of a string", tagged[string]("items.maxLength=1"),
			[]string{"option items.maxLength: type string has no items"}},
		{"values of a list", tagged[[]string]("values.maxLength=1"),
			[]string{"option values.maxLength: type array has no values"}},
		{"rule of items", tagged[[]string]("items.maxItems=1"), []string{"option items.maxItems"}},
		{"pattern", tagged[string]("pattern=("), []string{"option pattern: error parsing regexp"}},
		{"list of a string", tagged[string]("list=set"), []string{"option list"}},
		{"list type", tagged[[]string]("list=bag"), []string{`"bag" must be atomic, set or map`}},
		{"map type", tagged[map[string]string]("map=set"), []string{`"set" must be atomic or granular`}},
		{"map without key", tagged[[]node]("list=map"), []string{"list=map needs key="}},
		{"key without map", tagged[[]node]("key=name"), []string{"key= needs list=map"}},
		{"unknown key", tagged[[]node]("list=map,key=nmae"), []string{`the elements have no member "nmae"`}},
		{"key is not a scalar", tagged[[]node]("list=map,key=next"),
			[]string{`the key "next" must be a scalar, but its type is object`}},
		{"key may be missing", tagged[[]Template]("list=map,key=args"), []string{"must be a scalar"}},
		{"key is optional", tagged[[]WidgetStatus]("list=map,key=phase"),
			[]string{`the key "phase" must be required or have a default`}},
		{"type of a Go type", tagged[int]("type=string"), []string{"the Go type holds values of type integer"}},
		{"no JSON type", tagged[any]("type=text"), []string{`"text" is not a JSON type`}},
		{"intOrString", tagged[int]("intOrString"), []string{"the Go type holds values of type integer"}},
		{"preserveUnknown of a struct", tagged[inner]("preserveUnknown"), []string{"the Go type cannot hold unknown fields"}},
		{"required and optional", tagged[int]("required,optional"), []string{"both required and optional"}},
		{"default of a wrong type", tagged[int]("default=red"), []string{`"red" is not a JSON value`}},
		{"default of a wrong JSON type", tagged[int]("default=true"),
			[]string{"the default breaks the field's own rules", "int64"}},
		{"default out of range", tagged[int8]("default=200"), []string{"the default breaks", "less than or equal to 127"}},
		{"default below min", tagged[int]("default=0,min=1"), []string{"the default breaks", "greater than or equal to 1"}},
		{"default not in enum", tagged[string]("default=a,enum=b"), []string{"the default breaks", "Unsupported value"}},
		{"default with unknown field", tagged[*Template]("default='{\"imgae\":1}'"),
			[]string{"the default has the unknown field imgae"}},
		{"default with a duplicate key", tagged[map[string]int](`default='{"a":1,"a":2}'`), []string{"is not a JSON value"}},
		{"default of an element", tagged[*Part]("default={}"), []string{"default.name: Required value"}},
		{"enum of a wrong type", tagged[int]("enum=1|true"), []string{"the enumeration contains a boolean"}},
		{"multipleOf of nothing", tagged[int]("multipleOf=0"), []string{"multipleOf 0 must be above 0"}},
		{"multipleOf of an integer with a fraction", tagged[int]("multipleOf=0.5"), []string{"is not of type integer"}},
		{"safeInteger of a string", tagged[string]("safeInteger"), []string{"it applies to values of type integer"}},
		{"a discriminator that is not a string", tagged[int]("discriminator"),
			[]string{"a discriminator must be a string, not integer"}},
		{"a discriminator without members", tagged[string]("discriminator"), []string{"has too few members"}},
		{"a union of one", struct {
			A *int `json:"a,omitempty" api:"member"`
		}{}, []string{"has too few members"}},
		{"a member that is always set", struct {
			A int  `json:"a" api:"member,optional"`
			B *int `json:"b,omitempty" api:"member"`
		}{}, []string{"a member of a union must be optional"}},
		{"two discriminators", struct {
			A string `json:"a" api:"discriminator"`
			B string `json:"b" api:"discriminator"`
			C *int   `json:"c,omitempty" api:"member"`
		}{}, []string{"the union already has the discriminator a"}},
		{"discriminator and member", struct {
			A string `json:"a,omitempty" api:"discriminator,member"`
			C *int   `json:"c,omitempty" api:"member"`
		}{}, []string{"both the discriminator and a member"}},
		{"union without member", tagged[int]("union=x"), []string{"union= needs discriminator or member"}},
		{"atMostOne without member", tagged[int]("atMostOne"), []string{"atMostOne needs member"}},
		{"atMostOne and a discriminator", struct {
			A string `json:"a" api:"discriminator"`
			B *int   `json:"b,omitempty" api:"member,atMostOne"`
		}{}, []string{"has a discriminator, so atMostOne has no meaning"}},
		{"default that contains itself", selfDefault{}, []string{"the default contains itself"}},
		{"defaults that multiply", twins{}, []string{"the default contains itself"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			typ := reflect.TypeOf(test.value)
			if made, ok := test.value.(reflect.Type); ok {
				typ = made
			}
			_, err := schema.Derive(typ, schema.Options{})
			require.Error(t, err)
			for _, part := range test.want {
				require.ErrorContains(t, err, part)
			}
		})
	}
}

// tagged returns a struct type whose only field A has type T and this api tag.
func tagged[T any](tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[T](),
		Tag: reflect.StructTag(fmt.Sprintf("api:%q", tag))}})
}
