package kinds

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// persistentVolumes returns the kind PersistentVolume. Its status says since when it has its phase.
func persistentVolumes() rest.Resource[corev1.PersistentVolume] {
	r := preparing(of[corev1.PersistentVolume](), func(ctx context.Context, v, old *corev1.PersistentVolume) error {
		now := metav1.Now()
		switch {
		case old == nil:
			v.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: &now}
		case part(ctx) != "status":
		case v.Status.Phase == old.Status.Phase && v.Status.LastPhaseTransitionTime == nil:
			v.Status.LastPhaseTransitionTime = old.Status.LastPhaseTransitionTime
		case v.Status.Phase != old.Status.Phase && (v.Status.LastPhaseTransitionTime == nil || v.Status.LastPhaseTransitionTime.Equal(old.Status.LastPhaseTransitionTime)):
			v.Status.LastPhaseTransitionTime = &now
		}
		return nil
	})
	return validating(r, func(ctx context.Context, v, old *corev1.PersistentVolume) (errs status.FieldErrors) {
		if old == nil || part(ctx) != "" {
			return nil
		}
		source := v.Spec.PersistentVolumeSource.DeepCopy()
		if was := old.Spec.CSI; was != nil && was.ControllerExpandSecretRef == nil && source.CSI != nil {
			source.CSI.ControllerExpandSecretRef = nil
		}
		if !equality.Semantic.DeepEqual(*source, old.Spec.PersistentVolumeSource) {
			errs = append(errs, status.ForbiddenField(status.Field("spec", "persistentvolumesource"), "spec.persistentvolumesource is immutable after creation"))
		}
		if !equality.Semantic.DeepEqual(v.Spec.VolumeMode, old.Spec.VolumeMode) {
			errs = append(errs, status.InvalidField(status.Field("volumeMode"), v.Spec.VolumeMode, immutable))
		}
		return errs
	})
}

// persistentVolumeClaims returns the kind PersistentVolumeClaim. A claim gets its volume once; afterwards only its size and the class of
// its attributes change.
func persistentVolumeClaims() rest.Resource[corev1.PersistentVolumeClaim] {
	r := preparing(of[corev1.PersistentVolumeClaim](), func(_ context.Context, c, old *corev1.PersistentVolumeClaim) error {
		if old == nil {
			c.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
		}
		return nil
	})
	return validating(r, validateClaimUpdate)
}

func validateClaimUpdate(ctx context.Context, c, old *corev1.PersistentVolumeClaim) (errs status.FieldErrors) {
	if old == nil || part(ctx) != "" {
		return nil
	}
	now, was := c.Spec.DeepCopy(), old.Spec.DeepCopy()
	if was.VolumeName == "" {
		was.VolumeName = now.VolumeName
	}
	if was.StorageClassName == nil {
		if class, ok := old.Annotations[corev1.BetaStorageClassAnnotation]; !ok || now.StorageClassName != nil && *now.StorageClassName == class {
			now.StorageClassName = nil
		}
	}
	if c.Status.Phase == corev1.ClaimBound {
		if now.Resources.Requests != nil {
			now.Resources.Requests[corev1.ResourceStorage] = was.Resources.Requests[corev1.ResourceStorage]
		}
		now.VolumeAttributesClassName = was.VolumeAttributesClassName
	}
	if !equality.Semantic.DeepEqual(now, was) {
		errs = append(errs, status.ForbiddenField(status.Field("spec"),
			"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
	}
	size, had, has := c.Spec.Resources.Requests[corev1.ResourceStorage], old.Spec.Resources.Requests[corev1.ResourceStorage], old.Status.Capacity[corev1.ResourceStorage]
	if size.Cmp(had) < 0 && size.Cmp(has) <= 0 {
		errs = append(errs, status.ForbiddenField(status.Field("spec", "resources", "requests", "storage"), "field can not be less than status.capacity"))
	}
	if !equality.Semantic.DeepEqual(c.Spec.VolumeMode, old.Spec.VolumeMode) {
		errs = append(errs, status.InvalidField(status.Field("volumeMode"), c.Spec.VolumeMode, immutable))
	}
	return errs
}
