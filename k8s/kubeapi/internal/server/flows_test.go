package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/resttest"
)

// flowOf returns the names of the FlowSchema and of the priority level that the answer to a request names.
func flowOf(t *testing.T, s *server.Server, method, path, token string, headers ...string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	schemas, err := resttest.Client[flowcontrolv1.FlowSchema](t, s.API()).List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	levels, err := resttest.Client[flowcontrolv1.PriorityLevelConfiguration](t, s.API()).List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	var names []string
	for _, schema := range schemas.Items {
		if w.Header().Get("X-Kubernetes-PF-FlowSchema-UID") == string(schema.UID) {
			names = append(names, schema.Name)
		}
	}
	for _, level := range levels.Items {
		if w.Header().Get("X-Kubernetes-PF-PriorityLevel-UID") == string(level.UID) {
			names = append(names, level.Name)
		}
	}
	return strings.Join(names, " ")
}

func usersOfFlows(c *server.Config) {
	user := func(secret, name string, groups ...string) auth.Token {
		return auth.Token{Secret: secret, User: rest.User{Name: name, Groups: groups}}
	}
	c.Users = []rest.Authenticator{auth.Tokens(user("root", "root", server.Masters), user("jane", "jane"),
		user("manager", "system:kube-controller-manager"), user("node", "system:node:a", "system:nodes"),
		user("account", "system:serviceaccount:team:a", "system:serviceaccounts", "system:serviceaccounts:team"),
		user("system", "system:serviceaccount:kube-system:a", "system:serviceaccounts", "system:serviceaccounts:kube-system"))}
}

// Answers name the flow schema and the priority level that kube-apiserver would have chosen.
func TestAnswersNameTheirFlow(t *testing.T) {
	s := newServer(t, usersOfFlows)
	const maps, leases = "/api/v1/namespaces/default/configmaps", "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	for _, c := range []struct{ method, path, token, want string }{
		{"GET", maps, "root", "exempt exempt"},
		{"GET", "/livez/ping", "root", "exempt exempt"},
		{"GET", "/livez/ping", "", "global-default global-default"},
		{"GET", "/livez", "", "probes exempt"},
		{"GET", "/readyz", "jane", "probes exempt"},
		{"GET", "/version", "jane", "global-default global-default"},
		{"GET", "/openid/v1/jwks", "root", "exempt exempt"},
		{"GET", maps, "jane", "global-default global-default"},
		{"GET", maps, "", "global-default global-default"},
		{"GET", maps, "wrong", ""},
		{"GET", maps, "account", "service-accounts workload-low"},
		{"GET", maps, "system", "kube-system-service-accounts workload-high"},
		{"GET", leases, "manager", "kube-controller-manager workload-high"},
		{"GET", leases + "/a", "manager", "system-leader-election leader-election"},
		{"GET", leases + "/a", "node", "system-node-high node-high"},
		{"GET", "/api/v1/nodes", "node", "system-node-high node-high"},
		{"GET", maps, "node", "system-nodes system"},
		{"GET", "/api/v1/namespaces/default/pods/a/log", "root", ""},
		{"GET", "/nowhere", "root", "exempt exempt"},
	} {
		assert.Equal(t, c.want, flowOf(t, s, c.method, c.path, c.token), "%s %s by %q", c.method, c.path, c.token)
	}
	assert.Equal(t, "global-default global-default", flowOf(t, s, http.MethodGet, maps, "root", "Impersonate-User", "jane"), "the final user counts")
	assert.Empty(t, flowOf(t, s, http.MethodGet, maps, "jane", "Impersonate-User", "root"), "a refused impersonation has no final user")
}

// A stored schema counts as soon as the server has seen it.
func TestStoredFlowSchemasCount(t *testing.T) {
	s := newServer(t, usersOfFlows)
	const path = "/api/v1/namespaces/default/configmaps"
	schemas := resttest.Client[flowcontrolv1.FlowSchema](t, s.API())
	_, err := schemas.Create(t.Context(), &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "of-jane"},
		Spec: flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: 50,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-high"},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "jane"}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"list"}, APIGroups: []string{""}, Resources: []string{"configmaps"},
					Namespaces: []string{"default"}}}}}}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return flowOf(t, s, http.MethodGet, path, "jane") == "of-jane workload-high" }, 30*time.Second, time.Millisecond)
	assert.Equal(t, "global-default global-default", flowOf(t, s, http.MethodGet, "/api/v1/configmaps", "jane"), "another scope")
	require.NoError(t, schemas.Delete(t.Context(), "of-jane", rest.DeleteOptions{}))
	require.Eventually(t, func() bool { return flowOf(t, s, http.MethodGet, path, "jane") == "global-default global-default" }, 30*time.Second, time.Millisecond)
}

// Every answer about a deprecated kind says so, in the words of kube-apiserver.
func TestDeprecatedKindsWarn(t *testing.T) {
	s := newServer(t, usersOfFlows)
	for path, want := range map[string][]string{
		"/api/v1/componentstatuses":                 {`299 - "v1 ComponentStatus is deprecated in v1.19+"`},
		"/api/v1/componentstatuses/etcd-0":          {`299 - "v1 ComponentStatus is deprecated in v1.19+"`},
		"/api/v1/namespaces/default/endpoints":      {`299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"`},
		"/api/v1/namespaces/default/configmaps":     nil,
		"/api/v1/namespaces/default/endpoints/none": {`299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"`},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer root")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		assert.Equal(t, want, w.Header().Values("Warning"), path)
	}
}
