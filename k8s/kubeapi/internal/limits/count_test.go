package limits_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// newCountedClient returns a client of a server whose controller counts what quotas limit.
func newCountedClient(t *testing.T) *kubernetes.Clientset {
	config := kubeapitest.New(t, kubeapitest.Options{Controllers: []string{"resourcequota"}}).Config()
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// waitUsed waits until the status of the quota q says that this is used.
func waitUsed(t *testing.T, client *kubernetes.Clientset, namespace string, want corev1.ResourceList) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangtest.Deadline)
	defer cancel()
	quotas, err := client.CoreV1().ResourceQuotas(namespace).Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer quotas.Stop()
	var last map[string]string
	for event := range quotas.ResultChan() {
		if q, ok := event.Object.(*corev1.ResourceQuota); ok {
			if last = texts(q.Status.Used); maps.Equal(last, texts(want)) {
				return
			}
		}
	}
	t.Fatalf("used %v instead of %v", last, texts(want))
}

// limit creates a quota without a status.
func limit(t *testing.T, client *kubernetes.Clientset, namespace string, spec corev1.ResourceQuotaSpec) {
	_, err := client.CoreV1().ResourceQuotas(namespace).Create(t.Context(),
		&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: spec}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func TestQuotasAreCounted(t *testing.T) {
	client := newCountedClient(t)
	namespace := newNamespace(t, client)
	pods, maps := client.CoreV1().Pods(namespace), client.CoreV1().ConfigMaps(namespace)
	for i := range 2 {
		_, err := pods.Create(t.Context(), pod(fmt.Sprint("p", i), list("cpu", "500m"), list("cpu", "1")),
			metav1.CreateOptions{})
		require.NoError(t, err)
	}
	labels := map[string]string{"a": "b"}
	_, err := client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", nil, nil).Spec}}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	limit(t, client, namespace, corev1.ResourceQuotaSpec{Hard: list("pods", "3", "requests.cpu", "2", "limits.cpu", "3",
		"count/deployments.apps", "5", "configmaps", "1", "services.nodeports", "2", "count/widgets.example.com", "1")})
	waitUsed(t, client, namespace, list("pods", "2", "requests.cpu", "1", "limits.cpu", "2",
		"count/deployments.apps", "1", "configmaps", "0", "services.nodeports", "0"))

	_, err = pods.Create(t.Context(), pod("big", list("cpu", "2"), list("cpu", "2")), metav1.CreateOptions{})
	assertRefused(t, err, `pods "big" is forbidden: exceeded quota: q, requested: limits.cpu=2,requests.cpu=2, used: limits.cpu=2,requests.cpu=1, limited: limits.cpu=3,requests.cpu=2`)
	_, err = maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, metav1.CreateOptions{})
	require.NoError(t, err)

	p, err := pods.Get(t.Context(), "p0", metav1.GetOptions{})
	require.NoError(t, err)
	p.Status.Phase = corev1.PodSucceeded
	_, err = pods.UpdateStatus(t.Context(), p, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, maps.Delete(t.Context(), "m", metav1.DeleteOptions{}))
	waitUsed(t, client, namespace, list("pods", "1", "requests.cpu", "500m", "limits.cpu", "1",
		"count/deployments.apps", "1", "configmaps", "0", "services.nodeports", "0"))
}

func TestQuotasCountObjectsInTheirScopes(t *testing.T) {
	client := newCountedClient(t)
	namespace := newNamespace(t, client)
	pods := client.CoreV1().Pods(namespace)
	seconds := int64(9)
	for name, p := range map[string]*corev1.Pod{
		"ends": pod("ends", nil, nil, func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = &seconds }),
		"runs": pod("runs", nil, nil),
	} {
		_, err := pods.Create(t.Context(), p, metav1.CreateOptions{})
		require.NoError(t, err, name)
	}
	limit(t, client, namespace, corev1.ResourceQuotaSpec{Hard: list("pods", "1"),
		Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}})
	waitUsed(t, client, namespace, list("pods", "1"))

	q, err := client.CoreV1().ResourceQuotas(namespace).Get(t.Context(), "q", metav1.GetOptions{})
	require.NoError(t, err)
	q.Spec.Hard = list("pods", "7", "count/pods", "7")
	_, err = client.CoreV1().ResourceQuotas(namespace).Update(t.Context(), q, metav1.UpdateOptions{})
	require.NoError(t, err)
	waitUsed(t, client, namespace, list("pods", "1", "count/pods", "1"))
	require.NoError(t, pods.Delete(t.Context(), "ends", metav1.DeleteOptions{}))
	waitUsed(t, client, namespace, list("pods", "0", "count/pods", "0"))
}

// A quota of an extended resource counts the devices of ResourceClaims whose DeviceClass offers the resource. It counts
// a Pod and the claim that the scheduler makes for it only once, because both request the same devices.
func TestQuotasCountExtendedResourcesOfClaims(t *testing.T) {
	client := newCountedClient(t)
	namespace := newNamespace(t, client)
	gpu := "example.com/gpu"
	_, err := client.ResourceV1().DeviceClasses().Create(t.Context(), &resourcev1.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &gpu}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	hard := list("requests.example.com/gpu", "4", "requests.deviceclass.resource.kubernetes.io/gold", "9",
		"requests.example.com/other", "9")
	limit(t, client, namespace, corev1.ResourceQuotaSpec{Hard: hard})
	used := func(gpus, devices string) {
		t.Helper()
		waitUsed(t, client, namespace, list("requests.example.com/gpu", gpus,
			"requests.deviceclass.resource.kubernetes.io/gold", devices, "requests.example.com/other", "0"))
	}
	used("0", "0")

	claims := client.ResourceV1().ResourceClaims(namespace)
	of := func(name string, count int64, owner *corev1.Pod) *resourcev1.ResourceClaim {
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
		c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "gold", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count}}}
		if owner != nil {
			c.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
			c.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("Pod"))}
		}
		return c
	}
	_, err = claims.Create(t.Context(), of("a", 2, nil), metav1.CreateOptions{})
	require.NoError(t, err)
	used("2", "2")
	_, err = claims.Create(t.Context(), of("b", 3, nil), metav1.CreateOptions{})
	assertRefused(t, err, `resourceclaims.resource.k8s.io "b" is forbidden: exceeded quota: q, requested: `+
		"requests.example.com/gpu=3, used: requests.example.com/gpu=2, limited: requests.example.com/gpu=4")

	two := list(gpu, "2")
	p, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod("p", two, two), metav1.CreateOptions{})
	require.NoError(t, err)
	used("4", "2")
	_, err = claims.Create(t.Context(), of("made", 2, p), metav1.CreateOptions{})
	require.NoError(t, err)
	used("4", "4")
}
