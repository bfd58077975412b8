package kinds

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/decorum-go/decorum/rest"
)

// networking returns the kinds of the groups networking.k8s.io and discovery.k8s.io.
func networking() []rest.Definition {
	return []rest.Definition{
		freezing(of[discoveryv1.EndpointSlice](), frozen[discoveryv1.EndpointSlice]{"addressType", func(e *discoveryv1.EndpointSlice) any { return e.AddressType }}),
		of[networkingv1.Ingress](),
		freezing(of[networkingv1.IngressClass](), frozen[networkingv1.IngressClass]{"spec.controller", func(c *networkingv1.IngressClass) any { return c.Spec.Controller }}),
		freezing(of[networkingv1.IPAddress](), frozen[networkingv1.IPAddress]{"spec.parentRef", func(a *networkingv1.IPAddress) any { return a.Spec.ParentRef }}),
		of[networkingv1.NetworkPolicy](),
		of[networkingv1.ServiceCIDR](),
	}
}
