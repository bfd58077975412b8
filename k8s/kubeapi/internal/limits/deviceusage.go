package limits

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
)

const countOfDeviceClaims corev1.ResourceName = "count/resourceclaims.resource.k8s.io"

// isOfDevices reports whether ResourceClaims use what a quota limits under a name, such as
// gold.deviceclass.resource.k8s.io/devices.
func isOfDevices(name corev1.ResourceName) bool {
	return name == countOfDeviceClaims || strings.HasSuffix(string(name), corev1.ResourceClaimsPerClass)
}

// deviceUsage returns how many devices of each class a ResourceClaim may get at most.
func deviceUsage(c *resourcev1.ResourceClaim, near nearby) corev1.ResourceList {
	list := ones(countOfDeviceClaims)
	for _, r := range c.Spec.Devices.Requests {
		most := corev1.ResourceList{}
		if r.Exactly != nil {
			amounts.Raise(most, devices(r.Exactly.DeviceClassName, r.Exactly.AllocationMode, r.Exactly.Count))
		}
		for _, s := range r.FirstAvailable {
			amounts.Raise(most, devices(s.DeviceClassName, s.AllocationMode, s.Count))
		}
		amounts.Add(list, most)
	}
	near.extend(list, c)
	return list
}

// devices returns how many devices of a class a request asks for. A request for all gets as many as one claim can have.
func devices(class string, mode resourcev1.DeviceAllocationMode, count int64) corev1.ResourceList {
	if mode == resourcev1.DeviceAllocationModeAll {
		count = resourcev1.AllocationResultsMaxSize
	}
	return corev1.ResourceList{corev1.ResourceName(class + corev1.ResourceClaimsPerClass): *resource.NewQuantity(count,
		resource.DecimalSI)}
}
