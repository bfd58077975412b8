package audit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/rbac"
)

// recordedCase is a request, and the events that kube-apiserver logged for it.
type recordedCase struct {
	Name    string
	Request struct {
		Method, Path, User, Body string
		Headers                  map[string]string
	}
	Code          int
	AuditIDHeader string
	Events        []map[string]any
}

// configMap is a ConfigMap of the core group.
type configMap struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Data               map[string]string `json:"data,omitempty"`
}

// recordedHost serves what the recorded server served, to the same users.
func recordedHost(t *testing.T, sink audit.Sink) *rest.API {
	t.Helper()
	policy, err := audit.ReadPolicy("testdata/policy.yaml")
	require.NoError(t, err)
	a, err := audit.New(audit.Options{Policy: policy, Outputs: []audit.Output{{Sink: sink, Mode: audit.Strict}}})
	require.NoError(t, err)
	roles, err := rbac.New(rbac.Options{Administrators: []string{"system:masters"}})
	require.NoError(t, err)
	users := auth.OrAnonymous(auth.Tokens(
		auth.Token{Secret: "admin", User: access.User{Name: "admin", UID: "uid", Groups: []string{"system:masters"}}},
		auth.Token{Secret: "alice", User: access.User{Name: "alice", UID: "uid", Groups: []string{"dev", "ops"}}},
	))
	api := apitest.Start(t, rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles, crd.New(crd.Options{}), a}},
		builtin.Namespaces(), secrets(),
		rest.Resource[configMap]{Version: "v1", Plural: "configmaps", Names: rest.Names{Kind: "ConfigMap"},
			Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	require.NoError(t, api.Start(t.Context()))
	return api
}

// send sends a recorded request.
func (c *recordedCase) send(t *testing.T, api *rest.API) apitest.Answer {
	headers := []string{"Audit-ID", c.AuditIDHeader}
	for name, value := range c.Request.Headers {
		headers = append(headers, name, value)
	}
	if c.Request.User != "nobody" {
		headers = append(headers, "Authorization", "Bearer "+c.Request.User)
	}
	return apitest.Do(t, api, c.Request.Method, c.Request.Path, c.Request.Body, headers...)
}

// between are the requests that were sent between the recorded ones, by the recorded one that follows.
var between = map[string][2]string{
	"deletecollection": {"/apis/example.com/v1/namespaces/default/widgets",
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"u"},"spec":{"replicas":1}}`},
}

// notServed are recorded requests that this host does not serve.
var notServed = map[string]string{"metrics": "the endpoint is that of another package"}

// differs lists in what an event differs from the recorded one, and why.
var differs = map[string]string{
	"widget-create-strict[1].requestObject":                "an object with unknown fields is recorded as it was sent; upstream records none",
	"widget-create-strict[1].objectRef.name":               "as above",
	"deletecollection[1].responseObject.metadata.continue": "an empty member is left out of the list",
	"impersonate-forbidden[1].responseStatus.details.name": "the recorded server asks for the right of a newer kind of impersonation",
	"impersonate-forbidden[1].responseStatus.details.kind": "as above",
}

// unlike returns where a value is not like the recorded one. A text such as <time> stands for any text. Addresses, what
// is written for people, and the words of a decision are not compared.
func unlike(at string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want %v, got %v", at, want, got)}
		}
		var all []string
		for name := range g {
			if _, wanted := w[name]; !wanted && differs[at+"."+name] == "" {
				all = append(all, fmt.Sprintf("%s.%s: unexpected %v", at, name, g[name]))
			}
		}
		for name, value := range w {
			if name == "message" || name == "causes" || name == "authorization.k8s.io/reason" ||
				name == "authenticationMetadata" || name == "sourceIPs" {
				continue
			}
			all = append(all, unlike(at+"."+name, value, g[name])...)
		}
		return all
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: want %v, got %v", at, want, got)}
		}
		var all []string
		for i := range w {
			all = append(all, unlike(fmt.Sprintf("%s[%d]", at, i), w[i], g[i])...)
		}
		return all
	case string:
		g, ok := got.(string)
		if ok && (w == g || differs[at] != "" || strings.HasPrefix(w, "<") && strings.HasSuffix(w, ">")) {
			return nil
		}
	}
	if want == got || differs[at] != "" {
		return nil
	}
	return []string{fmt.Sprintf("%s: want %v, got %v", at, want, got)}
}

// Each recorded request causes the events that kube-apiserver logged.
func TestEventsAreThoseOfKubeAPIServer(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var cases []recordedCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Len(t, cases, 47)
	var sink recorder
	api := recordedHost(t, &sink)
	for _, c := range cases {
		if extra, ok := between[c.Name]; ok {
			apitest.Must(t, api, "POST", extra[0], extra[1], "Authorization", "Bearer admin")
		}
		sink.take()
		answer := c.send(t, api)
		if why, ok := notServed[c.Name]; ok {
			assert.NotEqual(t, c.Code, answer.Code, "%s is served: %s", c.Name, why)
			continue
		}
		if !assert.Equal(t, c.Code, answer.Code, "%s: %s", c.Name, answer.Body) {
			continue
		}
		var got []any
		for _, e := range sink.take() {
			var plain any
			require.NoError(t, json.Unmarshal([]byte(apitest.JSONOf(t, e)), &plain))
			got = append(got, plain)
		}
		var want []any
		for _, e := range c.Events {
			e["auditID"] = c.AuditIDHeader
			want = append(want, e)
		}
		assert.Empty(t, unlike(c.Name, want, got))
		if c.Name == "crd-create" {
			apitest.Await(t, "the kind is served", func() bool {
				return apitest.Do(t, api, "GET", "/apis/example.com/v1/widgets", "", "Authorization",
					"Bearer admin").Code == http.StatusOK
			})
		}
	}
}
