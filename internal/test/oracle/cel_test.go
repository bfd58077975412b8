package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// ruled is the kind whose rules are compared.
type ruled struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               ruledSpec `json:"spec,omitzero"`
}

type ruledSpec struct {
	Min     int64             `json:"min,omitempty"`
	Max     int64             `json:"max,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	Name    string            `json:"name,omitempty"`
	On      bool              `json:"on,omitempty"`
	Since   *time.Time        `json:"since,omitempty"`
	Data    []byte            `json:"data,omitempty"`
	Port    json.RawMessage   `json:"port,omitempty" api:"intOrString"`
	Tags    []string          `json:"tags,omitempty" api:"list=set"`
	Steps   []string          `json:"steps,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Parts   []ruledPart       `json:"parts,omitempty" api:"list=map,key=name"`
	Dash    string            `json:"with-dash,omitempty"`
	In      string            `json:"in,omitempty"`
	Space   string            `json:"namespace,omitempty"`
	Numbers []int64           `json:"numbers,omitempty"`
}

// usualBounds makes the rules of most tests cheap enough. The tests of costs set bounds of their own.
var usualBounds = map[string]string{
	"ruledSpec.name": "maxLength=50", "ruledSpec.with-dash": "maxLength=50", "ruledSpec.in": "maxLength=50",
	"ruledSpec.namespace": "maxLength=50", "ruledSpec.tags": "maxItems=50,items.maxLength=50",
	"ruledSpec.steps": "maxItems=50,items.maxLength=50", "ruledSpec.labels": "maxProperties=50,values.maxLength=50",
	"ruledSpec.parts": "maxItems=50", "ruledSpec.numbers": "maxItems=50",
}

type ruledPart struct {
	Name  string      `json:"name" api:"maxLength=50"`
	Count int64       `json:"count,omitempty"`
	Notes []ruledNote `json:"notes,omitempty" api:"maxItems=5"`
}

// ruledNote is the element of a list without keys.
type ruledNote struct {
	Word string `json:"word,omitempty" api:"maxLength=50"`
	Rank int64  `json:"rank,omitempty"`
}

// ruledProps returns the schema of the same kind in a custom resource definition.
func ruledProps(rules map[string]apiextensions.ValidationRule) apiextensions.JSONSchemaProps {
	set, byKey := "set", "map"
	of := func(place, typ string) apiextensions.JSONSchemaProps {
		p := apiextensions.JSONSchemaProps{Type: typ}
		if r, ok := rules[place]; ok {
			p.XValidations = apiextensions.ValidationRules{r}
		}
		return p
	}
	list := func(place string, items apiextensions.JSONSchemaProps) apiextensions.JSONSchemaProps {
		p := of(place, "array")
		p.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: &items}
		return p
	}
	part := of("ruledPart", "object")
	part.Required = []string{"name"}
	name, most := of("ruledPart.name", "string"), int64(50)
	name.MaxLength = &most
	part.Properties = map[string]apiextensions.JSONSchemaProps{"name": name, "count": of("ruledPart.count", "integer")}
	word := of("ruledNote.word", "string")
	word.MaxLength = &most
	note := of("ruledNote", "object")
	note.Properties = map[string]apiextensions.JSONSchemaProps{"word": word, "rank": of("ruledNote.rank", "integer")}
	notes, mostNotes := list("ruledPart.notes", note), int64(5)
	notes.MaxItems = &mostNotes
	part.Properties["notes"] = notes
	parts := list("ruledSpec.parts", part)
	parts.XListType, parts.XListMapKeys = &byKey, []string{"name"}
	tags := list("ruledSpec.tags", of("", "string"))
	tags.XListType = &set
	since, data := of("ruledSpec.since", "string"), of("ruledSpec.data", "string")
	since.Format, data.Format = "date-time", "byte"
	port := of("ruledSpec.port", "")
	port.XIntOrString = true
	labels := of("ruledSpec.labels", "object")
	values := of("", "string")
	labels.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: &values}
	spec := of("ruledSpec", "object")
	spec.Properties = map[string]apiextensions.JSONSchemaProps{
		"min": of("ruledSpec.min", "integer"), "max": of("ruledSpec.max", "integer"),
		"ratio": of("ruledSpec.ratio", "number"),
		"name":  of("ruledSpec.name", "string"), "on": of("ruledSpec.on", "boolean"), "since": since, "data": data,
		"port": port,
		"tags": tags, "steps": list("ruledSpec.steps", of("", "string")), "labels": labels, "parts": parts,
		"with-dash": of("ruledSpec.with-dash", "string"), "in": of("ruledSpec.in", "string"),
		"namespace": of("ruledSpec.namespace", "string"),
		"numbers":   list("ruledSpec.numbers", of("", "integer")),
	}
	root := of("ruled", "object")
	root.Properties = map[string]apiextensions.JSONSchemaProps{
		"apiVersion": of("", "string"), "kind": of("", "string"), "metadata": {Type: "object"}, "spec": spec,
	}
	return root
}

// expressions returns conditions on places. Most of them hold for some objects and not for others.
func expressions() map[string][]string {
	return map[string][]string{
		"ruled": {"self.metadata.name == 'a'", "has(self.spec) && self.kind == 'x'", "has(oldSelf.spec)",
			"!has(self.metadata.generateName)"},
		"ruledSpec": {
			"self.min < self.max", "!has(self.min) || !has(self.max) || self.min <= self.max",
			"has(self.name) && self.name.startsWith('a')",
			"!has(self.ratio) || self.ratio > 1", "!has(self.ratio) || self.ratio == 1.0 || self.ratio < 2",
			"has(self.on) ? self.on : true",
			"!has(self.since) || self.since > timestamp('2020-01-01T00:00:00Z')",
			"!has(self.since) || self.since.getFullYear() == 2021",
			"!has(self.data) || self.data == b'hi'",
			"!has(self.port) || type(self.port) == int", "!has(self.port) || self.port == 1",
			"!has(self.port) || self.port.startsWith('a')",
			"!has(self.port) || self.port < 2",
			"!has(self.tags) || self.tags == ['a', 'b']", "!has(self.tags) || size(self.tags + ['a']) == size(self.tags)",
			"!has(self.tags) || 'a' in self.tags",
			"!has(self.steps) || self.steps == ['a', 'b']", "!has(self.steps) || self.steps.isSorted()",
			"!has(self.steps) || self.steps[1] == 'a'",
			"!has(self.steps) || self.steps.indexOf('b') == self.steps.lastIndexOf('b')",
			"!has(self.labels) || self.labels.all(k, self.labels[k] == 'a')", "!has(self.labels) || self.labels['a'] == 'a'",
			"!has(self.labels) || self.labels.all(k, v, k == v)",
			"!has(self.parts) || self.parts.all(p, has(p.count) && p.count > 0)",
			"!has(self.parts) || self.parts.map(p, p.?count.orValue(0)).isSorted()",
			"!has(self.parts) || size(self.parts + self.parts) == size(self.parts)",
			"!has(self.parts) || self.parts.exists_one(p, p.name == 'a')",
			"has(self.with__dash__dash)", "!has(self.__in__) || self.__in__ == 'a'",
			"!has(self.namespace) || self.namespace == self.__namespace__",
			"!has(self.namespace) || self.namespace.startsWith('a')", "!has(self.numbers) || self.numbers.sum() > 2",
			"!has(self.numbers) || self.numbers.min() == self.numbers.max()",
			"!has(self.numbers) || self.numbers.max() < 3", "!has(self.numbers) || self.numbers[0] / self.numbers[0] == 1",
			"!has(self.name) || self.name.find('[a-b]+') == self.name",
			"!has(self.name) || self.name.findAll('[a-b]').size() == self.name.size()",
			"!has(self.name) || isURL('https://' + self.name)",
			"!has(self.name) || url('/' + self.name).getEscapedPath() == '/a'",
			"self == oldSelf", "has(self.min) == has(oldSelf.min)",
			"!has(oldSelf.parts) || !has(self.parts) || self.parts == oldSelf.parts",
			"!has(oldSelf.tags) || !has(self.tags) || self.tags == oldSelf.tags",
			"self.?name.orValue('a') == 'a'", "!has(self.name) || '%s'.format([self.name]) == 'a'",
			"!has(self.tags) || sets.contains(['a', 'b', 'c'], self.tags)",
			"!has(self.numbers) || self.numbers.sort() == self.numbers",
			"!has(self.steps) || self.steps.includes('a')", "!has(self.name) || self.name.includes('a')",
		},
		"ruledSpec.min":       {"self < 2", "self == oldSelf", "self >= oldSelf"},
		"ruledSpec.name":      {"self.size() < 2", "self == oldSelf", "self.matches('^a')"},
		"ruledSpec.ratio":     {"self < 2", "self > 1.5"},
		"ruledSpec.on":        {"self"},
		"ruledSpec.since":     {"self.getFullYear() == 2021"},
		"ruledSpec.data":      {"self.size() == 2"},
		"ruledSpec.tags":      {"self.size() < 2", "oldSelf.all(t, t in self)", "self == oldSelf"},
		"ruledSpec.steps":     {"self.size() < 2", "self == oldSelf", "self.size() >= oldSelf.size()"},
		"ruledSpec.labels":    {"self.size() < 2", "oldSelf.all(k, k in self)"},
		"ruledSpec.parts":     {"self.size() < 2", "self == oldSelf", "oldSelf.all(o, self.exists(s, s.name == o.name))"},
		"ruledPart":           {"has(self.count)", "self == oldSelf", "self.name != 'b'"},
		"ruledPart.count":     {"self < 2", "self >= oldSelf"},
		"ruledPart.notes":     {"self.size() < 2", "self == oldSelf"},
		"ruledNote":           {"has(self.word)", "self.?rank.orValue(0) < 2"},
		"ruledNote.word":      {"self == 'a'", "self < 'b'"},
		"ruledNote.rank":      {"self == 1"},
		"ruledSpec.with-dash": {"self == 'a'"},
	}
}

// randomRuled returns a random object of the kind.
func randomRuled(r *rand.Rand) map[string]any {
	spec := map[string]any{}
	put := func(name string, value any) {
		if !oneIn(r, 3) {
			spec[name] = value
		}
	}
	word := func() string { return pickText(r, "a", "b", "ab", "c") }
	words := func() []any {
		var all []any
		for _, w := range r.Perm(4)[:r.Intn(3)] {
			all = append(all, []string{"a", "b", "ab", "c"}[w])
		}
		return append([]any{}, all...)
	}
	put("min", int64(r.Intn(4)))
	put("max", int64(r.Intn(4)))
	put("ratio", []float64{0.5, 1, 1.75, 3}[r.Intn(4)])
	put("name", word())
	put("on", oneIn(r, 2))
	put("since", pickText(r, "2019-01-02T03:04:05Z", "2021-01-02T03:04:05Z", "2021-12-31T23:59:59.5+01:00"))
	put("data", pickText(r, "aGk=", "aGV5"))
	put("port", []any{int64(1), int64(5), "a", "b"}[r.Intn(4)])
	put("tags", words())
	put("steps", words())
	labels := map[string]any{}
	for range r.Intn(3) {
		labels[word()] = word()
	}
	put("labels", labels)
	var parts []any
	for _, w := range words() {
		part := map[string]any{"name": w}
		if !oneIn(r, 3) {
			part["count"] = int64(r.Intn(4))
		}
		if oneIn(r, 2) {
			var notes []any
			for range r.Intn(3) {
				notes = append(notes, map[string]any{"word": word(), "rank": int64(r.Intn(3))})
			}
			part["notes"] = append([]any{}, notes...)
		}
		parts = append(parts, part)
	}
	put("parts", append([]any{}, parts...))
	put("with-dash", word())
	put("in", word())
	put("namespace", word())
	numbers := []any{}
	for range r.Intn(4) {
		numbers = append(numbers, int64(r.Intn(3)))
	}
	put("numbers", numbers)
	return map[string]any{"apiVersion": "example.com/v1", "kind": "ruled", "metadata": map[string]any{"name": word()},
		"spec": spec}
}

// changed returns an object with some members of another one.
func changed(r *rand.Rand, from, to map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range from {
		out[k] = v
	}
	spec := map[string]any{}
	for k, v := range from["spec"].(map[string]any) {
		spec[k] = v
	}
	for k, v := range to["spec"].(map[string]any) {
		if oneIn(r, 3) {
			spec[k] = v
		}
	}
	if parts, ok := spec["parts"].([]any); ok && oneIn(r, 2) { // their order does not count
		parts = slices.Clone(parts)
		slices.Reverse(parts)
		spec["parts"] = parts
	}
	out["spec"] = spec
	return out
}

// setOf returns the rules as package rest gets them.
func setOf(declared cel.Rules) rules.Set { return rules.SetOf(cel.New(declared)) }

func compileBoth(t *testing.T,
	rules map[string]apiextensions.ValidationRule) (rules.Checker, *upstreamcel.Validator, *structuralschema.Structural) {
	t.Helper()
	props := ruledProps(rules)
	structural, err := structuralschema.NewStructural(&props)
	require.NoError(t, err)
	theirs := upstreamcel.NewValidator(structural, true, celconfig.PerCallLimit)
	declared := cel.Rules{}
	for place, r := range rules {
		rule := cel.Rule{Rule: r.Rule, Message: r.Message, MessageExpression: r.MessageExpression, FieldPath: r.FieldPath,
			OptionalOldSelf: r.OptionalOldSelf != nil && *r.OptionalOldSelf}
		if r.Reason != nil {
			rule.Reason = status.CauseType(*r.Reason)
		}
		declared[place] = append(declared[place], rule)
	}
	set := setOf(declared)
	s, err := schema.Derive(reflect.TypeFor[ruled](), schema.Options{Rules: set.Declared(), Overlay: usualBounds})
	require.NoError(t, err)
	ours, err := set.Language().Compile(s)
	require.NoError(t, err, "%v", rules)
	return ours, theirs, structural
}

// compareRules checks objects with both sides and compares the results.
func compareRules(t *testing.T, rules map[string]apiextensions.ValidationRule, rounds int, r *rand.Rand) (faults int) {
	t.Helper()
	ours, theirs, structural := compileBoth(t, rules)
	for range rounds {
		object := randomRuled(r)
		var old map[string]any
		older := doc.Value{}
		var options []upstreamcel.Option
		var before any
		if oneIn(r, 2) {
			old = changed(r, object, randomRuled(r))
			older, before = document(t, old), old
			options = append(options, upstreamcel.WithRatcheting(common.NewCorrelatedObject(object, old,
				&model.Structural{Structural: structural})))
		}
		var want []string
		errs, _ := theirs.Validate(t.Context(), nil, structural, object, before, celconfig.RuntimeCELCostBudget, options...)
		for _, e := range errs {
			want = append(want, fmt.Sprintf("%s %s", string(e.Type), e.Error()))
		}
		broken, _ := ours.Check(t.Context(), document(t, object), older)
		var got []string
		for _, e := range broken {
			got = append(got, fmt.Sprintf("%s %s", e.Type, e.Error()))
		}
		slices.Sort(want)
		slices.Sort(got)
		faults += len(want)
		if !assert.Equal(t, want, got, "%v\nof %v\nbefore %v", rules, object, old) {
			return faults
		}
	}
	return faults
}

// variants returns functions that set the other fields of a rule.
func variants() []func(*apiextensions.ValidationRule) {
	reason := func(reason apiextensions.FieldValueErrorReason) func(*apiextensions.ValidationRule) {
		return func(v *apiextensions.ValidationRule) { v.Reason, v.Message = &reason, "m" }
	}
	return []func(*apiextensions.ValidationRule){
		func(*apiextensions.ValidationRule) {},
		func(v *apiextensions.ValidationRule) { v.Message = " must hold " },
		reason(apiextensions.FieldValueForbidden), reason(apiextensions.FieldValueRequired),
		reason(apiextensions.FieldValueDuplicate),
		reason(apiextensions.FieldValueInvalid),
		func(v *apiextensions.ValidationRule) { v.MessageExpression = "'not ' + ['so', 'at all'][1]" },
		func(v *apiextensions.ValidationRule) { v.MessageExpression, v.Message = "['a', 'b'][2]", "m" },
		func(v *apiextensions.ValidationRule) { v.MessageExpression = "' '" },
	}
}

// placed is an expression and its place.
type placed struct{ place, rule string }

func placedExpressions() (all []placed) {
	for _, place := range slices.Sorted(maps.Keys(expressions())) {
		for _, e := range expressions()[place] {
			all = append(all, placed{place, e})
		}
	}
	return all
}

// Every condition on every place has the same result, in the same words, here and in an API server.
func TestRulesLikeUpstream(t *testing.T) {
	all := placedExpressions()
	faults := 0
	if rounds(t, 2*len(all), func(t *testing.T, r round) {
		p := all[int(r.seed%int64(len(all)))]
		rule := apiextensions.ValidationRule{Rule: p.rule}
		variants()[r.Intn(len(variants()))](&rule)
		faults += compareRules(t, map[string]apiextensions.ValidationRule{p.place: rule}, 10, r.Rand)
	}) {
		require.Greater(t, faults, 200, "most conditions are broken by some objects")
	}
}

func TestPathsAndOptionalsLikeUpstream(t *testing.T) {
	yes := true
	for _, rule := range []apiextensions.ValidationRule{
		{Rule: "!has(self.min)", FieldPath: ".min"}, {Rule: "!has(self.labels)", FieldPath: ".labels['a.b']"},
		{Rule: "!has(self.labels)", FieldPath: ".labels.a"}, {Rule: "!has(self.max)", FieldPath: "['with-dash']"},
		{Rule: "oldSelf.hasValue()", OptionalOldSelf: &yes},
		{Rule: "!oldSelf.hasValue() || oldSelf.value() == self", OptionalOldSelf: &yes},
		{Rule: "oldSelf.?min.orValue(0) == self.?min.orValue(0)", OptionalOldSelf: &yes},
	} {
		t.Run(rule.Rule+rule.FieldPath, func(t *testing.T) {
			require.NotZero(t, compareRules(t, map[string]apiextensions.ValidationRule{"ruledSpec": rule}, 50,
				rand.New(rand.NewSource(1))))
		})
	}
}

// An API server accepts every path that we accept. It accepts a few more: escapes of control characters, and text
// behind a quoted name.
func FuzzFieldPathLikeUpstream(f *testing.F) {
	for _, seed := range []string{".min", ".labels.a", ".labels['a.b']", "['with-dash']", ".labels['it\\'s']", ".parts[0]",
		".parts['a']",
		"min", ".", "..min", ".min.", "['min", "['min'", "[min]", ".none", ".labels[''].x", ".labels['a']['b']",
		".labels['a'b']", ".labels['a]']"} {
		f.Add(seed)
	}
	props := ruledProps(nil)
	structural, err := structuralschema.NewStructural(&props)
	require.NoError(f, err)
	spec := structural.Properties["spec"]
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || strings.Contains(path, `\\`) { // upstream reads a quote behind an escaped backslash as an escaped quote
			return
		}
		set := setOf(cel.Rules{"ruledSpec": {{Rule: "false", FieldPath: path}}})
		s, err := schema.Derive(reflect.TypeFor[ruled](), schema.Options{Rules: set.Declared(), Overlay: usualBounds})
		require.NoError(t, err)
		ours, err := set.Language().Compile(s)
		theirs, _, upstream := upstreamcel.ValidFieldPath(path, &spec)
		if err != nil {
			return
		}
		require.NoError(t, upstream, "%q", path)
		broken, _ := ours.Check(t.Context(), document(t, map[string]any{"spec": map[string]any{"min": 1}}), doc.Value{})
		require.Len(t, broken, 1)
		require.Equal(t, "spec."+theirs.String(), broken[0].Field, "%q", path)
	})
}
