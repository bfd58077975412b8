package clients_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func managersOf(o metav1.Object) (names []string) {
	for _, e := range o.GetManagedFields() {
		names = append(names, e.Manager+" "+string(e.Operation))
	}
	return names
}

// client-go applies its apply configurations, and reads back the fields that it owns.
func TestApplyConfigurations(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		maps := h.typed(t).CoreV1().ConfigMaps(metav1.NamespaceDefault)
		config := applycorev1.ConfigMap("one",
			metav1.NamespaceDefault).WithLabels(map[string]string{"app": "web"}).WithData(map[string]string{"a": "1"})
		made, err := maps.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "me"})
		require.NoError(t, err)
		assert.Equal(t, []string{"me Apply"}, managersOf(made))
		again, err := maps.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "me"})
		require.NoError(t, err)
		assert.Equal(t, made.ResourceVersion, again.ResourceVersion)

		other := applycorev1.ConfigMap("one", metav1.NamespaceDefault).WithData(map[string]string{"a": "2"})
		_, err = maps.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "other"})
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		assert.True(t, apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict))
		taken, err := maps.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "other", Force: true})
		require.NoError(t, err)
		assert.Equal(t, "2", taken.Data["a"])

		mine, err := applycorev1.ExtractConfigMap(taken, "other")
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"a": "2"}, mine.Data)
		assert.Empty(t, mine.Labels)
	})
}

// controller-runtime applies objects of kinds with and without apply configurations.
func TestReconcilerApplies(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		c := newManager(t, h).GetClient()
		site := func(title string) *unstructured.Unstructured {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"title": title}}}
			u.SetGroupVersionKind(siteKind)
			u.SetNamespace(metav1.NamespaceDefault)
			u.SetName("one")
			return u
		}
		first := site("First")
		require.NoError(t, c.Apply(ctx, client.ApplyConfigurationFromUnstructured(first), client.FieldOwner("one")))
		assert.Equal(t, []string{"one Apply"}, managersOf(first))
		err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(site("Second")), client.FieldOwner("two"))
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		second := site("Second")
		require.NoError(t, c.Apply(ctx, client.ApplyConfigurationFromUnstructured(second), client.FieldOwner("two"),
			client.ForceOwnership))
		assert.Equal(t, []string{"two Apply"}, managersOf(second))

		config := applycorev1.ConfigMap("two", metav1.NamespaceDefault).WithData(map[string]string{"a": "1"})
		require.NoError(t, c.Apply(ctx, config, client.FieldOwner("one")))
		m, err := h.typed(t).CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(ctx, "two", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "1", m.Data["a"])
	})
}
