package kinds

import (
	"context"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

func storage() []rest.Definition {
	return []rest.Definition{
		of[storagev1.CSIDriver](),
		of[storagev1.CSINode](),
		of[storagev1.CSIStorageCapacity](),
		of[storagev1.StorageClass](),
		of[storagev1.VolumeAttachment](),
		of[storagev1.VolumeAttributesClass](),
		of[storagemigrationv1.StorageVersionMigration](),
	}
}

func resource() []rest.Definition {
	return []rest.Definition{
		of[resourcev1.DeviceClass](),
		deviceTaintRules(),
		of[resourcev1.ResourceClaim](),
		of[resourcev1.ResourceClaimTemplate](),
		of[resourcev1.ResourceSlice](),
	}
}

// deviceTaintRules returns the kind DeviceTaintRule. The time of its taint is the time at which the taint took effect.
func deviceTaintRules() rest.Resource[resourcev1.DeviceTaintRule] {
	return preparing(of[resourcev1.DeviceTaintRule](), func(ctx context.Context, r, old *resourcev1.DeviceTaintRule) error {
		if old == nil || part(ctx) != "" {
			return nil
		}
		now, was := &r.Spec.Taint, &old.Spec.Taint
		if now.Effect != was.Effect && now.TimeAdded.Equal(was.TimeAdded) {
			now.TimeAdded = &metav1.Time{Time: time.Now().Truncate(time.Second)}
		}
		return nil
	})
}
