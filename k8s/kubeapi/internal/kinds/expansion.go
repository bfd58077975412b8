package kinds

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// permitExpansion lets only those claims grow that have a volume, and whose StorageClass can expand volumes.
func permitExpansion(ctx context.Context, r *admission.Request) error {
	var now, was corev1.PersistentVolumeClaim
	if err := errors.Join(r.Object(&now), r.OldObject(&was)); err != nil {
		return err
	}
	size, had := now.Spec.Resources.Requests[corev1.ResourceStorage], was.Spec.Resources.Requests[corev1.ResourceStorage]
	if size.Cmp(had) <= 0 {
		return nil
	}
	if was.Status.Phase != corev1.ClaimBound {
		return errors.New("Only bound persistent volume claims can be expanded")
	}
	if name := classOf(&now); name != "" && name == classOf(&was) {
		classes, err := rest.ClientForHook[storagev1.StorageClass](ctx)
		if err != nil {
			return err
		}
		class, err := classes.Get(ctx, name)
		if err != nil && !status.IsNotFound(err) {
			return err
		}
		if err == nil && class.AllowVolumeExpansion != nil && *class.AllowVolumeExpansion {
			return nil
		}
	}
	return errors.New("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")
}

// classOf returns the name of the StorageClass of a claim.
func classOf(c *corev1.PersistentVolumeClaim) string {
	if name, ok := c.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		return name
	}
	if c.Spec.StorageClassName == nil {
		return ""
	}
	return *c.Spec.StorageClassName
}
