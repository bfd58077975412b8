package defaults

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// resources returns the defaults of the group resource.k8s.io.
func resources() []rule {
	return []rule{
		fixed[resourcev1.ExactDeviceRequest](values{"allocationMode": "ExactCount"}),
		fixed[resourcev1.DeviceSubRequest](values{"allocationMode": "ExactCount"}),
		fixed[resourcev1.DeviceToleration](values{"operator": "Equal"}),

		when(func(obj *resourcev1.ExactDeviceRequest) { oneDevice(obj.AllocationMode, &obj.Count) }),
		when(func(obj *resourcev1.DeviceSubRequest) { oneDevice(obj.AllocationMode, &obj.Count) }),
		when(tainted),
	}
}

func oneDevice(mode resourcev1.DeviceAllocationMode, count *int64) {
	if mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}

// tainted notes since when a device has the taint, to the second.
func tainted(obj *resourcev1.DeviceTaint) {
	obj.TimeAdded = or(obj.TimeAdded, metav1.Time{Time: time.Now().Truncate(time.Second)})
}
