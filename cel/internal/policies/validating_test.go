package policies_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// Policies deny writes in the words of Kubernetes.
func TestDenials(t *testing.T) {
	const denied = `widgets.example.com "w" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `
	for _, c := range []struct {
		name, spec, message string // message is empty if the write is allowed
		reason              status.Reason
		code                int
	}{
		{"an expression is true", `"validations": [{"expression": "object.spec.size < 10"}]`, "", "", 201},
		{"an expression is false", `"validations": [{"expression": " object.spec.size < 1 "}]`,
			"failed expression: object.spec.size < 1", status.ReasonInvalid, 422},
		{"message", `"validations": [{"expression": "false", "message": " too large "}]`, "too large", status.ReasonInvalid,
			422},
		{"messageExpression",
			`"validations": [{"expression": "false", "message": "no", "messageExpression": "'size ' + string(object.spec.size)"}]`, "size 3", status.ReasonInvalid, 422},
		{"a messageExpression that fails",
			`"validations": [{"expression": "false", "message": "no", "messageExpression": "object.missing"}]`, "", "", 0},
		{"a messageExpression that fails at run time",
			`"validations": [{"expression": "false", "message": "no", "messageExpression": "string(object.missing)"}]`, "no",
			status.ReasonInvalid, 422},
		{"a messageExpression with two lines", `"validations": [{"expression": "false", "messageExpression": "'a\\nb'"}]`,
			"failed expression: false", status.ReasonInvalid, 422},
		{"a messageExpression that is too long",
			`"validations": [{"expression": "false", "messageExpression": "[1,2,3,4,5,6].map(i, 'x'.replace('x', '` +
				strings.Repeat("y", 900) + `')).join('')"}]`,
			"failed expression: false", status.ReasonInvalid, 422},
		{"Forbidden", `"validations": [{"expression": "false", "message": "no", "reason": "Forbidden"}]`, "no",
			status.ReasonForbidden, 403},
		{"RequestEntityTooLarge", `"validations": [{"expression": "false", "message": "no", "reason": "RequestEntityTooLarge"}]`, "no",
			status.ReasonRequestEntityTooLarge, 413},
		{"the first denial counts",
			`"validations": [{"expression": "true"}, {"expression": "false", "message": "first"}, {"expression": "false", "message": "second"}]`,
			"first", status.ReasonInvalid, 422},
		{"an error", `"validations": [{"expression": "object.missing == 1"}]`,
			"expression 'object.missing == 1' resulted in error: no such key: missing", status.ReasonInvalid, 422},
		{"an error with failurePolicy Ignore",
			`"failurePolicy": "Ignore", "validations": [{"expression": "object.missing == 1"}]`, "", "", 201},
		{"failurePolicy Ignore does not ignore denials",
			`"failurePolicy": "Ignore", "validations": [{"expression": "false", "message": "no"}]`, "no", status.ReasonInvalid,
			422},
		{"variables",
			`"variables": [{"name": "size", "expression": "object.spec.size"}, {"name": "large", "expression": "variables.size > 2"}], "validations": [{"expression": "!variables.large", "messageExpression": "'size ' + string(variables.size)"}]`,
			"size 3", status.ReasonInvalid, 422},
		{"match conditions that are true",
			`"matchConditions": [{"name": "a", "expression": "object.spec.size == 3"}], "validations": [{"expression": "false", "message": "no"}]`,
			"no", status.ReasonInvalid, 422},
		{"match conditions that are false",
			`"matchConditions": [{"name": "a", "expression": "object.spec.size == 4"}], "validations": [{"expression": "false", "message": "no"}]`, "", "", 201},
		{"match conditions that fail",
			`"matchConditions": [{"name": "a", "expression": "object.missing == 4"}], "validations": [{"expression": "true"}]`,
			"expression 'object.missing == 4' resulted in error: no such key: missing", status.ReasonInvalid, 422},
		{"match conditions that fail with Ignore",
			`"failurePolicy": "Ignore", "matchConditions": [{"name": "a", "expression": "object.missing == 4"}], "validations": [{"expression": "false"}]`, "", "", 201},
		{"the request",
			`"validations": [{"expression": "request.operation == 'CREATE' && request.name == 'w' && request.namespace == 'default' && request.kind.kind == 'Widget' && request.resource.resource == 'widgets' && request.requestResource.version == 'v1' && !has(request.subResource) && request.userInfo.username == 'system:anonymous' && !request.dryRun && request.options.kind == 'CreateOptions' && oldObject == null"}]`, "", "", 201},
		{"an audit annotation that fails", `"auditAnnotations": [{"key": "a", "valueExpression": "string(object.missing)"}]`,
			"expression 'string(object.missing)' resulted in error: no such key: missing", status.ReasonInvalid, 422},
		{"too expensive", `"validations": [{"expression": "[1, 2, 3].all(i, authorizer.requestResource.check('get').allowed())"}]`,
			"expression '[1, 2, 3].all(i, authorizer.requestResource.check('get').allowed())' resulted in error: operation cancelled: actual cost limit exceeded", status.ReasonInvalid, 422},
		{"no matching operation",
			`"matchConstraints": {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["widgets"], "operations": ["DELETE"]}]}, "validations": [{"expression": "false"}]`, "", "", 201},
		{"an excluded name",
			`"matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}], "excludeResourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["widgets"], "operations": ["*"], "resourceNames": ["w"]}]}, "validations": [{"expression": "false"}]`, "", "", 201},
		{"another label",
			`"matchConstraints": {"objectSelector": {"matchLabels": {"app": "other"}}, "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}]}, "validations": [{"expression": "false"}]`, "", "", 201},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, rest.Options{}, false)
			if c.code == 0 { // the policy is refused
				assert.Equal(t, http.StatusUnprocessableEntity,
					s.send(http.MethodPost, policiesPath, validatingPolicy("p", c.spec)).code)
				return
			}
			s.policy(c.spec, "")
			a := s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`))
			require.Equal(t, c.code, a.code, a.Message)
			if c.message == "" {
				return
			}
			assert.Equal(t, denied+c.message, a.Message)
			assert.Equal(t, c.reason, a.Reason)
			require.NotNil(t, a.Details)
			assert.Equal(t, status.Details{Name: "w", Group: "example.com", Kind: "widgets",
				Causes: []status.Cause{{Message: strings.TrimPrefix(denied,
					`widgets.example.com "w" is forbidden: `) + c.message}}}, *a.Details)
		})
	}
}

// A policy sees updates, deletions and subresources with the old object.
func TestOperations(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	s.create(widgetsPath, widget("w", `"size": 3`))
	s.policy(`"matchConstraints": {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["widgets", "widgets/status"], "operations": ["UPDATE", "DELETE"]}]},
		"validations": [{"expression": "request.operation == 'DELETE' ? object == null && oldObject.spec.size > 3 : object.spec.size >= oldObject.spec.size",
			"messageExpression": "request.operation + ' ' + (has(request.subResource) ? request.subResource : '')"},
			{"expression": "!has(request.subResource) || !object.status.ready", "message": "not ready"}]`, "")
	assert.Contains(t, s.send(http.MethodPatch, widgetsPath+"/w", `{"spec": {"size": 2}}`).Message,
		"denied request: UPDATE")
	assert.Contains(t, s.send(http.MethodDelete, widgetsPath+"/w", "").Message, "denied request: DELETE")
	assert.Contains(t, s.send(http.MethodPatch, widgetsPath+"/w/status", `{"status": {"ready": true}}`).Message,
		"denied request: not ready")
	assert.Equal(t, 200, s.send(http.MethodPatch, widgetsPath+"/w", `{"spec": {"size": 4}}`).code)
	assert.Equal(t, 200, s.send(http.MethodDelete, widgetsPath+"/w", "").code)
}

// The actions of a binding decide what a failed validation does.
func TestValidationActions(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	s.policy(`"validations": [{"expression": "true"}, {"expression": "object.spec.size < 3", "message": "too large"}],
		"auditAnnotations": [{"key": "size", "valueExpression": "string(object.spec.size)"}, {"key": "none", "valueExpression": "null"}, {"key": "empty", "valueExpression": "' '"}]`,
		`"validationActions": ["Warn", "Audit"]`)
	a := s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`))
	require.Equal(t, 201, a.code)
	assert.Equal(t, []string{`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': too large"`},
		a.warnings)
	assert.Equal(t, map[string]string{
		"p/size": "3",
		"validation.policy.admission.k8s.io/validation_failure": `[{"message":"too large","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Warn","Audit"]}]`,
	}, s.notes)
}

// A change of a policy or a binding counts from the next request on.
func TestPoliciesChange(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	try := func() int { return s.send(http.MethodPost, widgetsPath+"?dryRun=All", widget("w", `"size": 3`)).code }
	s.create(policiesPath, validatingPolicy("p", `"validations": [{"expression": "false"}]`))
	assert.Equal(t, 201, try(), "a policy without a binding has no effect")
	s.create(bindingsPath, binding("ValidatingAdmissionPolicyBinding", ""))
	assert.Equal(t, 422, try())
	require.Equal(t, 200, s.send(http.MethodPatch, policiesPath+"/p",
		`{"spec": {"validations": [{"expression": "true"}]}}`).code)
	assert.Equal(t, 201, try())
	require.Equal(t, 200, s.send(http.MethodPatch, policiesPath+"/p",
		`{"spec": {"validations": [{"expression": "false"}]}}`).code)
	assert.Equal(t, 422, try())
	require.Equal(t, 200, s.send(http.MethodDelete, bindingsPath+"/b", "").code)
	assert.Equal(t, 201, try())
}

// Policies do not decide about policies, so a wrong one can be removed.
func TestPoliciesAreExempt(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	s.policy(`"matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], "operations": ["*"]}]}, "validations": [{"expression": "false"}]`, "")
	assert.Equal(t, 422, s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`)).code)
	assert.Equal(t, 200, s.send(http.MethodDelete, policiesPath+"/p", "").code)
	assert.Equal(t, 201, s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`)).code)
}

// Bindings restrict a policy, and their parameters configure it.
func TestParams(t *testing.T) {
	const (
		limited   = `"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"}, "validations": [{"expression": "params == null || object.spec.size <= params.max", "messageExpression": "'at most ' + string(params.max)"}]`
		byCluster = `"paramKind": {"apiVersion": "example.com/v1", "kind": "ClusterLimit"}, "validations": [{"expression": "object.spec.size <= params.max", "messageExpression": "'at most ' + string(params.max)"}]`
		message   = `denied request: `
	)
	for _, c := range []struct{ name, policy, binding, message string }{
		{"by name", limited, `"paramRef": {"name": "small", "parameterNotFoundAction": "Deny"}`, "denied request: at most 2"},
		{"by name in a namespace", limited,
			`"paramRef": {"name": "small", "namespace": "other", "parameterNotFoundAction": "Deny"}`,
			"denied request: at most 1"},
		{"by name of a larger one", limited, `"paramRef": {"name": "large", "parameterNotFoundAction": "Deny"}`, ""},
		{"by selector", limited, `"paramRef": {"selector": {"matchLabels": {"for": "widgets"}}, "parameterNotFoundAction": "Deny"}`, "denied request: at most 2"},
		{"no paramRef", limited, "", ""},
		{"not found, Deny", limited, `"paramRef": {"name": "none", "parameterNotFoundAction": "Deny"}`,
			"denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
		{"not found, Deny, but the policy ignores failures", `"failurePolicy": "Ignore", ` + limited,
			`"paramRef": {"name": "none", "parameterNotFoundAction": "Deny"}`, ""},
		{"not found, Allow", limited, `"paramRef": {"name": "none", "parameterNotFoundAction": "Allow"}`, ""},
		{"none selected, Deny", limited,
			`"paramRef": {"selector": {"matchLabels": {"for": "nothing"}}, "parameterNotFoundAction": "Deny"}`,
			"failed to configure binding: no params found"},
		{"cluster-scoped", byCluster, `"paramRef": {"name": "all", "parameterNotFoundAction": "Deny"}`,
			"denied request: at most 0"},
		{"cluster-scoped with a namespace", byCluster,
			`"paramRef": {"name": "all", "namespace": "default", "parameterNotFoundAction": "Deny"}`,
			"failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`"},
		{"a kind that is not served",
			`"paramKind": {"apiVersion": "example.com/v1", "kind": "Nothing"}, "validations": [{"expression": "true"}]`,
			`"paramRef": {"name": "all", "parameterNotFoundAction": "Deny"}`,
			"ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'"},
		{"a binding for other objects", limited,
			`"paramRef": {"name": "small", "parameterNotFoundAction": "Deny"}, "matchResources": {"objectSelector": {"matchLabels": {"app": "other"}}}`, ""},
		{"a binding for other names", limited,
			`"paramRef": {"name": "small", "parameterNotFoundAction": "Deny"}, "matchResources": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"], "resourceNames": ["v"]}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, rest.Options{}, false)
			s.create(limitsPath, limit("Limit", "small", "2"))
			s.create(limitsPath, limit("Limit", "large", "5"))
			s.create("/apis/example.com/v1/namespaces/other/limits", limit("Limit", "small", "1"))
			s.create(clusterLimitsPath, limit("ClusterLimit", "all", "0"))
			s.policy(c.policy, c.binding)
			a := s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`))
			if c.message == "" {
				assert.Equal(t, 201, a.code, a.Message)
			} else {
				assert.Contains(t, a.Message, c.message)
			}
		})
	}
}

// The namespace of an object is visible, and selects it.
func TestNamespaces(t *testing.T) {
	s := newServer(t, rest.Options{}, true)
	for _, name := range []string{"red", "blue"} {
		s.create("/api/v1/namespaces",
			`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "`+name+`", "labels": {"color": "`+name+`"}}}`)
	}
	s.policy(`"matchConstraints": {"namespaceSelector": {"matchExpressions": [{"key": "color", "operator": "Exists"}]}, "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["CREATE"]}]},
		"validations": [{"expression": "namespaceObject == null || namespaceObject.metadata.labels.color == 'red'", "message": "not red"}]`, "")
	assert.Equal(t, 201, s.send(http.MethodPost, "/apis/example.com/v1/namespaces/red/widgets",
		widget("w", `"size": 3`)).code)
	assert.Contains(t, s.send(http.MethodPost, "/apis/example.com/v1/namespaces/blue/widgets",
		widget("w", `"size": 3`)).Message, "not red")
}

// Expressions ask the authorizer of the API about the user and about service accounts.
func TestAuthorizer(t *testing.T) {
	options := rest.Options{Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		switch {
		case a.Verb == "paint" && a.User.Name != "jane", a.Verb == "post" && a.Path == "/paint":
			return access.Deny(a.User.Name + " may not " + string(a.Verb) + " " + a.Resource + a.Path + " " + a.Name), nil
		}
		return access.Allow(""), nil
	})}
	s := newServer(t, options, false)
	s.policy(`"variables": [{"name": "may", "expression": "authorizer.requestResource.check('paint')"}], "validations": [{"expression": "!has(object.spec.color) || variables.may.allowed()", "message": "no paint"},
		{"expression": "authorizer.serviceAccount('default', 'robot').group('example.com').resource('widgets').check('paint').reason() == 'system:serviceaccount:default:robot may not paint widgets '"},
		{"expression": "!authorizer.path('/paint').check('post').allowed()"}]`, "")
	assert.Contains(t, s.sendAs("john", http.MethodPost, widgetsPath, widget("w", `"size": 3, "color": "red"`)).Message,
		"no paint")
	assert.Equal(t, 201, s.sendAs("john", http.MethodPost, widgetsPath, widget("v", `"size": 3`)).code)
	a := s.sendAs("jane", http.MethodPost, widgetsPath, widget("w", `"size": 3, "color": "red"`))
	assert.Equal(t, 201, a.code, a.Message)
}

// A user who may not read parameters cannot write a policy or a binding that refers to them.
func TestRightsOnParams(t *testing.T) {
	s := newServer(t, rest.Options{Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision,
		error) {
		if a.Resource == "limits" && a.User.Name != "jane" {
			return access.Deny(""), nil
		}
		return access.Allow(""), nil
	})}, false)
	p := validatingPolicy("p", `"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"}, "validations": [{"expression": "params.max == 1"}]`)
	b := binding("ValidatingAdmissionPolicyBinding", `"paramRef": {"name": "small", "parameterNotFoundAction": "Allow"}`)
	assert.Contains(t, s.sendAs("john", http.MethodPost, policiesPath, p).Message,
		`spec.paramKind: Forbidden: user "john" must have "get" permission on all objects of the referenced paramKind (kind=Limit, apiVersion=example.com/v1)`)
	assert.Equal(t, 201, s.sendAs("jane", http.MethodPost, policiesPath, p).code)
	assert.Contains(t, s.sendAs("john", http.MethodPost, bindingsPath, b).Message,
		`spec.paramRef: Forbidden: user "john" does not have "get" permission on the object referenced by paramRef`)
	assert.Equal(t, 201, s.sendAs("jane", http.MethodPost, bindingsPath, b).code)
	assert.Equal(t, 200, s.sendAs("john", http.MethodPatch, bindingsPath+"/b",
		`{"metadata": {"labels": {"a": "b"}}}`).code)
}

// A policy sees its parameters, and the objects it decides about, in the version that it names.
func TestVersions(t *testing.T) {
	s := newServer(t, rest.Options{Limits: rest.Limits{CacheBytes: -1}}, false)
	s.create(limitsPath, limit("Limit", "small", "20"))
	for i, ref := range []string{`{"name": "small", "parameterNotFoundAction": "Deny"}`,
		`{"selector": {}, "parameterNotFoundAction": "Deny"}`} {
		if i > 0 {
			require.Equal(t, 200, s.send(http.MethodDelete, bindingsPath+"/b", "").code)
		} else {
			s.create(policiesPath, validatingPolicy("p",
				`"paramKind": {"apiVersion": "example.com/v1beta1", "kind": "Limit"}, "validations": [{"expression": "object.spec.size <= params.tens", "messageExpression": "'at most ' + string(params.tens)"}]`))
		}
		s.create(bindingsPath, binding("ValidatingAdmissionPolicyBinding", `"paramRef": `+ref))
		assert.Contains(t, s.send(http.MethodPost, widgetsPath, widget("w", `"size": 3`)).Message, "at most 2", ref)
	}
	older := newServer(t, rest.Options{}, false)
	older.policy(`"matchConstraints": {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["v1beta1"], "resources": ["limits"], "operations": ["*"]}]},
		"validations": [{"expression": "object.tens < 2 && request.resource.version == 'v1beta1' && request.requestResource.version == 'v1'", "messageExpression": "string(object.tens)"}]`, "")
	assert.Contains(t, older.send(http.MethodPost, limitsPath, limit("Limit", "l", "30")).Message, "denied request: 3")
	assert.Equal(t, 201, older.send(http.MethodPost, limitsPath, limit("Limit", "l", "10")).code)
	require.Equal(t, 200, older.send(http.MethodPatch, policiesPath+"/p",
		`{"spec": {"matchConstraints": {"matchPolicy": "Exact"}}}`).code)
	assert.Equal(t, 201, older.send(http.MethodPost, limitsPath, limit("Limit", "m", "30")).code)
}

// Policies may change while others write: every write is decided by the policy before or after the change.
func TestConcurrentChanges(t *testing.T) {
	s := newServer(t, rest.Options{}, false)
	s.policy(`"variables": [{"name": "size", "expression": "object.spec.size"}], "validations": [{"expression": "variables.size < 5"}]`, "")
	s.mutating("m", mutations("JSONPatch", `[JSONPatch{op: "add", path: "/spec/color", value: "red"}]`), "")
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for i := range 20 {
				a := s.send(http.MethodPost, widgetsPath, widget(fmt.Sprintf("w-%d-%d", n, i), `"size": 4`))
				assert.Contains(t, []int{201, 422}, a.code, a.Message)
			}
		})
	}
	for i := range 10 {
		a := s.send(http.MethodPatch, policiesPath+"/p",
			fmt.Sprintf(`{"spec": {"validations": [{"expression": "variables.size < %d"}]}}`, 4+i%2))
		assert.Equal(t, 200, a.code, a.Message)
	}
	writers.Wait()
}
