package oracle

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	upstreamwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/namespace"
	objectpredicate "k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/object"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	ours "github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/webhook"
)

// hookedCrate has a status and two versions, and hookedYard is cluster-scoped.
type hookedCrate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Status             struct {
		Full int `json:"full,omitempty"`
	} `json:"status,omitzero"`
}

type hookedYard struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// randomWebhook returns a webhook with random rules and selectors.
func randomWebhook(r *rand.Rand, name string) *admissionregistrationv1.ValidatingWebhook {
	none, policy, scope := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Exact,
		admissionregistrationv1.ScopeType(oneOf(r, []string{"*", "*", "Cluster", "Namespaced"}))
	if r.Intn(2) == 0 {
		policy = admissionregistrationv1.Equivalent
	}
	h := &admissionregistrationv1.ValidatingWebhook{Name: name, SideEffects: &none, MatchPolicy: &policy,
		AdmissionReviewVersions: []string{"v1"}, NamespaceSelector: randomLabels(r, "stage", "test", "live"),
		ObjectSelector: randomLabels(r, "size", "small", "large")}
	for range 1 + r.Intn(2) {
		rule := admissionregistrationv1.RuleWithOperations{Rule: admissionregistrationv1.Rule{
			APIGroups:   []string{oneOf(r, []string{"*", "*", "", "example.com", "old.example.com"})},
			APIVersions: []string{oneOf(r, []string{"*", "*", "v1", "v1beta1"})},
			Resources: []string{oneOf(r,
				[]string{"*/*", "*", "crates", "crates/*", "*/status", "crates/status", "yards", "namespaces"})}, Scope: &scope}}
		rule.Operations = []admissionregistrationv1.OperationType{admissionregistrationv1.OperationType(oneOf(r,
			[]string{"*", "*", "CREATE", "UPDATE", "DELETE"}))}
		h.Rules = append(h.Rules, rule)
	}
	return h
}

// randomLabels returns a selector that often selects everything.
func randomLabels(r *rand.Rand, key string, values ...string) *metav1.LabelSelector {
	switch r.Intn(5) {
	case 0:
		return &metav1.LabelSelector{MatchLabels: map[string]string{key: oneOf(r, values)}}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: "NotIn",
			Values: []string{oneOf(r, values)}}}}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key,
			Operator: "DoesNotExist"}}}
	}
	return &metav1.LabelSelector{}
}

// webhookOracle decides with the predicates of kube-apiserver which webhooks see a write.
type webhookOracle struct {
	hooks      []*admissionregistrationv1.ValidatingWebhook
	namespaces cache.Indexer
}

// called returns the webhooks that see a write, each with the version in which it sees the resource.
func (o *webhookOracle) called(t *testing.T, r *ours.Request) []string {
	asObject := func(decode func(any) error) runtime.Object {
		u := &unstructured.Unstructured{}
		if decode(&u.Object) != nil {
			return nil
		}
		return u
	}
	space := r.Namespace
	if r.Resource.Resource == "namespaces" {
		space = r.Name
	}
	kind := schema.GroupVersionKind{Group: r.Resource.Group, Version: r.Resource.Version, Kind: r.Kind.Kind}
	attributes := func(of schema.GroupVersionResource) admission.Attributes {
		return admission.NewAttributesRecord(asObject(r.Object), asObject(r.OldObject), kind, space, r.Name, of,
			r.Subresource, admission.Operation(r.Operation), nil, false, nil)
	}
	requested := schema.GroupVersionResource{Group: r.Resource.Group, Version: r.Resource.Version,
		Resource: r.Resource.Resource}
	versions := []schema.GroupVersionResource{requested}
	for _, other := range []schema.GroupVersionResource{{Group: "example.com", Version: "v1", Resource: "crates"},
		{Group: "old.example.com", Version: "v1beta1", Resource: "crates"}} {
		if requested.Resource == "crates" && other != requested {
			versions = append(versions, other)
		}
	}
	inNamespace, selected := &namespace.Matcher{NamespaceLister: corelisters.NewNamespaceLister(o.namespaces)},
		&objectpredicate.Matcher{}
	var called []string
	for i, h := range o.hooks {
		accessor := upstreamwebhook.NewValidatingWebhookAccessor(fmt.Sprint(i), "random", h)
		matches, err := inNamespace.MatchNamespaceSelector(accessor, attributes(requested))
		require.Nil(t, err)
		if matches {
			matches, err = selected.MatchObjectSelector(accessor, attributes(requested))
			require.Nil(t, err)
		}
		in := func(of schema.GroupVersionResource) func(admissionregistrationv1.RuleWithOperations) bool {
			return func(rule admissionregistrationv1.RuleWithOperations) bool {
				return (&rules.Matcher{Rule: rule, Attr: attributes(of)}).Matches()
			}
		}
		for j, version := range versions {
			if matches && (j == 0 || *h.MatchPolicy == admissionregistrationv1.Equivalent) &&
				slices.ContainsFunc(h.Rules, in(version)) {
				called = append(called, fmt.Sprintf("%d %s/%s", i, version.Group, version.Version))
				break
			}
		}
	}
	return called
}

// Random webhooks see the same writes, in the same versions, as in kube-apiserver.
func TestWebhooksMatchAsUpstream(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	var mu sync.Mutex
	seen := map[int]string{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		var review struct {
			Request struct {
				UID      string
				Resource apimeta.GroupVersionResource
			}
		}
		assert.NoError(t, json.NewDecoder(h.Body).Decode(&review))
		var i int
		_, err := fmt.Sscanf(h.URL.Path, "/%d", &i)
		assert.NoError(t, err)
		mu.Lock()
		seen[i] = fmt.Sprintf("%d %s/%s", i, review.Request.Resource.Group, review.Request.Resource.Version)
		mu.Unlock()
		_, _ = fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.Request.UID)
	}))
	t.Cleanup(server.Close)
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	hooks, err := webhook.New(webhook.Options{Calls: calls})
	require.NoError(t, err)

	o := &webhookOracle{namespaces: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for i := range 60 {
		h, url := randomWebhook(r, fmt.Sprintf("h%d.example.com", i)), fmt.Sprintf("%s/%d", server.URL, i)
		h.ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: certificate}
		o.hooks = append(o.hooks, h)
	}
	var want []string
	ask := ours.Hook{Name: "oracle", Validate: func(_ context.Context, r *ours.Request) error {
		if r.Resource.Group != admissionregistrationv1.GroupName {
			want = o.called(t, r)
		}
		return nil
	}}
	api, err := rest.New(rest.Options{Admission: []ours.Hook{ask}, Plugins: []rest.Plugin{hooks}},
		builtin.Namespaces(),
		rest.Resource[hookedCrate]{Group: "example.com", Version: "v1", Plural: "crates", Names: rest.Names{Kind: "Crate"},
			Versions: []rest.VersionOf[hookedCrate]{
				rest.Converted[hookedCrate](rest.Resource[hookedCrate]{Group: "old.example.com", Version: "v1beta1"}, nil, nil)}},
		rest.Resource[hookedYard]{Group: "example.com", Version: "v1", Plural: "yards", Scope: rest.ScopeCluster,
			Names: rest.Names{Kind: "Yard"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	send := func(method, path, body string) {
		h := httptest.NewRequest(method, path, strings.NewReader(body))
		h.Header.Set("Content-Type",
			map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == "PATCH"])
		w := httptest.NewRecorder()
		api.ServeHTTP(w, h)
		require.Less(t, w.Code, 300, "%s %s: %s", method, path, w.Body)
	}
	list, err := json.Marshal(o.hooks)
	require.NoError(t, err)
	send("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"random"},"webhooks":`+string(list)+`}`)

	const old = "/apis/old.example.com/v1beta1/namespaces/team/crates"
	matched := 0
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/api/v1/namespaces",
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team","labels":{"stage":"test"}}}`},
		{"POST", old, `{"apiVersion":"old.example.com/v1beta1","kind":"Crate","metadata":{"name":"a","labels":{"size":"small"}}}`},
		{"POST", "/apis/example.com/v1/namespaces/team/crates",
			`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"b"}}`},
		{"PATCH", old + "/b/status", `{"status":{"full":1}}`},
		{"PATCH", "/apis/example.com/v1/namespaces/team/crates/a", `{"metadata":{"labels":{"size":"large"}}}`},
		{"PATCH", "/api/v1/namespaces/team", `{"metadata":{"labels":{"stage":"live"}}}`},
		{"PATCH", old + "/a", `{"metadata":{"labels":{"size":null}}}`},
		{"PATCH", "/api/v1/namespaces/team", `{"metadata":{"labels":{"stage":null,"size":"small"}}}`},
		{"DELETE", old + "/a", ""},
		{"DELETE", "/apis/example.com/v1/namespaces/team/crates/b", ""},
		{"POST", "/apis/example.com/v1/yards",
			`{"apiVersion":"example.com/v1","kind":"Yard","metadata":{"name":"a","labels":{"size":"large","stage":"test"}}}`},
		{"DELETE", "/apis/example.com/v1/yards/a", ""},
		{"DELETE", "/api/v1/namespaces/team", ""},
	} {
		namespaces, err := resttest.Client[builtin.Namespace](t, api).List(t.Context(), rest.ListOptions{})
		require.NoError(t, err)
		for _, ns := range namespaces.Items {
			require.NoError(t, o.namespaces.Update(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns.Name,
				Labels: ns.Labels}}))
		}
		clear(seen)
		send(c.method, c.path, c.body)
		var got []string
		for _, i := range slices.Sorted(maps.Keys(seen)) {
			got = append(got, seen[i])
		}
		assert.Equal(t, want, got, "%s %s", c.method, c.path)
		matched += len(got)
	}
	assert.Greater(t, matched, 50)
}
