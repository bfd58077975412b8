package limits

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
)

const requestsPrefix = corev1.DefaultResourceRequestsPrefix

// isOfPods reports whether Pods use what a quota limits under a name.
func isOfPods(name corev1.ResourceName) bool {
	plain := corev1.ResourceName(strings.TrimPrefix(string(name), requestsPrefix))
	switch {
	case name == "count/pods" || name == corev1.ResourcePods:
		return true
	case strings.HasPrefix(string(plain), corev1.ResourceHugePagesPrefix):
		return true
	case plain != name && isExtended(plain):
		return true
	case isComputed(plain):
		return true
	}
	after, ok := strings.CutPrefix(string(name), "limits.")
	return ok && isComputed(corev1.ResourceName(after))
}

// isComputed reports whether a name is that of a resource of every node.
func isComputed(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
}

// isExtended reports whether a name is that of a resource that only some nodes have, such as example.com/gpu.
func isExtended(name corev1.ResourceName) bool {
	domain, _, ok := strings.Cut(string(name), "/")
	return ok && (!strings.Contains(domain, "kubernetes.io") || domain == "deviceclass.resource.kubernetes.io")
}

// podUsage returns what a Pod uses. A Pod that has ended counts only as an object.
func podUsage(pod *corev1.Pod, now time.Time) corev1.ResourceList {
	list := ones("count/pods")
	if podGone(pod, now) {
		return list
	}
	spec := withStatus(pod)
	requests, limits := podRequests(spec), podLimits(spec)
	amounts.Add(requests, pod.Spec.Overhead)
	for name, q := range pod.Spec.Overhead {
		if limit := limits[name]; !limit.IsZero() {
			amounts.Add(limits, corev1.ResourceList{name: q})
		}
	}
	maps.Copy(list, computeUsage(requests, limits))
	return list
}

// withStatus returns the specification of a Pod, in which each container has the larger of its desired and its actual
// resources. If the node cannot resize the Pod, only the actual resources count.
func withStatus(pod *corev1.Pod) *corev1.PodSpec {
	statuses := map[string]corev1.ContainerStatus{}
	for _, s := range slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses) {
		statuses[s.Name] = s
	}
	spec := pod.Spec.DeepCopy()
	for i := range spec.Containers {
		raise(&spec.Containers[i], statuses, infeasible(pod))
	}
	for i := range spec.InitContainers {
		if c := &spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			raise(c, statuses, infeasible(pod))
		}
	}
	return spec
}

// infeasible reports whether the node of a Pod cannot resize it.
func infeasible(pod *corev1.Pod) bool {
	i := slices.IndexFunc(pod.Status.Conditions,
		func(c corev1.PodCondition) bool { return c.Type == corev1.PodResizePending })
	return i >= 0 && pod.Status.Conditions[i].Reason == corev1.PodReasonInfeasible
}

// raise raises the resources of a container to those of its status, or replaces them.
func raise(c *corev1.Container, statuses map[string]corev1.ContainerStatus, replace bool) {
	has := statuses[c.Name]
	if has.Resources == nil {
		return
	}
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	if !replace {
		amounts.Raise(requests, c.Resources.Requests)
		amounts.Raise(limits, c.Resources.Limits)
	}
	amounts.Raise(requests, has.Resources.Requests)
	amounts.Raise(requests, has.AllocatedResources)
	amounts.Raise(limits, has.Resources.Limits)
	c.Resources.Requests, c.Resources.Limits = requests, limits
}

// podGone reports whether nothing of a Pod runs any more, or should run any more.
func podGone(pod *corev1.Pod, now time.Time) bool {
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return true
	}
	grace := pod.DeletionGracePeriodSeconds
	return pod.DeletionTimestamp != nil && grace != nil &&
		now.After(pod.DeletionTimestamp.Add(time.Duration(*grace)*time.Second))
}

// computeUsage returns requests and limits under the names of quotas.
func computeUsage(requests, limits corev1.ResourceList) corev1.ResourceList {
	list := ones(corev1.ResourcePods)
	for name, q := range requests {
		switch {
		case isComputed(name) || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
			list[name], list[requestsPrefix+name] = q, q
		case isExtended(name):
			list[requestsPrefix+name] = q
		}
	}
	for name, q := range limits {
		if isComputed(name) {
			list["limits."+name] = q
		}
	}
	return list
}

// missingInPod returns an error if a quota limits CPU or memory and a container does not say how much it needs.
func missingInPod(pod *corev1.Pod, names []corev1.ResourceName) error {
	if r := pod.Spec.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		return nil
	}
	var lacks []string
	slices.Sort(names)
	for _, name := range names {
		plain := strings.TrimPrefix(strings.TrimPrefix(string(name), requestsPrefix), "limits.")
		if plain != string(corev1.ResourceCPU) && plain != string(corev1.ResourceMemory) {
			continue
		}
		var containers []string
		for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
			if _, ok := computeUsage(c.Resources.Requests, c.Resources.Limits)[name]; !ok {
				containers = append(containers, c.Name)
			}
		}
		if len(containers) > 0 {
			slices.Sort(containers)
			lacks = append(lacks, string(name)+" for: "+strings.Join(slices.Compact(containers), ","))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("must specify %s", strings.Join(lacks, "; "))
}
