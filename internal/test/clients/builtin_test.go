package clients_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// typedClient holds the methods that client-go's typed clients of all kinds share.
type typedClient[T, L runtime.Object] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Get(context.Context, string, metav1.GetOptions) (T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions,
		subresources ...string) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

// client-go's typed clients of the builtin kinds use only Protobuf. Every response returns the object that they have
// written.
func TestTypedClientsOfBuiltinKinds(t *testing.T) {
	whole, micro := metav1.NewTime(time.Unix(1767323045, 0)), metav1.NewMicroTime(time.UnixMicro(1767323045000006))
	holder, seconds, transitions := "me", int32(15), int32(0)
	named := metav1.ObjectMeta{Name: "one", Labels: map[string]string{"app": "web"},
		Annotations: map[string]string{"empty": ""}, Finalizers: []string{}}
	about := corev1.ObjectReference{Kind: "ConfigMap", Namespace: metav1.NamespaceDefault, Name: "page", UID: "1",
		APIVersion: "v1", ResourceVersion: "2", FieldPath: "data"}
	overBoth(t, func(t *testing.T, h *host) {
		client := h.typed(t)
		t.Run("namespaces", func(t *testing.T) {
			throughTypedClient(t, h, client.CoreV1().Namespaces(), &corev1.Namespace{ObjectMeta: named})
		})
		t.Run("leases", func(t *testing.T) {
			throughTypedClient(t, h, client.CoordinationV1().Leases(metav1.NamespaceDefault),
				&coordinationv1.Lease{ObjectMeta: named, Spec: coordinationv1.LeaseSpec{
					HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &micro, RenewTime: &micro,
					LeaseTransitions: &transitions}})
		})
		t.Run("events of the core group", func(t *testing.T) {
			throughTypedClient(t, h, client.CoreV1().Events(metav1.NamespaceDefault),
				&corev1.Event{ObjectMeta: named, InvolvedObject: about, Reason: "Watered", Message: "with 3 litres",
					Source: corev1.EventSource{Component: "gardener", Host: "h"}, FirstTimestamp: whole, LastTimestamp: whole,
					Count: 3, Type: "Normal"})
		})
		t.Run("events of events.k8s.io", func(t *testing.T) {
			throughTypedClient(t, h, client.EventsV1().Events(metav1.NamespaceDefault),
				&eventsv1.Event{ObjectMeta: named, EventTime: micro, Regarding: about,
					Series: &eventsv1.EventSeries{Count: 2, LastObservedTime: micro}, ReportingController: "gardener",
					ReportingInstance: "gardener-1",
					Action:            "Watering", Reason: "Watered", Note: "with 3 litres", Type: "Normal",
					Related: &corev1.ObjectReference{Kind: "Node"}})
		})
	})
}

// throughTypedClient calls every method of a typed client with an object.
func throughTypedClient[T, L runtime.Object](t *testing.T, h *host, client typedClient[T, L], written T) {
	ctx := t.Context()
	began := len(h.wire.saw(func(exchange) bool { return true }))
	stream, err := client.Watch(ctx, metav1.ListOptions{LabelSelector: "app=web"})
	require.NoError(t, err)
	defer stream.Stop()

	made, err := client.Create(ctx, written, metav1.CreateOptions{})
	require.NoError(t, err)
	wanted := written.DeepCopyObject().(T)
	takeMetadata(t, wanted, made)
	assert.Equal(t, inJSON(t, wanted), inJSON(t, made))
	seen := await(t, stream.ResultChan(), "the object", func(e watch.Event) bool { return e.Type == watch.Added })
	assert.Equal(t, inJSON(t, made), inJSON(t, seen.Object))
	read, err := client.Get(ctx, "one", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, inJSON(t, made), inJSON(t, read))
	list, err := client.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=one"})
	require.NoError(t, err)
	items, err := meta.ExtractList(list)
	require.NoError(t, err)
	require.Len(t, items, 1)
	assert.Equal(t, inJSON(t, made), inJSON(t, items[0]))

	patched, err := client.Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"k":"v"}}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	accessor(t, patched).SetLabels(map[string]string{"app": "web"})
	updated, err := client.Update(ctx, patched, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"app": "web"}, withoutNameLabel(accessor(t, updated).GetLabels()))
	_, err = client.Update(ctx, made, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, client.Delete(ctx, "one", *metav1.NewPreconditionDeleteOptions(string(accessor(t, made).GetUID()))))

	for _, e := range h.wire.saw(func(exchange) bool { return true })[began:] {
		if e.method != "PATCH" && e.sent != "" {
			assert.Equal(t, protobuf, e.sent, "%+v", e)
		}
		assert.Equal(t, protobuf, strings.TrimSuffix(e.answered, ";stream=watch"), "%+v", e)
	}
}

func accessor(t *testing.T, obj runtime.Object) metav1.Object {
	t.Helper()
	m, err := meta.Accessor(obj)
	require.NoError(t, err)
	return m
}

// takeMetadata copies the metadata that the server has set.
func takeMetadata[T runtime.Object](t *testing.T, to, from T) {
	t.Helper()
	source := accessor(t, from)
	assert.NotEmpty(t, source.GetUID())
	m := accessor(t, to)
	m.SetNamespace(source.GetNamespace())
	m.SetUID(source.GetUID())
	m.SetResourceVersion(source.GetResourceVersion())
	m.SetCreationTimestamp(source.GetCreationTimestamp())
	m.SetManagedFields(source.GetManagedFields())
	if n, ok := any(to).(*corev1.Namespace); ok {
		made := any(from).(*corev1.Namespace)
		assert.Equal(t, corev1.NamespaceActive, made.Status.Phase)
		n.Labels, n.Spec, n.Status = made.Labels, made.Spec, made.Status
	}
}

// withoutNameLabel drops the label that the server gives every namespace.
func withoutNameLabel(labels map[string]string) map[string]string {
	delete(labels, corev1.LabelMetadataName)
	return labels
}

// Both groups serve an event, whichever group its recorder uses.
func TestAnEventOfOneRecorderInBothGroups(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		client := h.typed(t)
		written, err := client.CoreV1().Events(metav1.NamespaceDefault).Create(t.Context(),
			&corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "one"},
				InvolvedObject: corev1.ObjectReference{Namespace: metav1.NamespaceDefault, Name: "page"}, Count: 2},
			metav1.CreateOptions{})
		require.NoError(t, err)
		found, err := client.EventsV1().Events(metav1.NamespaceDefault).List(t.Context(),
			metav1.ListOptions{FieldSelector: "regarding.name=page"})
		require.NoError(t, err)
		require.Len(t, found.Items, 1)
		assert.Equal(t, written.UID, found.Items[0].UID)
		assert.Equal(t, written.ResourceVersion, found.Items[0].ResourceVersion)
		assert.EqualValues(t, 2, found.Items[0].DeprecatedCount)
		require.NoError(t, client.EventsV1().Events(metav1.NamespaceDefault).Delete(t.Context(), "one",
			metav1.DeleteOptions{}))
		_, err = client.CoreV1().Events(metav1.NamespaceDefault).Get(t.Context(), "one", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

// inJSON encodes an object as JSON, in which equal times have equal texts.
func inJSON(t *testing.T, obj runtime.Object) string {
	t.Helper()
	text, err := json.Marshal(obj)
	require.NoError(t, err)
	return string(text)
}
