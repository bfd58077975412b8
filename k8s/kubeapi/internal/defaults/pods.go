package defaults

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
)

// pods returns the defaults of Pods and of templates of Pods.
func pods() []rule {
	container := values{"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
	return []rule{
		fixed[corev1.Pod](values{"spec.enableServiceLinks": true}), // templates do not get it
		fixed[corev1.PodSpec](values{
			"dnsPolicy":                     "ClusterFirst",
			"restartPolicy":                 "Always",
			"schedulerName":                 "default-scheduler",
			"securityContext":               values{},
			"terminationGracePeriodSeconds": 30,
		}),
		fixed[corev1.Container](container),
		fixed[corev1.EphemeralContainerCommon](container),
		fixed[corev1.ContainerPort](values{"protocol": "TCP"}),
		fixed[corev1.ObjectFieldSelector](values{"apiVersion": "v1"}),
		fixed[corev1.FileKeySelector](values{"optional": false}),
		fixed[corev1.Probe](values{"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}),
		fixed[corev1.HTTPGetAction](values{"path": "/", "scheme": "HTTP"}),
		fixed[corev1.GRPCAction](values{"service": ""}),

		when(func(obj *corev1.Container) { obj.ImagePullPolicy = pullPolicyOr(obj.ImagePullPolicy, obj.Image) }),
		when(func(obj *corev1.EphemeralContainerCommon) {
			obj.ImagePullPolicy = pullPolicyOr(obj.ImagePullPolicy, obj.Image)
		}),
		when(requestsOfPod),
		when(hostPorts),
		when(accountName),

		rewrite(accountNames),
		rewrite(podIPs),
		rewrite(grace),
		rewrite(func(obj *corev1.Pod) { obj.Annotations = withoutInitContainers(obj.Annotations) }),
		rewrite(func(obj *corev1.PodTemplateSpec) { obj.Annotations = withoutInitContainers(obj.Annotations) }),
	}
}

// requestsOfPod sets missing requests of a container to its limits.
func requestsOfPod(obj *corev1.Pod) {
	for _, containers := range [][]corev1.Container{obj.Spec.Containers, obj.Spec.InitContainers} {
		for i := range containers {
			r := &containers[i].Resources
			r.Requests = withMissing(r.Requests, r.Limits)
		}
	}
}

// PodResources completes the resources of a Pod as a whole, if any, from the resources of its containers. Kubernetes
// does this after admission, because admission may change the resources of containers.
func PodResources(spec *corev1.PodSpec) {
	whole := spec.Resources
	if whole == nil || len(whole.Limits)+len(whole.Requests) == 0 {
		return
	}
	limits := amounts.OfContainers(spec, amounts.Limits)
	for name, quantity := range limits {
		if _, requested := whole.Requests[name]; !requested && isHugePage(name) {
			whole.Limits = withMissing(whole.Limits, corev1.ResourceList{name: quantity})
		}
	}
	for name, quantity := range amounts.OfContainers(spec, amounts.Requests) {
		if name == corev1.ResourceCPU || name == corev1.ResourceMemory {
			whole.Requests = withMissing(whole.Requests, corev1.ResourceList{name: quantity})
		}
	}
	for name, quantity := range whole.Limits {
		if ofWholePod(name) {
			whole.Requests = withMissing(whole.Requests, corev1.ResourceList{name: quantity})
		}
	}
	for name, request := range whole.Requests {
		if limit, ok := limits[name]; ok && ofWholePod(name) && allLimited(spec, name) {
			if request.Cmp(limit) > 0 {
				limit = request
			}
			whole.Limits = withMissing(whole.Limits, corev1.ResourceList{name: limit})
		}
	}
}

// ofWholePod reports whether a Pod as a whole can have a resource.
func ofWholePod(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || isHugePage(name)
}

// allLimited reports whether all containers have a limit of a resource.
func allLimited(spec *corev1.PodSpec, name corev1.ResourceName) bool {
	unlimited := func(c corev1.Container) bool {
		_, ok := c.Resources.Limits[name]
		return !ok
	}
	return len(spec.EphemeralContainers) == 0 && // they have no resources
		!slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), unlimited)
}

func isHugePage(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// hostPorts gives the containers of a Pod in the network of its node the same ports there.
func hostPorts(obj *corev1.Pod) {
	if !obj.Spec.HostNetwork {
		return
	}
	for _, containers := range [][]corev1.Container{obj.Spec.Containers, obj.Spec.InitContainers} {
		for i := range containers {
			for j := range containers[i].Ports {
				if p := &containers[i].Ports[j]; p.HostPort == 0 {
					p.HostPort = p.ContainerPort
				}
			}
		}
	}
}

// accountName sets the one of the two names of the service account that is missing.
func accountName(obj *corev1.PodSpec) {
	obj.ServiceAccountName = cmp.Or(obj.ServiceAccountName, obj.DeprecatedServiceAccount)
	obj.DeprecatedServiceAccount = cmp.Or(obj.DeprecatedServiceAccount, obj.ServiceAccountName)
}

// accountNames makes the two names agree. The newer name decides.
func accountNames(obj *corev1.PodSpec) { obj.DeprecatedServiceAccount = obj.ServiceAccountName }

// podIPs makes the IP of a Pod and the first of its IPs agree. The single one decides.
func podIPs(obj *corev1.PodStatus) {
	switch {
	case len(obj.PodIPs) == 0 && obj.PodIP == "":
	case obj.PodIP == "":
		obj.PodIP = obj.PodIPs[0].IP
	case len(obj.PodIPs) == 0 || obj.PodIPs[0].IP != obj.PodIP:
		obj.PodIPs = []corev1.PodIP{{IP: obj.PodIP}}
	}
}

// grace replaces a negative period to stop by one second. Templates keep theirs.
func grace(obj *corev1.Pod) {
	if s := obj.Spec.TerminationGracePeriodSeconds; s != nil && *s < 0 {
		obj.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1)
	}
}

// withoutInitContainers drops the annotations in which very old clients described init containers.
func withoutInitContainers(annotations map[string]string) map[string]string {
	maps.DeleteFunc(annotations, func(key, _ string) bool {
		prefix, name, _ := strings.Cut(key, "/")
		return (prefix == "pod.beta.kubernetes.io" || prefix == "pod.alpha.kubernetes.io") &&
			(name == "init-containers" || name == "init-container-statuses")
	})
	return annotations
}
