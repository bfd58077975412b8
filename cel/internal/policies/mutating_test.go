package policies_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// mutating creates a mutating policy of Widgets with a binding.
func (s *server) mutating(name, spec, bindingSpec string) {
	s.t.Helper()
	if bindingSpec != "" {
		bindingSpec = ", " + bindingSpec
	}
	s.create(mutatingPoliciesPath, policyOf("MutatingAdmissionPolicy", name,
		`"matchConstraints": {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["widgets"], "operations": ["CREATE", "UPDATE"]}]}, `+
			`"reinvocationPolicy": "Never", `+spec))
	s.create(mutatingBindingsPath,
		`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "`+
			name+`"}, "spec": {"policyName": "`+name+`"`+bindingSpec+`}}`)
}

// mutations returns the mutations of a policy, of one type.
func mutations(patchType string, expressions ...string) string {
	var list []map[string]any
	for _, e := range expressions {
		field := map[string]string{"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}[patchType]
		list = append(list, map[string]any{"patchType": patchType, field: map[string]string{"expression": e}})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return `"mutations": ` + string(text)
}

// Policies change objects by both types of patches.
func TestMutations(t *testing.T) {
	const (
		patch  = "JSONPatch"
		apply  = "ApplyConfiguration"
		denied = `policy 'p' with binding 'p' denied request: `
	)
	for _, c := range []struct {
		name, spec, mutations string
		want                  string // the spec
		message               string // the message of the refusal
	}{
		{"replace", "", mutations(patch, `[JSONPatch{op: "replace", path: "/spec/size", value: object.spec.size + 1}]`),
			`{"size": 4, "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"add and remove", "", mutations(patch,
			`[JSONPatch{op: "add", path: "/spec/color", value: "red"}, JSONPatch{op: "remove", path: "/spec/parts"}]`),
			`{"size": 3, "color": "red", "tags": ["x"]}`, ""},
		{"an object as value", "", mutations(patch,
			`[JSONPatch{op: "add", path: "/spec/parts/-", value: Object.spec.parts{name: "b", size: 2}}]`),
			`{"size": 3, "parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}], "tags": ["x"]}`, ""},
		{"two mutations", "", mutations(patch, `[JSONPatch{op: "replace", path: "/spec/size", value: object.spec.size * 2}]`,
			`[JSONPatch{op: "replace", path: "/spec/size", value: object.spec.size + 1}]`),
			`{"size": 7, "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"a test that fails", "", mutations(patch,
			`[JSONPatch{op: "test", path: "/spec/size", value: 9}, JSONPatch{op: "replace", path: "/spec/size", value: 1}]`),
			`{"size": 3, "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"a patch that cannot be applied", "", mutations(patch, `[JSONPatch{op: "remove", path: "/spec/missing"}]`), "",
			denied + "JSON Patch: "},
		{"a patch that cannot be applied, with Ignore", `"failurePolicy": "Ignore", `,
			mutations(patch, `[JSONPatch{op: "remove", path: "/spec/missing"}]`),
			`{"size": 3, "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"an expression that fails", "",
			mutations(patch, `[JSONPatch{op: "replace", path: "/spec/size", value: object.missing}]`), "",
			denied + `expression '[JSONPatch{op: "replace", path: "/spec/size", value: object.missing}]' resulted in error: no such key: missing`},
		{"a condition that is false", `"matchConditions": [{"name": "a", "expression": "object.spec.size == 9"}], `,
			mutations(patch, `[JSONPatch{op: "remove", path: "/spec/size"}]`),
			`{"size": 3, "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"variables", `"variables": [{"name": "next", "expression": "object.spec.size + 1"}], `,
			mutations(patch, `[JSONPatch{op: "replace", path: "/spec/size", value: variables.next}]`),
			`{"size": 4, "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"apply", "", mutations(apply, `Object{spec: Object.spec{color: "red", size: object.spec.size + 1}}`),
			`{"size": 4, "color": "red", "parts": [{"name": "a", "size": 1}], "tags": ["x"]}`, ""},
		{"apply to a list with keys", "",
			mutations(apply, `Object{spec: Object.spec{parts: [Object.spec.parts{name: "a", size: 5}, Object.spec.parts{name: "b"}]}}`), `{"size": 3, "parts": [{"name": "a", "size": 5}, {"name": "b"}], "tags": ["x"]}`, ""},
		{"apply an atomic list", "", mutations(apply, `Object{spec: Object.spec{tags: ["y"]}}`), "",
			denied + "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tags"},
		{"apply an unknown field", "", mutations(apply, `Object{spec: Object.spec{unknown: 1}}`), "",
			denied + "error applying patch: failed to convert patch object to typed object: .spec.unknown: field not declared in schema"},
		{"apply with a wrong type name", "", mutations(apply, `Object{spec: Object.other{size: 1}}`), "",
			denied + `type mismatch: unexpected type name "Object.other", expected "Object.spec", which matches field name path from root Object type`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, rest.Options{}, false)
			s.mutating("p", c.spec+c.mutations, "")
			a := s.send(http.MethodPost, widgetsPath,
				widget("w", `"size": 3, "parts": [{"name": "a", "size": 1}], "tags": ["x"]`))
			if c.message != "" {
				assert.Equal(t, http.StatusForbidden, a.code)
				assert.Equal(t, status.ReasonInvalid, a.Reason)
				assert.Contains(t, a.Message, c.message)
				require.NotNil(t, a.Details)
				assert.Equal(t, []status.Cause{{Message: a.Message}}, a.Details.Causes)
				return
			}
			require.Equal(t, 201, a.code, a.Message)
			got, err := json.Marshal(a.object["spec"])
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(got))
		})
	}
}

// A policy mutates again if the object has changed after it, but only if it asks for that.
func TestReinvocation(t *testing.T) {
	for _, c := range []struct{ policy, want string }{{"Never", "1"}, {"IfNeeded", "1+1"}} {
		s := newServer(t, rest.Options{}, false)
		spec := `"reinvocationPolicy": "` + c.policy + `", ` + mutations("JSONPatch",
			`[JSONPatch{op: "add", path: "/spec/color", value: (has(object.spec.color) ? object.spec.color + "+" : "") + string(object.spec.size)}]`)
		s.create(mutatingPoliciesPath, policyOf("MutatingAdmissionPolicy", "a",
			`"matchConstraints": {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["widgets"], "operations": ["CREATE"]}]}, `+spec))
		s.create(mutatingBindingsPath,
			`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "a"}, "spec": {"policyName": "a"}}`)
		s.mutating("z", mutations("JSONPatch", `[JSONPatch{op: "add", path: "/spec/tags", value: ["z"]}]`), "")
		a := s.send(http.MethodPost, widgetsPath, widget("w", `"size": 1`))
		require.Equal(t, 201, a.code, a.Message)
		assert.Equal(t, c.want, a.object["spec"].(map[string]any)["color"], c.policy)
	}
}

// A mutating policy runs once for each object of its parameters, and validating policies see what mutating ones leave.
func TestMutationsWithParams(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	s.create(limitsPath, limit("Limit", "one", "1"))
	s.create(limitsPath, limit("Limit", "two", "2"))
	s.mutating("p", `"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"}, `+mutations("JSONPatch",
		`[JSONPatch{op: "replace", path: "/spec/size", value: object.spec.size * 10 + params.max}]`),
		`"paramRef": {"selector": {"matchLabels": {"for": "widgets"}}, "parameterNotFoundAction": "Deny"}`)
	s.policy(`"validations": [{"expression": "false", "messageExpression": "string(object.spec.size)"}]`, "")
	assert.Contains(t, s.send(http.MethodPost, widgetsPath, widget("w", `"size": 0`)).Message, "denied request: 12")
}
