package validation

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/status"
)

// Check returns the faults of an object that has its defaults, a pointer to a struct of k8s.io/api. It has no rules for the kinds that
// this package does not know.
func Check(obj any) status.FieldErrors {
	r := &report{}
	r.object(obj)
	errs := make(status.FieldErrors, 0, len(r.errs))
	for _, e := range r.errs {
		errs = append(errs, &status.FieldError{Type: status.CauseType(e.Type), Field: e.Field, BadValue: e.BadValue, Detail: e.Detail})
	}
	return errs
}

// CheckUpdate returns the faults of an object that the old object does not have: an update need not repair what was accepted before.
func CheckUpdate(obj, old any) status.FieldErrors {
	errs := Check(obj)
	if len(errs) == 0 {
		return nil
	}
	accepted := map[string]bool{}
	for _, e := range Check(old) {
		accepted[e.Error()] = true
	}
	return slices.DeleteFunc(errs, func(e *status.FieldError) bool { return accepted[e.Error()] })
}

func (r *report) object(obj any) {
	spec := field.NewPath("spec")
	switch obj := obj.(type) {
	case *corev1.Pod:
		r.pod(obj)
	case *corev1.PodTemplate:
		r.template(field.NewPath("template"), &obj.Template)
	case *corev1.ReplicationController:
		r.replicationController(spec, &obj.Spec)
	case *corev1.Service:
		r.service(spec, obj)
	case *corev1.ConfigMap:
		r.configMap(obj)
	case *corev1.Secret:
		r.secret(obj)
	case *corev1.PersistentVolumeClaim:
		r.claim(spec, &obj.Spec)
	case *corev1.PersistentVolume:
		r.persistentVolume(spec, &obj.Spec)
	case *appsv1.Deployment:
		r.deployment(spec, &obj.Spec)
	case *appsv1.ReplicaSet:
		r.replicaSet(spec, &obj.Spec)
	case *appsv1.StatefulSet:
		r.statefulSet(spec, &obj.Spec)
	case *appsv1.DaemonSet:
		r.daemonSet(spec, &obj.Spec)
	case *appsv1.ControllerRevision:
		r.controllerRevision(obj)
	case *batchv1.Job:
		r.job(spec, obj)
	case *batchv1.CronJob:
		r.cronJob(spec, obj)
	case *coordinationv1.Lease:
		r.lease(spec, &obj.Spec)
	case *discoveryv1.EndpointSlice:
		r.endpointSlice(obj)
	case *policyv1.PodDisruptionBudget:
		r.disruptionBudget(spec, &obj.Spec)
	case *autoscalingv2.HorizontalPodAutoscaler:
		r.autoscaler(spec, &obj.Spec)
	case *networkingv1.Ingress:
		r.ingress(spec, &obj.Spec)
	case *networkingv1.NetworkPolicy:
		r.networkPolicy(spec, &obj.Spec)
	case *schedulingv1.PriorityClass:
		r.priorityClass(obj)
	case *storagev1.StorageClass:
		r.storageClass(obj)
	}
}
