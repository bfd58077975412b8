package kinds

import (
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"

	"github.com/decorum-go/decorum/rest"
)

func storage() []rest.Definition {
	return []rest.Definition{
		of[storagev1.CSIDriver](),
		of[storagev1.CSINode](),
		of[storagev1.CSIStorageCapacity](),
		of[storagev1.StorageClass](),
		of[storagev1.VolumeAttachment](),
		of[storagev1.VolumeAttributesClass](),
		of[storagemigrationv1.StorageVersionMigration](),
	}
}

func resource() []rest.Definition {
	return []rest.Definition{
		of[resourcev1.DeviceClass](),
		of[resourcev1.DeviceTaintRule](),
		of[resourcev1.ResourceClaim](),
		of[resourcev1.ResourceClaimTemplate](),
		of[resourcev1.ResourceSlice](),
	}
}
