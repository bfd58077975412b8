package k8s_test

import (
	"reflect"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1alpha1 "k8s.io/api/certificates/v1alpha1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	eventsv1 "k8s.io/api/events/v1"
	eventsv1beta1 "k8s.io/api/events/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
	nodev1beta1 "k8s.io/api/node/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1alpha1 "k8s.io/api/rbac/v1alpha1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1alpha1 "k8s.io/api/storage/v1alpha1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
)

// hosted is the resource of a kind, without its Go type.
type hosted struct {
	typ     reflect.Type
	gvk     schema.GroupVersionKind
	plural  string
	scope   rest.Scope
	overlay map[string]string
	rest.Definition
}

func of[T any, P interface {
	*T
	runtime.Object
}]() hosted {
	r := k8s.Resource[T, P]()
	return hosted{typ: reflect.TypeFor[T](),
		gvk: schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Names.Kind}, plural: r.Plural,
		scope: r.Scope, overlay: r.Overlay, Definition: r}
}

// everyKind returns all kinds that can be hosted.
func everyKind() []hosted {
	return []hosted{
		of[admissionregistrationv1.MutatingAdmissionPolicy](),
		of[admissionregistrationv1.MutatingAdmissionPolicyBinding](),
		of[admissionregistrationv1.MutatingWebhookConfiguration](),
		of[admissionregistrationv1.ValidatingAdmissionPolicy](),
		of[admissionregistrationv1.ValidatingAdmissionPolicyBinding](),
		of[admissionregistrationv1.ValidatingWebhookConfiguration](),
		of[admissionregistrationv1alpha1.MutatingAdmissionPolicy](),
		of[admissionregistrationv1alpha1.MutatingAdmissionPolicyBinding](),
		of[admissionregistrationv1alpha1.ValidatingAdmissionPolicy](),
		of[admissionregistrationv1alpha1.ValidatingAdmissionPolicyBinding](),
		of[admissionregistrationv1beta1.MutatingAdmissionPolicy](),
		of[admissionregistrationv1beta1.MutatingAdmissionPolicyBinding](),
		of[admissionregistrationv1beta1.MutatingWebhookConfiguration](),
		of[admissionregistrationv1beta1.ValidatingAdmissionPolicy](),
		of[admissionregistrationv1beta1.ValidatingAdmissionPolicyBinding](),
		of[admissionregistrationv1beta1.ValidatingWebhookConfiguration](),
		of[apiserverinternalv1alpha1.StorageVersion](),
		of[appsv1.ControllerRevision](),
		of[appsv1.DaemonSet](),
		of[appsv1.Deployment](),
		of[appsv1.ReplicaSet](),
		of[appsv1.StatefulSet](),
		of[appsv1beta1.ControllerRevision](),
		of[appsv1beta1.Deployment](),
		of[appsv1beta1.StatefulSet](),
		of[appsv1beta2.ControllerRevision](),
		of[appsv1beta2.DaemonSet](),
		of[appsv1beta2.Deployment](),
		of[appsv1beta2.ReplicaSet](),
		of[appsv1beta2.StatefulSet](),
		of[autoscalingv1.HorizontalPodAutoscaler](),
		of[autoscalingv2.HorizontalPodAutoscaler](),
		of[batchv1.CronJob](),
		of[batchv1.Job](),
		of[batchv1beta1.CronJob](),
		of[certificatesv1.CertificateSigningRequest](),
		of[certificatesv1.ClusterTrustBundle](),
		of[certificatesv1.PodCertificateRequest](),
		of[certificatesv1alpha1.ClusterTrustBundle](),
		of[certificatesv1beta1.CertificateSigningRequest](),
		of[certificatesv1beta1.ClusterTrustBundle](),
		of[certificatesv1beta1.PodCertificateRequest](),
		of[coordinationv1.Lease](),
		of[coordinationv1alpha2.LeaseCandidate](),
		of[coordinationv1beta1.Lease](),
		of[coordinationv1beta1.LeaseCandidate](),
		of[corev1.ConfigMap](),
		//lint:ignore SA1019 it is hosted like the others
		of[corev1.Endpoints](),
		of[corev1.Event](),
		of[corev1.LimitRange](),
		of[corev1.Namespace](),
		of[corev1.Node](),
		of[corev1.PersistentVolume](),
		of[corev1.PersistentVolumeClaim](),
		of[corev1.Pod](),
		of[corev1.PodTemplate](),
		of[corev1.ReplicationController](),
		of[corev1.ResourceQuota](),
		of[corev1.Secret](),
		of[corev1.Service](),
		of[corev1.ServiceAccount](),
		of[discoveryv1.EndpointSlice](),
		of[discoveryv1beta1.EndpointSlice](),
		of[eventsv1.Event](),
		of[eventsv1beta1.Event](),
		of[extensionsv1beta1.DaemonSet](),
		of[extensionsv1beta1.Deployment](),
		of[extensionsv1beta1.Ingress](),
		of[extensionsv1beta1.NetworkPolicy](),
		of[extensionsv1beta1.ReplicaSet](),
		of[flowcontrolv1.FlowSchema](),
		of[flowcontrolv1.PriorityLevelConfiguration](),
		of[flowcontrolv1beta1.FlowSchema](),
		of[flowcontrolv1beta1.PriorityLevelConfiguration](),
		of[flowcontrolv1beta2.FlowSchema](),
		of[flowcontrolv1beta2.PriorityLevelConfiguration](),
		of[flowcontrolv1beta3.FlowSchema](),
		of[flowcontrolv1beta3.PriorityLevelConfiguration](),
		of[lifecyclev1alpha1.Eviction](),
		of[lifecyclev1alpha1.EvictionRequest](),
		of[networkingv1.Ingress](),
		of[networkingv1.IngressClass](),
		of[networkingv1.IPAddress](),
		of[networkingv1.NetworkPolicy](),
		of[networkingv1.ServiceCIDR](),
		of[networkingv1beta1.Ingress](),
		of[networkingv1beta1.IngressClass](),
		of[networkingv1beta1.IPAddress](),
		of[networkingv1beta1.ServiceCIDR](),
		of[nodev1.RuntimeClass](),
		of[nodev1alpha1.RuntimeClass](),
		of[nodev1beta1.RuntimeClass](),
		of[policyv1.PodDisruptionBudget](),
		of[policyv1beta1.PodDisruptionBudget](),
		of[rbacv1.ClusterRole](),
		of[rbacv1.ClusterRoleBinding](),
		of[rbacv1.Role](),
		of[rbacv1.RoleBinding](),
		of[rbacv1alpha1.ClusterRole](),
		of[rbacv1alpha1.ClusterRoleBinding](),
		of[rbacv1alpha1.Role](),
		of[rbacv1alpha1.RoleBinding](),
		of[rbacv1beta1.ClusterRole](),
		of[rbacv1beta1.ClusterRoleBinding](),
		of[rbacv1beta1.Role](),
		of[rbacv1beta1.RoleBinding](),
		of[resourcev1.DeviceClass](),
		of[resourcev1.DeviceTaintRule](),
		of[resourcev1.ResourceClaim](),
		of[resourcev1.ResourceClaimTemplate](),
		of[resourcev1.ResourceSlice](),
		of[resourcev1alpha3.DeviceTaintRule](),
		of[resourcev1alpha3.ResourcePoolStatusRequest](),
		of[resourcev1beta1.DeviceClass](),
		of[resourcev1beta1.ResourceClaim](),
		of[resourcev1beta1.ResourceClaimTemplate](),
		of[resourcev1beta1.ResourceSlice](),
		of[resourcev1beta2.DeviceClass](),
		of[resourcev1beta2.DeviceTaintRule](),
		of[resourcev1beta2.ResourceClaim](),
		of[resourcev1beta2.ResourceClaimTemplate](),
		of[resourcev1beta2.ResourceSlice](),
		of[schedulingv1.PriorityClass](),
		of[schedulingv1alpha3.CompositePodGroup](),
		of[schedulingv1alpha3.PodGroup](),
		of[schedulingv1alpha3.Workload](),
		of[schedulingv1beta1.PodGroup](),
		of[schedulingv1beta1.PriorityClass](),
		of[schedulingv1beta1.Workload](),
		of[storagev1.CSIDriver](),
		of[storagev1.CSINode](),
		of[storagev1.CSIStorageCapacity](),
		of[storagev1.StorageClass](),
		of[storagev1.VolumeAttachment](),
		of[storagev1.VolumeAttributesClass](),
		of[storagev1alpha1.CSIStorageCapacity](),
		of[storagev1alpha1.VolumeAttachment](),
		of[storagev1alpha1.VolumeAttributesClass](),
		of[storagev1beta1.CSIDriver](),
		of[storagev1beta1.CSINode](),
		of[storagev1beta1.CSIStorageCapacity](),
		of[storagev1beta1.StorageClass](),
		of[storagev1beta1.VolumeAttachment](),
		of[storagev1beta1.VolumeAttributesClass](),
		of[storagemigrationv1.StorageVersionMigration](),
		of[storagemigrationv1beta1.StorageVersionMigration](),
	}
}
