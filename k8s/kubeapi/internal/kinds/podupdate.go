package kinds

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/status"
)

// podFieldsFrozen is the error about a change of a Pod that Kubernetes does not allow.
const podFieldsFrozen = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// validatePodUpdate refuses changes of a Pod that the part which is written does not allow.
func validatePodUpdate(ctx context.Context, pod, old *corev1.Pod) status.FieldErrors {
	switch {
	case old == nil:
		return nil
	case part(ctx) == "status":
		if pod.Status.QOSClass != old.Status.QOSClass {
			return status.FieldErrors{status.InvalidField(status.Field("status", "qosClass"), pod.Status.QOSClass, immutable)}
		}
		return nil
	case part(ctx) == ephemeralContainersPart:
		return validateEphemeralContainers(pod, old)
	case part(ctx) == resizePart:
		return validateResize(pod, old)
	}
	return validatePodSpecUpdate(ctx, &pod.Spec, &old.Spec)
}

func validatePodSpecUpdate(ctx context.Context, now, was *corev1.PodSpec) (errs status.FieldErrors) {
	at := status.Field("spec")
	if len(now.Containers) != len(was.Containers) {
		return status.FieldErrors{status.ForbiddenField(at.Child("containers"), "pod updates may not add or remove containers")}
	}
	if len(now.InitContainers) != len(was.InitContainers) {
		return status.FieldErrors{status.ForbiddenField(at.Child("initContainers"), "pod updates may not add or remove containers")}
	}
	errs = append(errs, validateDeadlineUpdate(at.Child("activeDeadlineSeconds"), now.ActiveDeadlineSeconds, was.ActiveDeadlineSeconds)...)
	for _, t := range was.Tolerations {
		if !slices.ContainsFunc(now.Tolerations, func(n corev1.Toleration) bool { return toleratesAlike(n, t) }) {
			errs = append(errs, status.ForbiddenField(at.Child("tolerations"), "existing toleration can not be modified except its tolerationSeconds"))
		}
	}
	for i, g := range now.SchedulingGates {
		if !slices.Contains(was.SchedulingGates, g) {
			errs = append(errs, status.ForbiddenField(at.Child("schedulingGates").Index(i).Child("name"), "only deletion is allowed, but found new scheduling gate '"+g.Name+"'"))
		}
	}
	gated := len(was.SchedulingGates) > 0
	rest := now.DeepCopy()
	for i := range rest.Containers {
		rest.Containers[i].Image = was.Containers[i].Image
	}
	for i := range rest.InitContainers {
		rest.InitContainers[i].Image = was.InitContainers[i].Image
	}
	rest.ActiveDeadlineSeconds, rest.Tolerations, rest.SchedulingGates = was.ActiveDeadlineSeconds, was.Tolerations, was.SchedulingGates
	if p, n := was.TerminationGracePeriodSeconds, rest.TerminationGracePeriodSeconds; p != nil && n != nil && *p < 0 && *n == 1 {
		rest.TerminationGracePeriodSeconds = p
	}
	if gated { // a Pod that waits for its gates may become easier or harder to place
		rest.NodeSelector, rest.Affinity = was.NodeSelector, was.Affinity
	}
	if isBinding(ctx) {
		rest.NodeName = was.NodeName
	}
	if !equality.Semantic.DeepEqual(*rest, *was) {
		errs = append(errs, status.ForbiddenField(at, podFieldsFrozen))
	}
	return errs
}

// validateDeadlineUpdate allows a deadline to be set and to become shorter.
func validateDeadlineUpdate(at *status.Path, now, was *int64) status.FieldErrors {
	switch {
	case now != nil && was != nil && *now > *was:
		return status.FieldErrors{status.InvalidField(at, *now, "must be less than or equal to previous value")}
	case now == nil && was != nil:
		return status.FieldErrors{status.InvalidField(at, nil, "must not update from a positive integer to nil value")}
	}
	return nil
}

// toleratesAlike reports whether two tolerations differ at most in their seconds.
func toleratesAlike(a, b corev1.Toleration) bool {
	a.TolerationSeconds, b.TolerationSeconds = nil, nil
	return a == b
}

// validateEphemeralContainers allows ephemeral containers to be added, and nothing else.
func validateEphemeralContainers(pod, old *corev1.Pod) (errs status.FieldErrors) {
	at := status.Field("spec", "ephemeralContainers")
	for _, was := range old.Spec.EphemeralContainers {
		i := slices.IndexFunc(pod.Spec.EphemeralContainers, func(c corev1.EphemeralContainer) bool { return c.Name == was.Name })
		if i < 0 {
			errs = append(errs, status.ForbiddenField(at, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", was.Name)))
		} else if !equality.Semantic.DeepEqual(pod.Spec.EphemeralContainers[i], was) {
			errs = append(errs, status.ForbiddenField(at, fmt.Sprintf("existing ephemeral containers %q may not be changed\n", was.Name)))
		}
	}
	return errs
}

// validateResize allows the CPU and the memory of containers to change, as long as the class of the Pod stays the same.
func validateResize(pod, old *corev1.Pod) (errs status.FieldErrors) {
	at := status.Field("spec")
	if !sameContainers(pod.Spec.Containers, old.Spec.Containers) || !sameContainers(pod.Spec.InitContainers, old.Spec.InitContainers) {
		return status.FieldErrors{status.ForbiddenField(at.Child("containers"), "containers may not be renamed or reordered on resize")}
	}
	if class := qosClassOf(&pod.Spec); class != qosClassOf(&old.Spec) {
		errs = append(errs, status.InvalidField(at, class, "Pod QOS Class may not change as a result of resizing"))
	}
	for i := range pod.Spec.Containers {
		now, was := pod.Spec.Containers[i].Resources.DeepCopy(), old.Spec.Containers[i].Resources.DeepCopy()
		for _, list := range []corev1.ResourceList{now.Requests, now.Limits, was.Requests, was.Limits} {
			for _, name := range computed {
				delete(list, name)
			}
		}
		if !equality.Semantic.DeepEqual(now.Requests, was.Requests) || !equality.Semantic.DeepEqual(now.Limits, was.Limits) || !reflect.DeepEqual(now.Claims, was.Claims) {
			errs = append(errs, status.ForbiddenField(at.Child("containers").Index(i), "only cpu and memory resources are mutable"))
		}
	}
	return errs
}

func sameContainers(a, b []corev1.Container) bool {
	return slices.EqualFunc(a, b, func(a, b corev1.Container) bool { return a.Name == b.Name })
}
