package k8s_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

const protobuf = "application/vnd.kubernetes.protobuf"

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault}
}

func TestConfigMapsInProtobuf(t *testing.T) {
	s := newServer(t)
	maps := s.client(t).CoreV1().ConfigMaps(metav1.NamespaceDefault)

	created, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: named("a"), Data: map[string]string{"k": "v"},
		BinaryData: map[string][]byte{"b": {0, 255}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, protobuf+" > "+protobuf, s.exchanged("POST"))
	assert.NotEmpty(t, created.UID)

	got, err := maps.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, created, got)
	assert.Equal(t, []byte{0, 255}, got.BinaryData["b"])

	list, err := maps.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, []corev1.ConfigMap{*got}, list.Items)

	stream, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	require.NoError(t, err)
	defer stream.Stop()
	got.Data["k"] = "w"
	updated, err := maps.Update(t.Context(), got, metav1.UpdateOptions{})
	require.NoError(t, err)
	event := <-stream.ResultChan()
	assert.Equal(t, watch.Modified, event.Type)
	assert.Equal(t, updated, event.Object)

	require.NoError(t, maps.Delete(t.Context(), "a", *metav1.NewPreconditionDeleteOptions(string(got.UID))))
	_, err = maps.Get(t.Context(), "a", metav1.GetOptions{})
	assert.True(t, errors.IsNotFound(err), "%v", err)
}

func TestLeasesInProtobuf(t *testing.T) {
	s := newServer(t)
	leases := s.client(t).CoordinationV1().Leases(metav1.NamespaceDefault)
	holder, renewed := "me", metav1.NewMicroTime(time.Unix(1, 2000).UTC())
	lease := &coordinationv1.Lease{ObjectMeta: named("a"),
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &renewed}}

	put, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{})
	require.NoError(t, err, "PUT creates a lease")
	assert.True(t, put.Spec.RenewTime.Equal(&renewed), "%s keeps its microseconds", put.Spec.RenewTime)

	_, err = leases.Update(t.Context(), lease, metav1.UpdateOptions{})
	assert.True(t, errors.IsInvalid(err), "PUT of a lease needs a resourceVersion: %v", err)

	old := put.DeepCopy()
	put.Spec.HolderIdentity = nil
	_, err = leases.Update(t.Context(), put, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = leases.Update(t.Context(), old, metav1.UpdateOptions{})
	assert.True(t, errors.IsConflict(err), "%v", err)
}

func TestEventsInProtobuf(t *testing.T) {
	s := newServer(t)
	events := s.client(t).CoreV1().Events(metav1.NamespaceDefault)
	for name, object := range map[string]string{"a.1": "a", "a.2": "a", "b.1": "b"} {
		_, err := events.Create(t.Context(),
			&corev1.Event{ObjectMeta: named(name), Reason: "Tested", Type: corev1.EventTypeNormal, Count: 1,
				InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: metav1.NamespaceDefault, Name: object, UID: "u"}},
			metav1.CreateOptions{})
		require.NoError(t, err)
	}
	// The request of kubectl describe.
	object, namespace, kind, uid := "a", metav1.NamespaceDefault, "Pod", "u"
	of, err := events.List(t.Context(),
		metav1.ListOptions{FieldSelector: events.GetFieldSelector(&object, &namespace, &kind, &uid).String()})
	require.NoError(t, err)
	assert.Len(t, of.Items, 2)

	newer := s.client(t).EventsV1().Events(metav1.NamespaceDefault)
	_, err = newer.Create(t.Context(), &eventsv1.Event{ObjectMeta: named("a.1"), EventTime: metav1.NowMicro(),
		Regarding: corev1.ObjectReference{Name: "c"}}, metav1.CreateOptions{})
	require.NoError(t, err, "the newer kind has objects of its own")
	list, err := newer.List(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=c"})
	require.NoError(t, err)
	assert.Len(t, list.Items, 1)
}

func TestDeploymentsInProtobuf(t *testing.T) {
	s := newServer(t)
	deployments := s.client(t).AppsV1().Deployments(metav1.NamespaceDefault)
	replicas, labels := int32(2), map[string]string{"app": "a"}
	created, err := deployments.Create(t.Context(), &appsv1.Deployment{ObjectMeta: named("a"), Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i",
				Ports: []corev1.ContainerPort{{ContainerPort: 53}}}}}}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, created.Generation)
	assert.Equal(t, corev1.ProtocolTCP, created.Spec.Template.Spec.Containers[0].Ports[0].Protocol)

	created.Status = appsv1.DeploymentStatus{Replicas: 1, ObservedGeneration: 1}
	_, err = deployments.UpdateStatus(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err)

	scale, err := deployments.GetScale(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, autoscalingv1.ScaleStatus{Replicas: 1, Selector: "app=a"}, scale.Status)
	scale.Spec.Replicas = 5
	_, err = deployments.UpdateScale(t.Context(), "a", scale, metav1.UpdateOptions{})
	require.NoError(t, err)

	patched, err := deployments.Patch(t.Context(), "a", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"},{"name":"d","image":"k"}]}}}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, 5, *patched.Spec.Replicas)
	assert.EqualValues(t, 3, patched.Generation, "scaled and patched")
	assert.EqualValues(t, 1, patched.Status.Replicas)
	containers := patched.Spec.Template.Spec.Containers
	require.Len(t, containers, 2)
	assert.ElementsMatch(t, []string{"c j 1", "d k 0"}, []string{summary(containers[0]), summary(containers[1])})
}

func summary(c corev1.Container) string {
	return c.Name + " " + c.Image + " " + string(rune('0'+len(c.Ports)))
}

// The selector of a ReplicationController is a plain map of labels.
func TestScaleOfPlainLabels(t *testing.T) {
	s := newServer(t)
	controllers := s.client(t).CoreV1().ReplicationControllers(metav1.NamespaceDefault)
	one := int32(1)
	_, err := controllers.Create(t.Context(), &corev1.ReplicationController{ObjectMeta: named("a"),
		Spec: corev1.ReplicationControllerSpec{Replicas: &one, Selector: map[string]string{"app": "a", "b": "c"}}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	scale, err := controllers.GetScale(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "app=a,b=c", scale.Status.Selector)
}
