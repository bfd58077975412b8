package policies_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

func named(name string) apimeta.ObjectMeta { return apimeta.ObjectMeta{Name: name} }

// Policies and bindings are defaulted as in Kubernetes.
func TestDefaults(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	a := s.send(http.MethodPost, policiesPath, validatingPolicy("p", `"validations": [{"expression": "true"}]`))
	require.Equal(t, 201, a.code, a.Message)
	assert.Equal(t, map[string]any{
		"failurePolicy": "Fail",
		"matchConstraints": map[string]any{
			"matchPolicy": "Equivalent", "namespaceSelector": map[string]any{}, "objectSelector": map[string]any{},
			"resourceRules": []any{map[string]any{"apiGroups": []any{"example.com"}, "apiVersions": []any{"*"},
				"resources": []any{"widgets"}, "operations": []any{"*"}, "scope": "*"}},
		},
		"validations": []any{map[string]any{"expression": "true"}},
	}, a.object["spec"])
	assert.EqualValues(t, 1, a.object["metadata"].(map[string]any)["generation"])
}

// Policies and bindings are validated in the words of Kubernetes.
func TestValidation(t *testing.T) {
	const rules = `"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}]`
	for _, c := range []struct{ name, path, kind, spec, message string }{
		{"no expressions", policiesPath, "ValidatingAdmissionPolicy", `"failurePolicy": "Fail"`,
			`[spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]`},
		{"failurePolicy", policiesPath, "ValidatingAdmissionPolicy",
			`"failurePolicy": "Maybe", "validations": [{"expression": "true"}]`,
			`spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"`},
		{"no rules", policiesPath, "ValidatingAdmissionPolicy",
			`"matchConstraints": {}, "validations": [{"expression": "true"}]`,
			`spec.matchConstraints.resourceRules: Required value`},
		{"an expression that does not compile", policiesPath, "ValidatingAdmissionPolicy",
			`"validations": [{"expression": "object.x ="}]`,
			"spec.validations[0].expression: Invalid value: \"object.x =\": compilation failed: ERROR: <input>:1:10: Syntax error: token recognition error at: '='\n | object.x =\n | .........^"},
		{"an expression of another type", policiesPath, "ValidatingAdmissionPolicy", `"validations": [{"expression": "'x'"}]`,
			`spec.validations[0].expression: Invalid value: "'x'": must evaluate to bool but got string`},
		{"params without paramKind", policiesPath, "ValidatingAdmissionPolicy",
			`"validations": [{"expression": "params.x == 1"}]`, "undeclared reference to 'params'"},
		{"variables without any", policiesPath, "ValidatingAdmissionPolicy",
			`"validations": [{"expression": "variables.x == 1"}]`, "undeclared reference to 'variables'"},
		{"variables that come later", policiesPath, "ValidatingAdmissionPolicy",
			`"variables": [{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}], "validations": [{"expression": "true"}]`,
			"undefined field 'b'"},
		{"the name of a variable", policiesPath, "ValidatingAdmissionPolicy",
			`"variables": [{"name": "a-b", "expression": "1"}], "validations": [{"expression": "true"}]`,
			`spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier`},
		{"a message of two lines", policiesPath, "ValidatingAdmissionPolicy",
			`"validations": [{"expression": "true", "message": "a\nb"}]`,
			`spec.validations[0].message: Invalid value: "a\nb": must not contain line breaks`},
		{"a messageExpression that asks the authorizer", policiesPath, "ValidatingAdmissionPolicy",
			`"validations": [{"expression": "true", "messageExpression": "authorizer.path('/').check('get').reason()"}]`,
			"undeclared reference to 'authorizer'"},
		{"a reason", policiesPath, "ValidatingAdmissionPolicy", `"validations": [{"expression": "true", "reason": "Gone"}]`,
			`spec.validations[0].reason: Unsupported value: "Gone": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"`},
		{"paramKind", policiesPath, "ValidatingAdmissionPolicy",
			`"paramKind": {"apiVersion": "a/b/c", "kind": "x y"}, "validations": [{"expression": "true"}]`,
			`spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`},
		{"duplicate audit annotations", policiesPath, "ValidatingAdmissionPolicy",
			`"auditAnnotations": [{"key": "a", "valueExpression": "'x'"}, {"key": "a", "valueExpression": "1"}]`,
			`[spec.auditAnnotations[1].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int, spec.auditAnnotations[1].key: Duplicate value: "a"]`},
		{"a match condition with a bad name", policiesPath, "ValidatingAdmissionPolicy",
			`"matchConditions": [{"name": "!", "expression": "true"}], "validations": [{"expression": "true"}]`,
			`spec.matchConditions[0].name: Invalid value: "!": name part must consist of`},
		{"match conditions see no variables", policiesPath, "ValidatingAdmissionPolicy",
			`"matchConditions": [{"name": "a", "expression": "variables.x"}], "variables": [{"name": "x", "expression": "true"}], "validations": [{"expression": "true"}]`, "undeclared reference to 'variables'"},
		{"a resource with wildcards", policiesPath, "ValidatingAdmissionPolicy",
			`"matchConstraints": {"resourceRules": [{"apiGroups": ["*", "a"], "apiVersions": [""], "resources": ["a/*", "a/b"], "operations": []}]}, "validations": [{"expression": "true"}]`,
			`spec.matchConstraints.resourceRules[0].resources[1]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`},
		{"no mutations", mutatingPoliciesPath, "MutatingAdmissionPolicy",
			`"reinvocationPolicy": "Never", "matchConstraints": {` + rules + `}`,
			`spec.mutations: Required value: mutations must contain at least one item`},
		{"no reinvocationPolicy", mutatingPoliciesPath, "MutatingAdmissionPolicy", mutations("JSONPatch", "[]"),
			"spec.reinvocationPolicy: Required value"},
		{"mutating deletions", mutatingPoliciesPath, "MutatingAdmissionPolicy",
			`"reinvocationPolicy": "Never", "matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["DELETE"]}]}, ` + mutations("JSONPatch", "[JSONPatch{}]"),
			`spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`},
		{"a mutation of another type", mutatingPoliciesPath, "MutatingAdmissionPolicy",
			`"reinvocationPolicy": "Never", ` + mutations("ApplyConfiguration", "[JSONPatch{}]"),
			`must evaluate to Object but got list(JSONPatch)`},
		{"a mutation without its field", mutatingPoliciesPath, "MutatingAdmissionPolicy",
			`"reinvocationPolicy": "Never", "mutations": [{"patchType": "JSONPatch", "applyConfiguration": {"expression": "Object{}"}}]`,
			`[spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch, spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch]`},
		{"Deny and Warn", bindingsPath, "", `"validationActions": ["Deny", "Warn"]`, `must not contain both Deny and Warn`},
		{"no actions", bindingsPath, "", `"validationActions": []`,
			`spec.validationActions: Required value`},
		{"a paramRef without a name", bindingsPath, "", `"paramRef": {}`,
			`[spec.paramRef: Required value: one of name or selector must be specified, spec.paramRef.parameterNotFoundAction: Required value]`},
		{"a paramRef with both", bindingsPath, "",
			`"paramRef": {"name": "a", "selector": {}, "parameterNotFoundAction": "Skip"}`,
			`spec.paramRef.parameterNotFoundAction: Unsupported value: "Skip": supported values: "Deny", "Allow"`},
		{"a selector", bindingsPath, "",
			`"matchResources": {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}`,
			"spec.matchResources.objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, rest.Options{}, false)
			body := policyOf(c.kind, "p", c.spec)
			if c.kind == "" {
				body = binding("ValidatingAdmissionPolicyBinding", c.spec)
			}
			a := s.send(http.MethodPost, c.path, strings.ReplaceAll(body, "\n", `\n`))
			assert.Equal(t, http.StatusUnprocessableEntity, a.code)
			assert.Contains(t, a.Message, c.message)
		})
	}
}
