package kinds

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// persistentVolumes returns the kind PersistentVolume. Its status says since when it has its phase.
func persistentVolumes() rest.Resource[corev1.PersistentVolume] {
	return preparing(of[corev1.PersistentVolume](), func(ctx context.Context, v, old *corev1.PersistentVolume) error {
		now := metav1.Now()
		switch {
		case old == nil:
			v.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: &now}
		case part(ctx) != "status":
		case v.Status.Phase == old.Status.Phase && v.Status.LastPhaseTransitionTime == nil:
			v.Status.LastPhaseTransitionTime = old.Status.LastPhaseTransitionTime
		case v.Status.Phase != old.Status.Phase &&
			(v.Status.LastPhaseTransitionTime == nil ||
				v.Status.LastPhaseTransitionTime.Equal(old.Status.LastPhaseTransitionTime)):
			v.Status.LastPhaseTransitionTime = &now
		}
		return nil
	})
}

// persistentVolumeClaims returns the kind PersistentVolumeClaim. A new claim waits for its volume.
func persistentVolumeClaims() rest.Resource[corev1.PersistentVolumeClaim] {
	return preparing(of[corev1.PersistentVolumeClaim](),
		func(ctx context.Context, c, old *corev1.PersistentVolumeClaim) error {
			switch {
			case old == nil:
				c.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
				setDataSources(&c.Spec, nil)
			case part(ctx) != "status":
				setDataSources(&c.Spec, &old.Spec)
			}
			return nil
		})
}
