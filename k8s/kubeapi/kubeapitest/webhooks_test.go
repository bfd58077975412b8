package kubeapitest_test

import (
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// byService is a configuration as kubebuilder generates it, with a Service beside it.
const byService = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: labels}
webhooks:
- name: labels.example.com
  admissionReviewVersions: [v1]
  clientConfig: {caBundle: Cg==, service: {namespace: default, name: labels, path: /label}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  sideEffects: None
---
apiVersion: v1
kind: Service
metadata: {name: ignored}
spec: {ports: [{port: 443}]}
`

// createLabeled creates a ConfigMap, and expects that the webhook labels it.
func createLabeled(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	m, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"seen": "yes"}, m.Labels)
}

// listenAs serves webhooks with the certificate of w.
func listenAs(t *testing.T, w kubeapitest.WebhookServer, address string) net.Addr {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(w.CertDir, "tls.crt"), filepath.Join(w.CertDir, "tls.key"))
	require.NoError(t, err)
	listener, err := tls.Listen("tcp", address, &tls.Config{Certificates: []tls.Certificate{certificate}})
	require.NoError(t, err)
	server := &http.Server{Handler: labels}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return listener.Addr()
}

func TestWebhooksInManifestsAreCalled(t *testing.T) {
	for name, serve := range map[string]func(*testing.T, *kubeapitest.Server){
		"by the handler of the test": func(_ *testing.T, api *kubeapitest.Server) { api.ServeWebhooks(labels) },
		"on a server of the test": func(t *testing.T, api *kubeapitest.Server) {
			w := api.WebhookServer()
			listenAs(t, w, net.JoinHostPort(w.Host, strconv.Itoa(w.Port)))
		},
		"at the external name of the Service": func(t *testing.T, api *kubeapitest.Server) {
			w := api.WebhookServer()
			port := listenAs(t, w, "127.0.0.1:0").(*net.TCPAddr).Port
			client := clientOf(t, api.Config())
			_, err := client.CoreV1().Services("default").Create(t.Context(),
				&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "labels"},
					Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"}}, metav1.CreateOptions{})
			require.NoError(t, err)
			configurations := client.AdmissionregistrationV1().MutatingWebhookConfigurations()
			c, err := configurations.Get(t.Context(), "labels", metav1.GetOptions{})
			require.NoError(t, err)
			c.Webhooks[0].ClientConfig.Service.Port = new(int32(port))
			_, err = configurations.Update(t.Context(), c, metav1.UpdateOptions{})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := kubeapitest.New(t, kubeapitest.Options{Webhooks: []string{manifest(t, byService)}})
			serve(t, api)
			createLabeled(t, clientOf(t, api.Config()))
		})
	}
}

func TestWebhooksOfAServiceWithoutAServerFail(t *testing.T) {
	client := clientOf(t, kubeapitest.New(t, kubeapitest.Options{Webhooks: []string{manifest(t, byService)}}).Config())
	create := func() error {
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		return err
	}
	require.ErrorContains(t, create(), `services "labels" not found`)
	service, err := client.CoreV1().Services("default").Create(t.Context(),
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "labels"},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, create(), `no service port 443 found for service "labels"`)
	service.Spec.Ports[0].Port = 443
	_, err = client.CoreV1().Services("default").Update(t.Context(), service, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, create(), `no endpoints available for service "labels"`)
}

// The first version of a widget has a size, and the second one its double.
const twoVersions = widgetVersions + `
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {double: {type: integer}}}}
`

// double is a conversion webhook from v1 to v2.
func double(w http.ResponseWriter, r *http.Request) {
	var review struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Request    map[string]any `json:"request,omitempty"`
		Response   map[string]any `json:"response"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || r.URL.Path != "/convert" {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	objects := review.Request["objects"].([]any)
	for _, o := range objects {
		o := o.(map[string]any)
		o["apiVersion"] = review.Request["desiredAPIVersion"]
		o["double"] = 2 * o["size"].(float64)
		delete(o, "size")
	}
	review.Response = map[string]any{"uid": review.Request["uid"], "convertedObjects": objects,
		"result": map[string]any{"status": "Success"}}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

func TestConversionWebhooksOfDefinitionsAreCalled(t *testing.T) {
	const withService = twoVersions + `
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: system, name: converter, path: /convert}}}
`
	for name, options := range map[string]kubeapitest.Options{
		"by an option":    {CRDs: []string{manifest(t, twoVersions)}, ConversionWebhooks: []string{"widgets.example.com"}},
		"by its manifest": {CRDs: []string{manifest(t, withService)}},
		"as an object":    {Objects: []string{manifest(t, withService)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := kubeapitest.New(t, options)
			api.ServeWebhooks(http.HandlerFunc(double))
			client, err := dynamic.NewForConfig(api.Config())
			require.NoError(t, err)
			widgets := func(version string) dynamic.ResourceInterface {
				return client.Resource(schema.GroupVersionResource{Group: "example.com", Version: version,
					Resource: "widgets"}).Namespace("default")
			}
			_, err = widgets("v1").Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "size": int64(2)}},
				metav1.CreateOptions{})
			require.NoError(t, err)
			second, err := widgets("v2").Get(t.Context(), "a", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, int64(4), second.Object["double"])
		})
	}
}
