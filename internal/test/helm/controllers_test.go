package helm_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// playCluster takes the part of a cluster until the test ends: Jobs complete, Deployments become available, and Pods
// succeed, at once.
func playCluster(t *testing.T, client kubernetes.Interface) {
	jobs, err := client.BatchV1().Jobs("").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	deployments, err := client.AppsV1().Deployments("").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	pods, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)

	var playing sync.WaitGroup
	playing.Go(func() {
		each(jobs, func(job *batchv1.Job) {
			if job.Status.CompletionTime == nil {
				completed(job)
				_, err := client.BatchV1().Jobs(job.Namespace).UpdateStatus(context.Background(), job, metav1.UpdateOptions{})
				assertWritten(t, err)
			}
		})
	})
	playing.Go(func() {
		each(deployments, func(d *appsv1.Deployment) {
			if d.Status.ObservedGeneration != d.Generation {
				available(d)
				_, err := client.AppsV1().Deployments(d.Namespace).UpdateStatus(context.Background(), d, metav1.UpdateOptions{})
				assertWritten(t, err)
			}
		})
	})
	playing.Go(func() {
		each(pods, func(pod *corev1.Pod) {
			if pod.Status.Phase == corev1.PodPending {
				pod.Status.Phase = corev1.PodSucceeded
				_, err := client.CoreV1().Pods(pod.Namespace).UpdateStatus(context.Background(), pod, metav1.UpdateOptions{})
				assertWritten(t, err)
			}
		})
	})
	t.Cleanup(func() {
		jobs.Stop()
		deployments.Stop()
		pods.Stop()
		playing.Wait()
	})
}

// each calls f with each new and each changed object of a watch, until the watch ends.
func each[T any](w watch.Interface, f func(T)) {
	for event := range w.ResultChan() {
		if object, ok := event.Object.(T); ok && (event.Type == watch.Added || event.Type == watch.Modified) {
			f(object)
		}
	}
}

// assertWritten expects that a status was written, or that the object has changed or has gone in the meantime: then the
// watch reports it.
func assertWritten(t *testing.T, err error) {
	if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		assert.NoError(t, err)
	}
}

func completed(job *batchv1.Job) {
	now := metav1.Now()
	job.Status.StartTime, job.Status.CompletionTime, job.Status.Succeeded = &now, &now, 1
	for _, condition := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(job.Status.Conditions,
			batchv1.JobCondition{Type: condition, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now})
	}
}

func available(d *appsv1.Deployment) {
	n := *d.Spec.Replicas
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n,
		AvailableReplicas: n,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		}}
}
