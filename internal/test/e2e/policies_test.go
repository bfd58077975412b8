package e2e_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/policy"
)

// Crate is the kind about which the policies of this test decide. Its limits are in a Load.
type Crate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Weight             int64  `json:"weight"`
	Label              string `json:"label,omitempty"`
}

// Load is a kind of parameters.
type Load struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Max                int64 `json:"max"`
}

const cratePolicies = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: weights}
spec:
  paramKind: {apiVersion: example.com/v1, kind: Load}
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: ["*"], resources: [crates], operations: [CREATE, UPDATE]}]}
  validations: [{expression: object.weight <= params.max, messageExpression: "'at most ' + string(params.max)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec: {policyName: weights, paramRef: {name: small, parameterNotFoundAction: Deny}, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: labels}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: ["*"], resources: [crates], operations: [CREATE]}]}
  reinvocationPolicy: Never
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{label: 'weighs ' + string(object.weight)}"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: labels}
spec: {policyName: labels}
---
apiVersion: example.com/v1
kind: Load
metadata: {name: small}
max: 10
`

const crate = `
apiVersion: example.com/v1
kind: Crate
metadata: {name: crate}
weight: WEIGHT
`

// kubectl manages policies, and they decide about what it writes.
func TestPoliciesWithKubectl(t *testing.T) {
	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{policy.New(policy.Options{})}},
		builtin.Namespaces(), rest.Resource[Crate]{Group: "example.com", Version: "v1", Plural: "crates"},
		rest.Resource[Load]{Group: "example.com", Version: "v1", Plural: "loads"})
	require.NoError(t, err)
	over := httptest.NewServer(api)
	t.Cleanup(func() {
		over.CloseClientConnections()
		require.NoError(t, api.Close())
		over.Close()
	})
	s := &server{url: over.URL, kubectl: newest(), home: t.TempDir()}
	s.run(t, "create", "namespace", namespace)
	crateOf := func(weight string) string { return strings.ReplaceAll(crate, "WEIGHT", weight) }

	s.feed(t, cratePolicies, "apply", "-f", "-")
	assert.Contains(t, s.refused(t, crateOf("11"), "apply", "-f", "-"),
		`The crates "crate" is invalid: : ValidatingAdmissionPolicy 'weights' with binding 'small' denied request: at most 10`)
	s.feed(t, crateOf("10"), "apply", "-f", "-")
	assert.Equal(t, "weighs 10", s.run(t, "get", "crate", "crate", "-o", "jsonpath={.label}"))
	s.run(t, "patch", "load", "small", "--type=merge", "-p", `{"max": 5}`)
	assert.Contains(t, s.refused(t, crateOf("9"), "apply", "-f", "-"), "denied request: at most 5")
	assert.Contains(t, s.refused(t, strings.ReplaceAll(cratePolicies, "params.max,", "params.most +,"), "apply", "-f",
		"-"), "spec.validations[0].expression: Invalid value")

	columns := func(args ...string) []string {
		return strings.Fields(strings.Split(s.run(t, append([]string{"get"}, args...)...), "\n")[1])
	}
	assert.Equal(t, []string{"weights", "1", "example.com/v1/Load"}, columns("validatingadmissionpolicies")[:3])
	assert.Equal(t, []string{"small", "weights", "*/small"}, columns("validatingadmissionpolicybindings")[:3])
	assert.Equal(t, []string{"labels", "1", "<unset>"}, columns("mutatingadmissionpolicies")[:3])
	assert.Equal(t, []string{"labels", "labels", "<unset>"}, columns("mutatingadmissionpolicybindings")[:3])
	assert.Contains(t, s.run(t, "explain", "validatingadmissionpolicy.spec.validations"), "messageExpression")

	s.run(t, "delete", "validatingadmissionpolicybinding", "small")
	s.feed(t, crateOf("11"), "apply", "-f", "-")
}
