package k8s

import "github.com/decorum-go/decorum/rest"

func storage() map[string]kind {
	return map[string]kind{
		"CSIDriver": {plural: "csidrivers", returnDeleted: true, scope: rest.ScopeCluster, generation: true,
			versionRequired: true, columns: csiDriverColumns()},
		"CSINode": {plural: "csinodes", returnDeleted: true, scope: rest.ScopeCluster, versionRequired: true,
			columns: csiNodeColumns()},
		"CSIStorageCapacity": {plural: "csistoragecapacities", versionRequired: true},
		"StorageClass": {plural: "storageclasses", returnDeleted: true, shortNames: []string{"sc"},
			scope: rest.ScopeCluster, columns: storageClassColumns()},
		"VolumeAttachment": {plural: "volumeattachments", returnDeleted: true, scope: rest.ScopeCluster,
			versionRequired: true, columns: volumeAttachmentColumns()},
		"VolumeAttributesClass": {plural: "volumeattributesclasses", returnDeleted: true, shortNames: []string{"vac"},
			scope: rest.ScopeCluster, columns: volumeAttributesClassColumns()},
	}
}

func storagemigration() map[string]kind {
	return map[string]kind{
		"StorageVersionMigration": {plural: "storageversionmigrations", scope: rest.ScopeCluster, versionRequired: true,
			columns: storageVersionMigrationColumns()},
	}
}

// resource returns the group of devices and of claims on them.
func resource() map[string]kind {
	return map[string]kind{
		"DeviceClass": {plural: "deviceclasses", returnDeleted: true, scope: rest.ScopeCluster,
			generation: true, columns: []column{age()}},
		"DeviceTaintRule": {plural: "devicetaintrules", scope: rest.ScopeCluster,
			generation: true, versionRequired: true, columns: deviceTaintRuleColumns()},
		"ResourceClaim":             {plural: "resourceclaims", returnDeleted: true, columns: resourceClaimColumns()},
		"ResourceClaimTemplate":     {plural: "resourceclaimtemplates", returnDeleted: true, columns: []column{age()}},
		"ResourcePoolStatusRequest": {plural: "resourcepoolstatusrequests", returnDeleted: true, scope: rest.ScopeCluster},
		"ResourceSlice": {plural: "resourceslices", returnDeleted: true, scope: rest.ScopeCluster, generation: true,
			selectable: []string{"spec.nodeName", "spec.driver", "spec.pool.name"},
			columns:    resourceSliceColumns()},
	}
}
