package admissionregistration_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/status"
)

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"

// serve answers one request of an API with both kinds.
func serve(t *testing.T, api *rest.API, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	api.ServeHTTP(w, r)
	return w
}

func newAPI(t *testing.T) *rest.API {
	t.Helper()
	compile := func(expression string) error {
		if expression == "bad" {
			return errors.New("compilation failed: ERROR")
		}
		return nil
	}
	api, err := rest.New(rest.Options{}, admissionregistration.ValidatingWebhookConfigurations(compile),
		admissionregistration.MutatingWebhookConfigurations(compile))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return api
}

const least = `"name":"a.example.com","clientConfig":{"service":{"namespace":"n","name":"s"}},"sideEffects":"None","admissionReviewVersions":["v1"]`

func configuration(kind, webhooks string) string {
	return `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"` + kind + `","metadata":{"name":"a"},"webhooks":[` +
		webhooks + `]}`
}

// The defaults are those of Kubernetes.
func TestDefaults(t *testing.T) {
	const rule = `,"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]`
	const shared = `{"name":"a.example.com","clientConfig":{"service":{"namespace":"n","name":"s","port":443}},` +
		`"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"scope":"*"}],` +
		`"failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"sideEffects":"None","timeoutSeconds":10,"admissionReviewVersions":["v1"]`
	api := newAPI(t)
	for _, c := range []struct{ kind, path, want string }{
		{"ValidatingWebhookConfiguration", configurations, shared + "}"},
		{"MutatingWebhookConfiguration", strings.Replace(configurations, "validating", "mutating", 1),
			shared + `,"reinvocationPolicy":"Never"}`},
	} {
		w := serve(t, api, "POST", c.path, configuration(c.kind, "{"+least+rule+"}"))
		require.Equal(t, 201, w.Code, w.Body)
		_, got, _ := strings.Cut(w.Body.String(), `"webhooks":[`)
		assert.JSONEq(t, c.want, strings.TrimSuffix(strings.TrimSpace(got), "]}"))
		assert.Contains(t, w.Body.String(), `"generation":1`)
	}
}

// A client owns a variable of a policy as a whole, as in Kubernetes.
func TestOwnersOfVariables(t *testing.T) {
	api, err := rest.New(rest.Options{}, admissionregistration.ValidatingAdmissionPolicies(
		func(context.Context, *admissionregistration.ValidatingAdmissionPolicy,
			*admissionregistration.ValidatingAdmissionPolicy) (status.FieldErrors, error) {
			return nil, nil
		}))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	w := serve(t, api, "POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"a"},`+
			`"spec":{"variables":[{"name":"a","expression":"1"}]}}`)
	require.Equal(t, 201, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), `"f:variables":{".":{},"k:{\"name\":\"a\"}":{}}`)
}

// The texts match kube-apiserver's.
func TestValidation(t *testing.T) {
	rule := func(changed string) string { return least + `,"rules":[{` + changed + `}]` }
	for _, c := range []struct{ name, webhook, want string }{
		{"no name", strings.Replace(least, "a.example.com", "", 1), `webhooks[0].name: Required value`},
		{"a bad name", strings.Replace(least, "a.example.com", "A.example.com", 1),
			`webhooks[0].name: Invalid value: \"A.example.com\": a lowercase RFC 1123 subdomain`},
		{"a short name", strings.Replace(least, "a.example.com", "example.com", 1),
			`webhooks[0].name: Invalid value: \"example.com\": should be a domain with at least three segments separated by dots`},
		{"no side effects", strings.Replace(least, `"sideEffects":"None",`, "", 1),
			`webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun`},
		{"side effects", strings.Replace(least, `"None"`, `"Some"`, 1),
			`webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"`},
		{"no versions", strings.Replace(least, `["v1"]`, `[]`, 1),
			`webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1`},
		{"unknown versions", strings.Replace(least, `["v1"]`, `["v3"]`, 1),
			`webhooks[0].admissionReviewVersions: Invalid value: [\"v3\"]: must include at least one of v1, v1beta1`},
		{"a version twice", strings.Replace(least, `["v1"]`, `["v1","v1"]`, 1),
			`webhooks[0].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version`},
		{"a long timeout", least + `,"timeoutSeconds":31`,
			`webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds`},
		{"a failure policy", least + `,"failurePolicy":"Maybe"`,
			`webhooks[0].failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", \"Ignore\"`},
		{"a match policy", least + `,"matchPolicy":"Maybe"`,
			`webhooks[0].matchPolicy: Unsupported value: \"Maybe\": supported values: \"Equivalent\", \"Exact\"`},
		{"two addresses", strings.Replace(least, `"clientConfig":{`, `"clientConfig":{"url":"https://a",`, 1),
			`webhooks[0].clientConfig: Required value: exactly one of url or service is required`},
		{"a URL", strings.Replace(least, `"service":{"namespace":"n","name":"s"}`, `"url":"http://a?b#c"`, 1),
			`webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]`},
		{"a service", strings.Replace(least, `"name":"s"}`, `"name":"s","path":"a//b","port":0}`, 1),
			`webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": must start with a '/'`},
		{"a selector", least + `,"objectSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}`,
			"webhooks[0].objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' " +
				"or 'NotIn'"},
		{"no operations", rule(`"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]`),
			`webhooks[0].rules[0].operations: Required value`},
		{"an operation", rule(`"operations":["PATCH"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]`),
			`webhooks[0].rules[0].operations[0]: Unsupported value: \"PATCH\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"`},
		{"all groups and one", rule(`"operations":["*"],"apiGroups":["*","a"],"apiVersions":["*"],"resources":["*"]`),
			`webhooks[0].rules[0].apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present, must not specify other API groups`},
		{"all resources and one", rule(`"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*","a"]`),
			`webhooks[0].rules[0].resources: Invalid value: [\"*\",\"a\"]: if '*' is present, must not specify other resources without subresources`},
		{"a covered subresource", rule(`"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["a/*","a/b"]`),
			`webhooks[0].rules[0].resources[1]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b`},
		{"a condition", least + `,"matchConditions":[{"name":"c","expression":"bad"}]`,
			`webhooks[0].matchConditions[0].expression: Invalid value: \"bad\": compilation failed: ERROR`},
		{"65 conditions", least + `,"matchConditions":[` +
			strings.TrimSuffix(strings.Repeat(`{"name":"","expression":"true"},`, 65), ",") + `]`,
			`webhooks[0].matchConditions: Too many: 65: must have at most 64 items`},
		{"two of a name", least + `},{` + least, `webhooks[1].name: Duplicate value: \"a.example.com\"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(t, newAPI(t), "POST", configurations, configuration("ValidatingWebhookConfiguration", "{"+c.webhook+"}"))
			assert.Equal(t, 422, w.Code, w.Body)
			assert.Contains(t, w.Body.String(), c.want)
		})
	}
}

// A mutating webhook has one rule more.
func TestValidationOfMutatingWebhooks(t *testing.T) {
	w := serve(t, newAPI(t), "POST", strings.Replace(configurations, "validating", "mutating", 1),
		configuration("MutatingWebhookConfiguration", "{"+least+`,"reinvocationPolicy":"Often"}`))
	assert.Equal(t, 422, w.Code)
	assert.Contains(t, w.Body.String(),
		`webhooks[0].reinvocationPolicy: Unsupported value: \"Often\": supported values: \"IfNeeded\", \"Never\"`)
}

// An answer stays small, however many faults a small body has.
func TestFaultsAreLimited(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`"",`, 100_000), ",")
	w := serve(t, newAPI(t), "POST", configurations, configuration("ValidatingWebhookConfiguration",
		"{"+least+`,"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":[`+many+`],"resources":["*"]}]}`))
	assert.Equal(t, 422, w.Code)
	assert.Less(t, w.Body.Len(), 1<<20)
}

// A PUT needs a resourceVersion, and conditions that it does not change are not compiled again.
func TestUpdate(t *testing.T) {
	good := true
	compile := func(string) error {
		if good {
			return nil
		}
		return errors.New("no language")
	}
	api, err := rest.New(rest.Options{}, admissionregistration.ValidatingWebhookConfigurations(compile))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	conditional := func(more string) string {
		return strings.Replace(configuration("ValidatingWebhookConfiguration",
			"{"+least+`,"matchConditions":[{"name":"c","expression":"true"}]`+more+"}"), `"name":"a"}`,
			`"name":"a","resourceVersion":"RV"}`, 1)
	}
	w := serve(t, api, "POST", configurations, strings.Replace(conditional(""), `,"resourceVersion":"RV"`, "", 1))
	require.Equal(t, 201, w.Code, w.Body)
	_, rest, _ := strings.Cut(w.Body.String(), `"resourceVersion":"`)
	rv, _, _ := strings.Cut(rest, `"`)
	good = false
	assert.Equal(t, 422, serve(t, api, "PUT", configurations+"/a",
		strings.Replace(conditional(""), `,"resourceVersion":"RV"`, "", 1)).Code)
	w = serve(t, api, "PUT", configurations+"/a", strings.Replace(conditional(`,"timeoutSeconds":5`), "RV", rv, 1))
	require.Equal(t, 200, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), `"generation":2`)
}
