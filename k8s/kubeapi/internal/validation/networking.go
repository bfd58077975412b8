package validation

import (
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

func (r *report) ingress(obj *networkingv1.Ingress) {
	p, s := field.NewPath("spec"), &obj.Spec
	if class, ok := obj.Annotations[ingressClassKey]; ok && !r.existing {
		r.is(s.IngressClassName == nil || *s.IngressClassName == class,
			field.Invalid(field.NewPath("annotations", ingressClassKey), class,
				"must match `ingressClassName` when both are specified"))
	}
	if len(s.Rules) == 0 && s.DefaultBackend == nil {
		r.add(field.Invalid(p, s.Rules, "either `defaultBackend` or `rules` must be specified"))
	}
	if s.DefaultBackend != nil {
		r.backend(p.Child("defaultBackend"), s.DefaultBackend)
	}
	for i, rule := range s.Rules {
		p := p.Child("rules").Index(i)
		_, err := netip.ParseAddr(rule.Host)
		r.is(err != nil, field.Invalid(p.Child("host"), rule.Host, "must be a DNS name, not an IP address"))
		if rule.Host != "" {
			r.host(p.Child("host"), rule.Host)
		}
		if rule.HTTP == nil {
			continue
		}
		r.is(len(rule.HTTP.Paths) > 0, field.Required(p.Child("http", "paths"), ""))
		for j := range rule.HTTP.Paths {
			r.ingressPath(p.Child("http", "paths").Index(j), &rule.HTTP.Paths[j])
		}
	}
	for i, t := range s.TLS {
		p := p.Child("tls").Index(i)
		for j, host := range t.Hosts {
			r.host(p.Child("hosts").Index(j), host)
		}
		r.optional(p.Child("secretName"), t.SecretName, validation.IsDNS1123Subdomain)
	}
	if s.IngressClassName != nil {
		r.follows(p.Child("ingressClassName"), *s.IngressClassName, validation.IsDNS1123Subdomain)
	}
}

// host checks a name, which may begin with a wildcard.
func (r *report) host(p *field.Path, name string) {
	if strings.Contains(name, "*") {
		r.follows(p, name, validation.IsWildcardDNS1123Subdomain)
		return
	}
	r.follows(p, name, validation.IsDNS1123Subdomain)
}

func (r *report) ingressPath(p *field.Path, path *networkingv1.HTTPIngressPath) {
	if path.PathType == nil {
		r.add(field.Required(p.Child("pathType"), "pathType must be specified"))
		return
	}
	at := p.Child("path")
	switch *path.PathType {
	case networkingv1.PathTypeExact, networkingv1.PathTypePrefix:
		r.is(strings.HasPrefix(path.Path, "/"), field.Invalid(at, path.Path, "must be an absolute path"))
		for _, part := range []string{"//", "/./", "/../", "%2f", "%2F"} {
			r.is(!strings.Contains(path.Path, part), field.Invalid(at, path.Path, "must not contain '"+part+"'"))
		}
		for _, end := range []string{"/..", "/."} {
			r.is(!strings.HasSuffix(path.Path, end), field.Invalid(at, path.Path, "cannot end with '"+end+"'"))
		}
	case networkingv1.PathTypeImplementationSpecific:
		r.is(path.Path == "" || strings.HasPrefix(path.Path, "/"), field.Invalid(at, path.Path, "must be an absolute path"))
	default:
		supported(r, p.Child("pathType"), *path.PathType, networkingv1.PathTypeExact,
			networkingv1.PathTypeImplementationSpecific, networkingv1.PathTypePrefix)
	}
	r.backend(p.Child("backend"), &path.Backend)
}

func (r *report) backend(p *field.Path, b *networkingv1.IngressBackend) {
	switch {
	case b.Resource != nil && b.Service != nil:
		r.add(field.Invalid(p, "", "cannot set both resource and service backends"))
	case b.Resource == nil && b.Service == nil:
		r.add(field.Invalid(p, "", "resource or service backend is required"))
	case b.Resource != nil:
		p := p.Child("resource")
		if b.Resource.APIGroup != nil {
			r.follows(p.Child("apiGroup"), *b.Resource.APIGroup, validation.IsDNS1123Subdomain)
		}
		r.named(p.Child("kind"), b.Resource.Kind, content.IsPathSegmentName)
		r.named(p.Child("name"), b.Resource.Name, content.IsPathSegmentName)
	case b.Service != nil:
		r.named(p.Child("service", "name"), b.Service.Name, validation.IsDNS1123Label)
		port := b.Service.Port
		switch {
		case port.Name != "" && port.Number != 0:
			r.add(field.Invalid(p, "", "cannot set both port name & port number"))
		case port.Name != "":
			r.follows(p.Child("service", "port", "name"), port.Name, validation.IsValidPortName)
		case port.Number != 0:
			r.port(p.Child("service", "port", "number"), port.Number)
		default:
			r.add(field.Required(p, "port name or number is required"))
		}
	}
}

func (r *report) networkPolicy(obj *networkingv1.NetworkPolicy) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.selector(p.Child("podSelector"), &s.PodSelector)
	for i, rule := range s.Ingress {
		r.policyRule(p.Child("ingress").Index(i), rule.Ports, "from", rule.From)
	}
	for i, rule := range s.Egress {
		r.policyRule(p.Child("egress").Index(i), rule.Ports, "to", rule.To)
	}
	types := p.Child("policyTypes")
	if len(s.PolicyTypes) > 2 {
		r.add(field.Invalid(types, &s.PolicyTypes, "may not specify more than two policyTypes"))
		return
	}
	for i, t := range s.PolicyTypes {
		supported(r, types.Index(i), t, networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress)
	}
}

func (r *report) policyRule(
	p *field.Path, ports []networkingv1.NetworkPolicyPort, side string, peers []networkingv1.NetworkPolicyPeer,
) {
	for i := range ports {
		r.policyPort(p.Child("ports").Index(i), &ports[i])
	}
	for i, peer := range peers {
		p := p.Child(side).Index(i)
		if peer.PodSelector != nil {
			r.selector(p.Child("podSelector"), peer.PodSelector)
		}
		if peer.NamespaceSelector != nil {
			r.selector(p.Child("namespaceSelector"), peer.NamespaceSelector)
		}
		selected := peer.PodSelector != nil || peer.NamespaceSelector != nil
		r.is(selected || peer.IPBlock != nil, field.Required(p, "must specify a peer"))
		if peer.IPBlock != nil {
			r.ipBlock(p.Child("ipBlock"), peer.IPBlock)
			r.is(!selected, field.Forbidden(p, "may not specify both ipBlock and another peer"))
		}
	}
}

func (r *report) ipBlock(p *field.Path, b *networkingv1.IPBlock) {
	if !r.given(p.Child("cidr"), b.CIDR) {
		return
	}
	r.cidr(p.Child("cidr"), b.CIDR)
	_, all, err := netutils.ParseCIDRSloppy(b.CIDR)
	if err != nil {
		return
	}
	for i, text := range b.Except {
		p := p.Child("except").Index(i)
		r.cidr(p, text)
		_, except, err := netutils.ParseCIDRSloppy(text)
		if err != nil {
			continue
		}
		outer, _ := all.Mask.Size()
		inner, _ := except.Mask.Size()
		r.is(all.Contains(except.IP) && outer < inner, field.Invalid(p, text, "must be a strict subset of `cidr`"))
	}
}

func (r *report) policyPort(p *field.Path, port *networkingv1.NetworkPolicyPort) {
	if port.Protocol != nil {
		supported(r, p.Child("protocol"), *port.Protocol, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)
	}
	end := port.EndPort
	switch {
	case port.Port == nil && end != nil:
		r.add(field.Invalid(p.Child("endPort"), *end, "may not be specified when `port` is not specified"))
	case port.Port == nil:
	case port.Port.Type == intstr.String:
		if end != nil {
			r.add(field.Invalid(p.Child("endPort"), *end, "may not be specified when `port` is non-numeric"))
		}
		r.follows(p.Child("port"), port.Port.StrVal, validation.IsValidPortName)
	default:
		r.port(p.Child("port"), port.Port.IntVal)
		if end != nil {
			r.is(*end >= port.Port.IntVal, field.Invalid(p.Child("endPort"), *end,
				"must be greater than or equal to `port`"))
			r.port(p.Child("endPort"), *end)
		}
	}
}
