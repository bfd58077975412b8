package validation

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/status"
)

// Check returns the faults of an object that has its defaults, a pointer to a struct of k8s.io/api. It has no rules for the kinds that
// this package does not know.
func Check(obj any) status.FieldErrors {
	return faults(func(r *report) { r.object(obj) })
}

// CheckUpdate returns what an update may not change, and the faults of an object that the old object does not have: an update need not
// repair what was accepted before.
func CheckUpdate(obj, old any) status.FieldErrors {
	return append(CheckPart(obj, old), faults(func(r *report) { r.change(obj, old) })...)
}

// CheckPart returns the faults of an object that the old object does not have, for a write to a subresource that has rules of its own about
// what it may change.
func CheckPart(obj, old any) status.FieldErrors {
	of := func(obj any) status.FieldErrors {
		return faults(func(r *report) {
			r.existing = true
			r.object(obj)
		})
	}
	return added(of(obj), func() status.FieldErrors { return of(old) })
}

// CheckStatus returns the faults of a write to the status of an object: those of the new status that the old one does not have, and what
// may not follow the old status.
func CheckStatus(obj, old any) status.FieldErrors {
	errs := added(statusFaults(obj), func() status.FieldErrors { return statusFaults(old) })
	return append(errs, faults(func(r *report) { r.statusChange(obj, old) })...)
}

func statusFaults(obj any) status.FieldErrors {
	return faults(func(r *report) { r.status(obj) })
}

// faults returns what the rules report.
func faults(rules func(*report)) status.FieldErrors {
	r := &report{}
	rules(r)
	errs := make(status.FieldErrors, 0, len(r.errs))
	for _, e := range r.errs {
		errs = append(errs, fieldError(e))
	}
	return errs
}

func fieldError(e *field.Error) *status.FieldError {
	if _, hidden := e.BadValue.(field.OmitValueType); hidden {
		broken := status.BrokenRuleField(status.Field(""), e.Detail)
		broken.Field = e.Field
		return broken
	}
	return &status.FieldError{Type: status.CauseType(e.Type), Field: e.Field, BadValue: e.BadValue, Detail: e.Detail}
}

// added returns the errors without those that were there before.
func added(errs status.FieldErrors, before func() status.FieldErrors) status.FieldErrors {
	if len(errs) == 0 {
		return nil
	}
	accepted := map[string]bool{}
	for _, e := range before() {
		accepted[e.Error()] = true
	}
	return slices.DeleteFunc(errs, func(e *status.FieldError) bool { return accepted[e.Error()] })
}

// object checks an object that is created or updated.
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
	case *policyv1.PodDisruptionBudget:
		r.disruptionBudget(spec, &obj.Spec)
	case *autoscalingv2.HorizontalPodAutoscaler:
		r.autoscaler(spec, &obj.Spec)
	case *networkingv1.Ingress:
		r.ingress(spec, &obj.Spec)
	case *networkingv1.NetworkPolicy:
		r.networkPolicy(spec, &obj.Spec)
	default:
		r.objectOfCluster(spec, obj)
	}
}

// objectOfCluster checks the kinds with which the parts of a cluster work, and those that limit or describe what users create.
func (r *report) objectOfCluster(spec *field.Path, obj any) {
	switch obj := obj.(type) {
	//lint:ignore SA1019 clients still use it
	case *corev1.Endpoints:
		r.endpoints(obj.Subsets)
	case *corev1.LimitRange:
		r.limitRange(spec, &obj.Spec)
	case *corev1.Namespace:
		r.namespace(spec, &obj.Spec)
	case *corev1.Node:
		r.node(spec, obj)
	case *corev1.ResourceQuota:
		r.quota(spec, &obj.Spec)
	case *certificatesv1.CertificateSigningRequest:
		r.signingRequest(spec, &obj.Spec)
	case *coordinationv1.Lease:
		r.lease(spec, &obj.Spec)
	case *discoveryv1.EndpointSlice:
		r.endpointSlice(obj)
	case *flowcontrolv1.FlowSchema:
		r.flowSchema(spec, obj.Name, &obj.Spec)
	case *flowcontrolv1.PriorityLevelConfiguration:
		r.priorityLevel(spec, obj.Name, &obj.Spec)
	case *networkingv1.IngressClass:
		r.ingressClass(spec, &obj.Spec)
	case *networkingv1.IPAddress:
		r.ipAddress(spec, &obj.Spec)
	case *networkingv1.ServiceCIDR:
		if !r.existing {
			r.serviceCIDR(spec, &obj.Spec)
		}
	case *nodev1.RuntimeClass:
		r.runtimeClass(obj)
	case *schedulingv1.PriorityClass:
		r.priorityClass(obj)
	case *storagev1.StorageClass:
		r.storageClass(obj)
	case *storagev1.CSIDriver:
		r.csiDriver(spec, &obj.Spec)
	case *storagev1.CSINode:
		r.csiNode(spec, obj.Spec.Drivers)
	case *storagev1.CSIStorageCapacity:
		r.capacity(obj)
	case *storagev1.VolumeAttachment:
		r.attachment(spec, &obj.Spec)
	case *storagev1.VolumeAttributesClass:
		r.attributesClass(obj)
	}
}
