package policies_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/policy"
	"github.com/decorum-go/decorum/status"
)

// Widget is the kind that the policies of these tests decide about. Gizmo has a second version.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitzero"`
}

// WidgetSpec is the spec of a Widget.
type WidgetSpec struct {
	Size  int64    `json:"size"`
	Color string   `json:"color,omitempty"`
	Parts []Part   `json:"parts,omitempty" api:"list=map,key=name"`
	Tags  []string `json:"tags,omitempty" api:"list=atomic"`
}

// Part is a part of a Widget.
type Part struct {
	Name string `json:"name"`
	Size int64  `json:"size,omitempty"`
}

// WidgetStatus is the status of a Widget.
type WidgetStatus struct {
	Ready bool `json:"ready,omitempty"`
}

// Limit is a kind of parameters.
type Limit struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Max int64 `json:"max"`
}

// OldLimit is a Limit in an older version, which counts in tens.
type OldLimit struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Tens int64 `json:"tens"`
}

// limits returns the resource of Limits, in both versions.
func limits() rest.Resource[Limit] {
	return rest.Resource[Limit]{Group: "example.com", Version: "v1", Plural: "limits", Versions: []rest.VersionOf[Limit]{
		rest.Converted(rest.Resource[OldLimit]{Version: "v1beta1"}, func(in *OldLimit, out *Limit) error {
			out.Max = in.Tens * 10
			return nil
		}, func(in *Limit, out *OldLimit) error {
			out.Tens = in.Max / 10
			return nil
		})}}
}

// ClusterLimit is a cluster-scoped kind of parameters.
type ClusterLimit Limit

// Namespace is the kind of namespaces.
type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Finalizers []string `json:"finalizers,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

// server is an API with policies.
type server struct {
	*rest.API
	t *testing.T

	mu    sync.Mutex
	notes map[string]string // audit annotations
}

// newServer returns an API that serves policies, Widgets, Limits and, if namespaces is set, namespaces.
func newServer(t *testing.T, options rest.Options, namespaces bool) *server {
	s := &server{t: t, notes: map[string]string{}}
	policies := policy.New(policy.Options{Audit: func(_ context.Context, key, value string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notes[key] = value
	}})
	options.CEL, options.Plugins = cel.Evaluator(), append(options.Plugins, policies)
	definitions := []rest.Definition{
		rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets"},
		limits(),
		rest.Resource[ClusterLimit]{Group: "example.com", Version: "v1", Plural: "clusterlimits", Scope: rest.ScopeCluster},
	}
	if namespaces {
		definitions = append(definitions, rest.NamespacesOf[Namespace]())
	}
	var err error
	s.API, err = rest.New(options, definitions...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// answer is the answer to a request.
type answer struct {
	status.Status
	code     int
	object   map[string]any
	warnings []string
}

const (
	policiesPath         = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
	bindingsPath         = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
	mutatingPoliciesPath = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies"
	mutatingBindingsPath = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings"
	widgetsPath          = "/apis/example.com/v1/namespaces/default/widgets"
	limitsPath           = "/apis/example.com/v1/namespaces/default/limits"
	clusterLimitsPath    = "/apis/example.com/v1/clusterlimits"
)

// send sends a request and returns the answer.
func (s *server) send(method, path, body string) answer {
	return s.sendAs("", method, path, body)
}

// sendAs sends a request of a user.
func (s *server) sendAs(user, method, path, body string) answer {
	s.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if user != "" {
		r = r.WithContext(access.WithUser(r.Context(), access.User{Name: user, Groups: []string{"system:authenticated"}}))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	a := answer{code: w.Code, warnings: w.Header().Values("Warning")}
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &a.object))
	if a.object["kind"] == "Status" {
		require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &a.Status))
	}
	return a
}

// create creates an object, which must be accepted.
func (s *server) create(path, body string) {
	s.t.Helper()
	a := s.send(http.MethodPost, path, body)
	require.Equal(s.t, http.StatusCreated, a.code, "%s: %s", path, a.Message)
}

// policy creates a validating policy of Widgets with a binding. spec is added to both specs.
func (s *server) policy(spec, bindingSpec string) {
	s.t.Helper()
	s.create(policiesPath, validatingPolicy("p", spec))
	s.create(bindingsPath, binding("ValidatingAdmissionPolicyBinding", bindingSpec))
}

const matchWidgets = `"matchConstraints": {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["widgets"], "operations": ["*"]}]}`

// validatingPolicy returns a policy of Widgets, unless its spec has other matchConstraints.
func validatingPolicy(name, spec string) string {
	return policyOf("ValidatingAdmissionPolicy", name, spec)
}

func policyOf(kind, name, spec string) string {
	if !strings.Contains(spec, `"matchConstraints"`) {
		spec = matchWidgets + ", " + spec
	}
	return `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "` + kind + `", "metadata": {"name": "` + name +
		`"}, "spec": {` + spec + `}}`
}

func binding(kind, spec string) string {
	if spec != "" {
		spec = ", " + spec
	}
	if kind == "ValidatingAdmissionPolicyBinding" && !strings.Contains(spec, `"validationActions"`) {
		spec += `, "validationActions": ["Deny"]`
	}
	return `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "` + kind +
		`", "metadata": {"name": "b"}, "spec": {"policyName": "p"` + spec + `}}`
}

func widget(name, spec string) string {
	return `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "` + name + `", "labels": {"app": "` +
		name + `"}}, "spec": {` + spec + `}}`
}

func limit(kind, name, most string) string {
	return `{"apiVersion": "example.com/v1", "kind": "` + kind + `", "metadata": {"name": "` + name +
		`", "labels": {"for": "widgets"}}, "max": ` + most + `}`
}
