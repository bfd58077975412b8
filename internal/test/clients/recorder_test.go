package clients_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

// The recorder of the core group writes an event, and counts repetitions in it.
func TestRecord(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		client := h.typed(t).CoreV1()
		about, err := client.ConfigMaps(metav1.NamespaceDefault).Create(t.Context(), configMap("one"), metav1.CreateOptions{})
		require.NoError(t, err)
		stream, err := client.Events(metav1.NamespaceDefault).Watch(t.Context(),
			metav1.ListOptions{FieldSelector: "involvedObject.name=one"})
		require.NoError(t, err)
		defer stream.Stop()

		broadcaster := record.NewBroadcaster(record.WithContext(t.Context()))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.Events("")})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "gardener"})
		for range 3 {
			recorder.Eventf(about, corev1.EventTypeNormal, "Watered", "with %d litres", 3)
		}

		last := await(t, stream.ResultChan(), "the third time", func(e watch.Event) bool {
			return e.Object.(*corev1.Event).Count == 3
		}).Object.(*corev1.Event)
		assert.Equal(t, "Watered: with 3 litres", last.Reason+": "+last.Message)
		assert.Equal(t, about.UID, last.InvolvedObject.UID)
		assert.Equal(t, "gardener", last.Source.Component)
		all, err := client.Events(metav1.NamespaceDefault).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		assert.Len(t, all.Items, 1)
	})
}

// The recorder of events.k8s.io writes an event, and counts repetitions in its series.
func TestEvents(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		client := h.typed(t)
		about, err := client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Create(t.Context(), configMap("one"),
			metav1.CreateOptions{})
		require.NoError(t, err)
		stream, err := client.EventsV1().Events(metav1.NamespaceDefault).Watch(t.Context(),
			metav1.ListOptions{FieldSelector: "regarding.name=one"})
		require.NoError(t, err)
		defer stream.Stop()

		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
		defer broadcaster.Shutdown()
		require.NoError(t, broadcaster.StartRecordingToSinkWithContext(t.Context()))
		recorder := broadcaster.NewRecorder(scheme.Scheme, "gardener")
		water := func() {
			recorder.Eventf(about, nil, corev1.EventTypeNormal, "Watered", "Watering", "with %d litres", 3)
		}
		water()
		first := await(t, stream.ResultChan(), "the event",
			func(e watch.Event) bool { return e.Type == watch.Added }).Object.(*eventsv1.Event)
		assert.Equal(t, "Watered Watering: with 3 litres", first.Reason+" "+first.Action+": "+first.Note)
		assert.Equal(t, about.UID, first.Regarding.UID)
		assert.Equal(t, "gardener", first.ReportingController)
		assert.Nil(t, first.Series)

		water()
		again := await(t, stream.ResultChan(), "the series",
			func(e watch.Event) bool { return e.Type == watch.Modified }).Object.(*eventsv1.Event)
		assert.Equal(t, first.UID, again.UID)
		require.NotNil(t, again.Series)
		assert.EqualValues(t, 2, again.Series.Count)
	})
}
