package oracle

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"
)

// creationsOfDevices returns what Kubernetes finds wrong with a new object of resource.k8s.io. It reports false for an
// object of another group.
func creationsOfDevices(obj runtime.Object) (field.ErrorList, bool) {
	switch obj := obj.(type) {
	case *resource.DeviceClass:
		return resourcevalidation.ValidateDeviceClass(obj), true
	case *resource.DeviceTaintRule:
		return resourcevalidation.ValidateDeviceTaintRule(obj), true
	case *resource.ResourceClaim:
		return resourcevalidation.ValidateResourceClaim(obj), true
	case *resource.ResourceClaimTemplate:
		return resourcevalidation.ValidateResourceClaimTemplate(obj), true
	case *resource.ResourceSlice:
		return resourcevalidation.ValidateResourceSlice(obj), true
	}
	return nil, false
}

// updatesOfDevices is updates for the same kinds.
func updatesOfDevices(obj, old runtime.Object) (field.ErrorList, bool) {
	switch obj := obj.(type) {
	case *resource.DeviceClass:
		return resourcevalidation.ValidateDeviceClassUpdate(obj, old.(*resource.DeviceClass)), true
	case *resource.DeviceTaintRule:
		return resourcevalidation.ValidateDeviceTaintRuleUpdate(obj, old.(*resource.DeviceTaintRule)), true
	case *resource.ResourceClaim:
		return resourcevalidation.ValidateResourceClaimUpdate(obj, old.(*resource.ResourceClaim)), true
	case *resource.ResourceClaimTemplate:
		return append(resourcevalidation.ValidateResourceClaimTemplate(obj),
			resourcevalidation.ValidateResourceClaimTemplateUpdate(obj, old.(*resource.ResourceClaimTemplate))...), true
	case *resource.ResourceSlice:
		return resourcevalidation.ValidateResourceSliceUpdate(obj, old.(*resource.ResourceSlice)), true
	}
	return nil, false
}
