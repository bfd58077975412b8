package limits

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/decorum-go/decorum/apimeta"
)

// counted knows what the objects of one resource use of a quota.
type counted struct {
	// named reports whether the resource uses what a quota limits under a name.
	named func(name corev1.ResourceName) bool
	// usage returns what an object uses, in at least these names.
	usage func(obj any) corev1.ResourceList
	// inScope reports whether an object is in a scope. If it is nil, no object is in any scope.
	inScope func(obj any, s corev1.ScopedResourceSelectorRequirement) (bool, error)
	// missing returns the error about an object that lacks what the names need.
	missing func(obj any, names []corev1.ResourceName) error
}

// countName returns the name by which a quota limits the objects of a resource.
func countName(group, resource string) corev1.ResourceName {
	if group != "" {
		resource += "." + group
	}
	return corev1.ResourceName("count/" + resource)
}

// countedAs returns what is counted of a resource.
func countedAs(group, resource string, near nearby) counted {
	if group == "" {
		switch resource {
		case "pods":
			return counted{isOfPods, func(obj any) corev1.ResourceList { return podUsage(obj.(*corev1.Pod), time.Now()) },
				func(obj any, s corev1.ScopedResourceSelectorRequirement) (bool, error) {
					return podInScope(obj.(*corev1.Pod), s)
				},
				func(obj any, names []corev1.ResourceName) error { return missingInPod(obj.(*corev1.Pod), names) }}
		case "services":
			return counted{named: oneOf("count/services", corev1.ResourceServices, corev1.ResourceServicesNodePorts,
				corev1.ResourceServicesLoadBalancers),
				usage: func(obj any) corev1.ResourceList { return serviceUsage(obj.(*corev1.Service)) }}
		case "persistentvolumeclaims":
			return counted{named: isOfClaims,
				usage: func(obj any) corev1.ResourceList { return claimUsage(obj.(*corev1.PersistentVolumeClaim)) },
				inScope: func(obj any, s corev1.ScopedResourceSelectorRequirement) (bool, error) {
					return claimInScope(obj.(*corev1.PersistentVolumeClaim), s)
				}}
		}
	}
	if (apimeta.GroupResource{Group: group, Resource: resource}) == deviceClaims {
		return counted{named: func(name corev1.ResourceName) bool { return isOfDevices(name) || near.limits(name) },
			usage: func(obj any) corev1.ResourceList { return deviceUsage(obj.(*resourcev1.ResourceClaim), near) }}
	}
	names := []corev1.ResourceName{countName(group, resource)}
	if old := corev1.ResourceName(resource); group == "" && slices.Contains(oldCounts[:], old) {
		names = append(names, old)
	}
	return counted{named: oneOf(names...), usage: func(any) corev1.ResourceList { return ones(names...) }}
}

// oldCounts are the resources whose objects a quota limits by their plain names, too.
var oldCounts = [...]corev1.ResourceName{corev1.ResourceConfigMaps, corev1.ResourceQuotas,
	corev1.ResourceReplicationControllers, corev1.ResourceSecrets}

func oneOf(names ...corev1.ResourceName) func(corev1.ResourceName) bool {
	return func(name corev1.ResourceName) bool { return slices.Contains(names, name) }
}

// ones returns the quantity 1 for each name.
func ones(names ...corev1.ResourceName) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range names {
		list[name] = *resource.NewQuantity(1, resource.DecimalSI)
	}
	return list
}

func serviceUsage(s *corev1.Service) corev1.ResourceList {
	list := ones("count/services", corev1.ResourceServices)
	ports, balancers := 0, int64(0)
	switch s.Spec.Type {
	case corev1.ServiceTypeNodePort:
		ports = len(s.Spec.Ports)
	case corev1.ServiceTypeLoadBalancer:
		balancers = 1
		for _, p := range s.Spec.Ports {
			if allocate := s.Spec.AllocateLoadBalancerNodePorts; allocate == nil || *allocate || p.NodePort != 0 {
				ports++
			}
		}
	}
	list[corev1.ResourceServicesNodePorts] = *resource.NewQuantity(int64(ports), resource.DecimalSI)
	list[corev1.ResourceServicesLoadBalancers] = *resource.NewQuantity(balancers, resource.DecimalSI)
	return list
}

// ofClass follows the name of a StorageClass in names such as gold.storageclass.storage.k8s.io/requests.storage.
const ofClass = ".storageclass.storage.k8s.io/"

func isOfClaims(name corev1.ResourceName) bool {
	if _, after, ok := strings.Cut(string(name), ofClass); ok {
		name = corev1.ResourceName(after)
	} else if name == "count/persistentvolumeclaims" {
		return true
	}
	return name == corev1.ResourcePersistentVolumeClaims || name == corev1.ResourceRequestsStorage
}

func claimUsage(c *corev1.PersistentVolumeClaim) corev1.ResourceList {
	list := ones("count/persistentvolumeclaims", corev1.ResourcePersistentVolumeClaims)
	if size, ok := c.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		if got := c.Status.AllocatedResources[corev1.ResourceStorage]; got.Cmp(size) > 0 {
			size = got
		}
		size = size.DeepCopy()
		size.RoundUp(0)
		list[corev1.ResourceRequestsStorage] = size
	}
	class, ok := c.Annotations[corev1.BetaStorageClassAnnotation]
	if !ok && c.Spec.StorageClassName != nil {
		class = *c.Spec.StorageClassName
	}
	if class != "" {
		for _, name := range []corev1.ResourceName{corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage} {
			if q, ok := list[name]; ok {
				list[corev1.ResourceName(class+ofClass)+name] = q
			}
		}
	}
	return list
}
