package cel_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func TestRulesThatCannotWork(t *testing.T) {
	for _, c := range []struct {
		name, place string
		rule        cel.Rule
		says        []string
	}{
		{"unknown type", "Gadget", cel.Rule{Rule: "true"}, []string{"rules of Gadget", "unknown type or field"}},
		{"unknown field", "WidgetSpec.none", cel.Rule{Rule: "true"},
			[]string{"rules of WidgetSpec.none", "unknown type or field"}},
		{"empty", "WidgetSpec", cel.Rule{Rule: " "}, []string{"self.spec: rule 0: the rule is empty"}},
		{"no syntax", "WidgetSpec", cel.Rule{Rule: "self."},
			[]string{"self.spec: rule 0: compilation failed", "Syntax error"}},
		{"a missing field", "WidgetSpec", cel.Rule{Rule: "self.size > 1"}, []string{"undefined field 'size'"}},
		{"wrong types", "WidgetSpec", cel.Rule{Rule: "self.min == 'x'"}, []string{"no matching overload"}},
		{"metadata that rules do not see", "Widget", cel.Rule{Rule: "self.metadata.labels.size() > 0"},
			[]string{"undefined field 'labels'"}},
		{"a field of unknown type", "WidgetSpec", cel.Rule{Rule: "has(self.any)"}, []string{"undefined field 'any'"}},
		{"a place of unknown type", "WidgetSpec.any", cel.Rule{Rule: "true"}, []string{"a value of unknown type"}},
		{"no condition", "WidgetSpec", cel.Rule{Rule: "self.min"}, []string{"cel expression must evaluate to a bool"}},
		{"no text", "WidgetSpec", cel.Rule{Rule: "true", MessageExpression: "self.min"},
			[]string{"messageExpression must evaluate to a string"}},
		{"a bad literal", "WidgetSpec", cel.Rule{Rule: "self.name.matches('(')"}, []string{"invalid matches argument"}},
		{"another reason", "WidgetSpec", cel.Rule{Rule: "true", Reason: status.CauseTooLong},
			[]string{`the reason "FieldValueTooLong" must be FieldValueInvalid`}},
		{"lines", "WidgetSpec", cel.Rule{Rule: "true", Message: "a\nb"}, []string{"the message has more than one line"}},
		{"a long rule without a message", "WidgetSpec", cel.Rule{Rule: "true\n&& true"},
			[]string{"a rule of several lines needs a message"}},
		{"a path to a missing field", "WidgetSpec", cel.Rule{Rule: "true", FieldPath: ".none"},
			[]string{`fieldPath ".none": does not refer to a valid field`}},
		{"a malformed path", "WidgetSpec", cel.Rule{Rule: "true", FieldPath: "min"},
			[]string{"expected [ or . but got: min"}},
		{"a path into a list", "WidgetSpec", cel.Rule{Rule: "true", FieldPath: ".parts[0]"},
			[]string{"expected a single quoted name"}},
		{"OptionalOldSelf without oldSelf", "WidgetSpec", cel.Rule{Rule: "true", OptionalOldSelf: true},
			[]string{"OptionalOldSelf may not be set"}},
		{"an unknown function", "WidgetSpec", cel.Rule{Rule: "authorizer.group('').resource('pods').check('get').allowed()"},
			[]string{"undeclared reference to 'authorizer'"}},
		{"an invalid pattern", "WidgetSpec", cel.Rule{Rule: "self.name.find('(') == ''"},
			[]string{"program instantiation failed", "missing closing )"}},
		{"too much of a list without bounds", "WidgetSpec",
			cel.Rule{Rule: "self.tags.all(t, self.tags.all(u, t != u || t == u))"},
			[]string{"self.spec: rule 0: it could cost more than 100 times the limit: make it simpler, or bound its lists",
				"all rules together could cost more than 100 times the limit of a kind, most of it self.spec: rule 0"}},
		{"too much for all elements", "Part", cel.Rule{Rule: "self.name.matches('^[a-z]+$')"},
			[]string{"self.spec.parts[*]: rule 0: it could cost more than 100 times"}},
		{"too much of a type that contains itself", "Branch",
			cel.Rule{Rule: "self.size + self.size + self.size + self.size > 0"},
			[]string{"self.spec.tree.branches[*]: rule 0: it could cost 1.258291 times"}},
		{"too much for a message", "WidgetSpec",
			cel.Rule{Rule: "self.min > 0", MessageExpression: "'not ' + string(self.min)"},
			[]string{"self.spec: messageExpression of rule 0: it could cost more than 100 times"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rest.New(rest.Options{}, rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets",
				Rules: cel.New(cel.Rules{c.place: {c.rule}})})
			require.Error(t, err)
			for _, says := range append(c.says, `kind "Widget"`) {
				assert.Contains(t, err.Error(), says)
			}
		})
	}
}

// Bounds on the values that a rule reads bound its cost.
func TestBoundsMakeRulesAffordable(t *testing.T) {
	type Bounded struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Tags               []string          `json:"tags,omitempty" api:"maxItems=20,items.maxLength=63"`
		Labels             map[string]string `json:"labels,omitempty" api:"maxProperties=20,values.maxLength=63"`
		Parts              []struct {
			Name string `json:"name" api:"maxLength=253"`
		} `json:"parts,omitempty" api:"maxItems=100"`
		Mode string `json:"mode,omitempty" api:"enum=a|bc"`
	}
	_, err := rest.New(rest.Options{},
		rest.Resource[Bounded]{Group: "example.com", Version: "v1", Plural: "boundeds", Rules: cel.New(cel.Rules{
			"Bounded": {
				{Rule: "self.tags.all(t, self.tags.all(u, t != u || t == u))"},
				{Rule: "self.labels.all(k, v, v.matches('^[a-z]+$'))"},
				{Rule: "self.parts.all(p, self.parts.exists_one(q, p.name == q.name))"},
				{Rule: "self.parts.all(p, p.name != self.mode)"},
			},
		})})
	require.NoError(t, err)
}

// The cost of rules is bounded for every object.
func TestCosts(t *testing.T) {
	big := `{"name":"` + strings.Repeat("a", 2<<20) + `"}`
	for _, c := range []struct {
		name, spec string
		rules      []cel.Rule
		want       []string
	}{
		{"cost of one rule", big, []cel.Rule{{Rule: "!self.name.matches('(b|c|d|e|f|g|h|i|j|k|l|m|n|o|p)')", Message: "m"},
			{Rule: "false"}}, []string{`FieldValueInvalid spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`}},
		{"cost of all rules", big, slices.Repeat([]cel.Rule{{Rule: "!self.name.contains('b')"}}, 60),
			[]string{`FieldValueInvalid spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run`}},
		{"cost of a message", big, []cel.Rule{{Rule: "false",
			MessageExpression: "self.name.matches('(b|c|d|e|f|g|h|i|j|k|l|m|n|o|p)') ? 'a' : 'b'", Message: "m"}},
			[]string{`FieldValueInvalid spec: Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for messageExpression: "self.name.matches('(b|c|d|e|f|g|h|i|j|k|l|m|n|o|p)') ? 'a' : 'b'"`}},
		{"a search for a pattern of many states", `{"name":"` + strings.Repeat("a", 20<<10) + `"}`,
			[]cel.Rule{{Rule: "self.name.matches('^(" + strings.Repeat("a?", 50) + "){1000}$')", Message: "m"}},
			[]string{`FieldValueInvalid spec: Invalid value: "object": the text is too long for the pattern '^(` +
				strings.Repeat("a?", 50) +
				`){1000}$': the search could take more than 200000000 steps evaluating rule: m`}},
		{"a search for a computed pattern", `{"name":"` + strings.Repeat("a", 20<<10) + `"}`,
			[]cel.Rule{{Rule: "self.name.matches('^(" + strings.Repeat("a?", 50) + "){1000}' + '$')", Message: "m"}},
			[]string{`FieldValueInvalid spec: Invalid value: "object": the text is too long for the pattern '^(` +
				strings.Repeat("a?", 50) +
				`){1000}$': the search could take more than 200000000 steps evaluating rule: m`}},
		{"many searches, each to the end", `{"name":"` + strings.Repeat("a", 20<<10) + `"}`,
			[]cel.Rule{{Rule: "self.name.findAll('a.*b|a').size() > 0", Message: "m"}},
			[]string{`FieldValueInvalid spec: Invalid value: "object": the text is too long for the pattern 'a.*b|a': the search could take more than 200000000 steps evaluating rule: m`}},
		{"many searches for a pattern of many states", `{"name":"` + strings.Repeat("b", 20<<10) + `"}`,
			[]cel.Rule{{Rule: "[1,2,3,4,5,6,7,8,9,10].all(a, !self.name.matches('^(a?){1000}$'))", Message: "m"}},
			[]string{`FieldValueInvalid spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`}},
		{"a small object stays within the budget", `{"name":"a"}`,
			slices.Repeat([]cel.Rule{{Rule: "!self.name.contains('b')"}}, 60), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := write(t, widgetAPI(t, cel.Rules{"WidgetSpec": c.rules}), "POST", c.spec)
			assert.Equal(t, c.want, messages(got))
		})
	}
	t.Run("a thousand broken rules are reported a hundred times", func(t *testing.T) {
		parts := strings.TrimSuffix(strings.Repeat(`{"name":"a","count":1},`, 1000), ",")
		got, _ := write(t, widgetAPI(t, cel.Rules{"Part": {{Rule: "self.count == 0", Message: "m"}}}), "POST",
			`{"loose":[`+parts+`]}`)
		assert.Len(t, messages(got), 100)
	})
	t.Run("an endless rule ends", func(t *testing.T) {
		steps := strings.TrimSuffix(strings.Repeat(`"x",`, 1000), ",")
		api := widgetAPI(t, cel.Rules{"WidgetSpec": {{Rule: "self.steps.all(a, !('y' in self.steps))", Message: "m"}}})
		got, _ := write(t, api, "POST", `{"steps":[`+steps+`]}`)
		require.Len(t, messages(got), 1)
		assert.Contains(t, messages(got)[0], "call cost exceeds limit for rule: m")
	})
}

// If the client disconnects, the evaluation of its rules stops without a result.
func TestAClientThatLeavesEndsItsRules(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	api, err := rest.New(rest.Options{}, rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		Hooks: rest.Hooks[Widget]{Prepare: func(context.Context, *Widget, *Widget) error { leave(); return nil }},
		Rules: cel.New(cel.Rules{"WidgetSpec": {{Rule: "self.steps.all(s, s == 'y')"}}}),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	widget := Widget{Spec: WidgetSpec{Steps: slices.Repeat([]string{"x"}, 1000)}}
	widget.Name, widget.Namespace = "a", "default"
	_, err = resttest.Client[Widget](t, api).FieldManager("test").Namespace("default").Create(ctx, &widget)
	assert.ErrorIs(t, err, context.Canceled)
}

// If a value already broke a new rule and the write does not change it, the write is
// accepted.
func TestUnchangedValuesAreTolerated(t *testing.T) {
	rules := cel.Rules{
		"WidgetSpec.min":   {{Rule: "self < 5", Message: "must be small"}},
		"Part":             {{Rule: "self.count < 5", Message: "must be few"}},
		"WidgetSpec.parts": {{Rule: "!self.exists(p, p.name == 'old')", Message: "must not be old"}},
		"Note.word":        {{Rule: "self.size() < 4", Message: "must be short"}},
	}
	for _, c := range []struct {
		name, old, now string
		want           []string
		warning        string
	}{
		{"unchanged", `{"min":7}`, `{"min":7,"parts":[]}`, nil, `299 - "spec.min: Invalid value: 7: must be small"`},
		{"a write that changes nothing", `{"min":7}`, `{"min":7}`, nil, `299 - "spec.min: Invalid value: 7: must be small"`},
		{"changed", `{"min":7}`, `{"min":8}`, []string{`FieldValueInvalid spec.min: Invalid value: 8: must be small`}, ""},
		{"mended", `{"min":7}`, `{"min":1}`, nil, ""},
		{"an element by its key", `{"parts":[{"name":"a"},{"name":"b","count":7}]}`, `{"parts":[{"name":"b","count":7}]}`,
			nil, `299 - "spec.parts[0]: Invalid value: must be few"`},
		{"elements in another order", `{"parts":[{"name":"a","count":1},{"name":"old","count":1}]}`,
			`{"parts":[{"name":"old","count":1},{"name":"a","count":1}]}`, nil,
			`299 - "spec.parts: Invalid value: must not be old"`},
		{"a member of an element without a key", `{"notes":[{"word":"long"}]}`, `{"min":1,"notes":[{"word":"long"}]}`, nil,
			`299 - "spec.notes[0].word: Invalid value: \"long\": must be short"`},
		{"a member of a list that has changed", `{"notes":[{"word":"long"}]}`, `{"notes":[{"word":"long"},{}]}`,
			[]string{`FieldValueInvalid spec.notes[0].word: Invalid value: "long": must be short`}, ""},
		{"unchanged, beside a rejected value", `{"min":7,"parts":[{"name":"b","count":7}]}`,
			`{"min":8,"parts":[{"name":"b","count":7}]}`,
			[]string{`FieldValueInvalid spec.min: Invalid value: 8: must be small`},
			`299 - "spec.parts[0]: Invalid value: must be few"`},
		{"a new element", `{"parts":[{"name":"a"}]}`, `{"parts":[{"name":"b","count":7}]}`,
			[]string{`FieldValueInvalid spec.parts[0]: Invalid value: must be few`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := memory.New(storage.Options{})
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			before := keyedAPI(t, rest.Options{Store: store}, nil)
			got, _ := write(t, before, "POST", c.old)
			require.Empty(t, messages(got))
			require.NoError(t, before.Close())
			got, warnings := write(t, keyedAPI(t, rest.Options{Store: store}, rules), "PUT", c.now)
			assert.Equal(t, c.want, messages(got))
			assert.Equal(t, c.warning, strings.Join(warnings, ""))
		})
	}
}

func TestRulesInOpenAPI(t *testing.T) {
	api := widgetAPI(t, cel.Rules{
		"Widget": {{Rule: "self.metadata.name.size() < 10", Message: "short"}},
		"WidgetSpec": {{Rule: "self.min <= self.max", FieldPath: ".max", Reason: status.CauseForbidden,
			MessageExpression: "'x'"}},
		"WidgetSpec.min": {{Rule: "self > 0"}},
	})
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest("GET", "/openapi/v3/apis/example.com/v1", nil))
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Rules      []map[string]any `json:"x-kubernetes-validations"`
				Properties map[string]struct {
					Rules []map[string]any `json:"x-kubernetes-validations"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
	found := 0
	for name, s := range document.Components.Schemas {
		switch {
		case strings.HasSuffix(name, ".Widget"):
			found++
			assert.Equal(t, []map[string]any{{"rule": "self.metadata.name.size() < 10", "message": "short"}}, s.Rules)
			assert.Equal(t, []map[string]any{{"rule": "self.min <= self.max", "fieldPath": ".max",
				"reason": "FieldValueForbidden", "messageExpression": "'x'"}}, s.Properties["spec"].Rules)
		case strings.HasSuffix(name, "WidgetSpec"):
			found++
			assert.Equal(t, []map[string]any{{"rule": "self > 0"}}, s.Properties["min"].Rules)
		}
	}
	assert.Equal(t, 2, found)
}
