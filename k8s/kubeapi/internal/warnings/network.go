package warnings

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (l *list) service(s *corev1.Service) {
	spec, at := &s.Spec, field.NewPath("spec")
	external := spec.Type == corev1.ServiceTypeExternalName
	headless := spec.Type == corev1.ServiceTypeClusterIP && spec.ClusterIP == corev1.ClusterIPNone
	if _, ok := s.Annotations[corev1.DeprecatedAnnotationTopologyAwareHints]; ok {
		l.add("annotation %s is deprecated, please use %s instead", corev1.DeprecatedAnnotationTopologyAwareHints,
			corev1.AnnotationTopologyMode)
	}
	if spec.ClusterIP != corev1.ClusterIPNone && spec.ClusterIP != "" {
		for i, ip := range spec.ClusterIPs {
			l.ip(at.Child("clusterIPs").Index(i), ip)
		}
	}
	if headless {
		if spec.LoadBalancerIP != "" {
			l.add("spec.loadBalancerIP is ignored for headless services")
		}
		if len(spec.ExternalIPs) > 0 {
			l.add("spec.externalIPs is ignored for headless services")
		}
		if spec.SessionAffinity != corev1.ServiceAffinityNone {
			l.add("spec.SessionAffinity is ignored for headless services")
		}
	}
	for i, ip := range spec.ExternalIPs {
		l.ip(at.Child("externalIPs").Index(i), ip)
	}
	if len(spec.ExternalIPs) > 0 && !headless && !external {
		l.add("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	if spec.LoadBalancerIP != "" {
		l.ip(at.Child("loadBalancerIP"), spec.LoadBalancerIP)
	}
	for i, cidr := range spec.LoadBalancerSourceRanges {
		l.cidr(at.Child("loadBalancerSourceRanges").Index(i), cidr)
	}
	switch {
	case external && len(spec.ExternalIPs) > 0:
		l.add(`spec.externalIPs is ignored when spec.type is "ExternalName"`)
	case !external && spec.ExternalName != "":
		l.add(`spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if d := spec.TrafficDistribution; d != nil && *d == corev1.ServiceTrafficDistributionPreferClose {
		l.at(at.Child("trafficDistribution"), `"PreferClose" is deprecated; use "PreferSameZone"`)
	}
}

// managedBy is the label of Endpoints that names the controller that manages them.
const managedBy = "endpoints.kubernetes.io/managed-by"

//lint:ignore SA1019 clients still use it
func (l *list) endpoints(e *corev1.Endpoints) {
	if e.Labels[managedBy] == "endpoint-controller" { // it writes addresses in their usual form
		return
	}
	for i, subset := range e.Subsets {
		p := field.NewPath("subsets").Index(i)
		for k, a := range subset.Addresses {
			l.ip(p.Child("addresses").Index(k).Child("ip"), a.IP)
		}
		for k, a := range subset.NotReadyAddresses {
			l.ip(p.Child("notReadyAddresses").Index(k).Child("ip"), a.IP)
		}
	}
}

func (l *list) endpointSlice(s, old *discoveryv1.EndpointSlice) {
	if old == nil && s.AddressType == discoveryv1.AddressTypeFQDN {
		l.add("spec.addressType: FQDN endpoints are deprecated")
	}
	switch s.Labels[discoveryv1.LabelManagedBy] {
	case "endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io":
		return // they write addresses in their usual form
	}
	for i, e := range s.Endpoints {
		for k, address := range e.Addresses {
			l.ip(field.NewPath("endpoints").Index(i).Child("addresses").Index(k), address)
		}
	}
}

func (l *list) ingress(i, old *networkingv1.Ingress) {
	if _, ok := i.Annotations[ingressClass]; ok && old == nil && i.Spec.IngressClassName == nil {
		l.add("annotation %q is deprecated, please use 'spec.ingressClassName' instead", ingressClass)
	}
}

const ingressClass = "kubernetes.io/ingress.class"

func (l *list) networkPolicy(p *networkingv1.NetworkPolicy) {
	for i, rule := range p.Spec.Ingress {
		l.peers(field.NewPath("spec", "ingress").Index(i).Child("from"), rule.From)
	}
	for i, rule := range p.Spec.Egress {
		l.peers(field.NewPath("spec", "egress").Index(i).Child("to"), rule.To)
	}
}

func (l *list) peers(p *field.Path, peers []networkingv1.NetworkPolicyPeer) {
	for i, peer := range peers {
		if peer.IPBlock == nil {
			continue
		}
		block := p.Index(i).Child("ipBlock")
		l.cidr(block.Child("cidr"), peer.IPBlock.CIDR)
		for k, cidr := range peer.IPBlock.Except {
			l.cidr(block.Child("except").Index(k), cidr)
		}
	}
}
