package apiservice

import "github.com/decorum-go/decorum/apimeta"

// priority is the order of a version among all groups and versions.
type priority struct{ group, version int32 }

// otherPriority is the priority of the kinds that Kubernetes does not know.
var otherPriority = priority{1000, 100}

// priorityOf returns the priority of a version, as a Kubernetes API server has it.
func priorityOf(gv apimeta.GroupVersion) priority {
	if gv == (apimeta.GroupVersion{Version: "v1"}) {
		return priority{18000, 1}
	}
	group, known := map[string]int32{
		"apps": 17800, "events.k8s.io": 17750, "authentication.k8s.io": 17700, "authorization.k8s.io": 17600,
		"autoscaling": 17500, "batch": 17400,
		"certificates.k8s.io": 17300, "networking.k8s.io": 17200, "policy": 17100, "rbac.authorization.k8s.io": 17000,
		"storage.k8s.io":       16800,
		"apiextensions.k8s.io": 16700, "admissionregistration.k8s.io": 16700, "scheduling.k8s.io": 16600,
		"coordination.k8s.io": 16500,
		"node.k8s.io":         16300, "discovery.k8s.io": 16200,
	}[gv.Group]
	switch {
	case known && gv.Version == "v1":
		return priority{group, 15}
	case known && gv == (apimeta.GroupVersion{Group: "autoscaling", Version: "v2"}):
		return priority{group, 30}
	case known:
		return priority{group, 9}
	}
	return otherPriority
}
