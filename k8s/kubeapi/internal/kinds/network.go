package kinds

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/decorum-go/decorum/rest"
)

// networking returns the kinds of the groups networking.k8s.io and discovery.k8s.io.
func networking() []rest.Definition {
	return []rest.Definition{
		of[discoveryv1.EndpointSlice](),
		of[networkingv1.Ingress](),
		of[networkingv1.IngressClass](),
		of[networkingv1.IPAddress](),
		of[networkingv1.NetworkPolicy](),
		of[networkingv1.ServiceCIDR](),
	}
}
