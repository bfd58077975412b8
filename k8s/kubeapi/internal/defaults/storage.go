package defaults

import storagev1 "k8s.io/api/storage/v1"

// storage returns the defaults of the group storage.k8s.io.
func storage() []rule {
	return []rule{
		fixed[storagev1.CSIDriver](values{
			"spec.attachRequired":       true,
			"spec.podInfoOnMount":       false,
			"spec.storageCapacity":      false,
			"spec.fsGroupPolicy":        "ReadWriteOnceWithFSType",
			"spec.volumeLifecycleModes": []string{"Persistent"},
			"spec.requiresRepublish":    false,
			"spec.seLinuxMount":         false,

			"spec.preventPodSchedulingIfMissing": false,
		}),
		fixed[storagev1.StorageClass](values{"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}),
	}
}
