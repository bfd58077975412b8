package defaults

import (
	"maps"
	"math"

	batchv1 "k8s.io/api/batch/v1"
)

// batch returns the defaults of the group batch. The defaults that belong to Jobs alone do not apply to the template of
// a CronJob.
func batch() []rule {
	return []rule{
		fixed[batchv1.CronJob](values{
			"spec.concurrencyPolicy":          "Allow",
			"spec.suspend":                    false,
			"spec.successfulJobsHistoryLimit": 3,
			"spec.failedJobsHistoryLimit":     1,
		}),
		fixed[batchv1.Job](values{
			"spec.completionMode": "NonIndexed",
			"spec.suspend":        false,
			"spec.manualSelector": false,
		}),
		fixed[batchv1.PodFailurePolicyOnPodConditionsPattern](values{"status": "True"}),

		when(job),
	}
}

func job(obj *batchv1.Job) {
	if spec := &obj.Spec; spec.Parallelism == nil && spec.Completions == nil {
		spec.Completions = or(spec.Completions, 1)
	}
	obj.Spec.Parallelism = or(obj.Spec.Parallelism, 1)
	retries := int32(6)
	if obj.Spec.BackoffLimitPerIndex != nil {
		retries = math.MaxInt32
	}
	obj.Spec.BackoffLimit = or(obj.Spec.BackoffLimit, retries)
	replace := batchv1.TerminatingOrFailed
	if obj.Spec.PodFailurePolicy != nil {
		replace = batchv1.Failed
	}
	obj.Spec.PodReplacementPolicy = or(obj.Spec.PodReplacementPolicy, replace)
	if len(obj.Labels) == 0 {
		obj.Labels = maps.Clone(obj.Spec.Template.Labels)
	}
}
