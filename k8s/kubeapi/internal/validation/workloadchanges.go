package validation

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) statefulSetChange(obj, old *appsv1.StatefulSet) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	r.frozen(p.Child("selector"), now.Selector, was.Selector)
	r.frozen(p.Child("volumeClaimTemplates"), now.VolumeClaimTemplates, was.VolumeClaimTemplates)
	r.frozen(p.Child("serviceName"), now.ServiceName, was.ServiceName)
	r.frozen(p.Child("podManagementPolicy"), now.PodManagementPolicy, was.PodManagementPolicy)
}

func (r *report) deploymentChange(obj, old *appsv1.Deployment) {
	r.selectorStays(obj.Spec.Selector, old.Spec.Selector)
}

func (r *report) replicaSetChange(obj, old *appsv1.ReplicaSet) {
	r.selectorStays(obj.Spec.Selector, old.Spec.Selector)
}

func (r *report) daemonSetChange(obj, old *appsv1.DaemonSet) {
	r.selectorStays(obj.Spec.Selector, old.Spec.Selector)
}

// selectorStays checks that a workload keeps its selector.
func (r *report) selectorStays(now, was *metav1.LabelSelector) {
	r.frozen(field.NewPath("spec", "selector"), now, was)
}

func (r *report) controllerRevisionChange(obj, old *appsv1.ControllerRevision) {
	r.frozen(field.NewPath("data"), obj.Data, old.Data)
}

// jobChange checks that a Job keeps its kind of work. An indexed Job may change the number of its completions together
// with its parallelism. As long as a suspended Job has no Pods, the place and the resources of its Pods may change.
func (r *report) jobChange(job, old *batchv1.Job) {
	p := field.NewPath("spec")
	now, was := &job.Spec, &old.Spec
	r.completionsChange(p.Child("completions"), now, was)
	r.frozen(p.Child("selector"), now.Selector, was.Selector)
	if isTrue(was.Suspend) && old.Status.Active == 0 {
		template := was.Template.DeepCopy()
		takePlacement(template, &now.Template)
		takeResources(template.Spec.Containers, now.Template.Spec.Containers)
		takeResources(template.Spec.InitContainers, now.Template.Spec.InitContainers)
		r.frozen(p.Child("template.spec"), now.Template.Spec, template.Spec)
	} else {
		r.frozen(p.Child("template"), now.Template, was.Template)
	}
	r.frozen(p.Child("completionMode"), now.CompletionMode, was.CompletionMode)
	r.frozen(p.Child("podFailurePolicy"), now.PodFailurePolicy, was.PodFailurePolicy)
	r.frozen(p.Child("backoffLimitPerIndex"), now.BackoffLimitPerIndex, was.BackoffLimitPerIndex)
	r.frozen(p.Child("managedBy"), now.ManagedBy, was.ManagedBy)
	r.frozen(p.Child("successPolicy"), now.SuccessPolicy, was.SuccessPolicy)
}

func (r *report) completionsChange(p *field.Path, now, was *batchv1.JobSpec) {
	switch {
	case now.CompletionMode == nil || *now.CompletionMode != batchv1.IndexedCompletion:
		r.frozen(p, now.Completions, was.Completions)
	case same(now.Completions, was.Completions):
	case now.Completions != nil: // the number must be there
		r.is(same(now.Completions, now.Parallelism), field.Invalid(p, now.Completions,
			"can only be modified in tandem with spec.parallelism"))
	}
}

// takePlacement gives a template what decides where the Pods of another one run, and their labels and annotations.
func takePlacement(t, of *corev1.PodTemplateSpec) {
	t.Labels, t.Annotations = of.Labels, of.Annotations
	t.Spec.NodeSelector, t.Spec.Tolerations, t.Spec.SchedulingGates = of.Spec.NodeSelector, of.Spec.Tolerations,
		of.Spec.SchedulingGates
	switch {
	case t.Spec.Affinity == nil && of.Spec.Affinity == nil:
	case of.Spec.Affinity == nil:
		if t.Spec.Affinity.NodeAffinity = nil; *t.Spec.Affinity == (corev1.Affinity{}) {
			t.Spec.Affinity = nil
		}
	case t.Spec.Affinity == nil:
		t.Spec.Affinity = &corev1.Affinity{NodeAffinity: of.Spec.Affinity.NodeAffinity}
	default:
		t.Spec.Affinity.NodeAffinity = of.Spec.Affinity.NodeAffinity
	}
}

// takeResources gives containers the resources of those with the same names.
func takeResources(containers, of []corev1.Container) {
	if len(containers) != len(of) {
		return
	}
	for i := range containers {
		if containers[i].Name == of[i].Name {
			containers[i].Resources = of[i].Resources
		}
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
