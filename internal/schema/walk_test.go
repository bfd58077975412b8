package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
)

func texts(errs status.FieldErrors) []string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Error())
	}
	return all
}

// checkUpdate runs all checks for an object that replaces another.
func checkUpdate(s *schema.Schema, next, old doc.Value) status.FieldErrors {
	return slices.Concat(s.CheckRules(nil, next, old), s.CheckRepeats(nil, next, old), s.CheckFixed(nil, next, old))
}

func TestPrune(t *testing.T) {
	s := widget(t)
	for _, test := range []struct {
		name, in, out string
		unknown       []string
	}{
		{"nothing unknown", `{spec: {size: 1}}`, `{"spec":{"size":1}}`, nil},
		{"everywhere", `{top: 1, metadata: {foo: 1, labels: {any: x}}, spec: {unknown: 1, template: {unknown: 1}, parts: [{name: p}, {name: q, unknown: {}}]}}`,
			`{"metadata":{"labels":{"any":"x"}},"spec":{"parts":[{"name":"p"},{"name":"q"}],"template":{}}}`,
			[]string{"metadata.foo", "spec.parts[1].unknown", "spec.template.unknown", "spec.unknown", "top"}},
		{"not below a value of any type", `{spec: {extra: {unknown: {deep: null}}, settings: {unknown: x}}}`,
			`{"spec":{"extra":{"unknown":{"deep":null}},"settings":{"unknown":"x"}}}`, nil},
		{"names are case-sensitive", `{Spec: {}}`, `{}`, []string{"Spec"}},
		{"wrong types are left", `{spec: [1], status: x, metadata: {labels: [a]}}`,
			`{"metadata":{"labels":["a"]},"spec":[1],"status":"x"}`, nil},
		{"unknown members of a wrong type", `{spec: [{a: 1}], status: x, metadata: {labels: [{a: 1}]}}`,
			`{"metadata":{"labels":[{}]},"spec":[{}],"status":"x"}`, []string{"metadata.labels[0].a", "spec[0].a"}},
		{"a map for a scalar", `{spec: {size: {a: 1}, port: {b: 1}}}`, `{"spec":{"port":{},"size":{}}}`,
			[]string{"spec.port.b", "spec.size.a"}},
		{"null", `{spec: null}`, `{"spec":null}`, nil},
		{"no object", `[1]`, `[1]`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			pruned, unknown := s.Prune(parse(t, test.in))
			assert.Equal(t, test.out, show(pruned))
			assert.Equal(t, test.unknown, unknown)
		})
	}
}

func TestPruneNamesAThousandFields(t *testing.T) {
	var members []doc.Member
	for i := range 2000 {
		members = append(members, doc.Member{Key: fmt.Sprintf("unknown%04d", i), Value: doc.OfInt(1)})
	}
	pruned, unknown := widget(t).Prune(doc.MapOf(members...))
	assert.Equal(t, "{}", show(pruned))
	assert.Len(t, unknown, 1000)
	assert.Equal(t, "unknown0999", unknown[999])
}

func TestDefault(t *testing.T) {
	s := widget(t)
	const defaults = `"color":"red","replicas":1,`
	for _, test := range []struct{ name, in, out string }{
		{"absent fields", `{spec: {size: 1}}`, `{"spec":{` + defaults + `"size":1,"template":{"image":"none"}}}`},
		{"given fields stay", `{spec: {color: "", replicas: 0, template: {image: x}}}`,
			`{"spec":{"color":"","replicas":0,"template":{"image":"x"}}}`},
		{"below given objects", `{spec: {template: {args: []}}}`,
			`{"spec":{` + defaults + `"template":{"args":[],"image":"none"}}}`},
		{"elements of lists", `{spec: {parts: [{name: p}, {count: 5}]}}`,
			`{"spec":{"color":"red","parts":[{"count":1,"name":"p"},{"count":5}],"replicas":1,"template":{"image":"none"}}}`},
		{"a default does not create its parent", `{}`, `{}`},
		{"null is absent", `{metadata: {labels: null, creationTimestamp: null}, spec: {color: null, owner: null, template: {image: null}}}`,
			`{"metadata":{},"spec":{` + defaults + `"template":{"image":"none"}}}`},
		{"null in a nullable field", `{spec: {note: null}}`,
			`{"spec":{"color":"red","note":null,"replicas":1,"template":{"image":"none"}}}`},
		{"null in a map", `{metadata: {labels: {a: null, b: x}}}`, `{"metadata":{"labels":{"b":"x"}}}`},
		{"null in a list", `{metadata: {finalizers: [null]}}`, `{"metadata":{"finalizers":[null]}}`},
		{"null below a value of any type",
			`{metadata: {managedFields: [{fieldsV1: {a: null}}]}, spec: {extra: {"n": null, l: [null]}, color: red, replicas: 1, template: {image: x}}}`,
			`{"metadata":{"managedFields":[{"fieldsV1":{"a":null}}]},"spec":{"color":"red","extra":{"l":[null],"n":null},"replicas":1,"template":{"image":"x"}}}`},
		{"unknown fields stay", `{spec: {zzz: null, color: red, replicas: 1, template: {image: x}}}`,
			`{"spec":{"color":"red","replicas":1,"template":{"image":"x"},"zzz":null}}`},
		{"wrong types stay", `{spec: [1]}`, `{"spec":[1]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := s.Default(parse(t, test.in))
			assert.Equal(t, test.out, show(v))
			assert.Equal(t, v, s.Default(v), "Default is idempotent")
		})
	}
}

func TestDefaultOfElements(t *testing.T) {
	s := derive[struct {
		List []*string          `json:"list,omitempty" api:"items.default=x"`
		Map  map[string]*string `json:"map,omitempty" api:"values.default=y"`
		Deep *Template          `json:"deep,omitempty" api:"default='{\"args\":[\"a\"]}'"`
	}](t)
	assert.Equal(t, `{"deep":{"args":["a"],"image":"none"},"list":["x","given"],"map":{"a":"y","b":"given"}}`,
		show(s.Default(parse(t, `{list: [null, given], map: {a: null, b: given}}`))))
}

func TestCheckTypes(t *testing.T) {
	s := widget(t)
	wrong := func(path, want, got string) string {
		return fmt.Sprintf("%s: Invalid value: %q: %s in body must be of type %s: %q", path, got, path, want, got)
	}
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"right", `{metadata: {labels: {a: b}}, spec: {size: 1, weight: 2, port: 80, big: -9223372036854775808, extra: {a: [1]}, note: null}}`, nil},
		{"integer", `{spec: {size: "1"}}`, []string{wrong("spec.size", "integer", "string")}},
		{"fraction", `{spec: {size: 1.5}}`, []string{wrong("spec.size", "int32", "float64"),
			`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.size`}},
		{"boolean", `{spec: {paused: "true"}}`, []string{wrong("spec.paused", "boolean", "string")}},
		{"array", `{spec: {steps: x}}`, []string{wrong("spec.steps", "array", "string")}},
		{"object", `{spec: [], status: 1}`, []string{wrong("spec", "object", "array"), wrong("status", "object", "integer")}},
		{"string", `{spec: {settings: {a: 1, b: true, c: {}}}}`, []string{wrong("spec.settings.a", "string", "integer"),
			wrong("spec.settings.b", "string", "boolean"), wrong("spec.settings.c", "string", "object")}},
		{"element", `{spec: {parts: [{name: p}, {name: 1.5}]}}`, []string{wrong("spec.parts[1].name", "string", "number")}},
		{"whole numbers are integers", `{"spec": {"size": 1e1, "replicas": 2.0}}`, nil},
		{"null element", `{spec: {steps: [a, null]}}`, []string{wrong("spec.steps[1]", "string", "null")}},
		{"null is absent", `{spec: {steps: null, settings: {a: null}}}`, nil},
		{"int or string", `{spec: {port: true}}`, []string{wrong("spec.port", "integer,string", "boolean")}},
		{"int or string, beyond 64 bits", `{spec: {port: 9223372036854775808, owner: 9223372036854775808}}`,
			[]string{wrong("spec.owner", "string", "number"), wrong("spec.port", "integer,string", "number")}},
		{"int or string, fraction", `{spec: {port: 1.5}}`, []string{wrong("spec.port", "integer,string", "number")}},
		{"nullable", `{spec: {note: 1}}`, []string{wrong("spec.note", "string", "integer")}},
		{"int32 above", `{spec: {replicas: 2147483648}}`,
			[]string{`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas`}},
		{"int32 below", `{spec: {replicas: -2147483649}}`,
			[]string{`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas`}},
		{"int64 above", `{spec: {big: 9223372036854775808}}`,
			[]string{wrong("spec.big", "int64", "float64"),
				`<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.big`}},
		{"int64 below", `{spec: {big: -99999999999999999999}}`,
			[]string{wrong("spec.big", "int64", "float64"),
				`<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.big`}},
		{"date-time", `{metadata: {creationTimestamp: yesterday}}`,
			[]string{wrong("metadata.creationTimestamp", "date-time", "yesterday")}},
		{"not an object", `[1]`, []string{`<nil>: Invalid value: "array":  in body must be of type object: "array"`}},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, texts(s.CheckTypes(nil, parse(t, test.in)))) })
	}
}

func TestCheckTypesOfLeaves(t *testing.T) {
	s := derive[leaves](t)
	for _, test := range []struct {
		in string
		ok bool
	}{
		{`{"uint64": 18446744073709551615}`, true}, {`{"uint64": 18446744073709551616}`, false}, {`{"uint64": -1}`, false},
		{`{"uint16": 65535}`, true}, {`{"uint16": 65536}`, false}, {`{"int8": -128}`, true}, {`{"int8": -129}`, false},
		{`{"told": 2147483648}`, false}, {`{"told": -2147483648}`, true}, {`{"float32": 1e38}`, true},
		{`{"float32": 1e39}`, false}, {`{"number": 1e999}`, false},
		{`{"quantity": 0.5}`, true}, {`{"quantity": "0.5"}`, true}, {`{"quantity": true}`, false},
		{`{"port": 80}`, true}, {`{"port": "80"}`, true}, {`{"port": 8.5}`, false},
		{`{"any": {"a": [1]}, "raw": false, "own": {}, "map": {"a": 1}}`, true}, {`{"map": 1}`, false},
		{`{"bytes": "AAEC/w=="}`, true}, {`{"bytes": "not base64!"}`, false}, {`{"bytes": ""}`, true},
		{`{"bytes": "AA=="}`, true},
		{`{"bytes": "AA==AA=="}`, false}, {`{"bytes": "AA\nEC"}`, true}, {`{"bytes": [0]}`, false},
		{`{"array": [0, 255]}`, true},
		{`{"array": [256]}`, false}, {`{"time": "2024-05-06T07:08:09.5+02:00"}`, true}, {`{"time": ""}`, false},
		{`{"deep": [[{"a": 1}], null]}`, false}, {`{"deep": [[{"a": 1}], []]}`, true},
	} {
		errs := s.CheckTypes(nil, parse(t, test.in))
		assert.Equal(t, test.ok, len(errs) == 0, "%s: %v", test.in, errs)
		if test.ok && !strings.Contains(test.in, "quantity") {
			assert.NoError(t, json.Unmarshal([]byte(test.in), new(leaves)), "a value that passes must fit in the Go type")
		}
	}
	long := strings.Repeat("QUJD", 10_000)
	assert.Empty(t, s.CheckTypes(nil, doc.Value{}.With("bytes", doc.Of(long+"QQ=="))))
	assert.NotEmpty(t, s.CheckTypes(nil, doc.Value{}.With("bytes", doc.Of(strings.Repeat("QUJD", 255)+"QQ=="+long))))
}

func TestFormats(t *testing.T) {
	for format, texts := range map[string][2][]string{
		"date":      {{"2024-02-29"}, {"2023-02-29", "2024-02-29T00:00:00Z", ""}},
		"date-time": {{"2024-02-29T00:00:00Z"}, {"2024-02-29"}},
		"duration":  {{"1h30m", "0", "2 days"}, {"x", "2 moons"}},
		"ipv4":      {{"10.0.0.1"}, {"::1", "10.0.0"}},
		"ipv6":      {{"::1"}, {"10.0.0.1"}},
		"cidr":      {{"10.0.0.0/8"}, {"10.0.0.0"}},
		"mac":       {{"00:00:5e:00:53:01"}, {"00"}},
		"email":     {{"a@example.com"}, {"a"}},
		"uri":       {{"https://example.com/a?b"}, {"example"}},
		"uuid": {{"7c9e6679-7425-40de-944b-e07fc1f90ae7", "7C9E6679742540DE944BE07FC1F90AE7"},
			{"7c9e6679", "7c9e6679-7425-40de-944b_e07fc1f90ae7", "7c9e6679-7425-40de-944b-e07fc1f90agg"}},
		"password": {{"anything", ""}, nil},
		"hostname": {{"example.com", "a", "1.a.museum"}, {"-a.com", "a-b-c", "example.c", ""}},
		"byte":     {{"YWI="}, {"YWI", "", "YWI=\n"}},
		"uuid3":    {{"0b5bff6d-1b1a-3a0e-1a3c-3f1f3cbb1f7a"}, {"0b5bff6d-1b1a-4a0e-9a3c-3f1f3cbb1f7a"}},
		"uuid4":    {{"0b5bff6d-1b1a-4a0e-9a3c-3f1f3cbb1f7a"}, {"0b5bff6d-1b1a-4a0e-1a3c-3f1f3cbb1f7a"}},
		"uuid5":    {{"0b5bff6d-1b1a-5a0e-9a3c-3f1f3cbb1f7a"}, {"0b5bff6d-1b1a-4a0e-9a3c-3f1f3cbb1f7a"}},
		"isbn":     {{"0321751043", "978-0321751041"}, {"0321751044"}},
		"isbn10":   {{"0321751043"}, {"978-0321751041"}},
		"isbn13":   {{"978-0321751041"}, {"0321751043"}},

		"creditcard": {{"4111 1111 1111 1111"}, {"4111 1111 1111 1112", "1"}},
		"ssn":        {{"123-45-6789"}, {"123456789"}},
		"hexcolor":   {{"#FFFFFF", "0af"}, {"#ff"}},
		"rgbcolor":   {{"rgb(255, 0,1)"}, {"rgb(256,0,1)", "rgb(01,0,1)"}},

		"bsonobjectid":   {{"507f1f77bcf86cd799439011"}, {"507f1f77bcf86cd79943901"}},
		"k8s-short-name": {{"a-b", "9"}, {"a.b", "A", "-a", ""}},
		"k8s-long-name":  {{"a.b-c", "9"}, {"a..b", "A", "a.-b"}},
		"something-else": {{"anything"}, nil},
	} {
		s, err := schema.Derive(tagged[string]("optional,format="+format), schema.Options{})
		assert.NoError(t, err)
		for i, all := range texts {
			for _, text := range all {
				v := doc.Value{}.With("A", doc.Of(text))
				assert.Empty(t, s.CheckTypes(nil, v), "a string can hold it")
				errs := s.Validate(nil, v)
				assert.Equal(t, i == 0, len(errs) == 0, "%s %q: %v", format, text, errs)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	s := widget(t)
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"valid", `{spec: {size: 100, color: blue, owner: éééééééééé, code: abc, tags: [a, b], parts: [{name: p}, {name: q}]}}`, nil},
		{"required", `{spec: {}}`, []string{"spec.size: Required value"}},
		{"required at the top", `{}`, []string{"spec: Required value"}},
		{"required is null", `{spec: null}`, []string{"spec: Required value"}},
		{"required in a list", `{spec: {size: 1, parts: [{count: 1}]}}`, []string{"spec.parts[0].name: Required value"}},
		{"minimum", `{spec: {size: 0}}`,
			[]string{"spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"}},
		{"maximum", `{spec: {size: 101}}`,
			[]string{"spec.size: Invalid value: 101: spec.size in body should be less than or equal to 100"}},
		{"enum", `{spec: {size: 1, color: pink}}`,
			[]string{`spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"`}},
		{"enum, empty", `{spec: {size: 1, color: ""}}`,
			[]string{`spec.color: Unsupported value: "": supported values: "red", "green", "blue"`}},
		{"enum in a list", `{spec: {size: 1, parts: [{name: p, kind: screw}]}}`,
			[]string{`spec.parts[0].kind: Unsupported value: "screw": supported values: "bolt", "nut"`}},
		{"too long", `{spec: {size: 1, owner: "12345678901"}}`,
			[]string{"spec.owner: Too long: may not be more than 10 bytes"}},
		{"too many", `{spec: {size: 1, tags: [a, b, c, d, e, f]}}`,
			[]string{"spec.tags: Too many: 6: must have at most 5 items"}},
		{"pattern", `{spec: {size: 1, code: ABC}}`,
			[]string{"spec.code: Invalid value: \"ABC\": spec.code in body should match '^[a-z]+$'"}},
		{"set", `{spec: {size: 1, tags: [a, b, a, a]}}`, []string{`spec.tags[2]: Duplicate value: "a"`}},
		{"keyed list", `{spec: {size: 1, parts: [{name: p}, {name: q}, {name: p}]}}`,
			[]string{`spec.parts[2]: Duplicate value: {"name":"p"}`}},
		{"several", `{spec: {size: 0, code: A}}`,
			[]string{"spec.code: Invalid value: \"A\": spec.code in body should match '^[a-z]+$'",
				"spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"}},
		{"wrong types are ignored", `{spec: {size: x, color: 1, tags: {}, parts: 1, code: [A]}}`,
			[]string{`spec.color: Unsupported value: 1: supported values: "red", "green", "blue"`}},
		{"metadata has rules of its own", `{metadata: {ownerReferences: [{}]}, spec: {size: 1}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, texts(s.Validate(nil, parse(t, test.in)))) })
	}
}

func TestValidateOtherRules(t *testing.T) {
	s := derive[struct {
		Text   string            `json:"text,omitempty" api:"minLength=2"`
		List   []any             `json:"list,omitempty" api:"minItems=2,list=set"`
		Map    map[string]string `json:"map,omitempty" api:"minProperties=1,maxProperties=2,values.maxLength=1,values.pattern=a"`
		Rows   [][]int           `json:"rows,omitempty" api:"items.maxItems=2,items.items.max=9"`
		Above  float64           `json:"above,omitempty" api:"min=0.5,exclusiveMin,max=1e3,exclusiveMax"`
		Big    int64             `json:"big,omitempty" api:"max=9007199254740992"`
		Level  int               `json:"level,omitempty" api:"enum=1|2"`
		Even   int64             `json:"even,omitempty" api:"multipleOf=2,max=10"`
		Tenth  float64           `json:"tenth,omitempty" api:"multipleOf=0.1"`
		Object *struct {
			A int `json:"a,omitempty"`
		} `json:"object,omitempty" api:"minProperties=1"`
	}](t)
	for _, test := range []struct{ in, want string }{
		{`{text: a}`, `text: Invalid value: "a": text in body should be at least 2 chars long`},
		{`{even: -4, tenth: 0.3}`, ``},
		{`{even: 0, tenth: -1234567.8}`, ``},
		{`{even: 13}`, `even: Invalid value: 13: even in body should be a multiple of 2; even: Invalid value: 13: even in body should be less than or equal to 10`},
		{`{even: 9223372036854775807}`,
			`even: Invalid value: 9223372036854775807: even in body should be a multiple of 2; even: Invalid value: 9223372036854775807: even in body should be less than or equal to 10`},
		{`{tenth: 0.25}`, `tenth: Invalid value: 0.25: tenth in body should be a multiple of 0.1`},
		{`{tenth: 1e300}`, `tenth: Invalid value: 1e+300: tenth in body should be a multiple of 0.1`},
		{`{list: [1]}`, `list: Invalid value: 1: list in body should have at least 2 items`},
		{`{list: [1, 1.0]}`, `list[1]: Duplicate value: 1`},
		{`{list: [{a: 1, b: [x]}, {b: [x], a: 1e0}]}`, `list[1]: Duplicate value: {"a":1,"b":["x"]}`},
		{`{list: [1, "1", true, null, [1], {a: 1}]}`, ``},
		{`{map: {}}`, `map: Invalid value: 0: map in body should have at least 1 properties`},
		{`{map: {a: a, b: a, c: a}}`, `map: Too many: 3: must have at most 2 items`},
		{`{map: {a: aa}}`, `map.a: Too long: may not be more than 1 byte`},
		{`{map: {a.b/c: b}}`, `map.a.b/c: Invalid value: "b": map.a.b/c in body should match 'a'`},
		{`{rows: [[1], [1, 2, 3]]}`, `rows[1]: Too many: 3: must have at most 2 items`},
		{`{rows: [[1], [1, 10]]}`, `rows[1][1]: Invalid value: 10: rows[1][1] in body should be less than or equal to 9`},
		{`{above: 0.5}`, `above: Invalid value: 0.5: above in body should be greater than 0.5`},
		{`{above: 1000}`, `above: Invalid value: 1000: above in body should be less than 1000`},
		{`{above: 999.9}`, ``},
		{`{big: 9007199254740993}`, `big: Invalid value: 9007199254740993: big in body should be less than or equal to 9007199254740992`},
		{`{level: 3}`, `level: Unsupported value: 3: supported values: "1", "2"`},
		{`{object: {}}`, `object: Invalid value: 0: object in body should have at least 1 properties`},
	} {
		assert.Equal(t, test.want, strings.Join(texts(s.Validate(nil, parse(t, test.in))), "; "), test.in)
	}
}

// The time to check a long list for duplicates must be linear in its length, and the result the same as for a short
// list.
func TestDuplicatesInLongLists(t *testing.T) {
	s := derive[struct {
		Set   []any  `json:"set,omitempty" api:"list=set"`
		Parts []Part `json:"parts,omitempty" api:"list=map,key=name"`
	}](t)
	var set, parts []doc.Value
	for i := range 20_000 {
		set = append(set, doc.OfInt(int64(i)))
		parts = append(parts, doc.Value{}.With("name", doc.OfInt(int64(i))))
	}
	v := doc.Value{}.With("set", doc.ListOf(set...)).With("parts", doc.ListOf(parts...))
	assert.Empty(t, s.Validate(nil, v))

	set[19_999], parts[19_999] = doc.OfNumber("7.0"), parts[7].With("count", doc.OfInt(1))
	assert.Equal(t, []string{`parts[19999]: Duplicate value: {"name":7}`, `set[19999]: Duplicate value: 7`},
		texts(s.Validate(nil, v)))
}

// Whatever the elements are, a short list and a long list give the same result.
func TestShortAndLongListsAgree(t *testing.T) {
	s := derive[struct {
		Set []any `json:"set,omitempty" api:"list=set"`
	}](t)
	elements := []string{`1`, `1.5`, `15e-1`, `2`, `"1"`, `"2"`, `""`, `true`, `false`, `null`, `[]`, `{}`, `[1]`, `[1,2]`,
		`["1"]`, `[[1]]`, `["a","b"]`, `["a,b"]`,
		`{"a":1}`, `{"a":"1"}`, `{"a":1,"b":2}`, `{"b":1}`, `{"a":{"b":1}}`, `["a",1]`, `99999999999999999999`,
		`99999999999999999998`,
		`9223372036854775807`, `9223372036854775806`}
	for _, a := range elements {
		for _, b := range elements {
			pair := []doc.Value{parse(t, a), parse(t, b)}
			short := s.Validate(nil, doc.Value{}.With("set", doc.ListOf(pair...)))
			for i := range 20 {
				pair = append(pair, doc.Of(fmt.Sprint("padding", i)))
			}
			long := s.Validate(nil, doc.Value{}.With("set", doc.ListOf(pair...)))
			assert.Equal(t, texts(short), texts(long), "%s and %s", a, b)
			assert.Equal(t, doc.Equal(pair[0], pair[1]), len(short) == 1, "%s and %s", a, b)
		}
	}
}

func TestErrorsAreBounded(t *testing.T) {
	wrong := make([]doc.Value, 1000)
	for i := range wrong {
		wrong[i] = doc.OfInt(1)
	}
	v := doc.Value{}.WithAt(doc.ListOf(wrong...), "spec", "steps")
	assert.Len(t, widget(t).CheckTypes(nil, v), 100)

	s := derive[struct {
		A []string `json:"a,omitempty" api:"items.enum=x"`
		B []string `json:"b,omitempty" api:"items.pattern=x"`
		C []any    `json:"c,omitempty" api:"list=set"`
		D []Part   `json:"d,omitempty"`
	}](t)
	for i := range wrong {
		wrong[i] = doc.Of("a")
	}
	twice := make([]doc.Value, 1000)
	for i := range twice {
		twice[i] = doc.OfInt(int64(i / 2))
	}
	parts := make([]doc.Value, 1000)
	for i := range parts {
		parts[i] = doc.MapOf()
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		list := wrong
		switch name {
		case "c":
			list = twice
		case "d":
			list = parts
		}
		assert.Len(t, s.Validate(nil, doc.Value{}.With(name, doc.ListOf(list...))), 100, name)
	}
}

func TestPathsBeginWhereTheWalkDoes(t *testing.T) {
	s := widget(t).Member("spec")
	at := status.NewPath("items").Index(3).Child("spec")
	v := parse(t, `{size: x, parts: [{}]}`)
	assert.Equal(t, []string{`items[3].spec.size: Invalid value: "string": size in body must be of type integer: "string"`}, texts(s.CheckTypes(at, v)))
	assert.Equal(t, []string{"items[3].spec.parts[0].name: Required value"}, texts(s.Validate(at, v)))
	assert.Equal(t, []string{`items[3].spec: Invalid value: "": Checked value must be of type integer with format int32 in size`},
		texts(s.CheckTypes(at, parse(t, `{size: 2147483648}`))))
	assert.Equal(t, []string{`items[3].spec: Invalid value: "array":  in body must be of type object: "array"`},
		texts(s.CheckTypes(at, parse(t, `[]`))))
}

func TestFaultsOfOneValueStandTogether(t *testing.T) {
	type element struct {
		Name  string `json:"name"`
		Limit int32  `json:"limit"`
		Age   int32  `json:"age"`
	}
	s := derive[struct {
		Color string    `json:"color,omitempty" api:"enum=red|green"`
		Count int32     `json:"count,omitempty" api:"min=3,enum=4"`
		Date  string    `json:"date,omitempty" api:"minLength=2,format=date"`
		List  []element `json:"list,omitempty" api:"list=map,key=name,maxItems=1"`
	}](t)
	for _, test := range []struct {
		in   string
		want []string
	}{
		{`{color: 1, count: x}`, []string{`color: Invalid value: "integer": color in body must be of type string: "integer"`,
			`color: Unsupported value: 1: supported values: "red", "green"`,
			`count: Invalid value: "string": count in body must be of type integer: "string"`,
			`count: Unsupported value: "x": supported values: "4"`}},
		{`{count: 1.5}`, []string{`count: Invalid value: "float64": count in body must be of type int32: "float64"`,
			`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in count`,
			`count: Invalid value: 1.5: count in body should be greater than or equal to 3`,
			`count: Unsupported value: 1.5: supported values: "4"`}},
		{`{date: x}`, []string{`date: Invalid value: "x": date in body should be at least 2 chars long`,
			`date: Invalid value: "x": date in body must be of type date: "x"`}},
		{`{list: [{name: 1}, {name: 1}]}`,
			[]string{`list[0].name: Invalid value: "integer": list[0].name in body must be of type string: "integer"`,
				"list[0].limit: Required value", "list[0].age: Required value",
				`list[1].name: Invalid value: "integer": list[1].name in body must be of type string: "integer"`,
				"list[1].limit: Required value",
				"list[1].age: Required value",
				"list: Too many: 2: must have at most 1 item"}},
	} {
		v := parse(t, test.in)
		assert.Equal(t, test.want, texts(s.CheckTypesAndRules(nil, v, doc.Value{})), test.in)
		assert.Equal(t, texts(s.CheckTypes(nil, v)), texts(s.CheckTypesAndRules(nil, v, v)),
			"the rules accept an unchanged violation: %s", test.in)
	}
}

func TestRepetitionsOfBeforeExcuseAll(t *testing.T) {
	s := derive[struct {
		A []string `json:"a,omitempty" api:"list=set"`
		B []string `json:"b,omitempty" api:"list=set"`
	}](t)
	next := parse(t, `{a: [x, x], b: [y, y]}`)
	assert.Len(t, s.CheckRepeats(nil, next, parse(t, `{a: [x]}`)), 2)
	assert.Empty(t, s.CheckRepeats(nil, next, parse(t, `{b: [z, z]}`)))
}

func TestImmutableFields(t *testing.T) {
	type item struct {
		Name  string `json:"name"`
		Fixed string `json:"fixed,omitempty" api:"immutable"`
	}
	s := derive[struct {
		Fixed  string           `json:"fixed,omitempty" api:"immutable"`
		Free   string           `json:"free,omitempty"`
		Whole  map[string]int   `json:"whole,omitempty" api:"immutable"`
		Struct *item            `json:"struct,omitempty"`
		Keyed  []item           `json:"keyed,omitempty" api:"list=map,key=name"`
		Atomic []item           `json:"atomic,omitempty"`
		Map    map[string]*item `json:"map,omitempty"`
		Nested *node            `json:"nested,omitempty"`
	}](t)
	for _, test := range []struct{ name, old, next, want string }{
		{"same", `{fixed: a, free: x, whole: {a: 1}}`, `{fixed: a, free: y, whole: {a: 1.0}}`, ``},
		{"changed", `{fixed: a}`, `{fixed: b}`, `fixed: Invalid value: "b": field is immutable`},
		{"removed", `{fixed: a}`, `{}`, `fixed: Invalid value: null: field is immutable`},
		{"added", `{}`, `{fixed: b}`, `fixed: Invalid value: "b": field is immutable`},
		{"within", `{whole: {a: 1}}`, `{whole: {a: 2}}`, `whole: Invalid value: {"a":2}: field is immutable`},
		{"struct", `{struct: {name: x, fixed: a}}`, `{struct: {name: x, fixed: b}}`,
			`struct.fixed: Invalid value: "b": field is immutable`},
		{"struct comes", `{}`, `{struct: {name: x, fixed: b}}`, `struct.fixed: Invalid value: "b": field is immutable`},
		{"struct goes", `{struct: {fixed: b}}`, `{}`, `struct.fixed: Invalid value: null: field is immutable`},
		{"element by key", `{keyed: [{name: x, fixed: a}, {name: y, fixed: b}]}`,
			`{keyed: [{name: y, fixed: c}, {name: x, fixed: a}]}`, `keyed[0].fixed: Invalid value: "c": field is immutable`},
		{"element added and removed", `{keyed: [{name: x, fixed: a}]}`, `{keyed: [{name: z, fixed: c}]}`, ``},
		{"atomic list", `{atomic: [{name: x, fixed: a}]}`, `{atomic: [{name: x, fixed: c}]}`, ``},
		{"map", `{map: {a: {name: x, fixed: a}, b: {fixed: a}}}`, `{map: {a: {name: x, fixed: b}, c: {name: x, fixed: c}}}`,
			`map.a.fixed: Invalid value: "b": field is immutable`},
		{"nothing immutable below", `{nested: {name: a}}`, `{nested: {name: b}}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, strings.Join(texts(checkUpdate(s, parse(t, test.next), parse(t, test.old))), "; "))
		})
	}
}

// A document may be as deep as the decoder allows.
func TestDeepDocuments(t *testing.T) {
	v := doc.MapOf(doc.Member{Key: "bogus", Value: doc.OfInt(1)})
	for range doc.MaxDepth - 1 {
		v = doc.MapOf(doc.Member{Key: "next", Value: v})
	}
	s := derive[node](t)
	pruned, unknown := s.Prune(v)
	assert.Len(t, unknown, 1)
	assert.Equal(t, strings.Repeat("next.", doc.MaxDepth-1)+"bogus", unknown[0])
	assert.Len(t, s.Validate(nil, s.Default(pruned)), 2, "the deepest are reported first, and their paths are long")
	assert.Empty(t, s.CheckTypes(nil, pruned))
	assert.Empty(t, checkUpdate(s, pruned, s.Default(pruned)), "unchanged")
	assert.Len(t, checkUpdate(s, pruned, v), 2, "the comparison ends at a certain depth")
}
