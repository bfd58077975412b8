package oracle

import (
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// The tests of this file compare schemas that come from OpenAPI. Those of schemawalks_test.go compare schemas of Go
// types.

type object = map[string]any

// openKind is a kind with a random OpenAPI schema, for both sides.
type openKind struct {
	source     object // the schema of the field spec
	ours       *schema.Schema
	props      *apiextensions.JSONSchemaProps
	structural *structuralschema.Structural
}

func randomOpenKind(t *testing.T, r *rand.Rand) openKind {
	source := randomOpen(r, 3)
	return newOpenKind(t, source)
}

func newOpenKind(t *testing.T, spec object) openKind {
	data, err := utiljson.Marshal(object{"type": "object", "properties": object{"spec": spec}})
	require.NoError(t, err)
	k := openKind{source: spec, props: &apiextensions.JSONSchemaProps{}}
	var v1 apiextensionsv1.JSONSchemaProps
	require.NoError(t, utiljson.Unmarshal(data, &v1))
	require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, k.props, nil))
	k.structural, err = structuralschema.NewStructural(k.props)
	require.NoError(t, err)
	require.NoError(t, defaulting.PruneDefaults(k.structural))
	k.ours, err = schema.ReadOpenAPI(data)
	require.NoError(t, err, "%s", data)
	return k
}

// randomOpen returns a structural schema that is nested at most depth levels.
func randomOpen(r *rand.Rand, depth int) object {
	types := []string{"string", "string", "integer", "number", "boolean", "any", "intOrString"}
	if depth > 0 {
		types = append(types, "object", "object", "object", "array", "array", "map", "preserving")
	}
	s := object{"type": pickText(r, types...)}
	switch s["type"] {
	case "any":
		delete(s, "type")
		s["x-kubernetes-preserve-unknown-fields"] = true
	case "intOrString":
		delete(s, "type")
		s["x-kubernetes-int-or-string"] = true
		if oneIn(r, 2) {
			s["anyOf"] = []any{object{"type": "integer"}, object{"type": "string"}}
		}
	case "map":
		s["type"] = "object"
		switch r.Intn(6) {
		case 0:
			s["additionalProperties"] = oneIn(r, 2)
			if oneIn(r, 2) {
				s["properties"] = randomProperties(r, depth)
			}
		default:
			s["additionalProperties"] = randomOpen(r, depth-1)
		}
	case "preserving":
		s["type"], s["x-kubernetes-preserve-unknown-fields"] = "object", true
		if oneIn(r, 2) {
			s["properties"] = randomProperties(r, depth)
		}
	case "object":
		s["properties"] = randomProperties(r, depth)
	case "array":
		s["items"] = randomOpen(r, depth-1)
		if oneIn(r, 6) {
			s["x-kubernetes-preserve-unknown-fields"] = true
		}
		randomListType(r, s)
	}
	if s["type"] != nil && oneIn(r, 6) {
		s["nullable"] = true
	}
	randomRules(r, s, 2)
	if text, ok := map[string]any{"string": "a", "integer": int64(2), "number": 2.5, "boolean": true, "object": object{},
		"array": []any{}}[kindOf(s)]; ok && oneIn(r, 4) {
		s["default"] = text
		if kindOf(s) == "object" && oneIn(r, 2) {
			s["default"] = object{"a": int64(1), "unknown": "x"}
		}
	}
	return s
}

func kindOf(s object) string {
	kind, _ := s["type"].(string)
	return kind
}

func randomProperties(r *rand.Rand, depth int) object {
	properties := object{}
	for _, name := range []string{"a", "b", "c", "d"}[:1+r.Intn(4)] {
		properties[name] = randomOpen(r, depth-1)
	}
	return properties
}

func randomListType(r *rand.Rand, s object) {
	items := s["items"].(object)
	switch {
	case oneIn(r, 2):
	case kindOf(items) != "object" && kindOf(items) != "array":
		s["x-kubernetes-list-type"] = "set"
	default:
		properties, _ := items["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if p := properties[name].(object); slices.Contains([]string{"string", "integer", "boolean"}, kindOf(p)) {
				delete(p, "nullable")
				s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{name}
				if oneIn(r, 2) {
					items["required"] = []any{name}
				}
				return
			}
		}
	}
}

// randomRules adds value validations that fit the structure of s, with alternatives at most depth levels deep.
func randomRules(r *rand.Rand, s object, depth int) {
	for range r.Intn(3) {
		randomRule(r, s, s)
	}
	if depth == 0 {
		return
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if s[key] == nil && oneIn(r, 7) {
			var all []any
			for range 1 + r.Intn(3) {
				all = append(all, randomAlternative(r, s, depth-1))
			}
			s[key] = all
		}
	}
	if oneIn(r, 12) {
		s["not"] = randomAlternative(r, s, depth-1)
	}
}

// randomAlternative returns validations for values of the structure s.
func randomAlternative(r *rand.Rand, s object, depth int) object {
	out := object{}
	for range 1 + r.Intn(2) {
		randomRule(r, out, s)
	}
	if properties, ok := s["properties"].(object); ok {
		below := object{}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if oneIn(r, 2) {
				below[name] = randomAlternative(r, properties[name].(object), depth)
			}
		}
		if len(below) > 0 {
			out["properties"] = below
		}
	}
	if items, ok := s["items"].(object); ok && oneIn(r, 2) {
		out["items"] = randomAlternative(r, items, depth)
	}
	if depth > 0 {
		randomRules(r, out, depth-1)
	}
	return out
}

// randomRule adds one validation that fits values of the structure of.
func randomRule(r *rand.Rand, s, of object) {
	n := int64(r.Intn(4))
	switch kindOf(of) {
	case "string":
		switch r.Intn(5) {
		case 0:
			s["minLength"] = n
		case 1:
			s["maxLength"] = n
		case 2:
			s["pattern"] = pickText(r, "^[a-z]+$", "b", "^x?$")
		case 3:
			s["enum"] = []any{"a", "b", ""}[:1+r.Intn(3)]
		case 4:
			s["format"] = pickText(r, "date-time", "date", "uuid", "ipv4", "hostname", "byte", "password", "int32", "nonsense",
				"k8s-short-name")
		}
	case "integer", "number":
		bound := []any{int64(0), int64(2), 0.5, 2.5, int64(1 << 40)}[r.Intn(5)]
		switch r.Intn(6) {
		case 0:
			s["minimum"] = bound
			s["exclusiveMinimum"] = oneIn(r, 2)
		case 1:
			s["maximum"] = bound
			s["exclusiveMaximum"] = oneIn(r, 2)
		case 2:
			s["multipleOf"] = []any{int64(1), int64(2), 0.5, 1.5}[r.Intn(4)]
		case 3:
			s["enum"] = []any{int64(1), int64(2), 2.5}[:1+r.Intn(3)]
		default:
			s["format"] = pickText(r, "int32", "int64", "float", "double", "date")
		}
	case "array":
		switch r.Intn(2) {
		case 0:
			s["minItems"] = n
		case 1:
			s["maxItems"] = n
		}
	case "object":
		switch r.Intn(4) {
		case 0:
			s["minProperties"] = n
		case 1:
			s["maxProperties"] = n
		default:
			s["required"] = []any{pickText(r, "a", "b", "c", "k")}
		}
	default:
		s["enum"] = []any{"a", int64(1), "A"}[:1+r.Intn(3)]
	}
}

// randomOpenValue returns what a client might send: mostly of the structure, mostly within the rules.
func randomOpenValue(r *rand.Rand, s object) any {
	if oneIn(r, 14) {
		for {
			v := anything(r)
			if _, isList := v.([]any); !isList { // upstream accepts any list as a text of a format
				return v
			}
		}
	}
	switch kindOf(s) {
	case "string":
		return pickText(r, "a", "b", "", "abc", "xyzzy", "é", "2024-01-02", "2024-01-02T03:04:05Z", "1.2.3.4", "AAAA",
			"0b5bff6d-1b1a-4a0e-9a3c-3f1f3cbb1f7a")
	case "integer":
		return []any{int64(0), int64(1), int64(2), int64(3), int64(-1), 2.5, int64(1) << 40}[r.Intn(7)]
	case "number":
		return []any{int64(0), int64(1), 2.5, 3.5, int64(4), -0.5, 1e40}[r.Intn(7)]
	case "boolean":
		return oneIn(r, 2)
	case "array":
		list := []any{}
		for range r.Intn(4) {
			list = append(list, randomOpenValue(r, s["items"].(object)))
		}
		return list
	case "object":
		m := object{}
		properties, _ := s["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !oneIn(r, 4) {
				m[name] = randomOpenValue(r, properties[name].(object))
			}
		}
		for range r.Intn(3) {
			name := pickText(r, "k", "l", "a.b/c", "unknown")
			if values, ok := s["additionalProperties"].(object); ok {
				m[name] = randomOpenValue(r, values)
			} else {
				m[name] = anything(r)
			}
		}
		return m
	}
	return []any{"a", "A", "text", int64(65), int64(7), 7.5, true, []any{int64(1)},
		object{"a": object{"b": int64(1)}}}[r.Intn(9)]
}

// openSent is an object of such a kind in both forms.
type openSent struct {
	openKind
	theirs object
	given  doc.Value
}

func (k openKind) send(t *testing.T, spec any) openSent {
	v := plainValue(t, object{"spec": spec}).(object)
	return openSent{k, v, document(t, v)}
}

func (s openSent) say() string {
	source, _ := utiljson.Marshal(s.source)
	return string(codec.AppendJSON(nil, s.given)) + "\n" + string(source)
}

func (s openSent) same(t *testing.T, ours doc.Value) {
	data, err := utiljson.Marshal(s.theirs)
	require.NoError(t, err)
	requireSame(t, data, codec.AppendJSON(nil, ours), "%s", s.say())
}

// prepare prunes and defaults an object on both sides.
func (s openSent) prepare() doc.Value {
	pruning.Prune(s.theirs, s.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(s.theirs, s.structural)
	defaulting.Default(s.theirs, s.structural)
	v, _ := s.ours.Prune(s.given)
	return s.ours.Default(v)
}

func checkOpenPruning(t *testing.T, r round) {
	k := randomOpenKind(t, r.Rand)
	s := k.send(t, randomOpenValue(r.Rand, k.source))
	want := pruning.PruneWithOptions(s.theirs, s.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	pruned, unknown := s.ours.Prune(s.given)
	slices.Sort(unknown)
	require.Equal(t, strings.Join(want, "\n"), strings.Join(unknown, "\n"), "%s", s.say())
	s.same(t, pruned)
}

func checkOpenDefaulting(t *testing.T, r round) {
	k := randomOpenKind(t, r.Rand)
	s := k.send(t, randomOpenValue(r.Rand, k.source))
	ours := s.prepare()
	s.same(t, ours)
	require.True(t, doc.Equal(ours, s.ours.Default(ours)), "%s", s.say())
}

// isBounded reports whether we may have left out errors, because one walk reports at most a hundred, and one
// alternative as well.
func isBounded(errs status.FieldErrors) bool { return len(errs) >= 50 }

// checkOpenValidation reports whether the object of the round is refused.
func checkOpenValidation(t *testing.T, r round) (refused bool) {
	k := randomOpenKind(t, r.Rand)
	s := k.send(t, randomOpenValue(r.Rand, k.source))
	v := s.prepare()
	validator, _, err := validation.NewSchemaValidator(s.props)
	require.NoError(t, err)
	want := validation.ValidateCustomResource(nil, s.theirs, validator)
	want = append(want, listtype.ValidateListSetsAndMaps(nil, s.structural, s.theirs)...)
	got := s.ours.Validate(nil, v)
	if !isBounded(got) {
		require.Equal(t, theirTexts(want), ourTexts(got), "%s", s.say())
		for _, err := range s.ours.CheckTypes(nil, v) { // the types alone are a part of the whole
			require.Contains(t, ourTexts(got), ourTexts(status.FieldErrors{err}), "%s", s.say())
		}
	}
	return len(want) > 0
}

// checkOpenRatcheting reports whether the update of the round is refused, and whether it would be as a new object.
func checkOpenRatcheting(t *testing.T, r round) (refused, invalid bool) {
	k := randomOpenKind(t, r.Rand)
	before := randomOpenValue(r.Rand, k.source)
	after := plainValue(t, before)
	if b, isMap := after.(object); isMap {
		if other, ok := randomOpenValue(r.Rand, k.source).(object); ok {
			for key := range other {
				if oneIn(r.Rand, 2) {
					delete(other, key)
				}
			}
			mix(b, other, r)
		}
	}
	old, s := k.send(t, before), k.send(t, after)
	was, now := old.prepare(), s.prepare()
	validator, _, err := validation.NewSchemaValidator(s.props)
	require.NoError(t, err)
	correlated := common.NewCorrelatedObject(s.theirs, old.theirs, &model.Structural{Structural: s.structural})
	want := validation.ValidateCustomResourceUpdate(nil, s.theirs, old.theirs, validator,
		validation.WithRatcheting(correlated))
	if len(listtype.ValidateListSetsAndMaps(nil, s.structural, old.theirs)) == 0 {
		want = append(want, listtype.ValidateListSetsAndMaps(nil, s.structural, s.theirs)...)
	}
	got := slices.Concat(s.ours.CheckRules(nil, now, was), s.ours.CheckRepeats(nil, now, was))
	if !isBounded(got) {
		require.Equal(t, theirTexts(want), ourTexts(got), "%s\nbefore: %s", s.say(), codec.AppendJSON(nil, was))
	}
	return len(want) > 0, len(s.ours.Validate(nil, now)) > 0
}

// Both sides read the same schema in the same way: they prune, default and validate alike.
func TestSchemasFromOpenAPI(t *testing.T) {
	t.Parallel()
	rounds(t, 1000, checkOpenPruning)
	rounds(t, 1000, checkOpenDefaulting)
	counts := map[string]int{}
	enough := rounds(t, 3000, func(t *testing.T, r round) {
		if checkOpenValidation(t, r) {
			counts["new"]++
		}
	})
	enough = rounds(t, 3000, func(t *testing.T, r round) {
		switch refused, invalid := checkOpenRatcheting(t, r); {
		case refused:
			counts["changed"]++
		case invalid:
			counts["kept"]++
		}
	}) && enough
	if enough {
		require.Greater(t, counts["new"], 500)
		require.Greater(t, counts["changed"], 300)
		require.Greater(t, counts["kept"], 50)
	}
}

// A list that preserves unknown fields preserves them in its elements too, and in the defaults of its elements, as deep
// as only lists surround them.
func TestDefaultsOfElements(t *testing.T) {
	elements := func() object {
		return object{"type": "object", "default": object{"a": int64(1), "unknown": "x"},
			"properties": object{"a": object{"type": "integer"}}}
	}
	list := func(items object) object { return object{"type": "array", "items": items} }
	preserving := func(s object) object {
		s["x-kubernetes-preserve-unknown-fields"] = true
		return s
	}
	for _, c := range []struct {
		name string
		spec object
		sent any
		want string
	}{
		{"a list", list(elements()), []any{nil}, `[{"a":1}]`},
		{"a preserving list", preserving(list(elements())), []any{nil, object{"b": int64(2)}},
			`[{"a":1,"unknown":"x"},{"b":2}]`},
		{"preserving elements", list(preserving(elements())), []any{nil}, `[{"a":1,"unknown":"x"}]`},
		{"a list in a preserving list", preserving(list(list(elements()))), []any{[]any{nil}}, `[[{"a":1,"unknown":"x"}]]`},
		{"an object in a preserving list", preserving(list(object{"type": "object", "properties": object{"c": elements()}})),
			[]any{object{}}, `[{"c":{"a":1}}]`},
		{"values of a map in a preserving list",
			preserving(list(object{"type": "object", "additionalProperties": list(elements())})), []any{object{"k": []any{nil}}},
			`[{"k":[{"a":1}]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newOpenKind(t, c.spec).send(t, c.sent)
			ours := s.prepare()
			s.same(t, ours)
			require.Equal(t, c.want, string(codec.AppendJSON(nil, ours.Get("spec"))))
		})
	}
}

// FuzzOpenAPI generates OpenAPI schemas and objects from a seed and runs all comparisons above.
func FuzzOpenAPI(f *testing.F) {
	fuzzSeeds(f, func(t *testing.T, again func() round) {
		checkOpenPruning(t, again())
		checkOpenDefaulting(t, again())
		checkOpenValidation(t, again())
		checkOpenRatcheting(t, again())
	})
}
