package cel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
)

// admissionInput is what the expressions of these tests are about.
func admissionInput(t *testing.T) *rules.Input {
	request := document(t, `{"operation": "UPDATE", "name": "first", "namespace": "default", "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
			"requestResource": {"group": "example.com", "version": "v1", "resource": "widgets"}, "requestSubResource": "status",
			"userInfo": {"username": "jane", "groups": ["admins"]}, "dryRun": true, "options": {"fieldManager": "m"}}`)
	return &rules.Input{
		Object: document(t, `{"metadata": {"name": "first", "labels": {"app.kubernetes.io/name": "x"}}, "spec": {"size": 3, "share": 0.5, "note": null,
			"parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]}}`),
		OldObject: document(t, `{"spec": {"size": 2}}`),
		Request:   func() (doc.Value, error) { return request, nil },
		Namespace: document(t, `{"metadata": {"name": "default", "labels": {"team": "a"}}}`),
		Params:    document(t, `{"limit": 5}`),
		Authorize: func(c rules.Check) rules.Ruling {
			return rules.Ruling{Allowed: c.Verb == "get",
				Reason: strings.Join([]string{c.ServiceAccountNamespace, c.ServiceAccount, c.Verb, c.Path, c.Group, c.Resource,
					c.Subresource, c.Namespace, c.Name, c.FieldSelector, c.LabelSelector}, "|"), Err: errors.New("unsure")}
		},
	}
}

func document(t *testing.T, text string) doc.Value {
	v, _, err := codec.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return v
}

func newScope(t *testing.T) rules.Scope {
	language, err := rules.AdmissionOf(cel.Evaluator())
	require.NoError(t, err)
	s, err := language.Scope()
	require.NoError(t, err)
	return s
}

var everything = rules.Visible{Variables: true, Params: true, Authorizer: true, Patches: true}

// evaluate returns the result of an expression as JSON, or the error of compiling or evaluating it.
func evaluate(t *testing.T, s rules.Scope, text string, want rules.Type) string {
	e, err := s.Compile(text, want, everything)
	if err != nil {
		return err.Error()
	}
	v, err := s.Evaluate(admissionInput(t), rules.PolicyBudget).Value(t.Context(), e)
	if err != nil {
		return err.Error()
	}
	return string(codec.AppendJSON(nil, v))
}

func TestExpressionsOfAdmissionSeeTheWrite(t *testing.T) {
	s := newScope(t)
	for _, text := range []string{
		`object.spec.size == 3 && oldObject.spec.size == 2`,
		`type(object.spec.size) == int && type(object.spec.share) == double`,
		`has(object.spec.note) && object.spec.note == null && !has(object.spec.missing)`,
		`object.metadata.labels['app.kubernetes.io/name'] == 'x'`,
		`object.spec.parts.all(p, p.size > 0) && object.spec.parts.map(p, p.name) == ['a', 'b']`,
		`request.operation == 'UPDATE' && request.userInfo.username == 'jane' && 'admins' in request.userInfo.groups && request.dryRun`,
		`request.options.fieldManager == 'm' && !has(request.subResource)`,
		`namespaceObject.metadata.labels.team == 'a'`,
		`params.limit > object.spec.size`,
		`authorizer.group('apps').resource('pods').subresource('log').namespace('a').name('b').fieldSelector('f=1').labelSelector('l=2').check('get').reason() == '||get||apps|pods|log|a|b|f=1|l=2'`,
		`authorizer.serviceAccount('ns', 'robot').path('/healthz').check('post').reason() == 'ns|robot|post|/healthz|||||||'`,
		`authorizer.requestResource.check('get').allowed() && !authorizer.requestResource.check('put').allowed()`,
		`authorizer.requestResource.check('get').reason() == '||get||example.com|widgets|status|default|first||'`,
		`authorizer.requestResource.check('get').errored() && authorizer.requestResource.check('get').error() == 'unsure'`,
		`quantity('1Gi').isGreaterThan(quantity('1Mi')) && isURL('https://example.com')`,
	} {
		assert.Equal(t, "true", evaluate(t, s, text, rules.Bool), text)
	}
}

func TestResultsOfExpressionsOfAdmission(t *testing.T) {
	s := newScope(t)
	require.NoError(t, s.Define("size", "object.spec.size", everything))
	require.NoError(t, s.Define("double", "int(variables.size) * 2", everything))
	require.Error(t, s.Define("broken", "1 +", everything))
	require.NoError(t, s.Define("failing", "object.missing", everything))
	for _, c := range []struct {
		text   string
		want   rules.Type
		result string
	}{
		{"'size ' + string(variables.double)", rules.Text, `"size 6"`},
		{"has(variables.double) && variables.double == 6", rules.Bool, `true`},
		{"null", rules.TextOrNull, `null`},
		{"variables.failing == 1", rules.Bool,
			`expression 'variables.failing == 1' resulted in error: composited variable "failing" fails to evaluate: no such key: missing`},
		{"[JSONPatch{op: 'add', path: '/spec/' + jsonpatch.escapeKey('a/b~c'), value: Object.spec{list: [1, 2], share: 2.5, of: {'k': true}}}]", rules.JSONPatch,
			`[{"op":"add","path":"/spec/a~1b~0c","value":{"list":[1,2],"of":{"k":true},"share":2.5}}]`},
		{"[JSONPatch{op: 'move', from: '/a', path: '/b'}, JSONPatch{op: 'test', path: '/c', value: object.spec.parts}]",
			rules.JSONPatch, `[{"from":"/a","op":"move","path":"/b"},{"op":"test","path":"/c","value":[{"name":"a","size":1},{"name":"b","size":2}]}]`},
		{"Object{spec: Object.spec{parts: [Object.spec.parts{name: 'c'}], size: object.spec.size, ?note: optional.none()}}",
			rules.ApplyConfiguration, `{"spec":{"parts":[{"name":"c"}],"size":3}}`},
		{"Object{spec: Object.status{size: 1}}", rules.ApplyConfiguration,
			`type mismatch: unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type`},
		{"object.spec.size", rules.Bool, "must evaluate to bool but got dyn"},
		{"1", rules.TextOrNull, "must evaluate to one of [string null_type] but got int"},
		{"Object{}", rules.JSONPatch, "must evaluate to list(JSONPatch) but got Object"},
		{"nothing", rules.Bool, "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')\n | nothing\n | ^"},
		{"request.nothing == 1", rules.Bool,
			"compilation failed: ERROR: <input>:1:8: undefined field 'nothing'\n | request.nothing == 1\n | .......^"},
		{"variables.double == 'x'", rules.Bool,
			"compilation failed: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(int, string)'\n" +
				" | variables.double == 'x'\n | .................^"},
		{"authorizer.path(' ').check('get').allowed()", rules.Bool,
			"expression 'authorizer.path(' ').check('get').allowed()' resulted in error: path must not be empty"},
		{"authorizer.group('').resource('').check('get').allowed()", rules.Bool,
			"expression 'authorizer.group('').resource('').check('get').allowed()' resulted in error: resource must not be empty"},
		{"authorizer.serviceAccount('a', '-').path('/').check('get').allowed()", rules.Bool,
			"expression 'authorizer.serviceAccount('a', '-').path('/').check('get').allowed()' resulted in error: Invalid service account name"},
	} {
		assert.Equal(t, c.result, evaluate(t, s, c.text, c.want), c.text)
	}
	_, err := s.Compile("params.limit == authorizer", rules.Bool, rules.Visible{})
	require.ErrorContains(t, err, "undeclared reference to 'params'")
	require.ErrorContains(t, err, "undeclared reference to 'authorizer'")
}

// A budget counts all expressions of an evaluation and their variables. A variable is computed once.
func TestBudgetOfExpressionsOfAdmission(t *testing.T) {
	s := newScope(t)
	require.NoError(t, s.Define("ask", "authorizer.requestResource.check('get').allowed()", everything))
	compile := func(text string) rules.Expression {
		e, err := s.Compile(text, rules.Bool, everything)
		require.NoError(t, err)
		return e
	}
	asks, cheap := compile("variables.ask"), compile("true")
	e := s.Evaluate(admissionInput(t), 400_000)
	for range 3 {
		_, err := e.Value(t.Context(), asks)
		require.NoError(t, err)
	}
	assert.Greater(t, e.Left(), int64(49_000), "the variable is computed once")
	_, err := e.Value(t.Context(), compile("authorizer.requestResource.check('put').allowed()"))
	exhausted, ok := errors.AsType[*rules.Exhausted](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "validation failed due to running out of cost budget, no further validation rules will be run",
		exhausted.Text)
	_, err = e.Value(t.Context(), cheap)
	require.Error(t, err, "nothing is evaluated after the budget is spent")

	e = s.Evaluate(admissionInput(t), rules.PolicyBudget)
	_, err = e.Value(t.Context(), compile("[1, 2, 3].all(n, authorizer.requestResource.check('get').allowed())"))
	require.ErrorContains(t, err, "operation cancelled: actual cost limit exceeded")
	_, err = e.Value(t.Context(), cheap)
	require.NoError(t, err, "the limit of one expression leaves budget for others")

	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = s.Evaluate(admissionInput(t), rules.PolicyBudget).Value(ctx,
		compile("lists.range(1000).all(i, lists.range(1000).all(j, i + j < 0 || true))"))
	require.ErrorContains(t, err, "operation interrupted")
}

func TestMatchConditions(t *testing.T) {
	const yes, no, fails, broken = "object.spec.size == 3", "object.spec.size == 4", "object.missing == 1", "1 +"
	const failure = "expression 'object.missing == 1' resulted in error: no such key: missing"
	for _, c := range []struct {
		name       string
		conditions []string
		matches    bool
		failed     string
		err        string
	}{
		{"none", nil, true, "", ""},
		{"all true", []string{yes, yes}, true, "", ""},
		{"one false", []string{yes, no, yes}, false, "1", ""},
		{"a false condition outweighs an error", []string{fails, no}, false, "1", ""},
		{"an error", []string{yes, fails}, false, "", failure},
		{"two errors", []string{fails, fails, "object.other == 1"}, false, "",
			"[" + failure + ", expression 'object.other == 1' resulted in error: no such key: other]"},
		{"a condition that does not compile", []string{broken}, false, "",
			"compilation error: compilation failed: ERROR: <input>:1:4: Syntax error"},
		{"too expensive", []string{strings.Repeat("authorizer.requestResource.check('get').allowed() && ", 2) + "true",
			strings.Repeat("authorizer.requestResource.check('get').allowed() && ", 2) + "true",
			"lists.range(1000000).size() == 0",
			"lists.range(1000000).size() == 0", "lists.range(1000000).size() == 0"}, false, "",
			"validation failed due to running out of cost budget, no further validation rules will be run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var conditions []rules.Condition
			for i, text := range c.conditions {
				conditions = append(conditions, rules.Condition{Name: string(rune('0' + i)), Expression: text})
			}
			matches, failed, err := rules.CompileConditions(newScope(t), conditions,
				rules.Visible{Authorizer: true}).Match(t.Context(), admissionInput(t))
			assert.Equal(t, c.matches, matches)
			assert.Equal(t, c.failed, failed)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}

func TestRulesWithoutALanguage(t *testing.T) {
	_, err := rules.AdmissionOf(nil)
	require.ErrorContains(t, err, "set rest.Options.CEL to cel.Evaluator()")
}
