package kinds

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/status"
)

// A Service is a union: its type decides which of its fields mean something, and which of them the server allocates.

func needsClusterIP(s *corev1.Service) bool { return s.Spec.Type != corev1.ServiceTypeExternalName }

func headless(s *corev1.Service) bool { return s.Spec.ClusterIP == corev1.ClusterIPNone }

// hasNodePorts reports whether the type of a Service has node ports.
func hasNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

// needsNodePort reports whether the server allocates the node ports that a Service leaves out.
func needsNodePort(s *corev1.Service) bool {
	refused := s.Spec.AllocateLoadBalancerNodePorts != nil && !*s.Spec.AllocateLoadBalancerNodePorts
	return hasNodePorts(s) && (s.Spec.Type == corev1.ServiceTypeNodePort || !refused)
}

func needsHealthCheckPort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer &&
		s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// externallyAccessible reports whether traffic from outside of the cluster reaches the Service.
func externallyAccessible(s *corev1.Service) bool {
	return hasNodePorts(s) || s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0
}

// nodePortsOf returns the node ports that a Service has.
func nodePortsOf(s *corev1.Service) (ports []int32) {
	for _, p := range s.Spec.Ports {
		if p.NodePort != 0 {
			ports = append(ports, p.NodePort)
		}
	}
	if s.Spec.HealthCheckNodePort != 0 {
		ports = append(ports, s.Spec.HealthCheckNodePort)
	}
	return ports
}

// pluralClusterIPs makes clusterIPs agree with clusterIP if the client has set or changed only the latter.
func pluralClusterIPs(s, old *corev1.Service) {
	spec := &s.Spec
	switch {
	case old == nil && spec.ClusterIP != "" && len(spec.ClusterIPs) == 0:
		spec.ClusterIPs = []string{spec.ClusterIP}
	case old == nil:
	case spec.ClusterIP == old.Spec.ClusterIP && len(spec.ClusterIPs) == 0:
		spec.ClusterIPs = old.Spec.ClusterIPs
	case spec.ClusterIP != old.Spec.ClusterIP && slices.Equal(spec.ClusterIPs, old.Spec.ClusterIPs):
		spec.ClusterIPs = nil
		if spec.ClusterIP != "" {
			spec.ClusterIPs = []string{spec.ClusterIP}
		}
	}
}

// keepAllocated fills in what the server has allocated and an update leaves out, so that a client may send a manifest
// again.
func keepAllocated(s, old *corev1.Service) {
	if needsClusterIP(s) && needsClusterIP(old) {
		if s.Spec.ClusterIP == "" {
			s.Spec.ClusterIP = old.Spec.ClusterIP
		}
		if len(s.Spec.ClusterIPs) == 0 {
			s.Spec.ClusterIPs = old.Spec.ClusterIPs
		}
	}
	if needsNodePort(s) && needsNodePort(old) {
		now := nodePortsOf(s)
		for i := range s.Spec.Ports {
			if p := &s.Spec.Ports[i]; p.NodePort == 0 {
				at := slices.IndexFunc(old.Spec.Ports, func(o corev1.ServicePort) bool { return o.Name == p.Name })
				if at >= 0 && !slices.Contains(now, old.Spec.Ports[at].NodePort) {
					p.NodePort = old.Spec.Ports[at].NodePort
				}
			}
		}
	}
	if needsHealthCheckPort(s) && needsHealthCheckPort(old) && s.Spec.HealthCheckNodePort == 0 {
		s.Spec.HealthCheckNodePort = old.Spec.HealthCheckNodePort
	}
}

// dropUnused clears the fields that a new type of the Service does not use, unless the client changes them too: then
// validation refuses them. It also clears the status of the load balancer, although the load balancer may exist a
// little longer.
func dropUnused(s, old *corev1.Service) {
	now, was := &s.Spec, &old.Spec
	if needsClusterIP(old) && !needsClusterIP(s) {
		if now.ClusterIP == was.ClusterIP && slices.Equal(now.ClusterIPs, was.ClusterIPs) {
			now.ClusterIP, now.ClusterIPs = "", nil
		}
		if slices.Equal(now.IPFamilies, was.IPFamilies) {
			now.IPFamilies = nil
		}
		if equal(now.IPFamilyPolicy, was.IPFamilyPolicy) {
			now.IPFamilyPolicy = nil
		}
	}
	if hasNodePorts(old) && !hasNodePorts(s) && !newNodePorts(s, old) {
		for i := range now.Ports {
			now.Ports[i].NodePort = 0
		}
	}
	if needsHealthCheckPort(old) && !needsHealthCheckPort(s) && now.HealthCheckNodePort == was.HealthCheckNodePort {
		now.HealthCheckNodePort = 0
	}
	if was.Type == corev1.ServiceTypeLoadBalancer && now.Type != corev1.ServiceTypeLoadBalancer {
		if equal(now.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts) {
			now.AllocateLoadBalancerNodePorts = nil
		}
		if equal(now.LoadBalancerClass, was.LoadBalancerClass) {
			now.LoadBalancerClass = nil
		}
	}
	if externallyAccessible(old) && !externallyAccessible(s) && now.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		now.ExternalTrafficPolicy = ""
	}
	if now.Type != corev1.ServiceTypeLoadBalancer {
		s.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	}
}

// newNodePorts reports whether a Service has a node port that it did not have before.
func newNodePorts(s, old *corev1.Service) bool {
	had := nodePortsOf(old)
	return slices.ContainsFunc(s.Spec.Ports,
		func(p corev1.ServicePort) bool { return p.NodePort != 0 && !slices.Contains(had, p.NodePort) })
}

// equal reports whether two optional values are the same.
func equal[V comparable](a, b *V) bool { return a == b || a != nil && b != nil && *a == *b }

// secondAddresses refuses all addresses but the first, because the range of addresses has one family.
func secondAddresses(s *corev1.Service) (errs status.FieldErrors) {
	for i := 1; i < len(s.Spec.ClusterIPs); i++ {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "clusterIPs").Index(i), s.Spec.ClusterIPs,
			"this cluster has addresses of one family only"))
	}
	return errs
}
