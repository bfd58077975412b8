package kubeapitest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// The controllers work on the kinds of definitions that arrive after they have started: a namespace with a custom
// object ends, and foreground deletion of a custom object ends after its dependents.
func TestControllersFollowDefinitions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	api := kubeapitest.New(t, kubeapitest.Options{Controllers: []string{"namespace", "garbage-collector"}})
	client, err := dynamic.NewForConfig(api.Config())
	require.NoError(t, err)
	core := clientOf(t, api.Config()).CoreV1()
	_, err = client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}).
		Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": "memcacheds.cache.example.com"},
			"spec": map[string]any{"group": "cache.example.com", "scope": "Namespaced",
				"names": map[string]any{"plural": "memcacheds", "kind": "Memcached"},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}}},
		}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "nn"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	memcacheds := client.Resource(schema.GroupVersionResource{Group: "cache.example.com", Version: "v1",
		Resource: "memcacheds"}).Namespace("nn")
	create := func(name string, finalizers ...string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "cache.example.com/v1",
			"kind": "Memcached"}}
		object.SetName(name)
		object.SetFinalizers(finalizers)
		require.Eventually(t, func() bool { // until the kind is served
			created, err := memcacheds.Create(ctx, object, metav1.CreateOptions{})
			if err == nil {
				object = created
			}
			return err == nil
		}, hangtest.Deadline, time.Millisecond)
		return object
	}
	owner := create("owner")
	yes := true
	_, err = core.ConfigMaps("nn").Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dependent", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "cache.example.com/v1", Kind: "Memcached", Name: "owner", UID: owner.GetUID(),
				BlockOwnerDeletion: &yes}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	foreground := metav1.DeletePropagationForeground
	require.NoError(t, memcacheds.Delete(ctx, "owner", metav1.DeleteOptions{PropagationPolicy: &foreground}))
	gone := func(get func() error) {
		t.Helper()
		require.Eventually(t, func() bool { return errors.IsNotFound(get()) }, hangtest.Deadline, time.Millisecond)
	}
	gone(func() error { _, err := memcacheds.Get(ctx, "owner", metav1.GetOptions{}); return err })
	_, err = core.ConfigMaps("nn").Get(ctx, "dependent", metav1.GetOptions{})
	assert.True(t, errors.IsNotFound(err), "%v", err)

	create("held", "example.com/f")
	require.NoError(t, core.Namespaces().Delete(ctx, "nn", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		held, err := memcacheds.Get(ctx, "held", metav1.GetOptions{})
		return err == nil && held.GetDeletionTimestamp() != nil
	}, hangtest.Deadline, time.Millisecond)
	_, err = memcacheds.Patch(ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	gone(func() error { _, err := core.Namespaces().Get(ctx, "nn", metav1.GetOptions{}); return err })
}
