package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
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
	levels, err := resttest.Client[flowcontrolv1.PriorityLevelConfiguration](t, s.API()).List(t.Context(),
		rest.ListOptions{})
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
		return auth.Token{Secret: secret, User: access.User{Name: name, Groups: groups}}
	}
	c.Users = []access.Authenticator{auth.Tokens(user("root", "root", server.Masters), user("jane", "jane"),
		user("manager", "system:kube-controller-manager"), user("node", "system:node:a", "system:nodes"),
		user("account", "system:serviceaccount:team:a", "system:serviceaccounts", "system:serviceaccounts:team"),
		user("system", "system:serviceaccount:kube-system:a", "system:serviceaccounts",
			"system:serviceaccounts:kube-system"))}
}

// Answers name the flow schema and the priority level that kube-apiserver would have chosen.
func TestAnswersNameTheirFlow(t *testing.T) {
	s := newServer(t, usersOfFlows)
	const maps, leases = "/api/v1/namespaces/default/configmaps", "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	for _, c := range []struct{ method, path, token, want string }{
		{"GET", maps, "root", "exempt exempt"},
		{"GET", "/livez/ping", "root", "exempt exempt"},
		{"GET", "/livez/ping", "", "probes exempt"},
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
	assert.Equal(t, "global-default global-default",
		flowOf(t, s, http.MethodGet, maps, "root", "Impersonate-User", "jane"), "the final user counts")
	assert.Empty(t, flowOf(t, s, http.MethodGet, maps, "jane", "Impersonate-User", "root"),
		"a refused impersonation has no final user")
	assert.Equal(t, "system-nodes system",
		flowOf(t, s, http.MethodGet, "/version", "root", "Impersonate-User", "a", "Impersonate-Group", "system:nodes"))
	assert.Equal(t, "global-default global-default",
		flowOf(t, s, http.MethodGet, "/version", "jane", "Impersonate-User", "a", "Impersonate-Group", "system:nodes"))
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
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser,
					User: &flowcontrolv1.UserSubject{Name: "jane"}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"list"}, APIGroups: []string{""},
					Resources: []string{"configmaps"}, Namespaces: []string{"default"}}}}}}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return flowOf(t, s, http.MethodGet, path, "jane") == "of-jane workload-high" },
		hangtest.Deadline, time.Millisecond)
	assert.Equal(t, "global-default global-default", flowOf(t, s, http.MethodGet, "/api/v1/configmaps", "jane"),
		"another scope")
	require.NoError(t, schemas.Delete(t.Context(), "of-jane", rest.DeleteOptions{}))
	require.Eventually(t, func() bool {
		return flowOf(t, s, http.MethodGet, path, "jane") == "global-default global-default"
	}, hangtest.Deadline,
		time.Millisecond)
}

// Requests are classified by objects that a user adds, as the end-to-end test of Kubernetes checks it: the FlowSchema
// is not dangling, the metrics have the level, and answers to an impersonated user name both.
func TestUsersAddFlows(t *testing.T) {
	s := newServer(t, usersOfFlows)
	levels := resttest.Client[flowcontrolv1.PriorityLevelConfiguration](t, s.API())
	_, err := levels.Create(t.Context(),
		&flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "testing-level"},
			Spec: flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementLimited,
				Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: new(int32(1)),
					LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}}}})
	require.NoError(t, err)
	schemas := resttest.Client[flowcontrolv1.FlowSchema](t, s.API())
	_, err = schemas.Create(t.Context(), &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: "testing-schema"},
		Spec: flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: 1000,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "testing-level"},
			DistinguisherMethod:        &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser,
					User: &flowcontrolv1.UserSubject{Name: "noxu"}}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}}}}}})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		schema, err := schemas.Get(t.Context(), "testing-schema")
		require.NoError(t, err)
		return slices.ContainsFunc(schema.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) bool {
			return c.Type == flowcontrolv1.FlowSchemaConditionDangling && c.Status == flowcontrolv1.ConditionFalse
		})
	}, hangtest.Deadline, time.Millisecond)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer root")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	assert.Contains(t, w.Body.String(), `apiserver_flowcontrol_nominal_limit_seats{priority_level="testing-level"} 3`+"\n",
		"600 seats, and 246 shares")
	as := func(user string) string {
		return flowOf(t, s, http.MethodGet, "/version", "root", "Impersonate-User", user, "Impersonate-Group",
			"system:authenticated")
	}
	assert.Equal(t, "testing-schema testing-level", as("noxu"))
	assert.Equal(t, "global-default global-default", as("foo"))
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

// Without flow control, answers name no flows, and no level has seats.
func TestNoFlowControl(t *testing.T) {
	s := newServer(t, func(c *server.Config) {
		usersOfFlows(c)
		c.NoFlowControl = true
	})
	assert.Empty(t, flowOf(t, s, "GET", "/api/v1/namespaces/default/configmaps", "jane"))
	assert.Empty(t, flowOf(t, s, "GET", "/version", "jane"))
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
	r.Header.Set("Authorization", "Bearer root")
	s.Handler().ServeHTTP(w, r)
	assert.Equal(t, http.StatusNotFound, w.Code)
}
