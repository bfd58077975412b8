package kinds_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSelectorsOfFieldsWithOtherNames(t *testing.T) {
	client := clientOf(t, newAPI(t))
	selected := func(selector string) metav1.ListOptions { return metav1.ListOptions{FieldSelector: selector} }

	ending := corev1.PodTemplateSpec{Spec: pod("p").Spec}
	ending.Spec.RestartPolicy = corev1.RestartPolicyNever
	for _, name := range []string{"young", "ended"} {
		_, err := client.BatchV1().Jobs(namespace).Create(t.Context(),
			&batchv1.Job{ObjectMeta: named(name), Spec: batchv1.JobSpec{Template: ending}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	_, err := client.BatchV1().Jobs(namespace).Patch(t.Context(), "ended", "application/merge-patch+json",
		[]byte(`{"status":{"succeeded":1,"startTime":"2026-01-01T00:00:00Z"}}`), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
	for selector, want := range map[string]string{"status.successful=0": "young", "status.successful=1": "ended"} {
		jobs := must[*batchv1.JobList](t)(client.BatchV1().Jobs(namespace).List(t.Context(), selected(selector)))
		if assert.Len(t, jobs.Items, 1, selector) {
			assert.Equal(t, want, jobs.Items[0].Name)
		}
	}

	source := func(e corev1.Event) {
		e.InvolvedObject.Namespace = namespace
		_, err := client.CoreV1().Events(namespace).Create(t.Context(), &e, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	source(corev1.Event{ObjectMeta: named("component"), Source: corev1.EventSource{Component: "kubelet"},
		ReportingController: "other"})
	source(corev1.Event{ObjectMeta: named("controller"), ReportingController: "kubelet"})
	source(corev1.Event{ObjectMeta: named("neither"), Source: corev1.EventSource{Component: "other"},
		ReportingController: "kubelet"})
	events := must[*corev1.EventList](t)(client.CoreV1().Events("").List(t.Context(), selected("source=kubelet")))
	var names []string
	for _, e := range events.Items {
		names = append(names, e.Name)
	}
	assert.Equal(t, []string{"component", "controller"}, names)
}

// A client finds out by the code of the answer whether it can select by a field. Module internal/test/oracle compares all
// kinds.
func TestFieldsOfSelectors(t *testing.T) {
	api := newAPI(t)
	for path, code := range map[string]int{
		"/api/v1/pods?fieldSelector=spec.nodeName%3Dn,status.phase!%3DFailed":                       http.StatusOK,
		"/api/v1/pods?fieldSelector=spec.host%3Dn":                                                  http.StatusOK,
		"/api/v1/pods?fieldSelector=spec.priority%3D1":                                              http.StatusBadRequest,
		"/api/v1/events?fieldSelector=involvedObject.name%3Dp":                                      http.StatusOK,
		"/api/v1/secrets?fieldSelector=type%3DOpaque":                                               http.StatusOK,
		"/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue":                                     http.StatusOK,
		"/api/v1/replicationcontrollers?fieldSelector=status.replicas%3D0":                          http.StatusOK,
		"/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D0":                               http.StatusBadRequest,
		"/apis/apps/v1/deployments?fieldSelector=metadata.name%3Dd":                                 http.StatusOK,
		"/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.driver%3Dd":                     http.StatusOK,
		"/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.pool.name%3Dp":                  http.StatusOK,
		"/apis/certificates.k8s.io/v1/certificatesigningrequests?fieldSelector=spec.signerName%3Ds": http.StatusOK,
	} {
		got, message := send(t, api, http.MethodGet, path, "", "")
		assert.Equal(t, code, got, "%s: %s", path, message)
	}
}
