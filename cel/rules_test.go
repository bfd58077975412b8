package cel_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Widget has a field of every sort for which rules are written.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               WidgetSpec `json:"spec,omitzero"`
}

type WidgetSpec struct {
	Min     int64             `json:"min,omitempty"`
	Max     int64             `json:"max,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	Name    string            `json:"name,omitempty"`
	On      bool              `json:"on,omitempty"`
	Since   *apimeta.Time     `json:"since,omitempty"`
	Data    []byte            `json:"data,omitempty"`
	Timeout string            `json:"timeout,omitempty" api:"format=duration"`
	Port    json.RawMessage   `json:"port,omitempty" api:"intOrString"`
	Any     json.RawMessage   `json:"any,omitempty"`
	Tags    []string          `json:"tags,omitempty" api:"list=set"`
	Steps   []string          `json:"steps,omitempty" api:"maxItems=1000,items.maxLength=4"`
	Labels  map[string]string `json:"labels,omitempty"`
	Parts   []Part            `json:"parts,omitempty" api:"list=map,key=name"`
	Loose   []Part            `json:"loose,omitempty"`
	Dash    string            `json:"with-dash,omitempty"`
	In      string            `json:"in,omitempty"`
	Space   string            `json:"namespace,omitempty"`
	Tree    *Branch           `json:"tree,omitempty"`
}

// Branch contains itself.
type Branch struct {
	Size     int64    `json:"size,omitempty"`
	Branches []Branch `json:"branches,omitempty"`
}

type Part struct {
	Name  string `json:"name"`
	Count int64  `json:"count,omitempty"`
}

const widgetsPath = "/apis/example.com/v1/namespaces/default/widgets"

func widgetAPI(t testing.TB, rules cel.Rules) *rest.API {
	t.Helper()
	api, err := rest.New(rest.Options{},
		rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets", Rules: cel.New(rules)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

// write sends a Widget named a with this spec, and returns the Status of an error and the warnings.
func write(t testing.TB, api *rest.API, method, spec string) (status.Status, []string) {
	t.Helper()
	target := widgetsPath
	if method != http.MethodPost {
		target += "/a"
	}
	r := httptest.NewRequest(method, target,
		strings.NewReader(fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"%s},"spec":%s}`,
			version(api, method), spec)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	var s status.Status
	if w.Code >= 400 {
		require.Equal(t, 422, w.Code, w.Body.String())
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &s))
	}
	return s, w.Header()["Warning"]
}

func version(api *rest.API, method string) string {
	if method == http.MethodPost {
		return ""
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, widgetsPath+"/a", nil))
	var widget Widget
	_ = json.Unmarshal(w.Body.Bytes(), &widget)
	return `,"resourceVersion":"` + widget.ResourceVersion + `"`
}

// messages returns the messages of the causes of an error, each with its field in front.
func messages(s status.Status) []string {
	if s.Details == nil {
		return nil
	}
	var all []string
	for _, c := range s.Details.Causes {
		all = append(all, fmt.Sprintf("%s %s: %s", c.Type, c.Field, c.Message))
	}
	return all
}

func TestExpressions(t *testing.T) {
	const spec = `{"min":1,"max":5,"ratio":0.5,"name":"abc-123","on":true,"since":"2026-01-02T03:04:05Z","data":"aGk=","timeout":"90s","port":"http",
		"any":{"x":1},"tags":["b","a"],"steps":["x","y"],"labels":{"k":"v"},"parts":[{"name":"p","count":2}],"with-dash":"d","in":"i","namespace":"n","tree":{"branches":[{"size":7}]}}`
	for _, rule := range []string{
		"self.min < self.max", "self.min + 1 == 2", "self.ratio == 0.5", "self.ratio < self.max", "self.on",
		"self.name.startsWith('abc')",
		"has(self.name) && !has(self.loose)", "self.since == timestamp('2026-01-02T03:04:05Z')",
		"self.since.getFullYear() == 2026",
		"self.data == b'hi'", "self.timeout == duration('90s')", "self.timeout.getSeconds() == 90",
		"type(self.port) == string", "self.port == 'http'",
		"self.tags == ['a', 'b']", "self.tags + ['a', 'c'] == ['a', 'b', 'c']", "size(self.tags + ['a']) == 2",
		"self.steps != ['y', 'x']",
		"self.labels['k'] == 'v'", "self.labels.all(k, k.size() == 1)", "'k' in self.labels",
		"self.parts.exists(p, p.count == 2)",
		"self.parts.map(p, p.name) == ['p']",
		"size(self.parts + self.parts) == 1", "self.parts[0].count == 2", "self.with__dash__dash == 'd'",
		"self.__in__ == 'i'",
		"self.__namespace__ == 'n'", "has(self.namespace) && self.namespace == 'n'", "size(self.namespace) == 1",
		"self.tree.branches[0].size == 7",
		"self.steps.isSorted()", "[1, 2, 3].sum() == 6", "[2, 1].min() == 1", "[2, 1].max() == 2",
		"self.steps.lastIndexOf('y') == 1",
		"self.steps.indexOf('y') == 1", "self.steps.includes('y')", "!self.name.includes('a')", "[3, 1].sort() == [1, 3]",
		"self.name.find('[0-9]+') == '123'", "'a1b2'.findAll('[0-9]') == ['1', '2']", "'a1b2'.findAll('[0-9]', 1) == ['1']",
		"url('https://example.com:80/p?q=1').getHostname() == 'example.com'", "isURL('/path') && !isURL('path')",
		"url('https://h/p?a=1&a=2').getQuery()['a'] == ['1', '2']",
		"self.name.split('-')[1] == '123'", "'%s-%d'.format(['a', 1]) == 'a-1'", "sets.contains(self.tags, ['a'])",
		"self.labels.all(k, v, k != v)",
		"quantity('1Ki').add(24).asInteger() == 1048", "quantity('0.5') == quantity('500m')",
		"isQuantity('1.5Gi') && !isQuantity('1GiB')",
		"sign(quantity('-1n')) == -1",
		"ip('::1').isLoopback() && ip('10.0.0.1').family() == 4", "isIP('::1') && !isIP('::ffff:1.2.3.4')",
		"ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')",
		"cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
		"cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", "isCIDR('::/0') && !isCIDR('10.0.0.0/33')",
		"semver('1.2.3').isLessThan(semver('1.10.0'))", "semver('v1.2', true).minor() == 2 && !isSemver('v1.2')",
		"semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1",
		"self.steps.all(s, !format.dns1123Label().validate(s).hasValue())",
		"format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
		"url('https://h/p#f').getEscapedPath() == '/p'",
		"!has(self.loose) || self.loose.size() > 0", "self.?loose.orValue([]).size() == 0",
	} {
		t.Run(rule, func(t *testing.T) {
			got, _ := write(t, widgetAPI(t, cel.Rules{"WidgetSpec": {{Rule: "has(self.name) ? (" + rule + ") : true"}}}), "POST",
				spec)
			assert.Empty(t, messages(got))
			got, _ = write(t, widgetAPI(t,
				cel.Rules{"WidgetSpec": {{Rule: "has(self.name) ? !(" + rule + ") : true", Message: "no"}}}), "POST", spec)
			assert.Equal(t, []string{"FieldValueInvalid spec: Invalid value: no"}, messages(got), "and it can be false")
		})
	}
	t.Run("of the object", func(t *testing.T) {
		api := widgetAPI(t, cel.Rules{"Widget": {{Rule: "self.metadata.name != 'a'"},
			{Rule: "self.kind == 'Widget' && self.apiVersion == 'example.com/v1' && !has(self.metadata.generateName)"}}})
		got, _ := write(t, api, "POST", "{}")
		assert.Equal(t, []string{"FieldValueInvalid <nil>: Invalid value: failed rule: self.metadata.name != 'a'"},
			messages(got))
		assert.Equal(t, `Widget.example.com "a" is invalid: <nil>: Invalid value: failed rule: self.metadata.name != 'a'`,
			got.Message)
	})
}

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name, place, spec string
		rule              cel.Rule
		want              string
	}{
		{"by default", "WidgetSpec", `{"min":2}`, cel.Rule{Rule: " self.min <= 1 "},
			"FieldValueInvalid spec: Invalid value: failed rule: self.min <= 1"},
		{"given", "WidgetSpec", `{"min":2}`, cel.Rule{Rule: "self.min <= 1", Message: " must be small "},
			"FieldValueInvalid spec: Invalid value: must be small"},
		{"computed", "WidgetSpec", `{"min":2}`,
			cel.Rule{Rule: "self.min <= 1", Message: "m", MessageExpression: "'not %d'.format([self.min])"},
			"FieldValueInvalid spec: Invalid value: not 2"},
		{"that cannot be computed", "WidgetSpec", `{"min":2}`,
			cel.Rule{Rule: "self.min <= 1", Message: "m", MessageExpression: "self.name"},
			"FieldValueInvalid spec: Invalid value: m"},
		{"of two lines", "WidgetSpec", `{"min":2}`, cel.Rule{Rule: "self.min <= 1", MessageExpression: "'a\\nb'"},
			"FieldValueInvalid spec: Invalid value: failed rule: self.min <= 1"},
		{"of a number", "WidgetSpec.min", `{"min":2}`, cel.Rule{Rule: "self <= 1", Message: "m"},
			"FieldValueInvalid spec.min: Invalid value: 2: m"},
		{"of a string", "WidgetSpec.name", `{"name":"x"}`, cel.Rule{Rule: "self == 'y'", Message: "m"},
			`FieldValueInvalid spec.name: Invalid value: "x": m`},
		{"of a list", "WidgetSpec.steps", `{"steps":["x"]}`, cel.Rule{Rule: "self.size() == 0", Message: "m"},
			"FieldValueInvalid spec.steps: Invalid value: m"},
		{"of an element", "Part", `{"parts":[{"name":"a","count":1}]}`, cel.Rule{Rule: "self.count == 0", Message: "m"},
			"FieldValueInvalid spec.parts[0]: Invalid value: m"},
		{"of a field of an element", "Part.count", `{"loose":[{"name":"a"},{"name":"a","count":1}]}`,
			cel.Rule{Rule: "self == 0", Message: "m"}, "FieldValueInvalid spec.loose[1].count: Invalid value: 1: m"},
		{"of a type that contains itself", "Branch.size", `{"tree":{"branches":[{"branches":[{"size":3}]}]}}`,
			cel.Rule{Rule: "self == 0", Message: "m"},
			"FieldValueInvalid spec.tree.branches[0].branches[0].size: Invalid value: 3: m"},
		{"forbidden", "WidgetSpec", `{"min":2}`, cel.Rule{Rule: "self.min <= 1", Message: "m", Reason: status.CauseForbidden},
			"FieldValueForbidden spec: Forbidden: m"},
		{"required", "WidgetSpec", `{"min":2}`,
			cel.Rule{Rule: "has(self.max)", Message: "m", Reason: status.CauseRequired, FieldPath: ".max"},
			"FieldValueRequired spec.max: Required value: m"},
		{"duplicate", "WidgetSpec.name", `{"name":"x"}`,
			cel.Rule{Rule: "self == 'y'", Message: "m", Reason: status.CauseDuplicate},
			`FieldValueDuplicate spec.name: Duplicate value: "x"`},
		{"a path into a map", "WidgetSpec", `{"min":2}`,
			cel.Rule{Rule: "self.min <= 1", Message: "m", FieldPath: ".labels['a.b']"},
			"FieldValueInvalid spec.labels[a.b]: Invalid value: m"},
		{"a duration in words", "WidgetSpec.timeout", `{"timeout":"5 days"}`,
			cel.Rule{Rule: "self == duration('119h')", Message: "m"},
			`FieldValueInvalid spec.timeout: Invalid value: "5 days": m`},
		{"an error", "WidgetSpec", `{"min":2}`, cel.Rule{Rule: "self.name == 'x'"},
			`FieldValueInvalid spec: Invalid value: "object": no such key: name evaluating rule: self.name == 'x'`},
		{"an error of types", "WidgetSpec", `{"port":1}`, cel.Rule{Rule: "self.port.startsWith('x')"},
			`FieldValueInvalid spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.port.startsWith('x')`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := write(t, widgetAPI(t, cel.Rules{c.place: {c.rule}}), "POST", c.spec)
			assert.Equal(t, []string{c.want}, messages(got))
		})
	}
	t.Run("all of them at once", func(t *testing.T) {
		api := widgetAPI(t, cel.Rules{"WidgetSpec": {{Rule: "self.min < 0"}, {Rule: "self.min < 1"}, {Rule: "self.min < 3"}}})
		got, _ := write(t, api, "POST", `{"min":2}`)
		assert.Len(t, messages(got), 2)
	})
	t.Run("not if the object breaks its schema", func(t *testing.T) {
		api := widgetAPI(t, cel.Rules{"WidgetSpec": {{Rule: "self.min < 0"}}})
		for _, spec := range []string{`{"min":2,"parts":[{}]}`, `{"min":"x"}`} {
			got, _ := write(t, api, "POST", spec)
			assert.Contains(t, messages(got),
				"FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")
			assert.NotContains(t, fmt.Sprint(messages(got)), "failed rule")
		}
	})
}

func TestTransitions(t *testing.T) {
	for _, c := range []struct {
		name, place string
		rule        cel.Rule
		before, now string
		want        []string
	}{
		{"kept", "WidgetSpec.min", cel.Rule{Rule: "self >= oldSelf"}, `{"min":2}`, `{"min":3}`, nil},
		{"broken", "WidgetSpec.min", cel.Rule{Rule: "self >= oldSelf", Message: "m"}, `{"min":2}`, `{"min":1}`,
			[]string{"FieldValueInvalid spec.min: Invalid value: 1: m"}},
		{"nothing older", "WidgetSpec.min", cel.Rule{Rule: "self >= oldSelf"}, `{}`, `{"min":1}`, nil},
		{"an element by its key", "Part.count", cel.Rule{Rule: "self >= oldSelf", Message: "m"},
			`{"parts":[{"name":"a","count":1},{"name":"b","count":5}]}`,
			`{"parts":[{"name":"b","count":4},{"name":"a","count":1}]}`,
			[]string{"FieldValueInvalid spec.parts[0].count: Invalid value: 4: m"}},
		{"optional", "WidgetSpec.min",
			cel.Rule{Rule: "oldSelf.hasValue() ? self >= oldSelf.value() : true", OptionalOldSelf: true, Message: "m"},
			`{"min":2}`, `{"min":1}`, []string{"FieldValueInvalid spec.min: Invalid value: 1: m"}},
		{"unchanged object", "WidgetSpec.min",
			cel.Rule{Rule: "!oldSelf.hasValue() || self != oldSelf.value()", OptionalOldSelf: true, Message: "m"},
			`{"min":2}`, `{"min":2}`, []string{"FieldValueInvalid spec.min: Invalid value: 2: m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := cel.Rules{c.place: {c.rule}}
			if strings.HasPrefix(c.place, "Part") {
				_, err := rest.New(rest.Options{},
					rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets", Rules: cel.New(rules)})
				require.ErrorContains(t, err, "oldSelf cannot be used here", "the struct is also an element of lists without keys")
			}
			api := keyedAPI(t, rest.Options{}, rules)
			got, _ := write(t, api, "POST", c.before)
			require.Empty(t, messages(got))
			got, _ = write(t, api, "PUT", c.now)
			assert.Equal(t, c.want, messages(got))
		})
	}
	t.Run("optional, at creation", func(t *testing.T) {
		got, _ := write(t, keyedAPI(t, rest.Options{},
			cel.Rules{"WidgetSpec.min": {{Rule: "oldSelf.hasValue()", OptionalOldSelf: true, Message: "m"}}}), "POST",
			`{"min":2}`)
		assert.Equal(t, []string{"FieldValueInvalid spec.min: Invalid value: 2: m"}, messages(got))
	})
}
