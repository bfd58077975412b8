package warnings

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// nameOfPod adds a warning about a name that is not a DNS label. usage describes how Kubernetes uses the name.
func (l *list) nameOfPod(name, usage string) {
	if faults := validation.IsDNS1123Label(name); len(faults) > 0 {
		l.add("metadata.name: this is used in %s, which can result in surprising behavior; a DNS label is recommended: %v",
			usage, faults)
	}
}

// podNames describes how Kubernetes uses the name of a workload.
const podNames = "Pod names and hostnames"

// template adds the warnings about the template of Pods.
func (l *list) template(p *field.Path, t *corev1.PodTemplateSpec) {
	if t != nil {
		l.pod(p, &t.Spec, &t.ObjectMeta)
	}
}

func (l *list) podTemplate(t, old *corev1.PodTemplate) {
	if old == nil || !equality.Semantic.DeepEqual(t.Template, old.Template) {
		l.template(field.NewPath("template"), &t.Template)
	}
}

// replicationController warns about the former template in an update, as Kubernetes does.
func (l *list) replicationController(c, old *corev1.ReplicationController) {
	template := c.Spec.Template
	if old == nil {
		l.nameOfPod(c.Name, podNames)
	} else if template = old.Spec.Template; equality.Semantic.DeepEqual(c.Spec, old.Spec) {
		return
	}
	l.template(field.NewPath("spec", "template"), template)
}

func (l *list) daemonSet(s, old *appsv1.DaemonSet) {
	if old == nil || !equality.Semantic.DeepEqual(s.Spec.Template, old.Spec.Template) {
		l.template(field.NewPath("spec", "template"), &s.Spec.Template)
	}
}

func (l *list) deployment(d, old *appsv1.Deployment) {
	if old == nil {
		l.nameOfPod(d.Name, podNames)
	} else if equality.Semantic.DeepEqual(d.Spec, old.Spec) &&
		equality.Semantic.DeepEqual(d.Annotations, old.Annotations) {
		return
	}
	l.template(field.NewPath("spec", "template"), &d.Spec.Template)
}

func (l *list) replicaSet(s, old *appsv1.ReplicaSet) {
	if old == nil {
		l.nameOfPod(s.Name, podNames)
	} else if equality.Semantic.DeepEqual(s.Spec, old.Spec) {
		return
	}
	l.template(field.NewPath("spec", "template"), &s.Spec.Template)
}

// statefulSet uses different paths for the claims of an update and of a new object, as Kubernetes does.
func (l *list) statefulSet(s, old *appsv1.StatefulSet) {
	if old == nil || !equality.Semantic.DeepEqual(s.Spec, old.Spec) {
		l.template(field.NewPath("spec", "template"), &s.Spec.Template)
	}
	for i := range s.Spec.VolumeClaimTemplates {
		p := field.NewPath("spec", "volumeClaimTemplates").Index(i)
		if old != nil {
			p = p.Child("Spec")
		}
		l.claim(p, &s.Spec.VolumeClaimTemplates[i].Spec)
	}
	if n := s.Spec.RevisionHistoryLimit; n != nil && *n < 0 {
		l.add("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended")
	}
}

func (l *list) job(j, old *batchv1.Job) {
	if old == nil {
		l.nameOfPod(j.Name, podNames)
	} else if equality.Semantic.DeepEqual(j.Spec, old.Spec) {
		return
	}
	l.jobSpec(field.NewPath("spec"), &j.Spec)
}

func (l *list) cronJob(j, old *batchv1.CronJob) {
	if old == nil {
		l.nameOfPod(j.Name, podNames)
	}
	if old == nil || !equality.Semantic.DeepEqual(j.Spec, old.Spec) {
		l.jobSpec(field.NewPath("spec", "jobTemplate", "spec"), &j.Spec.JobTemplate.Spec)
	}
	if old != nil && strings.Contains(j.Spec.Schedule, "TZ") { // validation refuses it in a new object
		l.add("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, " +
			"see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
	}
}

// Above these numbers of Pods, Kubernetes cannot track the indexes of a Job.
const maxTrackedCompletions, maxTrackedParallelism = 100_000, 10_000

func (l *list) jobSpec(p *field.Path, s *batchv1.JobSpec) {
	beyond := func(n *int32, limit int32) bool { return n != nil && *n > limit }
	if s.CompletionMode != nil && *s.CompletionMode == batchv1.IndexedCompletion &&
		beyond(s.Completions, maxTrackedCompletions) && beyond(s.Parallelism, maxTrackedParallelism) {
		l.at(p, "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "+
			"Kubernetes might not be able to track completedIndexes when a big number of indexes fail")
	}
	l.template(p.Child("template"), &s.Template)
}
