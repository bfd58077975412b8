package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// qosClassOf returns the class by which a node treats a Pod when it runs out of resources. If the Pod has resources of
// its own, only they count. Guaranteed: all containers have limits of CPU and memory, and equal requests. BestEffort:
// none has either. Burstable: all others.
func qosClassOf(spec *corev1.PodSpec) corev1.PodQOSClass {
	var all []corev1.ResourceRequirements
	if spec.Resources != nil {
		all = append(all, *spec.Resources)
	} else {
		for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
			all = append(all, c.Resources)
		}
	}
	guaranteed, some := true, false
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for _, r := range all {
		some = addComputed(requests, r.Requests) > 0 || some
		limited := addComputed(limits, r.Limits)
		some = limited > 0 || some
		guaranteed = guaranteed && limited == len(computed)
	}
	if !some {
		return corev1.PodQOSBestEffort
	}
	for _, name := range computed {
		request, limit := requests[name], limits[name]
		guaranteed = guaranteed && request.Cmp(limit) == 0
	}
	if guaranteed {
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// computed are the resources that decide about the class.
var computed = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// addComputed adds the positive quantities of such resources to a sum, and returns how many there are.
func addComputed(sum, list corev1.ResourceList) (n int) {
	for _, name := range computed {
		if q, ok := list[name]; ok && q.Sign() > 0 {
			total := sum[name]
			total.Add(q)
			sum[name] = total
			n++
		}
	}
	return n
}
