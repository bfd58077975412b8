package kinds

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// The labels that existed before those with a domain.
const (
	oldJobNameLabel       = "job-name"
	oldControllerUIDLabel = "controller-uid"
)

// jobs returns the kind Job. The server generates the selector of a Job, and the labels by which it finds its Pods,
// unless the Job says that its selector is manual.
func jobs() rest.Resource[batchv1.Job] {
	return preparing(of[batchv1.Job](), func(_ context.Context, job, old *batchv1.Job) error {
		if old == nil && (job.Spec.ManualSelector == nil || !*job.Spec.ManualSelector) {
			generateSelector(job)
		}
		return nil
	})
}

func generateSelector(job *batchv1.Job) {
	labels := &job.Spec.Template.Labels
	if *labels == nil {
		*labels = map[string]string{}
	}
	for _, l := range []struct{ key, value string }{
		{oldJobNameLabel, job.Name}, {batchv1.JobNameLabel, job.Name},
		{oldControllerUIDLabel, string(job.UID)}, {batchv1.ControllerUidLabel, string(job.UID)},
	} {
		if _, ok := (*labels)[l.key]; !ok {
			(*labels)[l.key] = l.value
		}
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, ok := job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !ok {
		job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = string(job.UID)
	}
}
