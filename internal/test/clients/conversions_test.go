package clients_test

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd"
)

// Pole and PoleV2 are two versions of a kind, as an operator declares them: the first is the hub.
type (
	Pole struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`

		Spec PoleSpec `json:"spec"`
	}
	PoleSpec struct {
		Size int64 `json:"size"`
	}
	PoleV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`

		Spec PoleV2Spec `json:"spec"`
	}
	PoleV2Spec struct {
		Length int64 `json:"length"`
	}
	PoleV2List struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata,omitempty"`

		Items []PoleV2 `json:"items"`
	}
)

func (*Pole) Hub() {}

func (p *Pole) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	return &out
}

func (p *PoleV2) ConvertTo(hub conversion.Hub) error {
	out := hub.(*Pole)
	out.ObjectMeta, out.Spec.Size = p.ObjectMeta, p.Spec.Length
	return nil
}

func (p *PoleV2) ConvertFrom(hub conversion.Hub) error {
	in := hub.(*Pole)
	p.ObjectMeta, p.Spec.Length = in.ObjectMeta, in.Spec.Size
	return nil
}

func (p *PoleV2) DeepCopyObject() runtime.Object {
	out := *p
	out.ObjectMeta = *p.ObjectMeta.DeepCopy()
	return &out
}

func (l *PoleV2List) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]PoleV2, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*PoleV2)
	}
	return &out
}

// poles returns the definition of the kind. envtest adds the webhook.
func poles() *apiextensionsv1.CustomResourceDefinition {
	version := func(name, field string, storage bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true, Storage: storage,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{field: {Type: "integer"}}}}}}}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "poles.fences.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "fences.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "poles", Kind: "Pole"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1", "size", true),
				version("v2", "length", false)},
		},
	}
}

// The conversion webhook of controller-runtime works unchanged, registered by envtest.
func TestConversionsOfControllerRuntime(t *testing.T) {
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{Calls: calls})}}, builtin.Namespaces())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	h := inProcess(&host{wire: newWire(api), api: api})

	kinds := newScheme(t)
	v1, v2 := schema.GroupVersion{Group: "fences.example.com", Version: "v1"},
		schema.GroupVersion{Group: "fences.example.com", Version: "v2"}
	kinds.AddKnownTypes(v1, &Pole{})
	kinds.AddKnownTypeWithName(v2.WithKind("Pole"), &PoleV2{})
	kinds.AddKnownTypeWithName(v2.WithKind("PoleList"), &PoleV2List{})
	metav1.AddToGroupVersion(kinds, v1)
	metav1.AddToGroupVersion(kinds, v2)

	serving := envtest.WebhookInstallOptions{MaxTime: patience, PollInterval: 10 * time.Millisecond}
	require.NoError(t, serving.PrepWithoutInstalling())
	t.Cleanup(func() { assert.NoError(t, serving.Cleanup()) })
	hooks := ctrlwebhook.NewServer(ctrlwebhook.Options{Host: serving.LocalServingHost, Port: serving.LocalServingPort,
		CertDir: serving.LocalServingCertDir})
	mgr, err := ctrl.NewManager(h.config,
		ctrl.Options{Scheme: kinds, Logger: logr.Discard(), Metrics: server.Options{BindAddress: "0"}, WebhookServer: hooks})
	require.NoError(t, err)
	_, err = envtest.InstallCRDs(h.config,
		envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{poles()}, Scheme: kinds,
			WebhookOptions: serving, MaxTime: patience, PollInterval: 10 * time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, ctrl.NewWebhookManagedBy(mgr, &Pole{}).Complete())
	start(t, mgr)
	require.Eventually(t, func() bool { return hooks.StartedChecker()(nil) == nil }, patience, 10*time.Millisecond)

	poles, err := client.New(h.config, client.Options{Scheme: kinds})
	require.NoError(t, err)
	at := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }
	require.NoError(t, poles.Create(t.Context(), &Pole{ObjectMeta: at("a"), Spec: PoleSpec{Size: 3}}))
	require.NoError(t, poles.Create(t.Context(), &PoleV2{ObjectMeta: at("b"), Spec: PoleV2Spec{Length: 4}}))

	var all PoleV2List
	require.NoError(t, poles.List(t.Context(), &all))
	require.Len(t, all.Items, 2)
	assert.EqualValues(t, 3, all.Items[0].Spec.Length)
	all.Items[0].Spec.Length = 5
	require.NoError(t, poles.Update(t.Context(), &all.Items[0]))
	var stored Pole
	require.NoError(t, poles.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "a"}, &stored))
	assert.EqualValues(t, 5, stored.Spec.Size)
	require.NoError(t, poles.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "b"}, &stored))
	assert.EqualValues(t, 4, stored.Spec.Size)
}
