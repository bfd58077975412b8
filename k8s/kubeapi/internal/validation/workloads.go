package validation

import (
	"cmp"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// workload is what the kinds of the group apps have in common.
type workload struct {
	kind     string
	selector *metav1.LabelSelector
	template *corev1.PodTemplateSpec
	ready    int32
}

// daemonSet is the kind whose selector is required only because the template must match one.
const daemonSet = "daemonset"

// workload checks a workload. It leaves out the template of a kind other than DaemonSet if the selector is invalid, as
// Kubernetes does.
func (r *report) workload(p *field.Path, w workload) {
	number(r, p.Child("minReadySeconds"), w.ready)
	if w.selector == nil && w.kind != daemonSet {
		r.add(field.Required(p.Child("selector"), ""))
	}
	valid := r.podSelector(p, w.selector, w.template)
	if s := w.selector; s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		r.add(field.Invalid(p.Child("selector"), s, "empty selector is invalid for "+w.kind))
	}
	if valid || w.kind == daemonSet {
		r.template(p.Child("template"), w.template)
	}
	if !valid && w.kind != daemonSet {
		detail := "invalid label selector"
		if w.kind == statefulSet {
			detail = ""
		}
		r.add(field.Invalid(p.Child("selector"), w.selector, detail))
	}
	if valid || w.kind == daemonSet || w.kind == statefulSet {
		shown := map[string]string{daemonSet: "DaemonSet", statefulSet: "StatefulSet"}[w.kind]
		r.is(w.template.Spec.ActiveDeadlineSeconds == nil, field.Forbidden(p.Child("template", "spec",
			"activeDeadlineSeconds"), "activeDeadlineSeconds in "+cmp.Or(shown, "ReplicaSet")+" is not Supported"))
	}
	if policy := w.template.Spec.RestartPolicy; policy != corev1.RestartPolicyAlways &&
		(valid || w.kind == daemonSet || w.kind == statefulSet) {
		r.add(field.NotSupported(p.Child("template", "spec", "restartPolicy"), policy,
			[]string{string(corev1.RestartPolicyAlways)}))
	}
}

const statefulSet = "statefulset"

// podSelector checks that the selector selects the Pods of the template, and reports whether it is valid. A selector
// that is absent selects none.
func (r *report) podSelector(p *field.Path, s *metav1.LabelSelector, t *corev1.PodTemplateSpec) (valid bool) {
	if s != nil {
		r.selector(p.Child("selector"), s)
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err == nil && !selector.Empty() && !selector.Matches(labels.Set(t.Labels)) {
		r.add(field.Invalid(p.Child("template", "metadata", "labels"), t.Labels,
			"`selector` does not match template `labels`"))
	}
	return err == nil
}

func (r *report) deployment(obj *appsv1.Deployment) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.workload(p, workload{"deployment", s.Selector, &s.Template, s.MinReadySeconds})
	optionalNumber(r, p.Child("replicas"), s.Replicas)
	optionalNumber(r, p.Child("revisionHistoryLimit"), s.RevisionHistoryLimit)
	optionalNumber(r, p.Child("progressDeadlineSeconds"), s.ProgressDeadlineSeconds)
	if d := s.ProgressDeadlineSeconds; d != nil {
		r.is(*d > s.MinReadySeconds, field.Invalid(p.Child("progressDeadlineSeconds"), d,
			"must be greater than minReadySeconds"))
	}
	rolling := p.Child("strategy", "rollingUpdate")
	switch u := s.Strategy.RollingUpdate; s.Strategy.Type {
	case appsv1.RecreateDeploymentStrategyType:
		r.is(u == nil, field.Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'"))
	case appsv1.RollingUpdateDeploymentStrategyType:
		if u == nil || u.MaxUnavailable == nil || u.MaxSurge == nil {
			return
		}
		r.share(rolling.Child("maxUnavailable"), *u.MaxUnavailable, true)
		r.share(rolling.Child("maxSurge"), *u.MaxSurge, false)
		r.is(amount(*u.MaxUnavailable) != 0 || amount(*u.MaxSurge) != 0,
			field.Invalid(rolling.Child("maxUnavailable"), *u.MaxUnavailable, "may not be 0 when `maxSurge` is 0"))
	default:
		r.add(field.NotSupported(p.Child("strategy"), s.Strategy,
			[]appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType}))
	}
}

func (r *report) replicaSet(obj *appsv1.ReplicaSet) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.workload(p, workload{"deployment", s.Selector, &s.Template, s.MinReadySeconds}) // Kubernetes says deployment
	optionalNumber(r, p.Child("replicas"), s.Replicas)
}

func (r *report) daemonSet(obj *appsv1.DaemonSet) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.workload(p, workload{daemonSet, s.Selector, &s.Template, s.MinReadySeconds})
	optionalNumber(r, p.Child("revisionHistoryLimit"), s.RevisionHistoryLimit)
	rolling := p.Child("updateStrategy", "rollingUpdate")
	switch u := s.UpdateStrategy.RollingUpdate; s.UpdateStrategy.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
	case appsv1.RollingUpdateDaemonSetStrategyType:
		if u == nil || u.MaxUnavailable == nil || u.MaxSurge == nil {
			return
		}
		r.share(rolling.Child("maxUnavailable"), *u.MaxUnavailable, true)
		r.share(rolling.Child("maxSurge"), *u.MaxSurge, true)
		switch unavailable, surge := amount(*u.MaxUnavailable) != 0, amount(*u.MaxSurge) != 0; {
		case unavailable && surge:
			r.add(field.Invalid(rolling.Child("maxSurge"), *u.MaxSurge, "may not be set when maxUnavailable is non-zero"))
		case !unavailable && !surge:
			r.add(field.Required(rolling.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
		}
	default:
		r.add(field.NotSupported(p.Child("updateStrategy"), s.UpdateStrategy,
			[]appsv1.DaemonSetUpdateStrategyType{appsv1.RollingUpdateDaemonSetStrategyType,
				appsv1.OnDeleteDaemonSetStrategyType}))
	}
}

func (r *report) statefulSet(obj *appsv1.StatefulSet) {
	p, s := field.NewPath("spec"), &obj.Spec
	template := s.Template.DeepCopy()
	template.Spec.Hostname, template.Spec.Subdomain = "", "" // the controller sets them
	if !r.existing {
		for i := range s.VolumeClaimTemplates {
			r.claimSpec(p.Child("volumeClaimTemplates").Index(i).Child("spec"), &s.VolumeClaimTemplates[i].Spec)
		}
		r.optional(p.Child("serviceName"), s.ServiceName, validation.IsDNS1123Label)
	}
	template.Spec.Volumes = withClaims(template.Spec.Volumes, s.VolumeClaimTemplates)
	r.workload(p, workload{statefulSet, s.Selector, template, s.MinReadySeconds})
	optionalNumber(r, p.Child("replicas"), s.Replicas)
	if m := s.PodManagementPolicy; m != appsv1.OrderedReadyPodManagement && m != appsv1.ParallelPodManagement {
		r.add(field.Invalid(p.Child("podManagementPolicy"), m, "must be 'OrderedReady' or 'Parallel'"))
	}
	switch u := s.UpdateStrategy; u.Type {
	case appsv1.OnDeleteStatefulSetStrategyType:
		r.is(u.RollingUpdate == nil, field.Invalid(p.Child("updateStrategy", "rollingUpdate"), u.RollingUpdate,
			"only allowed for updateStrategy 'RollingUpdate'"))
	case appsv1.RollingUpdateStatefulSetStrategyType:
		if u.RollingUpdate != nil {
			p := p.Child("updateStrategy", "rollingUpdate")
			optionalNumber(r, p.Child("partition"), u.RollingUpdate.Partition)
			if most := u.RollingUpdate.MaxUnavailable; most != nil {
				r.share(p.Child("maxUnavailable"), *most, true)
				r.is(amount(*most) != 0, field.Invalid(p.Child("maxUnavailable"), *most, "cannot be 0"))
			}
		}
	default:
		r.add(field.Invalid(p.Child("updateStrategy"), u, "must be 'RollingUpdate' or 'OnDelete'"))
	}
	if keep := s.PersistentVolumeClaimRetentionPolicy; keep != nil {
		p := p.Child("persistentVolumeClaimRetentionPolicy")
		supported(r, p.Child("whenDeleted"), keep.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			appsv1.DeletePersistentVolumeClaimRetentionPolicyType)
		supported(r, p.Child("whenScaled"), keep.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			appsv1.DeletePersistentVolumeClaimRetentionPolicyType)
	}
}

// withClaims returns the volumes of the Pods of a StatefulSet. Those for its claims replace others of the same name.
func withClaims(volumes []corev1.Volume, claims []corev1.PersistentVolumeClaim) []corev1.Volume {
	var all []corev1.Volume
	made := map[string]bool{}
	for i := range claims {
		if name := claims[i].Name; !made[name] {
			made[name] = true
			all = append(all, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		}
	}
	for _, v := range volumes {
		if !made[v.Name] {
			all = append(all, v)
		}
	}
	return all
}

func (r *report) controllerRevision(obj *appsv1.ControllerRevision) {
	number(r, field.NewPath("revision"), obj.Revision)
	if r.existing {
		return
	}
	data := field.NewPath("data")
	var v any
	if err := json.Unmarshal(obj.Data.Raw, &v); obj.Data.Raw == nil || err == nil && v == nil {
		r.add(field.Required(data, "data is mandatory"))
	} else if _, ok := v.(map[string]any); err == nil && !ok {
		r.add(field.Required(data, "data must be a valid JSON object"))
	}
}

// job checks a Job after the server has generated its selector and the labels of its Pods, which it does unless the
// selector is manual.
func (r *report) job(obj *batchv1.Job) {
	p := field.NewPath("spec")
	r.jobSpec(p, &obj.Spec)
	r.is(obj.Spec.Selector != nil, field.Required(p.Child("selector"), ""))
	r.jobSelector(p, obj)
	if r.existing || isTrue(obj.Spec.ManualSelector) || obj.Spec.Selector == nil {
		return
	}
	uid := string(obj.UID)
	r.generatedLabel(obj, "controller-uid", uid)
	r.generatedLabel(obj, "job-name", obj.Name)
	r.recentLabels(obj)
	expected := labels.Set{"controller-uid": uid, "job-name": obj.Name, batchv1.ControllerUidLabel: uid,
		batchv1.JobNameLabel: obj.Name}
	if selector, err := metav1.LabelSelectorAsSelector(obj.Spec.Selector); err == nil {
		r.is(selector.Matches(expected), field.Invalid(p.Child("selector"), obj.Spec.Selector,
			"`selector` not auto-generated"))
	}
}

// generatedLabel checks that the Pods of a Job have a label that the server generates.
func (r *report) generatedLabel(job *batchv1.Job, key, value string) {
	at, detail := field.NewPath("spec", "template", "metadata", "labels").Key(key), "must be '"+value+"'"
	if has, ok := job.Spec.Template.Labels[key]; !ok {
		r.add(field.Required(at, detail))
	} else {
		r.is(has == value, field.Invalid(at, job.Spec.Template.Labels, detail))
	}
}

// recentLabels checks the generated labels that Jobs of older versions do not have.
func (r *report) recentLabels(job *batchv1.Job) {
	r.generatedLabel(job, batchv1.ControllerUidLabel, string(job.UID))
	r.generatedLabel(job, batchv1.JobNameLabel, job.Name)
}

// jobSelector checks that a Job selects its Pods.
func (r *report) jobSelector(p *field.Path, obj *batchv1.Job) {
	if obj.Spec.Selector != nil {
		r.selector(p.Child("selector"), obj.Spec.Selector)
	}
	if selector, err := metav1.LabelSelectorAsSelector(obj.Spec.Selector); err == nil {
		r.is(selector.Matches(labels.Set(obj.Spec.Template.Labels)),
			field.Invalid(p.Child("template", "metadata", "labels"), obj.Spec.Template.Labels,
				"`selector` does not match template `labels`"))
	}
}

func (r *report) jobSpec(p *field.Path, s *batchv1.JobSpec) {
	optionalNumber(r, p.Child("parallelism"), s.Parallelism)
	optionalNumber(r, p.Child("completions"), s.Completions)
	optionalNumber(r, p.Child("activeDeadlineSeconds"), s.ActiveDeadlineSeconds)
	optionalNumber(r, p.Child("backoffLimit"), s.BackoffLimit)
	optionalNumber(r, p.Child("ttlSecondsAfterFinished"), s.TTLSecondsAfterFinished)
	optionalNumber(r, p.Child("backoffLimitPerIndex"), s.BackoffLimitPerIndex)
	optionalNumber(r, p.Child("maxFailedIndexes"), s.MaxFailedIndexes)
	r.is(s.MaxFailedIndexes == nil || s.BackoffLimitPerIndex != nil,
		field.Required(p.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	r.completion(p, s)
	r.policies(p, s)
	r.template(p.Child("template"), &s.Template)
	restart := p.Child("template", "spec", "restartPolicy")
	switch policy := s.Template.Spec.RestartPolicy; policy {
	case corev1.RestartPolicyAlways, "":
		r.add(field.Required(restart, `valid values: "OnFailure", "Never"`))
	case corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
		r.is(s.PodFailurePolicy == nil || policy == corev1.RestartPolicyNever,
			field.Invalid(restart, policy, `only "Never" is supported when podFailurePolicy is specified`))
	default:
		r.add(field.NotSupported(restart, policy, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure,
			corev1.RestartPolicyNever}))
	}
}

func (r *report) completion(p *field.Path, s *batchv1.JobSpec) {
	mode := batchv1.NonIndexedCompletion
	if s.CompletionMode != nil {
		mode = *s.CompletionMode
		supported(r, p.Child("completionMode"), mode, batchv1.NonIndexedCompletion, batchv1.IndexedCompletion)
	}
	switch mode {
	case batchv1.IndexedCompletion:
		r.many(p, s)
		if n := s.MaxFailedIndexes; n != nil && s.Completions != nil {
			r.is(*n <= *s.Completions, field.Invalid(p.Child("maxFailedIndexes"), *n,
				"must be less than or equal to completions"))
		}
		r.is(s.Completions != nil, field.Required(p.Child("completions"),
			fmt.Sprintf("when completion mode is %s", batchv1.IndexedCompletion)))
	case batchv1.NonIndexedCompletion:
		if n := s.BackoffLimitPerIndex; n != nil {
			r.add(field.Invalid(p.Child("backoffLimitPerIndex"), *n, "requires indexed completion mode"))
		}
		if n := s.MaxFailedIndexes; n != nil {
			r.add(field.Invalid(p.Child("maxFailedIndexes"), *n, "requires indexed completion mode"))
		}
	}
}

func (r *report) cronJob(obj *batchv1.CronJob) {
	p := field.NewPath("spec")
	s := &obj.Spec
	r.schedule(p.Child("schedule"), s.Schedule)
	r.timeZone(p.Child("timeZone"), s.TimeZone)
	optionalNumber(r, p.Child("startingDeadlineSeconds"), s.StartingDeadlineSeconds)
	oneOf(r, p.Child("concurrencyPolicy"), s.ConcurrencyPolicy, batchv1.AllowConcurrent, batchv1.ForbidConcurrent,
		batchv1.ReplaceConcurrent)
	optionalNumber(r, p.Child("successfulJobsHistoryLimit"), s.SuccessfulJobsHistoryLimit)
	optionalNumber(r, p.Child("failedJobsHistoryLimit"), s.FailedJobsHistoryLimit)
	job := p.Child("jobTemplate", "spec")
	r.jobSpec(job, &s.JobTemplate.Spec)
	if selector := s.JobTemplate.Spec.Selector; selector != nil {
		r.add(field.Invalid(job.Child("selector"), selector, "`selector` will be auto-generated"))
	}
	if manual := s.JobTemplate.Spec.ManualSelector; isTrue(manual) {
		r.add(field.NotSupported(job.Child("manualSelector"), manual, []string{"nil", "false"}))
	}
	const limit = 52 // the name of a Job has 11 characters more
	r.is(len(obj.Name) <= limit, field.Invalid(field.NewPath("metadata", "name"), obj.Name,
		"must be no more than 52 characters"))
}
