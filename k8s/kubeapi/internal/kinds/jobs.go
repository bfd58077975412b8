package kinds

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// The labels that existed before those with a domain.
const (
	oldJobNameLabel       = "job-name"
	oldControllerUIDLabel = "controller-uid"
)

// jobs returns the kind Job. The server generates the selector of a Job, and the labels by which it finds its Pods, unless the Job says
// that its selector is manual.
func jobs() rest.Resource[batchv1.Job] {
	r := preparing(of[batchv1.Job](), func(_ context.Context, job, old *batchv1.Job) error {
		if old == nil && (job.Spec.ManualSelector == nil || !*job.Spec.ManualSelector) {
			generateSelector(job)
		}
		return nil
	})
	r = freezing(r,
		frozen[batchv1.Job]{"spec.selector", func(j *batchv1.Job) any { return j.Spec.Selector }},
		frozen[batchv1.Job]{"spec.completionMode", func(j *batchv1.Job) any { return j.Spec.CompletionMode }},
		frozen[batchv1.Job]{"spec.podFailurePolicy", func(j *batchv1.Job) any { return j.Spec.PodFailurePolicy }},
		frozen[batchv1.Job]{"spec.backoffLimitPerIndex", func(j *batchv1.Job) any { return j.Spec.BackoffLimitPerIndex }},
		frozen[batchv1.Job]{"spec.managedBy", func(j *batchv1.Job) any { return j.Spec.ManagedBy }},
		frozen[batchv1.Job]{"spec.successPolicy", func(j *batchv1.Job) any { return j.Spec.SuccessPolicy }})
	return validating(r, validateJobUpdate)
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

// validateJobUpdate refuses to change the template of a Job that has begun, and the number of its completions. An indexed Job may change
// that number together with its parallelism.
func validateJobUpdate(ctx context.Context, job, old *batchv1.Job) (errs status.FieldErrors) {
	if old == nil || part(ctx) != "" {
		return nil
	}
	now, was := &job.Spec, &old.Spec
	indexed := now.CompletionMode != nil && *now.CompletionMode == batchv1.IndexedCompletion
	if !equality.Semantic.DeepEqual(now.Completions, was.Completions) {
		at := status.Field("spec", "completions")
		switch {
		case !indexed:
			errs = append(errs, status.InvalidField(at, valueOf(now.Completions), immutable))
		case was.Completions != nil && now.Completions == nil:
			errs = append(errs, status.RequiredField(at, ""))
		case !equality.Semantic.DeepEqual(now.Completions, now.Parallelism):
			errs = append(errs, status.InvalidField(at, valueOf(now.Completions), "can only be modified in tandem with spec.parallelism"))
		}
	}
	template, wasTemplate := now.Template.DeepCopy(), &was.Template
	if was.Suspend != nil && *was.Suspend && old.Status.Active == 0 { // where the Pods may run can change until they do
		template.Labels, template.Annotations = wasTemplate.Labels, wasTemplate.Annotations
		template.Spec.NodeSelector, template.Spec.Affinity = wasTemplate.Spec.NodeSelector, wasTemplate.Spec.Affinity
		template.Spec.Tolerations, template.Spec.SchedulingGates = wasTemplate.Spec.Tolerations, wasTemplate.Spec.SchedulingGates
		if sameContainers(template.Spec.Containers, wasTemplate.Spec.Containers) {
			for i := range template.Spec.Containers {
				template.Spec.Containers[i].Resources = wasTemplate.Spec.Containers[i].Resources
			}
		}
		if sameContainers(template.Spec.InitContainers, wasTemplate.Spec.InitContainers) {
			for i := range template.Spec.InitContainers {
				template.Spec.InitContainers[i].Resources = wasTemplate.Spec.InitContainers[i].Resources
			}
		}
	}
	if !equality.Semantic.DeepEqual(template, wasTemplate) {
		errs = append(errs, status.InvalidField(status.Field("spec", "template"), now.Template, immutable))
	}
	return errs
}

// valueOf returns the value of an optional number for an error message.
func valueOf(n *int32) any {
	if n == nil {
		return nil
	}
	return *n
}
