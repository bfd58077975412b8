package kubeapitest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

func TestDeletedNamespacesStayTerminatingWithoutAController(t *testing.T) {
	client := clientOf(t, kubeapitest.New(t, kubeapitest.Options{}).Config()).CoreV1()
	n, err := client.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, corev1.NamespaceActive, n.Status.Phase)
	assert.Equal(t, []corev1.FinalizerName{corev1.FinalizerKubernetes}, n.Spec.Finalizers)
	_, err = client.ConfigMaps("team").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "before"}}, metav1.CreateOptions{})
	require.NoError(t, err)

	require.NoError(t, client.Namespaces().Delete(t.Context(), "team", metav1.DeleteOptions{}))
	n, err = client.Namespaces().Get(t.Context(), "team", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, corev1.NamespaceTerminating, n.Status.Phase)
	_, err = client.ConfigMaps("team").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "after"}},
		metav1.CreateOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.True(t, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause))
	assert.Equal(t, `configmaps "after" is forbidden: unable to create new content in namespace team because it is being terminated`, err.Error())
	m, err := client.ConfigMaps("team").Get(t.Context(), "before", metav1.GetOptions{})
	require.NoError(t, err)
	m.Data = map[string]string{"still": "writable"}
	_, err = client.ConfigMaps("team").Update(t.Context(), m, metav1.UpdateOptions{})
	require.NoError(t, err)

	n.Spec.Finalizers = nil
	_, err = client.Namespaces().Update(t.Context(), n, metav1.UpdateOptions{})
	require.NoError(t, err)
	n, err = client.Namespaces().Get(t.Context(), "team", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotEmpty(t, n.Spec.Finalizers, "an update cannot remove them")
	n.Spec.Finalizers = nil
	_, err = client.Namespaces().Finalize(t.Context(), n, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = client.Namespaces().Get(t.Context(), "team", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

func TestTheControllerEmptiesDeletedNamespaces(t *testing.T) {
	client := clientOf(t, kubeapitest.New(t, kubeapitest.Options{Controllers: []string{"namespace"}}).Config()).CoreV1()
	n, err := client.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.ConfigMaps("team").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.Pods("team").Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	w, err := client.Namespaces().Watch(t.Context(),
		metav1.ListOptions{FieldSelector: "metadata.name=team", ResourceVersion: n.ResourceVersion})
	require.NoError(t, err)
	defer w.Stop()
	require.NoError(t, client.Namespaces().Delete(t.Context(), "team", metav1.DeleteOptions{}))
	for event := range w.ResultChan() {
		if event.Type == watch.Deleted {
			break
		}
		require.Equal(t, watch.Modified, event.Type)
	}
	maps, err := client.ConfigMaps("").List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=m"})
	require.NoError(t, err)
	assert.Empty(t, maps.Items)
	pods, err := client.Pods("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, pods.Items)
}
