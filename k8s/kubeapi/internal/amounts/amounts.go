// Package amounts calculates with the resources that Pods request and may use at most.
package amounts

import (
	corev1 "k8s.io/api/core/v1"
)

// Add adds quantities to a list.
func Add(list, more corev1.ResourceList) {
	for name, q := range more {
		sum := list[name].DeepCopy()
		sum.Add(q)
		list[name] = sum
	}
}

// Raise raises the quantities of a list to those of another one.
func Raise(list, to corev1.ResourceList) {
	for name, q := range to {
		if was, ok := list[name]; !ok || q.Cmp(was) > 0 {
			list[name] = q.DeepCopy()
		}
	}
}

// Requests and Limits return a part of the resources of a container or a Pod.
func Requests(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests }
func Limits(r corev1.ResourceRequirements) corev1.ResourceList   { return r.Limits }

// OfContainers returns what the containers of a Pod need at once. of is [Requests] or [Limits].
//
// Init containers run one after another, before the others. Those that restart always keep running beside all that come
// later.
func OfContainers(spec *corev1.PodSpec, of func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	sum, staying, first := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range spec.Containers {
		Add(sum, of(spec.Containers[i].Resources))
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			Add(sum, of(c.Resources))
			Add(staying, of(c.Resources))
			Raise(first, staying)
			continue
		}
		now := corev1.ResourceList{}
		Add(now, of(c.Resources))
		Add(now, staying)
		Raise(first, now)
	}
	Raise(sum, first)
	return sum
}
