package kubeapitest_test

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// labels is a mutating webhook at /label. It labels the objects that it reviews.
var labels = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &review) != nil || r.URL.Path != "/label" {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	patch := admissionv1.PatchTypeJSONPatch
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true, PatchType: &patch,
		Patch: []byte(`[{"op":"add","path":"/metadata/labels","value":{"seen":"yes"}}]`)}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
})

func TestWebhooksOnThisMachineAreCalled(t *testing.T) {
	server := httptest.NewTLSServer(labels)
	defer server.Close()
	url := server.URL + "//label" // envtest writes it in this way
	client := clientOf(t, kubeapitest.New(t, kubeapitest.Options{}).Config())
	_, err := client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "labels"},
			Webhooks: []admissionregistrationv1.MutatingWebhook{{
				Name: "labels.example.com", AdmissionReviewVersions: []string{"v1"},
				SideEffects: new(admissionregistrationv1.SideEffectClassNone),
				ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url,
					CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
				Rules: []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{"CREATE"},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
						Resources: []string{"configmaps"}}}},
			}},
		}, metav1.CreateOptions{})
	require.NoError(t, err)
	m, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"seen": "yes"}, m.Labels)
}

func TestPoliciesDecide(t *testing.T) {
	client := clientOf(t, kubeapitest.New(t, kubeapitest.Options{Objects: []string{manifest(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: short}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: object.metadata.name.size() < 5, message: the name is too long}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: short}
spec: {policyName: short, validationActions: [Deny]}
`)}}).Config())
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "lengthy"}}, metav1.CreateOptions{})
	assert.ErrorContains(t, err, "the name is too long")
}
