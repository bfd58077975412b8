package k8s

import "github.com/decorum-go/decorum/rest"

func storage() map[string]kind {
	return map[string]kind{
		"CSIDriver": {plural: "csidrivers", scope: rest.Cluster, generation: true, versionRequired: true,
			columns: []rest.Column{flag("AttachRequired", ".spec.attachRequired"), flag("PodInfoOnMount", ".spec.podInfoOnMount"),
				flag("StorageCapacity", ".spec.storageCapacity"), text("TokenRequests", ".spec.tokenRequests[*].audience"),
				flag("RequiresRepublish", ".spec.requiresRepublish"), text("Modes", ".spec.volumeLifecycleModes"), age()}},
		"CSINode": {plural: "csinodes", scope: rest.Cluster, versionRequired: true,
			columns: []rest.Column{text("Drivers", ".spec.drivers[*].name"), age()}},
		"CSIStorageCapacity": {plural: "csistoragecapacities",
			columns: []rest.Column{text("StorageClassName", ".storageClassName"), text("Capacity", ".capacity"), age()}},
		"StorageClass": {plural: "storageclasses", shortNames: []string{"sc"}, scope: rest.Cluster,
			columns: []rest.Column{text("Provisioner", ".provisioner"), text("ReclaimPolicy", ".reclaimPolicy"),
				text("VolumeBindingMode", ".volumeBindingMode"), flag("AllowVolumeExpansion", ".allowVolumeExpansion"), age()}},
		"VolumeAttachment": {plural: "volumeattachments", scope: rest.Cluster, versionRequired: true,
			columns: []rest.Column{text("Attacher", ".spec.attacher"), text("PV", ".spec.source.persistentVolumeName"),
				text("Node", ".spec.nodeName"), flag("Attached", ".status.attached"), age()}},
		"VolumeAttributesClass": {plural: "volumeattributesclasses", shortNames: []string{"vac"}, scope: rest.Cluster,
			columns: []rest.Column{text("DriverName", ".driverName"), age()}},
	}
}

func storagemigration() map[string]kind {
	return map[string]kind{
		"StorageVersionMigration": {plural: "storageversionmigrations", scope: rest.Cluster, versionRequired: true},
	}
}

// resource is the group of devices and of the claims on them.
func resource() map[string]kind {
	return map[string]kind{
		"DeviceClass":               {plural: "deviceclasses", scope: rest.Cluster, generation: true, columns: []rest.Column{age()}},
		"DeviceTaintRule":           {plural: "devicetaintrules", scope: rest.Cluster, columns: []rest.Column{age()}},
		"ResourceClaim":             {plural: "resourceclaims", columns: []rest.Column{age()}},
		"ResourceClaimTemplate":     {plural: "resourceclaimtemplates", columns: []rest.Column{age()}},
		"ResourcePoolStatusRequest": {plural: "resourcepoolstatusrequests", scope: rest.Cluster},
		"ResourceSlice": {plural: "resourceslices", scope: rest.Cluster, generation: true,
			selectable: []string{"spec.nodeName", "spec.driver"},
			columns:    []rest.Column{text("Node", ".spec.nodeName"), text("Driver", ".spec.driver"), text("Pool", ".spec.pool.name"), age()}},
	}
}
