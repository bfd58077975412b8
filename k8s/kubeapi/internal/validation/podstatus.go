package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

func (r *report) podStatus(pod *corev1.Pod) {
	p := field.NewPath("status")
	s := &pod.Status
	const negative = "must be a non-negative integer"
	for i, c := range s.Conditions {
		p := p.Child("conditions").Index(i)
		r.is(c.ObservedGeneration >= 0, field.Invalid(p.Child("observedGeneration"), c.ObservedGeneration, negative))
		switch c.Type {
		case corev1.PodScheduled, corev1.PodReady, corev1.PodInitialized:
		default:
			r.follows(p.Child("Type"), string(c.Type), validation.IsQualifiedName)
		}
	}
	r.is(s.ObservedGeneration >= 0, field.Invalid(p.Child("observedGeneration"), s.ObservedGeneration, negative))
	r.claimStatuses(p.Child("resourceClaimStatuses"), s.ResourceClaimStatuses, pod.Spec.ResourceClaims)
	if e := s.ExtendedResourceClaimStatus; e != nil {
		r.extendedClaim(p.Child("extendedResourceClaimStatus"), e, &pod.Spec)
	}
	var podIPs, hostIPs []string
	for _, ip := range s.PodIPs {
		podIPs = append(podIPs, ip.IP)
	}
	for _, ip := range s.HostIPs {
		hostIPs = append(hostIPs, ip.IP)
	}
	r.ips(p.Child("podIPs"), podIPs, s.PodIPs)
	if len(hostIPs) > 0 && hostIPs[0] != s.HostIP {
		r.add(field.Invalid(p.Child("hostIPs").Index(0).Child("ip"), hostIPs[0], "must be equal to `hostIP`"))
	}
	r.ips(p.Child("hostIPs"), hostIPs, s.HostIPs)
	r.allocated(p.Child("containerStatuses"), s.ContainerStatuses, pod.Spec.Containers)
	r.allocated(p.Child("initContainerStatuses"), s.InitContainerStatuses, pod.Spec.InitContainers)
	for i, c := range s.EphemeralContainerStatuses {
		r.absent(p.Child("ephemeralContainerStatuses").Index(i), "must not be specified in container status",
			member{"allocatedResourcesStatus", len(c.AllocatedResourcesStatus) > 0})
	}
	for _, list := range containerLists(s) {
		for i, c := range list.statuses {
			if c.User != nil && (pod.Spec.OS == nil || pod.Spec.OS.Name == corev1.Linux) {
				r.containerUser(p.Child(list.name).Index(i).Child("user", "linux"), c.User.Linux)
			}
		}
	}
}

// ips checks the addresses of a Pod or of its node: at most one of each family.
func (r *report) ips(p *field.Path, ips []string, shown any) {
	for i, ip := range ips {
		r.ip(p.Index(i), ip)
	}
	if len(ips) < 2 {
		return
	}
	both, err := netutils.IsDualStackIPStrings(ips)
	if err != nil {
		r.add(field.InternalError(p, fmt.Errorf("failed to check for dual stack with error:%w", err)))
	}
	r.is(both && len(ips) <= 2, field.Invalid(p, shown, "may specify no more than one IP for each IP family"))
}

func (r *report) claimStatuses(
	p *field.Path, statuses []corev1.PodResourceClaimStatus, claims []corev1.PodResourceClaim,
) {
	names := map[string]bool{}
	for i, s := range statuses {
		p := p.Index(i)
		r.is(slices.ContainsFunc(claims, func(c corev1.PodResourceClaim) bool { return c.Name == s.Name }),
			field.Invalid(p.Child("name"), s.Name, "must match the name of an entry in `spec.resourceClaims`"))
		r.distinct(p.Child("name"), s.Name, names)
		if s.ResourceClaimName != nil {
			r.follows(p.Child("resourceClaimName"), *s.ResourceClaimName, validation.IsDNS1123Subdomain)
		}
	}
}

// extendedClaim checks the claim that the scheduler creates for the resources of vendors that containers request.
func (r *report) extendedClaim(p *field.Path, s *corev1.PodExtendedResourceClaimStatus, pod *corev1.PodSpec) {
	requests := map[string]corev1.ResourceList{}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		requests[c.Name] = c.Resources.Requests
	}
	mappings, seen := p.Child("requestMappings"), map[corev1.ContainerExtendedResourceRequest]bool{}
	r.is(len(s.RequestMappings) > 0, field.Required(mappings, "at least one request mapping is required"))
	for i, m := range s.RequestMappings {
		at := mappings.Index(i)
		if list, ok := requests[m.ContainerName]; !ok {
			r.add(field.Invalid(at.Child("containerName"), m.ContainerName,
				"must match the name of an entry in spec.initContainers.name or spec.containers.name"))
		} else if _, ok := list[corev1.ResourceName(m.ResourceName)]; !ok {
			r.add(field.Invalid(at.Child("resourceName"), m.ResourceName, "must match the extended resource name of an entry "+
				"in spec.initContainers.resources.requests or spec.containers.resources.requests"))
		}
		r.follows(p.Child("requestName"), m.RequestName, validation.IsDNS1123Label)
		if seen[m] {
			r.add(field.Duplicate(at.Child("containerName"), m.ContainerName),
				field.Duplicate(at.Child("resourceName"), m.ResourceName),
				field.Duplicate(at.Child("requestName"), m.RequestName))
		}
		seen[m] = true
	}
	r.named(p.Child("resourceClaimName"), s.ResourceClaimName, validation.IsDNS1123Subdomain)
}

// containerList is the status of the containers of one kind.
type containerList struct {
	name     string
	statuses []corev1.ContainerStatus
}

func containerLists(s *corev1.PodStatus) []containerList {
	return []containerList{{"containerStatuses", s.ContainerStatuses}, {"initContainerStatuses", s.InitContainerStatuses},
		{"ephemeralContainerStatuses", s.EphemeralContainerStatuses}}
}

// longestHealthMessage limits what a device says about its health, in bytes.
const longestHealthMessage = 1024

// allocated checks what containers say about the devices that they use.
func (r *report) allocated(list *field.Path, statuses []corev1.ContainerStatus, containers []corev1.Container) {
	for i, s := range statuses {
		at := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == s.Name })
		for j, a := range s.AllocatedResourcesStatus {
			p := list.Index(i).Child("allocatedResourcesStatus").Index(j)
			if at >= 0 {
				r.allocatedName(p.Child("name"), a.Name, &containers[at].Resources)
			}
			seen := map[string]bool{}
			for k, one := range a.Resources {
				p := p.Child("resources").Index(k)
				supported(r, p.Child("health"), one.Health, corev1.ResourceHealthStatusHealthy,
					corev1.ResourceHealthStatusUnhealthy, corev1.ResourceHealthStatusUnknown)
				if one.Message != nil {
					r.is(*one.Message != "", field.Required(p.Child("message"), "must be non-empty if specified"))
					r.is(len(*one.Message) <= longestHealthMessage,
						field.TooLong(p.Child("message"), *one.Message, longestHealthMessage))
				}
				r.distinct(p.Child("resourceID"), string(one.ResourceID), seen)
			}
		}
	}
}

// allocatedName checks that a container has asked for a resource: one of its requests, or a claim.
func (r *report) allocatedName(p *field.Path, name corev1.ResourceName, asked *corev1.ResourceRequirements) {
	claim, isClaim := strings.CutPrefix(string(name), "claim:")
	if !isClaim {
		_, ok := asked.Requests[name]
		r.is(ok, field.Invalid(p, name, "must match one of the container's resource requests"))
		return
	}
	r.is(slices.ContainsFunc(asked.Claims, func(c corev1.ResourceClaim) bool {
		return claim == strings.TrimSuffix(c.Name+"/"+c.Request, "/")
	}), field.Invalid(p, name, "must match one of the container's resource claims in a format "+
		"'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"))
}

// containerUser checks the identities with which a container runs.
func (r *report) containerUser(p *field.Path, u *corev1.LinuxContainerUser) {
	if u == nil {
		return
	}
	r.is(u.UID >= 0 && u.UID <= math.MaxUint32, field.Invalid(p.Child("uid"), u.UID,
		"must be between 0 and 4294967295, inclusive"))
	r.group(p.Child("gid"), &u.GID)
	for i := range u.SupplementalGroups {
		r.group(p.Child("supplementalGroups").Index(i), &u.SupplementalGroups[i])
	}
}

// podStatusChange checks that a Pod keeps its class, and that a container which has ended runs again only if its policy
// allows it.
func (r *report) podStatusChange(pod, old *corev1.Pod) {
	p := field.NewPath("status")
	now, was := &pod.Status, &old.Status
	r.frozen(p.Child("qosClass"), now.QOSClass, was.QOSClass)
	if name := now.NominatedNodeName; name != was.NominatedNodeName && name != "" {
		r.follows(p.Child("nominatedNodeName"), name, validation.IsDNS1123Subdomain)
		r.is(old.Spec.NodeName == "", field.Forbidden(p.Child("nominatedNodeName"),
			"may not be set on pods that are already bound to a node"))
	}
	mayRestart := []func(string, int32) bool{restarts(&old.Spec, old.Spec.Containers),
		restarts(&old.Spec, old.Spec.InitContainers),
		func(string, int32) bool { return false }}
	before := containerLists(was)
	for i, list := range containerLists(now) {
		for j, c := range before[i].statuses {
			if c.State.Terminated == nil || mayRestart[i](c.Name, c.State.Terminated.ExitCode) {
				continue
			}
			r.is(!slices.ContainsFunc(list.statuses, func(n corev1.ContainerStatus) bool {
				return n.Name == c.Name &&
					n.State.Terminated == nil
			}),
				field.Forbidden(p.Child(list.name).Index(j).Child("state"), "may not be transitioned to non-terminated state"))
		}
	}
}

// restarts returns a function that reports whether a container runs again after it has ended with a code.
func restarts(pod *corev1.PodSpec, containers []corev1.Container) func(name string, code int32) bool {
	return func(name string, code int32) bool {
		if restartsAll(pod) {
			return true
		}
		i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == name })
		if i < 0 {
			return false
		}
		policy := string(pod.RestartPolicy)
		if p := containers[i].RestartPolicy; p != nil {
			if policy = string(*p); ruleMatches(containers[i].RestartPolicyRules, code) {
				return true
			}
		}
		return policy == string(corev1.RestartPolicyAlways) || policy == string(corev1.RestartPolicyOnFailure) && code != 0
	}
}

// restartsAll reports whether a container can restart all of them.
func restartsAll(pod *corev1.PodSpec) bool {
	return slices.ContainsFunc(slices.Concat(pod.InitContainers, pod.Containers), func(c corev1.Container) bool {
		return slices.ContainsFunc(c.RestartPolicyRules, func(r corev1.ContainerRestartRule) bool {
			return r.Action == corev1.ContainerRestartRuleActionRestartAllContainers
		})
	})
}

// ruleMatches reports whether a rule restarts a container that has ended with a code.
func ruleMatches(rules []corev1.ContainerRestartRule, code int32) bool {
	return slices.ContainsFunc(rules, func(r corev1.ContainerRestartRule) bool {
		if r.ExitCodes == nil || r.Action != corev1.ContainerRestartRuleActionRestart {
			return false
		}
		in := r.ExitCodes.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn
		return slices.Contains(r.ExitCodes.Values, code) == in
	})
}
