package k8s

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

func csiDriverColumns() []column {
	says := documented[storagev1.CSIDriverSpec]
	return []column{
		flag("AttachRequired", says("attachRequired"),
			func(d *storagev1.CSIDriver) any { return given(d.Spec.AttachRequired, true) }),
		flag("PodInfoOnMount", says("podInfoOnMount"),
			func(d *storagev1.CSIDriver) any { return given(d.Spec.PodInfoOnMount, false) }),
		flag("StorageCapacity", says("storageCapacity"),
			func(d *storagev1.CSIDriver) any { return given(d.Spec.StorageCapacity, false) }),
		text("TokenRequests", says("tokenRequests"), func(d *storagev1.CSIDriver) any {
			if d.Spec.TokenRequests == nil {
				return unset
			}
			var audiences []string
			for _, r := range d.Spec.TokenRequests {
				audiences = append(audiences, r.Audience)
			}
			return strings.Join(audiences, ",")
		}),
		flag("RequiresRepublish", says("requiresRepublish"),
			func(d *storagev1.CSIDriver) any { return given(d.Spec.RequiresRepublish, false) }),
		text("Modes", says("volumeLifecycleModes"), func(d *storagev1.CSIDriver) any {
			var modes []string
			for _, m := range d.Spec.VolumeLifecycleModes {
				modes = append(modes, string(m))
			}
			return cmp.Or(strings.Join(modes, ","), none)
		}),
		age(),
	}
}

func csiNodeColumns() []column {
	return []column{
		number("Drivers", "Drivers indicates the number of CSI drivers registered on the node",
			func(n *storagev1.CSINode) any { return len(n.Spec.Drivers) }),
		age(),
	}
}

func storageClassColumns() []column {
	says := documented[storagev1.StorageClass]
	return []column{
		nameColumn(func(c *storagev1.StorageClass) any {
			return defaultName(c, "storageclass.kubernetes.io/is-default-class",
				"storageclass.beta.kubernetes.io/is-default-class")
		}),
		text("Provisioner", says("provisioner"), func(c *storagev1.StorageClass) any { return c.Provisioner }),
		text("ReclaimPolicy", says("reclaimPolicy"), func(c *storagev1.StorageClass) any {
			return given(c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		}),
		text("VolumeBindingMode", says("volumeBindingMode"), func(c *storagev1.StorageClass) any {
			return given(c.VolumeBindingMode, storagev1.VolumeBindingImmediate)
		}),
		text("AllowVolumeExpansion", says("allowVolumeExpansion"),
			func(c *storagev1.StorageClass) any { return given(c.AllowVolumeExpansion, false) }),
		age(),
	}
}

func volumeAttachmentColumns() []column {
	attacher := text("Attacher", documented[storagev1.VolumeAttachmentSpec]("attacher"),
		func(a *storagev1.VolumeAttachment) any { return a.Spec.Attacher })
	attacher.Format = "name"
	return []column{
		attacher,
		text("PV", documented[storagev1.VolumeAttachmentSource]("persistentVolumeName"),
			func(a *storagev1.VolumeAttachment) any {
				return given(a.Spec.Source.PersistentVolumeName, "")
			}),
		text("Node", documented[storagev1.VolumeAttachmentSpec]("nodeName"),
			func(a *storagev1.VolumeAttachment) any { return a.Spec.NodeName }),
		flag("Attached", documented[storagev1.VolumeAttachmentStatus]("attached"),
			func(a *storagev1.VolumeAttachment) any { return a.Status.Attached }),
		age(),
	}
}

func volumeAttributesClassColumns() []column {
	return []column{
		text("DriverName", documented[storagev1.VolumeAttributesClass]("driverName"),
			func(c *storagev1.VolumeAttributesClass) any { return c.DriverName }),
		age(),
	}
}
