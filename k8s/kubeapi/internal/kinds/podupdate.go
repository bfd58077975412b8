package kinds

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/status"
)

// validatePodPart refuses changes of a Pod that the subresource which is written does not allow.
func validatePodPart(ctx context.Context, pod, old *corev1.Pod) status.FieldErrors {
	switch {
	case old == nil:
		return nil
	case part(ctx) == ephemeralContainersPart:
		return validateEphemeralContainers(pod, old)
	case part(ctx) == resizePart:
		return validateResize(pod, old)
	}
	return nil
}

// validateEphemeralContainers allows ephemeral containers to be added, and nothing else.
func validateEphemeralContainers(pod, old *corev1.Pod) (errs status.FieldErrors) {
	if _, static := old.Annotations[mirrorPod]; static {
		return status.FieldErrors{status.ForbiddenField(status.NewPath(""),
			"static pods do not support ephemeral containers")}
	}
	at := status.NewPath("spec", "ephemeralContainers")
	for _, was := range old.Spec.EphemeralContainers {
		i := slices.IndexFunc(pod.Spec.EphemeralContainers,
			func(c corev1.EphemeralContainer) bool { return c.Name == was.Name })
		if i < 0 {
			errs = append(errs, status.ForbiddenField(at,
				fmt.Sprintf("existing ephemeral containers %q may not be removed\n", was.Name)))
		} else if !equality.Semantic.DeepEqual(pod.Spec.EphemeralContainers[i], was) {
			errs = append(errs, status.ForbiddenField(at,
				fmt.Sprintf("existing ephemeral containers %q may not be changed\n", was.Name)))
		}
	}
	return errs
}

// validateResize allows changes to the CPU and memory of containers and of the Pod, as long as the QoS class of the Pod
// stays the same.
func validateResize(pod, old *corev1.Pod) (errs status.FieldErrors) {
	if _, static := old.Annotations[mirrorPod]; static {
		return status.FieldErrors{status.ForbiddenField(status.NewPath(""), "static pods cannot be resized")}
	}
	if old.Spec.OS != nil && old.Spec.OS.Name == corev1.Windows {
		return status.FieldErrors{status.ForbiddenField(status.NewPath(""), "windows pods cannot be resized")}
	}
	at := status.NewPath("spec")
	if qosClassOf(&pod.Spec) != cmp.Or(old.Status.QOSClass, qosClassOf(&old.Spec)) {
		errs = append(errs, status.InvalidField(at, pod.Status.QOSClass,
			"Pod QOS Class may not change as a result of resizing"))
	}
	if !runsResizable(&old.Status) {
		errs = append(errs, status.ForbiddenField(at, "Pod running on node without support for resize"))
	}
	errs = append(errs, validateWholeResize(at, pod.Spec.Resources, old.Spec.Resources)...)
	others := append(sameContainers(at, "containers", pod.Spec.Containers, old.Spec.Containers),
		sameContainers(at, "initContainers", pod.Spec.InitContainers, old.Spec.InitContainers)...)
	if len(others) > 0 {
		return append(errs, others...)
	}
	for i := range pod.Spec.InitContainers {
		errs = append(errs, validateInitResize(at.Child("initContainers").Index(i), &pod.Spec.InitContainers[i],
			&old.Spec.InitContainers[i])...)
	}
	for i := range pod.Spec.Containers {
		now, was := &pod.Spec.Containers[i], &old.Spec.Containers[i]
		errs = append(errs, resourcesKept(at.Child("containers").Index(i).Child("resources"), "resource", now.Resources,
			was.Resources)...)
		if !resizedOnly(now, was) {
			errs = append(errs, status.ForbiddenField(at, "only cpu and memory resources are mutable"))
		}
	}
	return errs
}

// runsResizable reports whether the node of a Pod can resize its containers. Such a node reports their resources.
func runsResizable(s *corev1.PodStatus) bool {
	for _, c := range s.ContainerStatuses {
		if c.State.Running != nil {
			return c.Resources != nil
		}
	}
	return true
}

// validateWholeResize checks changes to the resources of a Pod as a whole.
func validateWholeResize(at *status.Path, now, was *corev1.ResourceRequirements) (errs status.FieldErrors) {
	if now == nil {
		return nil // preparePod has kept the old resources
	}
	if was == nil {
		was = &corev1.ResourceRequirements{}
	}
	errs = resourcesKept(at.Child("resources"), "pod-level resource", *now, *was)
	if !equality.Semantic.DeepEqual(withoutComputed(*now), withoutComputed(*was)) {
		errs = append(errs, status.ForbiddenField(at, "only cpu and memory resources are mutable at pod-level"))
	}
	return errs
}

func validateInitResize(at *status.Path, now, was *corev1.Container) (errs status.FieldErrors) {
	errs = resourcesKept(at.Child("resources"), "resource", now.Resources, was.Resources)
	if !resizedOnly(now, was) {
		errs = append(errs, status.ForbiddenField(at,
			"only cpu and memory resources for init or sidecar containers are mutable"))
	}
	stays := now.RestartPolicy != nil && *now.RestartPolicy == corev1.ContainerRestartPolicyAlways
	if stays || equality.Semantic.DeepEqual(now, was) {
		return errs
	}
	for _, p := range now.ResizePolicy {
		if p.RestartPolicy == corev1.RestartContainer {
			errs = append(errs, status.ForbiddenField(at,
				"non-sidecar init containers with a resize policy of RestartContainer cannot be resized"))
		}
	}
	return errs
}

// resourcesKept refuses the removal of requests or limits.
func resourcesKept(at *status.Path, what string, now, was corev1.ResourceRequirements) (errs status.FieldErrors) {
	removed := func(now, was corev1.ResourceList) bool {
		for name := range was {
			if _, ok := now[name]; !ok {
				return true
			}
		}
		return false
	}
	if removed(now.Requests, was.Requests) {
		errs = append(errs, status.ForbiddenField(at.Child("requests"), what+" requests cannot be removed"))
	}
	if removed(now.Limits, was.Limits) {
		errs = append(errs, status.ForbiddenField(at.Child("limits"), what+" limits cannot be removed"))
	}
	return errs
}

// resizedOnly reports whether two forms of a container differ at most in CPU and memory.
func resizedOnly(now, was *corev1.Container) bool {
	rest := now.DeepCopy()
	rest.Resources = was.Resources
	return equality.Semantic.DeepEqual(rest, was) &&
		equality.Semantic.DeepEqual(withoutComputed(now.Resources), withoutComputed(was.Resources))
}

// withoutComputed returns resources without CPU and memory.
func withoutComputed(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	r = *r.DeepCopy()
	for _, name := range computed {
		delete(r.Requests, name)
		delete(r.Limits, name)
	}
	return r
}

// sameContainers refuses other containers, and containers in another order.
func sameContainers(spec *status.Path, list string, now, was []corev1.Container) (errs status.FieldErrors) {
	at := spec.Child(list)
	if len(now) != len(was) {
		return status.FieldErrors{status.ForbiddenField(at, list+" may not be added or removed on resize")}
	}
	for i := range was {
		if now[i].Name != was[i].Name {
			errs = append(errs, status.ForbiddenField(at.Index(i).Child("name"),
				list+" may not be renamed or reordered on resize"))
		}
	}
	return errs
}
