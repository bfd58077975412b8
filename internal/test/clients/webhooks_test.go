package clients_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
)

// siteRules defaults and validates sites, as the webhooks of an operator do.
type siteRules struct{}

func (siteRules) Default(_ context.Context, s *Site) error {
	if s.Annotations["owner"] == "" {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, "owner", "webmaster")
	}
	return nil
}

func (siteRules) ValidateCreate(_ context.Context, s *Site) (admission.Warnings, error) {
	if s.Spec.Title == "bad" {
		return nil, errors.New("a site needs a good title")
	}
	return admission.Warnings{"owned by " + s.Annotations["owner"]}, nil
}

func (siteRules) ValidateUpdate(_ context.Context, old, s *Site) (admission.Warnings, error) {
	if old.Annotations["owner"] != s.Annotations["owner"] {
		return nil, errors.New("the owner stays")
	}
	return nil, nil
}

func (siteRules) ValidateDelete(_ context.Context, s *Site) (admission.Warnings, error) {
	if s.Spec.Title == "kept" {
		return nil, errors.New("this site stays")
	}
	return nil, nil
}

// newHookedHost returns a host with admission webhooks.
func newHookedHost(t *testing.T) *host {
	t.Helper()
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	hooks, err := webhook.New(webhook.Options{Calls: calls})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{hooks}}, builtin.Namespaces(), sites())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return inProcess(&host{wire: newWire(api), api: api})
}

// sitesPath is the end of the paths at which controller-runtime serves the webhooks of a kind.
func sitesPath() string {
	return strings.ReplaceAll(siteVersion.Group, ".", "-") + "-" + siteVersion.Version + "-site"
}

// siteWebhook is the registration that controller-gen generates for a webhook of controller-runtime.
func siteWebhook(name, path string,
	operations ...admissionregistrationv1.OperationType) admissionregistrationv1.ValidatingWebhook {
	none := admissionregistrationv1.SideEffectClassNone
	return admissionregistrationv1.ValidatingWebhook{
		Name: name, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "system",
			Name: "webhook-service", Path: &path}},
		Rules: []admissionregistrationv1.RuleWithOperations{{Operations: operations,
			Rule: admissionregistrationv1.Rule{APIGroups: []string{siteVersion.Group},
				APIVersions: []string{siteVersion.Version}, Resources: []string{siteResource.Resource}}}},
	}
}

// The webhook server and the builder of controller-runtime work unchanged, registered by envtest.
func TestWebhooksOfControllerRuntime(t *testing.T) {
	h := newHookedHost(t)
	const create, update, remove = admissionregistrationv1.Create, admissionregistrationv1.Update,
		admissionregistrationv1.Delete
	v, m := siteWebhook("vsite.example.com", "/validate-"+sitesPath(), create, update, remove),
		siteWebhook("msite.example.com", "/mutate-"+sitesPath(), create, update)
	install := envtest.WebhookInstallOptions{
		ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "validating"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{v}}},
		MutatingWebhooks: []*admissionregistrationv1.MutatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "mutating"},
			Webhooks: []admissionregistrationv1.MutatingWebhook{{Name: m.Name, SideEffects: m.SideEffects,
				AdmissionReviewVersions: m.AdmissionReviewVersions, ClientConfig: m.ClientConfig, Rules: m.Rules}}}},
		MaxTime: patience, PollInterval: 10 * time.Millisecond,
	}
	require.NoError(t, install.Install(h.config))
	t.Cleanup(func() { assert.NoError(t, install.Cleanup()) })

	hooks := ctrlwebhook.NewServer(ctrlwebhook.Options{Host: install.LocalServingHost, Port: install.LocalServingPort,
		CertDir: install.LocalServingCertDir})
	mgr, err := ctrl.NewManager(h.config,
		ctrl.Options{Scheme: newScheme(t), Logger: logr.Discard(), Metrics: server.Options{BindAddress: "0"},
			WebhookServer: hooks})
	require.NoError(t, err)
	require.NoError(t, ctrl.NewWebhookManagedBy(mgr,
		&Site{}).WithDefaulter(siteRules{}).WithValidator(siteRules{}).Complete())
	start(t, mgr)
	require.Eventually(t, func() bool { return hooks.StartedChecker()(nil) == nil }, patience, 10*time.Millisecond)

	sites, err := client.New(h.config, client.Options{Scheme: newScheme(t)})
	require.NoError(t, err)
	site := newSite("home", "good")
	require.NoError(t, sites.Create(t.Context(), site))
	assert.Equal(t, "webmaster", site.Annotations["owner"])

	err = sites.Create(t.Context(), newSite("other", "bad"))
	assert.True(t, apierrors.IsForbidden(err), err)
	assert.EqualError(t, err, `admission webhook "vsite.example.com" denied the request: a site needs a good title`)

	site.Annotations["owner"] = "somebody"
	assert.EqualError(t, sites.Update(t.Context(), site),
		`admission webhook "vsite.example.com" denied the request: the owner stays`)
	site.Annotations["owner"], site.Spec.Title = "webmaster", "kept"
	require.NoError(t, sites.Update(t.Context(), site))
	assert.EqualError(t, sites.Delete(t.Context(), site),
		`admission webhook "vsite.example.com" denied the request: this site stays`)
}

// A configuration comes back from typed clients, which use Protobuf, as it was, with the defaults of Kubernetes.
func TestTypedClientsOfWebhookConfigurations(t *testing.T) {
	h := newHookedHost(t)
	hooks := h.typed(t).AdmissionregistrationV1().ValidatingWebhookConfigurations()
	v := siteWebhook("vsite.example.com", "/validate", admissionregistrationv1.Create)
	v.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a",
		Operator: "In", Values: []string{"b"}}}}
	v.ClientConfig.CABundle = []byte("bundle")
	_, err := hooks.Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "a"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{v}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	got, err := hooks.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	fail, equivalent, scope, seconds, port := admissionregistrationv1.Fail, admissionregistrationv1.Equivalent,
		admissionregistrationv1.AllScopes, int32(10), int32(443)
	v.FailurePolicy, v.MatchPolicy, v.TimeoutSeconds, v.ObjectSelector = &fail, &equivalent, &seconds,
		&metav1.LabelSelector{}
	v.ClientConfig.Service.Port, v.Rules[0].Scope = &port, &scope
	assert.Equal(t, []admissionregistrationv1.ValidatingWebhook{v}, got.Webhooks)
	h.wire.mu.Lock()
	defer h.wire.mu.Unlock()
	assert.Equal(t, "application/vnd.kubernetes.protobuf", h.wire.passed[0].sent)
}
