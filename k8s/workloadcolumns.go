package k8s

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

// wideTemplate returns the columns of a workload that show its template, and its selector if one is
// given.
func wideTemplate[V any](containers func(obj *V) []corev1.Container, selector ...column) []column {
	columns := append(containerColumns(containers), selector...)
	for i, c := range columns {
		columns[i] = wide(c)
	}
	return columns
}

func replicationControllerColumns() []column {
	return append([]column{
		number("Desired", documented[corev1.ReplicationControllerSpec]("replicas"),
			func(c *corev1.ReplicationController) any { return given(c.Spec.Replicas, 0) }),
		number("Current", documented[corev1.ReplicationControllerStatus]("replicas"),
			func(c *corev1.ReplicationController) any { return c.Status.Replicas }),
		number("Ready", documented[corev1.ReplicationControllerStatus]("readyReplicas"),
			func(c *corev1.ReplicationController) any { return c.Status.ReadyReplicas }),
		age(),
	}, wideTemplate(func(c *corev1.ReplicationController) []corev1.Container {
		return given(c.Spec.Template, corev1.PodTemplateSpec{}).Spec.Containers
	},
		text("Selector", documented[corev1.ReplicationControllerSpec]("selector"), func(c *corev1.ReplicationController) any {
			return labels.FormatLabels(c.Spec.Selector)
		}))...)
}

func replicaSetColumns() []column {
	return append([]column{
		number("Desired", documented[appsv1.ReplicaSetSpec]("replicas"),
			func(s *appsv1.ReplicaSet) any { return given(s.Spec.Replicas, 0) }),
		number("Current", documented[appsv1.ReplicaSetStatus]("replicas"),
			func(s *appsv1.ReplicaSet) any { return s.Status.Replicas }),
		number("Ready", documented[appsv1.ReplicaSetStatus]("readyReplicas"),
			func(s *appsv1.ReplicaSet) any { return s.Status.ReadyReplicas }),
		age(),
	}, wideTemplate(func(s *appsv1.ReplicaSet) []corev1.Container { return s.Spec.Template.Spec.Containers },
		text("Selector", documented[appsv1.ReplicaSetSpec]("selector"),
			func(s *appsv1.ReplicaSet) any { return metav1.FormatLabelSelector(s.Spec.Selector) }))...)
}

func deploymentColumns() []column {
	return append([]column{
		text("Ready", "Number of the pod with ready state", func(d *appsv1.Deployment) any {
			return fmt.Sprintf("%d/%d", d.Status.ReadyReplicas, given(d.Spec.Replicas, 0))
		}),
		text("Up-to-date", documented[appsv1.DeploymentStatus]("updatedReplicas"),
			func(d *appsv1.Deployment) any { return d.Status.UpdatedReplicas }),
		text("Available", documented[appsv1.DeploymentStatus]("availableReplicas"),
			func(d *appsv1.Deployment) any { return d.Status.AvailableReplicas }),
		age(),
	}, wideTemplate(func(d *appsv1.Deployment) []corev1.Container { return d.Spec.Template.Spec.Containers },
		text("Selector", documented[appsv1.DeploymentSpec]("selector"), func(d *appsv1.Deployment) any {
			selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
			if err != nil {
				return "<invalid>"
			}
			return selector.String()
		}))...)
}

func statefulSetColumns() []column {
	return append([]column{
		text("Ready", "Number of the pod with ready state", func(s *appsv1.StatefulSet) any {
			return fmt.Sprintf("%d/%d", s.Status.ReadyReplicas, given(s.Spec.Replicas, 0))
		}),
		age(),
	}, wideTemplate(func(s *appsv1.StatefulSet) []corev1.Container { return s.Spec.Template.Spec.Containers })...)
}

func daemonSetColumns() []column {
	return append([]column{
		number("Desired", documented[appsv1.DaemonSetStatus]("desiredNumberScheduled"),
			func(s *appsv1.DaemonSet) any { return s.Status.DesiredNumberScheduled }),
		number("Current", documented[appsv1.DaemonSetStatus]("currentNumberScheduled"),
			func(s *appsv1.DaemonSet) any { return s.Status.CurrentNumberScheduled }),
		number("Ready", documented[appsv1.DaemonSetStatus]("numberReady"),
			func(s *appsv1.DaemonSet) any { return s.Status.NumberReady }),
		number("Up-to-date", documented[appsv1.DaemonSetStatus]("updatedNumberScheduled"),
			func(s *appsv1.DaemonSet) any { return s.Status.UpdatedNumberScheduled }),
		number("Available", documented[appsv1.DaemonSetStatus]("numberAvailable"),
			func(s *appsv1.DaemonSet) any { return s.Status.NumberAvailable }),
		text("Node Selector", documented[corev1.PodSpec]("nodeSelector"), func(s *appsv1.DaemonSet) any {
			return labels.FormatLabels(s.Spec.Template.Spec.NodeSelector)
		}),
		age(),
	}, wideTemplate(func(s *appsv1.DaemonSet) []corev1.Container { return s.Spec.Template.Spec.Containers },
		text("Selector", documented[appsv1.DaemonSetSpec]("selector"),
			func(s *appsv1.DaemonSet) any { return metav1.FormatLabelSelector(s.Spec.Selector) }))...)
}

func controllerRevisionColumns() []column {
	return []column{
		text("Controller", "Controller of the object", func(r *appsv1.ControllerRevision) any {
			owner := metav1.GetControllerOf(r)
			if owner == nil {
				return none
			}
			kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
			return strings.ToLower(kind.String()) + "/" + owner.Name
		}),
		text("Revision", documented[appsv1.ControllerRevision]("revision"),
			func(r *appsv1.ControllerRevision) any { return r.Revision }),
		age(),
	}
}

func jobColumns() []column {
	return append([]column{
		text("Status", "Status of the job.", jobStatus),
		text("Completions", documented[batchv1.JobStatus]("succeeded"), func(j *batchv1.Job) any {
			parallel := given(j.Spec.Parallelism, 0)
			switch {
			case j.Spec.Completions != nil:
				return fmt.Sprintf("%d/%d", j.Status.Succeeded, *j.Spec.Completions)
			case parallel > 1:
				return fmt.Sprintf("%d/1 of %d", j.Status.Succeeded, parallel)
			}
			return fmt.Sprintf("%d/1", j.Status.Succeeded)
		}),
		text("Duration", "Time required to complete the job.", func(j *batchv1.Job) any {
			switch began, ended := j.Status.StartTime, j.Status.CompletionTime; {
			case began == nil:
				return ""
			case ended == nil:
				return duration.HumanDuration(time.Since(began.Time))
			default:
				return duration.HumanDuration(ended.Sub(began.Time))
			}
		}),
		age(),
	}, wideTemplate(func(j *batchv1.Job) []corev1.Container { return j.Spec.Template.Spec.Containers },
		text("Selector", documented[batchv1.JobSpec]("selector"),
			func(j *batchv1.Job) any { return metav1.FormatLabelSelector(j.Spec.Selector) }))...)
}

func jobStatus(j *batchv1.Job) any {
	is := func(t batchv1.JobConditionType) bool {
		i := slices.IndexFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == t })
		return i >= 0 && j.Status.Conditions[i].Status == corev1.ConditionTrue
	}
	switch {
	case is(batchv1.JobComplete):
		return "Complete"
	case is(batchv1.JobFailed):
		return "Failed"
	case deleting(j):
		return "Terminating"
	case is(batchv1.JobSuspended):
		return "Suspended"
	case is(batchv1.JobFailureTarget):
		return "FailureTarget"
	case is(batchv1.JobSuccessCriteriaMet):
		return "SuccessCriteriaMet"
	}
	return "Running"
}

func cronJobColumns() []column {
	return append([]column{
		text("Schedule", documented[batchv1.CronJobSpec]("schedule"),
			func(j *batchv1.CronJob) any { return j.Spec.Schedule }),
		text("Timezone", documented[batchv1.CronJobSpec]("timeZone"),
			func(j *batchv1.CronJob) any { return given(j.Spec.TimeZone, none) }),
		flag("Suspend", documented[batchv1.CronJobSpec]("suspend"), func(j *batchv1.CronJob) any {
			switch suspended := j.Spec.Suspend; {
			case suspended == nil:
				return unset
			case *suspended:
				return "True"
			}
			return "False"
		}),
		number("Active", documented[batchv1.CronJobStatus]("active"),
			func(j *batchv1.CronJob) any { return len(j.Status.Active) }),
		text("Last Schedule", documented[batchv1.CronJobStatus]("lastScheduleTime"), func(j *batchv1.CronJob) any {
			if j.Status.LastScheduleTime == nil {
				return none
			}
			return j.Status.LastScheduleTime.Time
		}),
		age(),
	}, wideTemplate(func(j *batchv1.CronJob) []corev1.Container {
		return j.Spec.JobTemplate.Spec.Template.Spec.Containers
	},
		text("Selector", documented[batchv1.JobSpec]("selector"),
			func(j *batchv1.CronJob) any { return metav1.FormatLabelSelector(j.Spec.JobTemplate.Spec.Selector) }))...)
}

func podDisruptionBudgetColumns() []column {
	return []column{
		text("Min Available", "The minimum number of pods that must be available.",
			func(b *policyv1.PodDisruptionBudget) any {
				if b.Spec.MinAvailable == nil {
					return "N/A"
				}
				return b.Spec.MinAvailable.String()
			}),
		text("Max Unavailable", "The maximum number of pods that may be unavailable.",
			func(b *policyv1.PodDisruptionBudget) any {
				if b.Spec.MaxUnavailable == nil {
					return "N/A"
				}
				return b.Spec.MaxUnavailable.String()
			}),
		number("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time.",
			func(b *policyv1.PodDisruptionBudget) any {
				return b.Status.DisruptionsAllowed
			}),
		age(),
	}
}

func priorityClassColumns() []column {
	return []column{
		number("Value", documented[schedulingv1.PriorityClass]("value"),
			func(c *schedulingv1.PriorityClass) any { return c.Value }),
		flag("Global-Default", documented[schedulingv1.PriorityClass]("globalDefault"),
			func(c *schedulingv1.PriorityClass) any { return c.GlobalDefault }),
		age(),
		text("PreemptionPolicy", documented[schedulingv1.PriorityClass]("preemptionPolicy"),
			func(c *schedulingv1.PriorityClass) any {
				return given(c.PreemptionPolicy, "")
			}),
	}
}
