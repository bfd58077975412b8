package validation

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

// endpoints checks the addresses of a Service in the form that EndpointSlices have replaced.
//
//lint:ignore SA1019 clients still use it
func (r *report) endpoints(obj *corev1.Endpoints) {
	subsets := obj.Subsets
	for i := range subsets {
		s, p := &subsets[i], field.NewPath("subsets").Index(i)
		r.is(len(s.Addresses)+len(s.NotReadyAddresses) > 0, field.Required(p,
			"must specify `addresses` or `notReadyAddresses`"))
		for j := range s.Addresses {
			r.endpointAddress(p.Child("addresses").Index(j), &s.Addresses[j])
		}
		for j := range s.NotReadyAddresses {
			r.endpointAddress(p.Child("notReadyAddresses").Index(j), &s.NotReadyAddresses[j])
		}
		for j, port := range s.Ports {
			p := p.Child("ports").Index(j)
			if port.Name != "" || len(s.Ports) > 1 {
				r.named(p.Child("name"), port.Name, validation.IsDNS1123Label)
			}
			r.port(p.Child("port"), port.Port)
			oneOf(r, p.Child("protocol"), port.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
			if port.AppProtocol != nil {
				r.follows(p.Child("appProtocol"), *port.AppProtocol, validation.IsQualifiedName)
			}
		}
	}
}

func (r *report) endpointAddress(p *field.Path, a *corev1.EndpointAddress) {
	r.ip(p.Child("ip"), a.IP)
	r.optional(p.Child("hostname"), a.Hostname, validation.IsDNS1123Label)
	if a.NodeName != nil {
		r.follows(p.Child("nodeName"), *a.NodeName, validation.IsDNS1123Subdomain)
	}
	r.endpointIP(p.Child("ip"), a.IP)
}

// endpointIP checks that an address is one of another machine.
func (r *report) endpointIP(p *field.Path, text string) {
	ip := netutils.ParseIPSloppy(text)
	if ip == nil {
		r.add(field.Invalid(p, text, "must be a valid IP address"))
		return
	}
	r.is(!ip.IsUnspecified(), field.Invalid(p, text, "may not be unspecified ("+text+")"))
	r.is(!ip.IsLoopback(), field.Invalid(p, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"))
	r.is(!ip.IsLinkLocalUnicast(), field.Invalid(p, text, "may not be in the link-local range (169.254.0.0/16, "+
		"fe80::/10)"))
	r.is(!ip.IsLinkLocalMulticast(), field.Invalid(p, text, "may not be in the link-local multicast range "+
		"(224.0.0.0/24, ff02::/10)"))
}
