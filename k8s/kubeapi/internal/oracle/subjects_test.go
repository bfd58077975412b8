package oracle

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
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
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/defaults"
)

// subject is a kind on both sides.
type subject struct {
	gvk schema.GroupVersionKind
	new func() runtime.Object
	// set and canonicalize are those of package defaults.
	set, canonicalize func(runtime.Object)
}

func of[T any, P interface {
	*T
	runtime.Object
}]() subject {
	gvks, _, err := legacyscheme.Scheme.ObjectKinds(P(new(T)))
	if err != nil {
		panic(err)
	}
	d := defaults.Of[T]()
	return subject{
		gvk:          gvks[0],
		new:          func() runtime.Object { return P(new(T)) },
		set:          func(obj runtime.Object) { d.Set((*T)(obj.(P))) },
		canonicalize: func(obj runtime.Object) { d.Canonicalize((*T)(obj.(P))) },
	}
}

// subjects returns the kinds whose defaults are in package defaults, and those without defaults. The kinds of
// rbac.authorization.k8s.io and the Events are those of the core, which has its own tests.
func subjects() []subject {
	return []subject{
		of[corev1.ConfigMap](),
		//lint:ignore SA1019 clients still use it
		of[corev1.Endpoints](),
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
		of[appsv1.ControllerRevision](),
		of[appsv1.DaemonSet](),
		of[appsv1.Deployment](),
		of[appsv1.ReplicaSet](),
		of[appsv1.StatefulSet](),
		of[autoscalingv2.HorizontalPodAutoscaler](),
		of[batchv1.CronJob](),
		of[batchv1.Job](),
		of[certificatesv1.CertificateSigningRequest](),
		of[certificatesv1.ClusterTrustBundle](),
		of[certificatesv1.PodCertificateRequest](),
		of[coordinationv1.Lease](),
		of[discoveryv1.EndpointSlice](),
		of[networkingv1.Ingress](),
		of[networkingv1.IngressClass](),
		of[networkingv1.IPAddress](),
		of[networkingv1.NetworkPolicy](),
		of[networkingv1.ServiceCIDR](),
		of[nodev1.RuntimeClass](),
		of[policyv1.PodDisruptionBudget](),
		of[schedulingv1.PriorityClass](),
		of[storagev1.CSIDriver](),
		of[storagev1.CSINode](),
		of[storagev1.CSIStorageCapacity](),
		of[storagev1.StorageClass](),
		of[storagev1.VolumeAttachment](),
		of[storagev1.VolumeAttributesClass](),
		of[storagemigrationv1.StorageVersionMigration](),
		of[resourcev1.DeviceClass](),
		of[resourcev1.DeviceTaintRule](),
		of[resourcev1.ResourceClaim](),
		of[resourcev1.ResourceClaimTemplate](),
		of[resourcev1.ResourceSlice](),
		of[flowcontrolv1.FlowSchema](),
		of[flowcontrolv1.PriorityLevelConfiguration](),
		of[admissionregistrationv1.MutatingAdmissionPolicy](),
		of[admissionregistrationv1.MutatingAdmissionPolicyBinding](),
		of[admissionregistrationv1.MutatingWebhookConfiguration](),
		of[admissionregistrationv1.ValidatingAdmissionPolicy](),
		of[admissionregistrationv1.ValidatingAdmissionPolicyBinding](),
		of[admissionregistrationv1.ValidatingWebhookConfiguration](),
	}
}

// decode returns the object with this JSON.
func (s subject) decode(t *testing.T, text []byte) runtime.Object {
	t.Helper()
	obj := s.new()
	require.NoError(t, json.Unmarshal(text, obj))
	return obj
}

func encode(t *testing.T, obj any) []byte {
	t.Helper()
	text, err := json.Marshal(obj)
	require.NoError(t, err)
	return text
}
