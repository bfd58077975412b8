package kinds

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/defaults"
	"github.com/decorum-go/decorum/rest"
)

// The subresources of Pods that are parts of a Pod.
const (
	ephemeralContainersPart = "ephemeralcontainers"
	resizePart              = "resize"
)

// pods returns the kind Pod. A scheduled Pod stays as clients write it, because no kubelet updates its status. After a
// deletion, it remains until a client deletes it with a grace period of 0.
func pods() rest.Resource[corev1.Pod] {
	r := of[corev1.Pod]()
	r.Wire.Parts = []string{ephemeralContainersPart, resizePart}
	r.Hooks.GracePeriod = podGracePeriod
	r.Wire.MarkedFor = 2 * time.Millisecond // about as long as a write to etcd, for which kube-apiserver waits
	r.Hooks.Validate = allowingBinding(r.Hooks.Validate)
	r.Subresources = append(podStreams(), bindings(), evictions())
	return validating(preparing(r, preparePod), validatePodPart)
}

// preparePod sets the first status of a Pod, and restores what the part that is written does not contain.
func preparePod(ctx context.Context, pod, old *corev1.Pod) error {
	if old != nil && pod.Spec.Resources == nil && part(ctx) != "status" {
		pod.Spec.Resources = old.Spec.Resources // the client may not know the field
	}
	switch {
	case old == nil:
		mergeLabelKeys(pod)
		copyAppArmor(ctx, pod)
		defaults.PodResources(&pod.Spec)
		pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: qosClassOf(&pod.Spec)}
		if len(pod.Spec.SchedulingGates) > 0 {
			setPodCondition(&pod.Status, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: corev1.PodReasonSchedulingGated, Message: "Scheduling is blocked due to non-empty scheduling gates"})
		}
	case part(ctx) == "status":
		preparePodStatus(&pod.Status, &old.Status)
	case part(ctx) == ephemeralContainersPart:
		restoreMetadata(&pod.ObjectMeta, &old.ObjectMeta)
		containers := pod.Spec.EphemeralContainers
		pod.Spec = *old.Spec.DeepCopy()
		pod.Spec.EphemeralContainers = containers
	case part(ctx) == resizePart:
		restoreMetadata(&pod.ObjectMeta, &old.ObjectMeta)
		keepResized(pod, old)
		defaults.PodResources(&pod.Spec)
	case bindingOf(ctx) != nil:
		assign(pod, bindingOf(ctx))
	default:
		if pod.Spec.Priority == nil {
			pod.Spec.Priority = old.Spec.Priority
		}
		if pod.Spec.PreemptionPolicy == nil {
			pod.Spec.PreemptionPolicy = old.Spec.PreemptionPolicy
		}
	}
	return nil
}

// preparePodStatus keeps what older kubelets leave out of a status.
func preparePodStatus(now, was *corev1.PodStatus) {
	if now.QOSClass == "" {
		now.QOSClass = was.QOSClass
	}
	if now.ObservedGeneration == 0 {
		now.ObservedGeneration = was.ObservedGeneration
	}
	seen := map[corev1.PodConditionType]int64{}
	for _, c := range was.Conditions {
		seen[c.Type] = c.ObservedGeneration
	}
	for i := range now.Conditions {
		if c := &now.Conditions[i]; c.ObservedGeneration == 0 {
			c.ObservedGeneration = seen[c.Type]
		}
	}
}

// restoreMetadata undoes the changes of the metadata that a client may make.
func restoreMetadata(now, was *metav1.ObjectMeta) {
	now.Labels, now.Annotations, now.Finalizers, now.OwnerReferences = was.Labels, was.Annotations, was.Finalizers,
		was.OwnerReferences
}

// keepResized keeps of an update what resizes the containers of a Pod, and restores the rest. If the update changes
// which containers there are, it is kept whole, and validation refuses it.
func keepResized(pod, old *corev1.Pod) {
	resized := old.Spec.DeepCopy()
	if !resizeContainers(resized.Containers, pod.Spec.Containers) ||
		!resizeContainers(resized.InitContainers, pod.Spec.InitContainers) {
		return
	}
	resized.Resources = pod.Spec.Resources
	pod.Spec = *resized
}

// resizeContainers copies the resources of containers, and reports whether the lists have the same containers.
func resizeContainers(to, from []corev1.Container) bool {
	if len(to) != len(from) {
		return false
	}
	for i := range to {
		if to[i].Name != from[i].Name {
			return false
		}
		to[i].Resources, to[i].ResizePolicy = from[i].Resources, from[i].ResizePolicy
	}
	return true
}

// podGracePeriod lets a Pod end in the time that it needs, if it may run on a node.
func podGracePeriod(_ context.Context, pod *corev1.Pod, asked *int64) (int64, error) {
	var seconds int64
	switch {
	case pod.Spec.NodeName == "" || podEnded(pod):
	case asked != nil:
		seconds = *asked
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		seconds = *pod.Spec.TerminationGracePeriodSeconds
	}
	if seconds < 0 {
		seconds = 1
	}
	return seconds, nil
}

func podEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// setPodCondition sets a condition of a Pod. The time of the transition changes only with the status of the condition.
func setPodCondition(s *corev1.PodStatus, c corev1.PodCondition) {
	c.LastTransitionTime = metav1.Now()
	for i := range s.Conditions {
		if was := &s.Conditions[i]; was.Type == c.Type {
			if was.Status == c.Status {
				c.LastTransitionTime = was.LastTransitionTime
			}
			*was = c
			return
		}
	}
	s.Conditions = append(s.Conditions, c)
}
