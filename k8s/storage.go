package k8s

import "github.com/decorum-go/decorum/rest"

func storage() map[string]kind {
	return map[string]kind{
		"CSIDriver":             {plural: "csidrivers", scope: rest.Cluster, generation: true, versionRequired: true, columns: csiDriverColumns()},
		"CSINode":               {plural: "csinodes", scope: rest.Cluster, versionRequired: true, columns: csiNodeColumns()},
		"CSIStorageCapacity":    {plural: "csistoragecapacities"},
		"StorageClass":          {plural: "storageclasses", shortNames: []string{"sc"}, scope: rest.Cluster, columns: storageClassColumns()},
		"VolumeAttachment":      {plural: "volumeattachments", scope: rest.Cluster, versionRequired: true, columns: volumeAttachmentColumns()},
		"VolumeAttributesClass": {plural: "volumeattributesclasses", shortNames: []string{"vac"}, scope: rest.Cluster, columns: volumeAttributesClassColumns()},
	}
}

func storagemigration() map[string]kind {
	return map[string]kind{
		"StorageVersionMigration": {plural: "storageversionmigrations", scope: rest.Cluster, versionRequired: true, columns: storageVersionMigrationColumns()},
	}
}

// resource is the group of devices and of the claims on them.
func resource() map[string]kind {
	return map[string]kind{
		"DeviceClass":               {plural: "deviceclasses", scope: rest.Cluster, generation: true, columns: []column{age()}},
		"DeviceTaintRule":           {plural: "devicetaintrules", scope: rest.Cluster, columns: []column{age()}},
		"ResourceClaim":             {plural: "resourceclaims", columns: resourceClaimColumns()},
		"ResourceClaimTemplate":     {plural: "resourceclaimtemplates", columns: []column{age()}},
		"ResourcePoolStatusRequest": {plural: "resourcepoolstatusrequests", scope: rest.Cluster},
		"ResourceSlice": {plural: "resourceslices", scope: rest.Cluster, generation: true,
			selectable: []string{"spec.nodeName", "spec.driver"},
			columns:    resourceSliceColumns()},
	}
}
