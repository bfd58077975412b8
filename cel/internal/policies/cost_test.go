package policies_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// A policy that is too expensive, or that fails, does not prevent the evaluation of others, regardless of its failure
// policy.
func TestExpensivePoliciesDoNotStopOthers(t *testing.T) {
	const expensive = `[1, 2, 3].all(i, authorizer.requestResource.check('get').allowed())`
	s := newServer(t, rest.Options{}, false)
	one := func(name, spec string) {
		s.create(policiesPath, validatingPolicy(name, spec))
		s.create(bindingsPath, strings.NewReplacer(`"name": "b"`, `"name": "`+name+`"`, `"policyName": "p"`,
			`"policyName": "`+name+`"`).
			Replace(binding("ValidatingAdmissionPolicyBinding", "")))
	}
	var many []string
	for i := range 15 {
		many = append(many,
			fmt.Sprintf(`{"expression": "%d > 100 || authorizer.group('g%d').resource('r').check('get').allowed() && authorizer.group('h%d').resource('r').check('get').allowed()"}`, i, i, i))
	}
	one("a-expression", `"failurePolicy": "Ignore", "validations": [{"expression": "`+expensive+`"}]`)
	one("b-policy", `"failurePolicy": "Ignore", "validations": [`+strings.Join(many, ", ")+`]`)
	one("c-other", `"validations": [{"expression": "object.spec.size < 5", "message": "too large"}]`)
	assert.Equal(t, 201, s.send(http.MethodPost, widgetsPath, widget("v", `"size": 3`)).code)
	assert.Contains(t, s.send(http.MethodPost, widgetsPath, widget("w", `"size": 5`)).Message,
		"'c-other' with binding 'c-other' denied request: too large")
	require.Equal(t, 200, s.send(http.MethodPatch, policiesPath+"/b-policy", `{"spec": {"failurePolicy": "Fail"}}`).code)
	assert.Contains(t, s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`)).Message,
		"'b-policy' with binding 'b-policy' denied request: validation failed due to running out of cost budget, no further validation rules will be run")
}
