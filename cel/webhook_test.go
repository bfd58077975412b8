package cel_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
)

// Parcel is the kind that the webhooks of this test see.
type Parcel struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Weight             int `json:"weight,omitempty"`
}

// A webhook is called only if all its matchConditions are true. If one fails, the failure policy decides.
func TestMatchConditionsOfWebhooks(t *testing.T) {
	called := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called = true
		var review struct{ Request struct{ UID string } }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&review))
		_, _ = fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.Request.UID)
	}))
	t.Cleanup(server.Close)
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	user := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(access.WithUser(r.Context(), access.User{Name: "jane", Groups: []string{"clerks"}})))
		})
	}
	for _, c := range []struct {
		name, more string
		conditions []string
		called     bool
		refused    string
	}{
		{"true", "", []string{"object.weight > 5"}, true, ""},
		{"false", "", []string{"object.weight > 50"}, false, ""},
		{"all must be true", "", []string{"object.weight > 5", "request.operation == 'UPDATE'"}, false, ""},
		{"the old object is null", "", []string{"oldObject == null"}, true, ""},
		{"the request", "",
			[]string{"request.userInfo.username == 'jane' && request.resource.resource == 'parcels' && request.dryRun == false && request.name == 'a'"}, true, ""},
		{"rights", "", []string{"authorizer.group('example.com').resource('parcels').check('delete').allowed()"}, false, ""},
		{"other rights", "", []string{"authorizer.requestResource.check('create').allowed()"}, true, ""},
		{"an error", "", []string{"object.nothing == 1"}, false,
			`parcels.example.com "a" is forbidden: expression 'object.nothing == 1' resulted in error: no such key: nothing`},
		{"an error and false", "", []string{"object.nothing == 1", "false"}, false, ""},
		{"an error that does not matter", `,"failurePolicy":"Ignore"`, []string{"object.nothing == 1"}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			called = false
			hooks, err := webhook.New(webhook.Options{Calls: calls})
			require.NoError(t, err)
			decide := func(a access.Access) access.Decision {
				if a.Verb == "delete" {
					return access.NoOpinion("")
				}
				return access.Allow("")
			}
			api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{hooks}, Authorizer: authorizerOf(decide),
				Logger: slog.New(slog.DiscardHandler)},
				rest.Resource[Parcel]{Group: "example.com", Version: "v1", Plural: "parcels", Scope: rest.ScopeCluster})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, api.Close()) })
			send := func(path, body string) *httptest.ResponseRecorder {
				w := httptest.NewRecorder()
				r := httptest.NewRequest("POST", path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				user(api).ServeHTTP(w, r)
				return w
			}
			w := send("/apis/"+admissionregistration.Group+"/v1/validatingwebhookconfigurations",
				conditional(t, server, c.conditions, c.more))
			require.Equal(t, 201, w.Code, w.Body)
			w = send("/apis/example.com/v1/parcels",
				`{"apiVersion":"example.com/v1","kind":"Parcel","metadata":{"name":"a"},"weight":7}`)
			assert.Equal(t, c.called, called)
			if c.refused == "" {
				assert.Equal(t, 201, w.Code, w.Body)
				return
			}
			assert.Equal(t, 403, w.Code)
			var refusal struct{ Message string }
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &refusal))
			assert.Equal(t, c.refused, refusal.Message)
		})
	}
}

// authorizerOf returns an Authorizer that decides by the access alone.
func authorizerOf(decide func(access.Access) access.Decision) access.Authorizer {
	return access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		return decide(a), nil
	})
}

// conditional is a configuration with matchConditions.
func conditional(t *testing.T, server *httptest.Server, conditions []string, more string) string {
	t.Helper()
	bundle, err := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	require.NoError(t, err)
	type condition struct {
		Name       string `json:"name"`
		Expression string `json:"expression"`
	}
	list := make([]condition, len(conditions))
	for i, expression := range conditions {
		list[i] = condition{fmt.Sprint("c", i), expression}
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	return fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"w"},"webhooks":[{"name":"w.example.com",
		"clientConfig":{"url":%q,"caBundle":%s},"sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"operations":["*"],"apiGroups":["example.com"],"apiVersions":["*"],"resources":["*"]}],"matchConditions":%s%s}]}`, server.URL, bundle, text, more)
}

// A condition that does not compile is refused with the configuration, and so is any condition if the host has no
// language.
func TestInvalidMatchConditions(t *testing.T) {
	for _, c := range []struct {
		evaluator  rest.Evaluator
		expression string
		want       string
	}{
		{cel.Evaluator(), "object.", `webhooks[0].matchConditions[0].expression: Invalid value: \"object.\": compilation failed: ERROR: `},
		{cel.Evaluator(), "1", `webhooks[0].matchConditions[0].expression: Invalid value: \"1\": must evaluate to bool`},
		{cel.Evaluator(), "params.x", `undeclared reference to 'params'`},
		{nil, "true", `webhooks[0].matchConditions[0].expression: Invalid value: \"true\": this server does not evaluate matchConditions`},
	} {
		server := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext})
		require.NoError(t, err)
		t.Cleanup(calls.Close)
		hooks, err := webhook.New(webhook.Options{Calls: calls})
		require.NoError(t, err)
		api, err := rest.New(rest.Options{CEL: c.evaluator, Plugins: []rest.Plugin{hooks}})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, api.Close()) })
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/apis/"+admissionregistration.Group+"/v1/validatingwebhookconfigurations",
			strings.NewReader(conditional(t, server, []string{c.expression}, "")))
		r.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(w, r)
		assert.Equal(t, 422, w.Code)
		assert.Contains(t, w.Body.String(), c.want)
	}
}
