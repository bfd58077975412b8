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
	at := status.Field("spec", "ephemeralContainers")
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

// validateResize allows the CPU and the memory of containers to change, as long as the class of the Pod stays the same.
func validateResize(pod, old *corev1.Pod) (errs status.FieldErrors) {
	at := status.Field("spec")
	errs = append(sameContainers(at, "containers", pod.Spec.Containers, old.Spec.Containers),
		sameContainers(at, "initContainers", pod.Spec.InitContainers, old.Spec.InitContainers)...)
	if len(errs) > 0 {
		return errs
	}
	if qosClassOf(&pod.Spec) != qosClassOf(&old.Spec) {
		errs = append(errs, status.InvalidField(at, pod.Status.QOSClass,
			"Pod QOS Class may not change as a result of resizing"))
	}
	for i := range pod.Spec.Containers {
		now, was := pod.Spec.Containers[i].Resources.DeepCopy(), old.Spec.Containers[i].Resources.DeepCopy()
		for _, list := range []corev1.ResourceList{now.Requests, now.Limits, was.Requests, was.Limits} {
			for _, name := range computed {
				delete(list, name)
			}
		}
		if !equality.Semantic.DeepEqual(now.Requests, was.Requests) || !equality.Semantic.DeepEqual(now.Limits, was.Limits) ||
			!reflect.DeepEqual(now.Claims, was.Claims) {
			errs = append(errs, status.ForbiddenField(at.Child("containers").Index(i),
				"only cpu and memory resources are mutable"))
		}
	}
	return errs
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
