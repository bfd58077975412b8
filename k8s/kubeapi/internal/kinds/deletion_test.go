package kinds_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func TestDeletionsWithoutAPolicyKeepTheDependentsOfOldKinds(t *testing.T) {
	warnings := &heard{}
	client := warnedClientOf(t, newAPI(t), warnings)
	const warning = "child pods are preserved by default when jobs are deleted; " +
		"set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
		Spec: pod("p").Spec}
	ending := *template.DeepCopy()
	ending.Spec.RestartPolicy = corev1.RestartPolicyNever
	held := metav1.ObjectMeta{Name: "x", Finalizers: []string{"example.com/held"}}
	foreground := metav1.ObjectMeta{Name: "x", Finalizers: []string{"example.com/held", metav1.FinalizerDeleteDependents}}
	job := func(m metav1.ObjectMeta) func(context.Context, *kubernetes.Clientset, string) error {
		return func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			_, err := c.BatchV1().Jobs(namespace).Create(ctx,
				&batchv1.Job{ObjectMeta: m, Spec: batchv1.JobSpec{Template: ending}}, metav1.CreateOptions{})
			return err
		}
	}
	getJob := func(ctx context.Context, c *kubernetes.Clientset, namespace string) (metav1.Object, error) {
		return c.BatchV1().Jobs(namespace).Get(ctx, "x", metav1.GetOptions{})
	}
	deleteJob := func(o metav1.DeleteOptions) func(context.Context, *kubernetes.Clientset, string) error {
		return func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			return c.BatchV1().Jobs(namespace).Delete(ctx, "x", o)
		}
	}
	background, no := metav1.DeletePropagationBackground, false
	for _, c := range []struct {
		name           string
		create, remove func(context.Context, *kubernetes.Clientset, string) error
		get            func(context.Context, *kubernetes.Clientset, string) (metav1.Object, error)
		finalizers     []string
		warned         []string
	}{
		{"a Job", job(held), deleteJob(metav1.DeleteOptions{}), getJob, []string{"example.com/held", "orphan"},
			[]string{warning}},
		{"with a policy", job(held), deleteJob(metav1.DeleteOptions{PropagationPolicy: &background}), getJob,
			[]string{"example.com/held"}, nil},
		{"with the older option", job(held), deleteJob(metav1.DeleteOptions{OrphanDependents: &no}), getJob,
			[]string{"example.com/held"}, nil},
		{"a finalizer decides", job(foreground), deleteJob(metav1.DeleteOptions{}), getJob, foreground.Finalizers,
			[]string{warning}},
		{"a collection of Jobs", job(held), func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			return c.BatchV1().Jobs(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		}, getJob, []string{"example.com/held", "orphan"}, []string{warning}},
		{"a ReplicationController", func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			rc := &corev1.ReplicationController{ObjectMeta: held,
				Spec: corev1.ReplicationControllerSpec{Selector: template.Labels, Template: &template}}
			_, err := c.CoreV1().ReplicationControllers(namespace).Create(ctx, rc, metav1.CreateOptions{})
			return err
		}, func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			return c.CoreV1().ReplicationControllers(namespace).Delete(ctx, "x", metav1.DeleteOptions{})
		}, func(ctx context.Context, c *kubernetes.Clientset, namespace string) (metav1.Object, error) {
			return c.CoreV1().ReplicationControllers(namespace).Get(ctx, "x", metav1.GetOptions{})
		}, []string{"example.com/held", "orphan"}, nil},
		{"a ReplicaSet, which is younger", func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			rs := &appsv1.ReplicaSet{ObjectMeta: held,
				Spec: appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: template.Labels}, Template: template}}
			_, err := c.AppsV1().ReplicaSets(namespace).Create(ctx, rs, metav1.CreateOptions{})
			return err
		}, func(ctx context.Context, c *kubernetes.Clientset, namespace string) error {
			return c.AppsV1().ReplicaSets(namespace).Delete(ctx, "x", metav1.DeleteOptions{})
		}, func(ctx context.Context, c *kubernetes.Clientset, namespace string) (metav1.Object, error) {
			return c.AppsV1().ReplicaSets(namespace).Get(ctx, "x", metav1.GetOptions{})
		}, []string{"example.com/held"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			namespace := newNamespace(t, client)
			require.NoError(t, c.create(t.Context(), client, namespace))
			warnings.texts = nil
			require.NoError(t, c.remove(t.Context(), client, namespace))
			assert.Equal(t, c.warned, warnings.texts)
			assert.Equal(t, c.finalizers, must[metav1.Object](t)(c.get(t.Context(), client, namespace)).GetFinalizers())
		})
	}
}
