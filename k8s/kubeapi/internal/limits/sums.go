package limits

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
)

// podRequests and podLimits return the sums of a Pod, without its overhead.
func podRequests(spec *corev1.PodSpec) corev1.ResourceList {
	return sumOf(spec, amounts.Requests)
}

func podLimits(spec *corev1.PodSpec) corev1.ResourceList {
	return sumOf(spec, amounts.Limits)
}

// sumOf returns what a Pod needs at once. The quantities of the Pod itself replace the sums of CPU, memory and huge
// pages.
func sumOf(spec *corev1.PodSpec, of func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	sum := amounts.OfContainers(spec, of)
	if spec.Resources != nil {
		for name, q := range of(*spec.Resources) {
			sum[name] = q.DeepCopy()
		}
	}
	return sum
}
