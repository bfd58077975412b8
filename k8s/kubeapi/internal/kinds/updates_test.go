package kinds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// send sends JSON to an API and returns the code of the answer, and the message if the answer is a Status.
func send(t *testing.T, api *rest.API, method, path, contentType, body string) (code int, message string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	var status struct{ Message string }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status))
	return w.Code, status.Message
}

func TestFrozenFields(t *testing.T) {
	const template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	const jobTemplate = `"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}`
	const workload = `"spec":{"selector":{"matchLabels":{"a":"b"}},` + template + `}`
	api := newAPI(t)
	for i, c := range []struct {
		url, kind, body, patch string
		want                   string // empty: the patch is applied
	}{
		{"/apis/apps/v1/namespaces/default/deployments", "apps/v1 Deployment", workload,
			`{"spec":{"selector":{"matchLabels":{"c":"d"}}}}`, "spec.selector: Invalid value"},
		{"/apis/apps/v1/namespaces/default/deployments", "apps/v1 Deployment", workload, `{"spec":{"replicas":3}}`, ""},
		{"/apis/apps/v1/namespaces/default/replicasets", "apps/v1 ReplicaSet", workload,
			`{"spec":{"selector":{"matchLabels":{"c":"d"}}}}`, "spec.selector: Invalid value"},
		{"/apis/apps/v1/namespaces/default/daemonsets", "apps/v1 DaemonSet", workload,
			`{"spec":{"selector":{"matchLabels":{"c":"d"}}}}`, "spec.selector: Invalid value"},
		{"/apis/apps/v1/namespaces/default/statefulsets", "apps/v1 StatefulSet", workload, `{"spec":{"serviceName":"x"}}`,
			"spec.serviceName: Invalid value: \"x\": field is immutable"},
		{"/apis/apps/v1/namespaces/default/statefulsets", "apps/v1 StatefulSet", workload, `{"spec":{"replicas":3}}`, ""},
		{"/apis/apps/v1/namespaces/default/controllerrevisions", "apps/v1 ControllerRevision", `"revision":1,"data":{"a":1}`,
			`{"data":{"a":2}}`, "data: Invalid value"},
		{"/apis/batch/v1/namespaces/default/jobs", "batch/v1 Job", `"spec":{` + jobTemplate + `}`,
			`{"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}`, "spec.template: Invalid value"},
		{"/apis/batch/v1/namespaces/default/jobs", "batch/v1 Job", `"spec":{` + jobTemplate + `}`,
			`{"spec":{"completions":5}}`, "spec.completions: Invalid value: 5: field is immutable"},
		{"/apis/batch/v1/namespaces/default/jobs", "batch/v1 Job", `"spec":{` + jobTemplate + `}`,
			`{"spec":{"parallelism":5}}`, ""},
		{"/apis/batch/v1/namespaces/default/jobs", "batch/v1 Job", `"spec":{"suspend":true,` + jobTemplate + `}`,
			`{"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}`, ""},
		{"/api/v1/namespaces/default/configmaps", "v1 ConfigMap", `"immutable":true,"data":{"a":"b"}`, `{"data":{"a":"c"}}`,
			"data: Forbidden: field is immutable when `immutable` is set"},
		{"/api/v1/namespaces/default/configmaps", "v1 ConfigMap", `"immutable":true`, `{"immutable":false}`,
			"immutable: Forbidden: field is immutable when `immutable` is set"},
		{"/api/v1/namespaces/default/configmaps", "v1 ConfigMap", `"immutable":true`, `{"metadata":{"labels":{"a":"b"}}}`,
			""},
		{"/api/v1/namespaces/default/secrets", "v1 Secret", `"type":"Opaque"`, `{"type":"other"}`,
			`type: Invalid value: "other": field is immutable`},
		{"/api/v1/namespaces/default/secrets", "v1 Secret", `"immutable":true,"data":{"a":"YQ=="}`,
			`{"stringData":{"a":"c"}}`, "data: Forbidden: field is immutable when `immutable` is set"},
		{"/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1 PriorityClass", `"value":1`, `{"value":2}`,
			"value: Forbidden: may not be changed in an update."},
		{"/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1 StorageClass", `"provisioner":"p"`,
			`{"provisioner":"q"}`, `provisioner: Invalid value: null: field is immutable`},
		{"/apis/node.k8s.io/v1/runtimeclasses", "node.k8s.io/v1 RuntimeClass", `"handler":"h"`, `{"handler":"g"}`,
			`handler: Invalid value: null: field is immutable`},
		{"/apis/networking.k8s.io/v1/ingressclasses", "networking.k8s.io/v1 IngressClass", `"spec":{"controller":"a.com/b"}`,
			`{"spec":{"controller":"a.com/c"}}`, `spec.controller: Invalid value: "a.com/c": field is immutable`},
	} {
		t.Run(c.kind+" "+c.patch, func(t *testing.T) {
			version, kind, _ := strings.Cut(c.kind, " ")
			name := fmt.Sprintf("n%d", i)
			code, message := send(t, api, http.MethodPost, c.url, "application/json",
				fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q},%s}`, version, kind, name, c.body))
			require.Equal(t, http.StatusCreated, code, message)
			code, message = send(t, api, http.MethodPatch, c.url+"/"+name, "application/merge-patch+json", c.patch)
			if c.want == "" {
				assert.Equal(t, http.StatusOK, code, message)
				return
			}
			assert.Equal(t, http.StatusUnprocessableEntity, code)
			assert.Contains(t, message, c.want)
		})
	}
}

func TestJobsGetTheirSelector(t *testing.T) {
	client := clientOf(t, newAPI(t))
	for _, manual := range []bool{false, true} {
		job := &batchv1.Job{ObjectMeta: named("j"),
			Spec: batchv1.JobSpec{ManualSelector: &manual, Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
				Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
					Containers: []corev1.Container{{Name: "c", Image: "i"}}}}}}
		if manual {
			job.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		}
		job = must[*batchv1.Job](t)(client.BatchV1().Jobs(newNamespace(t, client)).Create(t.Context(), job,
			metav1.CreateOptions{}))
		uid, labels, selector := string(job.UID), map[string]string{"a": "b"}, map[string]string{"a": "b"}
		if !manual {
			labels = map[string]string{"a": "b", "job-name": "j", "batch.kubernetes.io/job-name": "j", "controller-uid": uid,
				"batch.kubernetes.io/controller-uid": uid}
			selector = map[string]string{"batch.kubernetes.io/controller-uid": uid}
		}
		assert.Equal(t, labels, job.Spec.Template.Labels)
		assert.Equal(t, selector, job.Spec.Selector.MatchLabels)
	}
}
