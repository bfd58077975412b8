package oracle

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/certificates"
	certificatesvalidation "k8s.io/kubernetes/pkg/apis/certificates/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/flowcontrol"
	flowcontrolvalidation "k8s.io/kubernetes/pkg/apis/flowcontrol/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/node"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	"k8s.io/kubernetes/pkg/apis/storagemigration"
	migrationvalidation "k8s.io/kubernetes/pkg/apis/storagemigration/validation"
	"k8s.io/utils/clock"
)

// creationsOfCluster returns what Kubernetes finds wrong with a new object of a kind with which the parts of a cluster
// work.
func creationsOfCluster(obj runtime.Object) field.ErrorList {
	if errs, ok := creationsOfDevices(obj); ok {
		return errs
	}
	switch obj := obj.(type) {
	case *core.Endpoints:
		return corevalidation.ValidateEndpointsCreate(obj)
	case *core.LimitRange:
		return corevalidation.ValidateLimitRange(obj)
	case *core.Namespace:
		return corevalidation.ValidateNamespace(obj)
	case *core.Node:
		return corevalidation.ValidateNode(obj)
	case *core.ResourceQuota:
		return corevalidation.ValidateResourceQuota(obj)
	case *certificates.CertificateSigningRequest:
		return certificatesvalidation.ValidateCertificateSigningRequestCreate(obj)
	case *certificates.ClusterTrustBundle:
		return certificatesvalidation.ValidateClusterTrustBundle(obj,
			certificatesvalidation.ValidateClusterTrustBundleOptions{})
	case *certificates.PodCertificateRequest:
		return certificatesvalidation.ValidatePodCertificateRequestCreate(obj)
	case *storagemigration.StorageVersionMigration:
		return migrationvalidation.ValidateStorageVersionMigration(obj)
	case *flowcontrol.FlowSchema:
		return flowcontrolvalidation.ValidateFlowSchema(obj)
	case *flowcontrol.PriorityLevelConfiguration:
		return flowcontrolvalidation.ValidatePriorityLevelConfiguration(obj, flowcontrolv1.SchemeGroupVersion,
			flowcontrolvalidation.PriorityLevelValidationOptions{})
	case *networking.IngressClass:
		return networkingvalidation.ValidateIngressClass(obj)
	case *networking.IPAddress:
		return networkingvalidation.ValidateIPAddress(obj)
	case *networking.ServiceCIDR:
		return networkingvalidation.ValidateServiceCIDR(obj)
	case *node.RuntimeClass:
		return nodevalidation.ValidateRuntimeClass(obj)
	case *storage.CSIDriver:
		return storagevalidation.ValidateCSIDriver(obj)
	case *storage.CSINode:
		return storagevalidation.ValidateCSINode(obj)
	case *storage.CSIStorageCapacity:
		return storagevalidation.ValidateCSIStorageCapacity(obj, storagevalidation.CSIStorageCapacityValidateOptions{})
	case *storage.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachment(obj)
	case *storage.VolumeAttributesClass:
		return storagevalidation.ValidateVolumeAttributesClass(obj)
	}
	panic(fmt.Sprintf("no validation for %T", obj))
}

// updatesOfCluster is updates for the same kinds.
func updatesOfCluster(obj, old runtime.Object) field.ErrorList {
	if errs, ok := updatesOfDevices(obj, old); ok {
		return errs
	}
	switch obj := obj.(type) {
	case *core.Endpoints:
		return corevalidation.ValidateEndpointsUpdate(obj, old.(*core.Endpoints))
	case *core.Namespace:
		return append(corevalidation.ValidateNamespace(obj),
			corevalidation.ValidateNamespaceUpdate(obj, old.(*core.Namespace))...)
	case *core.Node:
		return append(corevalidation.ValidateNode(obj), corevalidation.ValidateNodeUpdate(obj, old.(*core.Node))...)
	case *core.ResourceQuota:
		return corevalidation.ValidateResourceQuotaUpdate(obj, old.(*core.ResourceQuota))
	case *certificates.CertificateSigningRequest:
		return nil // the specification does not change
	case *certificates.ClusterTrustBundle:
		return certificatesvalidation.ValidateClusterTrustBundleUpdate(obj, old.(*certificates.ClusterTrustBundle))
	case *certificates.PodCertificateRequest:
		return certificatesvalidation.ValidatePodCertificateRequestUpdate(obj, old.(*certificates.PodCertificateRequest))
	case *storagemigration.StorageVersionMigration:
		return migrationvalidation.ValidateStorageVersionMigrationUpdate(obj,
			old.(*storagemigration.StorageVersionMigration))
	case *networking.IngressClass:
		return networkingvalidation.ValidateIngressClassUpdate(obj, old.(*networking.IngressClass))
	case *networking.IPAddress:
		return append(networkingvalidation.ValidateIPAddress(obj),
			networkingvalidation.ValidateIPAddressUpdate(obj, old.(*networking.IPAddress))...)
	case *networking.ServiceCIDR:
		return networkingvalidation.ValidateServiceCIDRUpdate(obj, old.(*networking.ServiceCIDR))
	case *node.RuntimeClass:
		return append(nodevalidation.ValidateRuntimeClass(obj),
			nodevalidation.ValidateRuntimeClassUpdate(obj, old.(*node.RuntimeClass))...)
	case *storage.CSIDriver:
		return storagevalidation.ValidateCSIDriverUpdate(obj, old.(*storage.CSIDriver))
	case *storage.CSINode:
		return storagevalidation.ValidateCSINodeUpdate(obj, old.(*storage.CSINode))
	case *storage.CSIStorageCapacity:
		return append(creationsOfCluster(obj),
			storagevalidation.ValidateCSIStorageCapacityUpdate(obj, old.(*storage.CSIStorageCapacity))...)
	case *storage.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachmentUpdate(obj, old.(*storage.VolumeAttachment))
	case *storage.VolumeAttributesClass:
		return storagevalidation.ValidateVolumeAttributesClassUpdate(obj, old.(*storage.VolumeAttributesClass))
	}
	return creationsOfCluster(obj)
}

// statusesOfCluster is statuses for the same kinds.
func statusesOfCluster(obj, old runtime.Object) field.ErrorList {
	switch obj := obj.(type) {
	case *core.Namespace:
		return corevalidation.ValidateNamespaceStatusUpdate(obj, old.(*core.Namespace))
	case *core.Node:
		return corevalidation.ValidateNodeUpdate(obj, old.(*core.Node))
	case *core.ResourceQuota:
		return corevalidation.ValidateResourceQuotaStatusUpdate(obj, old.(*core.ResourceQuota))
	case *certificates.CertificateSigningRequest:
		return certificatesvalidation.ValidateCertificateSigningRequestStatusUpdate(obj,
			old.(*certificates.CertificateSigningRequest))
	case *certificates.PodCertificateRequest:
		return certificatesvalidation.ValidatePodCertificateRequestStatusUpdate(obj,
			old.(*certificates.PodCertificateRequest), clock.RealClock{})
	case *storagemigration.StorageVersionMigration:
		return migrationvalidation.ValidateStorageVersionMigrationStatusUpdate(obj,
			old.(*storagemigration.StorageVersionMigration))
	case *resource.DeviceTaintRule:
		return resourcevalidation.ValidateDeviceTaintRuleStatusUpdate(obj, old.(*resource.DeviceTaintRule))
	case *resource.ResourceClaim:
		return resourcevalidation.ValidateResourceClaimStatusUpdate(obj, old.(*resource.ResourceClaim))
	case *flowcontrol.FlowSchema:
		return flowcontrolvalidation.ValidateFlowSchemaStatusUpdate(old.(*flowcontrol.FlowSchema), obj)
	case *flowcontrol.PriorityLevelConfiguration:
		return flowcontrolvalidation.ValidatePriorityLevelConfigurationStatusUpdate(old.(*flowcontrol.PriorityLevelConfiguration), obj)
	case *storage.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachment(obj)
	}
	panic(fmt.Sprintf("no validation of the status for %T", obj))
}
