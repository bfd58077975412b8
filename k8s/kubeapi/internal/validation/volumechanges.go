package validation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// volumeChange checks that a volume stays where it is. Only the secret for its expansion may be added.
func (r *report) volumeChange(obj, old *corev1.PersistentVolume) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	source := now.PersistentVolumeSource.DeepCopy()
	if was.CSI != nil && was.CSI.ControllerExpandSecretRef == nil && source.CSI != nil {
		source.CSI.ControllerExpandSecretRef = nil
	}
	r.is(same(*source, was.PersistentVolumeSource), field.Forbidden(p.Child("persistentvolumesource"),
		"spec.persistentvolumesource is immutable after creation"))
	r.frozen(field.NewPath("volumeMode"), now.VolumeMode, was.VolumeMode)
	r.is(nodeAffinityStays(now.NodeAffinity, was.NodeAffinity),
		field.Invalid(field.NewPath("nodeAffinity"), now.NodeAffinity, "field is immutable, except for updating from beta "+
			"label to GA"))
	r.is(was.VolumeAttributesClassName == nil || now.VolumeAttributesClassName != nil,
		field.Forbidden(p.Child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
}

// nodeAffinityStays reports whether a volume stays on its nodes. An affinity may get the new name of a label that was
// renamed, so this does not compare labels that have such a name, and labels without one.
func nodeAffinityStays(now, was *corev1.VolumeNodeAffinity) bool {
	renamed := []string{corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelInstanceType,
		"beta.kubernetes.io/os", "beta.kubernetes.io/arch"}
	return was == nil || same(now, was) || hasLabel(was, renamed...) || hasLabel(now, "")
}

func hasLabel(a *corev1.VolumeNodeAffinity, keys ...string) bool {
	if a == nil || a.Required == nil {
		return false
	}
	for _, term := range a.Required.NodeSelectorTerms {
		named := func(e corev1.NodeSelectorRequirement) bool { return slices.Contains(keys, e.Key) }
		if slices.ContainsFunc(term.MatchExpressions, named) {
			return true
		}
	}
	return false
}

// claimChange checks that a claim gets its volume once. Afterwards only its size and the class of its attributes
// change.
func (r *report) claimChange(obj, old *corev1.PersistentVolumeClaim) {
	p := field.NewPath("spec")
	now, was := obj.Spec.DeepCopy(), old.Spec.DeepCopy()
	if was.VolumeName == "" {
		was.VolumeName = now.VolumeName
	}
	if was.StorageClassName == nil {
		if class, ok := old.Annotations[corev1.BetaStorageClassAnnotation]; !ok || now.StorageClassName != nil &&
			*now.StorageClassName == class {
			now.StorageClassName = nil
		}
	}
	if obj.Status.Phase == corev1.ClaimBound {
		if now.Resources.Requests != nil {
			now.Resources.Requests[corev1.ResourceStorage] = was.Resources.Requests[corev1.ResourceStorage]
		}
		now.VolumeAttributesClassName = was.VolumeAttributesClassName
	}
	r.is(same(now, was), field.Forbidden(p, "spec is immutable after creation except resources.requests and "+
		"volumeAttributesClassName for bound claims"))
	size, had, has := obj.Spec.Resources.Requests[corev1.ResourceStorage],
		old.Spec.Resources.Requests[corev1.ResourceStorage], old.Status.Capacity[corev1.ResourceStorage]
	r.is(size.Cmp(had) >= 0 || size.Cmp(has) > 0,
		field.Forbidden(p.Child("resources", "requests", "storage"), "field can not be less than status.capacity"))
	r.frozen(field.NewPath("volumeMode"), obj.Spec.VolumeMode, old.Spec.VolumeMode)
	r.attributesChange(p.Child("volumeAttributesClassName"), obj, old)
}

// attributesChange checks that a claim whose volume has a class of attributes keeps one.
func (r *report) attributesChange(p *field.Path, now, was *corev1.PersistentVolumeClaim) {
	const set = " is forbidden when status.currentVolumeAttributesClassName is not nil"
	class := now.Spec.VolumeAttributesClassName
	switch {
	case was.Status.CurrentVolumeAttributesClassName == nil || same(class, was.Spec.VolumeAttributesClassName):
	case class == nil:
		r.add(field.Forbidden(p, "update to nil"+set))
	case *class == "":
		r.add(field.Forbidden(p, "update to empty string"+set))
	}
}

// csiNodeChange checks that the drivers of a node stay as they are, except for the number of volumes that they can
// attach.
func (r *report) csiNodeChange(obj, old *storagev1.CSINode) {
	p, now, was := field.NewPath("spec", "drivers"), obj.Spec.Drivers, old.Spec.Drivers
	for _, old := range was {
		for _, d := range now {
			if d.Name == old.Name {
				d.Allocatable, old.Allocatable = nil, nil
				r.frozen(p, d, old)
			}
		}
	}
}
