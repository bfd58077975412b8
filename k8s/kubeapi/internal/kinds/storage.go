package kinds

import (
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/decorum-go/decorum/rest"
)

func storage() []rest.Definition {
	return []rest.Definition{
		freezing(of[storagev1.CSIDriver](),
			frozen[storagev1.CSIDriver]{"spec.attachedRequired", func(d *storagev1.CSIDriver) any { return d.Spec.AttachRequired }},
			frozen[storagev1.CSIDriver]{"spec.volumeLifecycleModes", func(d *storagev1.CSIDriver) any { return d.Spec.VolumeLifecycleModes }}),
		of[storagev1.CSINode](),
		freezing(of[storagev1.CSIStorageCapacity](),
			frozen[storagev1.CSIStorageCapacity]{"nodeTopology", func(c *storagev1.CSIStorageCapacity) any { return c.NodeTopology }},
			frozen[storagev1.CSIStorageCapacity]{"storageClassName", func(c *storagev1.CSIStorageCapacity) any { return c.StorageClassName }}),
		freezing(of[storagev1.StorageClass](),
			frozen[storagev1.StorageClass]{"parameters", func(c *storagev1.StorageClass) any { return c.Parameters }},
			frozen[storagev1.StorageClass]{"provisioner", func(c *storagev1.StorageClass) any { return c.Provisioner }},
			frozen[storagev1.StorageClass]{"reclaimPolicy", func(c *storagev1.StorageClass) any { return c.ReclaimPolicy }},
			frozen[storagev1.StorageClass]{"volumeBindingMode", func(c *storagev1.StorageClass) any { return c.VolumeBindingMode }}),
		freezing(of[storagev1.VolumeAttachment](), frozen[storagev1.VolumeAttachment]{"spec", func(a *storagev1.VolumeAttachment) any { return a.Spec }}),
		of[storagev1.VolumeAttributesClass](),
	}
}

func resource() []rest.Definition {
	return []rest.Definition{
		of[resourcev1.DeviceClass](),
		freezing(of[resourcev1.ResourceClaim](), frozen[resourcev1.ResourceClaim]{"spec", func(c *resourcev1.ResourceClaim) any { return c.Spec }}),
		freezing(of[resourcev1.ResourceClaimTemplate](), frozen[resourcev1.ResourceClaimTemplate]{"spec", func(c *resourcev1.ResourceClaimTemplate) any { return c.Spec }}),
		freezing(of[resourcev1.ResourceSlice](),
			frozen[resourcev1.ResourceSlice]{"spec.pool.name", func(s *resourcev1.ResourceSlice) any { return s.Spec.Pool.Name }},
			frozen[resourcev1.ResourceSlice]{"spec.driver", func(s *resourcev1.ResourceSlice) any { return s.Spec.Driver }},
			frozen[resourcev1.ResourceSlice]{"spec.nodeName", func(s *resourcev1.ResourceSlice) any { return s.Spec.NodeName }}),
	}
}
