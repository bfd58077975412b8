package validation

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

// serviceStatus checks where the load balancer of a Service is.
func (r *report) serviceStatus(s *corev1.Service) {
	p := field.NewPath("status", "loadBalancer", "ingress")
	ingress := s.Status.LoadBalancer.Ingress
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer && len(ingress) > 0 {
		r.add(field.Forbidden(p, "may only be used when `spec.type` is 'LoadBalancer'"))
		return
	}
	for i, at := range ingress {
		p := p.Index(i)
		r.balancer(p, at.IP, at.Hostname)
		mode := p.Child("ipMode")
		switch {
		case at.IPMode == nil:
			r.is(at.IP == "", field.Required(mode, "must be specified when `ip` is set"))
		case at.IP == "":
			r.add(field.Forbidden(mode, "may not be specified when `ip` is not set"))
		default:
			supported(r, mode, *at.IPMode, corev1.LoadBalancerIPModeProxy, corev1.LoadBalancerIPModeVIP)
		}
	}
}

// balancer checks the address and the name of a load balancer.
func (r *report) balancer(p *field.Path, ip, hostname string) {
	if ip != "" {
		r.ip(p.Child("ip"), ip)
	}
	r.optional(p.Child("hostname"), hostname, validation.IsDNS1123Subdomain)
	r.is(hostname == "" || netutils.ParseIPSloppy(hostname) == nil,
		field.Invalid(p.Child("hostname"), hostname, "must be a DNS name, not an IP address"))
}

func (r *report) ingressStatus(obj *networkingv1.Ingress) {
	p, ingress := field.NewPath("status", "loadBalancer", "ingress"), obj.Status.LoadBalancer.Ingress
	for i, at := range ingress {
		r.balancer(p.Index(i), at.IP, at.Hostname)
	}
}
