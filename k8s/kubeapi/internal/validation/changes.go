package validation

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// change checks what an update of an object changes.
func (r *report) change(obj, old any) {
	spec := field.NewPath("spec")
	switch obj := obj.(type) {
	case *corev1.ConfigMap:
		r.configMapChange(obj, old.(*corev1.ConfigMap))
	case *corev1.Node:
		r.nodeChange(spec, &obj.Spec, &old.(*corev1.Node).Spec)
	case *corev1.PersistentVolume:
		r.volumeChange(spec, &obj.Spec, &old.(*corev1.PersistentVolume).Spec)
	case *corev1.PersistentVolumeClaim:
		r.claimChange(spec, obj, old.(*corev1.PersistentVolumeClaim))
	case *corev1.Pod:
		r.podChange(spec, &obj.Spec, &old.(*corev1.Pod).Spec)
	case *corev1.ResourceQuota:
		r.quotaChange(spec, &obj.Spec, &old.(*corev1.ResourceQuota).Spec)
	case *corev1.Secret:
		r.secretChange(obj, old.(*corev1.Secret))
	case *corev1.Service:
		r.serviceChange(spec, &obj.Spec, &old.(*corev1.Service).Spec)
	case *appsv1.ControllerRevision:
		r.frozen(field.NewPath("data"), obj.Data, old.(*appsv1.ControllerRevision).Data)
	case *appsv1.DaemonSet:
		r.frozen(spec.Child("selector"), obj.Spec.Selector, old.(*appsv1.DaemonSet).Spec.Selector)
	case *appsv1.Deployment:
		r.frozen(spec.Child("selector"), obj.Spec.Selector, old.(*appsv1.Deployment).Spec.Selector)
	case *appsv1.ReplicaSet:
		r.frozen(spec.Child("selector"), obj.Spec.Selector, old.(*appsv1.ReplicaSet).Spec.Selector)
	case *appsv1.StatefulSet:
		r.statefulSetChange(spec, &obj.Spec, &old.(*appsv1.StatefulSet).Spec)
	case *batchv1.Job:
		r.jobChange(spec, obj, old.(*batchv1.Job))
	default:
		r.changeOfCluster(spec, obj, old)
	}
}

// changeOfCluster checks the kinds with which the parts of a cluster work.
func (r *report) changeOfCluster(spec *field.Path, obj, old any) {
	switch obj := obj.(type) {
	case *discoveryv1.EndpointSlice:
		r.frozen(field.NewPath("addressType"), obj.AddressType, old.(*discoveryv1.EndpointSlice).AddressType)
	case *networkingv1.IngressClass:
		r.frozen(spec.Child("controller"), obj.Spec.Controller, old.(*networkingv1.IngressClass).Spec.Controller)
	case *networkingv1.IPAddress:
		r.frozen(spec.Child("parentRef"), obj.Spec.ParentRef, old.(*networkingv1.IPAddress).Spec.ParentRef)
	case *networkingv1.ServiceCIDR:
		r.serviceCIDRChange(spec, &obj.Spec, &old.(*networkingv1.ServiceCIDR).Spec)
	case *nodev1.RuntimeClass:
		r.frozen(field.NewPath("handler"), obj.Handler, old.(*nodev1.RuntimeClass).Handler)
	case *resourcev1.ResourceClaim:
		r.frozen(spec, obj.Spec, old.(*resourcev1.ResourceClaim).Spec)
	case *resourcev1.ResourceClaimTemplate:
		r.frozen(spec, obj.Spec, old.(*resourcev1.ResourceClaimTemplate).Spec)
	case *resourcev1.ResourceSlice:
		was := &old.(*resourcev1.ResourceSlice).Spec
		r.frozen(spec.Child("pool", "name"), obj.Spec.Pool.Name, was.Pool.Name)
		r.frozen(spec.Child("driver"), obj.Spec.Driver, was.Driver)
		r.frozen(spec.Child("nodeName"), obj.Spec.NodeName, was.NodeName)
	case *schedulingv1.PriorityClass:
		was := old.(*schedulingv1.PriorityClass)
		r.is(obj.Value == was.Value, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
		r.frozen(field.NewPath("preemptionPolicy"), obj.PreemptionPolicy, was.PreemptionPolicy)
	case *storagev1.CSIDriver:
		was := &old.(*storagev1.CSIDriver).Spec
		r.frozen(spec.Child("attachedRequired"), obj.Spec.AttachRequired, was.AttachRequired)
		r.frozen(spec.Child("volumeLifecycleModes"), obj.Spec.VolumeLifecycleModes, was.VolumeLifecycleModes)
	case *storagev1.CSINode:
		r.csiNodeChange(spec.Child("drivers"), obj.Spec.Drivers, old.(*storagev1.CSINode).Spec.Drivers)
	case *storagev1.CSIStorageCapacity:
		was := old.(*storagev1.CSIStorageCapacity)
		r.frozen(field.NewPath("nodeTopology"), obj.NodeTopology, was.NodeTopology)
		r.frozen(field.NewPath("storageClassName"), obj.StorageClassName, was.StorageClassName)
	case *storagev1.StorageClass:
		was := old.(*storagev1.StorageClass)
		r.frozen(field.NewPath("parameters"), obj.Parameters, was.Parameters)
		r.frozen(field.NewPath("provisioner"), obj.Provisioner, was.Provisioner)
		r.frozen(field.NewPath("reclaimPolicy"), obj.ReclaimPolicy, was.ReclaimPolicy)
		r.frozen(field.NewPath("volumeBindingMode"), obj.VolumeBindingMode, was.VolumeBindingMode)
	case *storagev1.VolumeAttachment:
		r.frozen(spec, obj.Spec, old.(*storagev1.VolumeAttachment).Spec)
	case *storagev1.VolumeAttributesClass:
		was := old.(*storagev1.VolumeAttributesClass)
		r.is(obj.DriverName == was.DriverName, field.Forbidden(field.NewPath("driverName"), "updates to driverName are forbidden."))
		r.is(same(obj.Parameters, was.Parameters), field.Forbidden(field.NewPath("parameters"), "updates to parameters are forbidden."))
	}
}

// frozen checks that a field keeps its value.
func (r *report) frozen(p *field.Path, now, was any) {
	r.add(apimachinery.ValidateImmutableField(now, was, p)...)
}

// same reports whether two values mean the same: an absent list is the same as an empty one, and 1 is the same quantity as 1000m.
func same(a, b any) bool { return equality.Semantic.DeepEqual(a, b) }
