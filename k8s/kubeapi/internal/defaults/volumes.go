package defaults

import (
	"k8s.io/utils/ptr"

	corev1 "k8s.io/api/core/v1"
)

// volumes returns the defaults of the volumes of Pods and of PersistentVolumes.
func volumes() []rule {
	return []rule{
		fixed[corev1.SecretVolumeSource](values{"defaultMode": 0o644}),
		fixed[corev1.ConfigMapVolumeSource](values{"defaultMode": 0o644}),
		fixed[corev1.DownwardAPIVolumeSource](values{"defaultMode": 0o644}),
		fixed[corev1.ProjectedVolumeSource](values{"defaultMode": 0o644}),
		fixed[corev1.ServiceAccountTokenProjection](values{"expirationSeconds": 3600}),
		fixed[corev1.HostPathVolumeSource](values{"type": ""}),
		fixed[corev1.ISCSIVolumeSource](values{"iscsiInterface": "default"}),
		fixed[corev1.ISCSIPersistentVolumeSource](values{"iscsiInterface": "default"}),
		fixed[corev1.RBDVolumeSource](values{"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}),
		fixed[corev1.RBDPersistentVolumeSource](values{"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}),
		fixed[corev1.AzureDiskVolumeSource](values{"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": false,
			"kind": "Shared"}),
		fixed[corev1.ScaleIOVolumeSource](values{"storageMode": "ThinProvisioned", "fsType": "xfs"}),
		fixed[corev1.ScaleIOPersistentVolumeSource](values{"storageMode": "ThinProvisioned", "fsType": "xfs"}),

		when(emptyDir),
		when(imageVolume),
	}
}

// emptyDir makes a volume without a source an empty directory.
func emptyDir(obj *corev1.Volume) {
	if ptr.AllPtrFieldsNil(&obj.VolumeSource) {
		obj.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
}

func imageVolume(obj *corev1.ImageVolumeSource) {
	if obj.PullPolicy == "" {
		obj.PullPolicy = pullPolicy(obj.Reference)
	}
}
