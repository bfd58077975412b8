package limits

import (
	corev1 "k8s.io/api/core/v1"
)

// sumOf returns what a Pod needs at once. of returns the quantities of a container, and podLevel are those of the Pod itself, which
// replace the sums of CPU, memory and huge pages.
//
// Init containers run one after another, before the others. Those that restart always keep running beside all that come later.
func sumOf(spec *corev1.PodSpec, of func(corev1.ResourceRequirements) corev1.ResourceList, podLevel corev1.ResourceList) corev1.ResourceList {
	sum, staying, first := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for _, c := range spec.Containers {
		add(sum, of(c.Resources))
	}
	for _, c := range spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(sum, of(c.Resources))
			add(staying, of(c.Resources))
			raise(first, staying)
			continue
		}
		now := corev1.ResourceList{}
		add(now, of(c.Resources))
		add(now, staying)
		raise(first, now)
	}
	raise(sum, first)
	for name, q := range podLevel {
		sum[name] = q.DeepCopy()
	}
	return sum
}

func requestsOf(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests }
func limitsOf(r corev1.ResourceRequirements) corev1.ResourceList   { return r.Limits }

// podRequests and podLimits return the sums of a Pod, without its overhead.
func podRequests(spec *corev1.PodSpec) corev1.ResourceList {
	return sumOf(spec, requestsOf, requestsOf(podLevel(spec)))
}

func podLimits(spec *corev1.PodSpec) corev1.ResourceList {
	return sumOf(spec, limitsOf, limitsOf(podLevel(spec)))
}

// podLevel returns the quantities of the Pod itself.
func podLevel(spec *corev1.PodSpec) corev1.ResourceRequirements {
	if spec.Resources == nil {
		return corev1.ResourceRequirements{}
	}
	return *spec.Resources
}
