package validation

import (
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

func (r *report) ingressClass(obj *networkingv1.IngressClass) {
	p, s := field.NewPath("spec"), &obj.Spec
	controller := p.Child("controller")
	r.is(len(s.Controller) <= 250, field.TooLong(controller, "", 250))
	r.add(validation.IsDomainPrefixedPath(controller, s.Controller)...)
	params := s.Parameters
	if params == nil {
		return
	}
	p = p.Child("parameters")
	if params.APIGroup != nil {
		r.follows(p.Child("apiGroup"), *params.APIGroup, validation.IsDNS1123Subdomain)
	}
	r.named(p.Child("kind"), params.Kind, content.IsPathSegmentName)
	r.named(p.Child("name"), params.Name, content.IsPathSegmentName)
	if params.Scope == nil {
		r.add(field.Required(p.Child("scope"), ""))
		return
	}
	const cluster, namespace = networkingv1.IngressClassParametersReferenceScopeCluster,
		networkingv1.IngressClassParametersReferenceScopeNamespace
	supported(r, p.Child("scope"), *params.Scope, cluster, namespace)
	name := p.Child("namespace")
	switch {
	case *params.Scope == cluster:
		r.is(params.Namespace == nil, field.Forbidden(name, "`parameters.scope` is set to 'Cluster'"))
	case *params.Scope == namespace && params.Namespace == nil:
		r.add(field.Required(name, "`parameters.scope` is set to 'Namespace'"))
	case *params.Scope == namespace:
		r.follows(name, *params.Namespace, validation.IsDNS1123Label)
	}
}

func (r *report) ingressClassChange(obj, old *networkingv1.IngressClass) {
	r.frozen(field.NewPath("spec", "controller"), obj.Spec.Controller, old.Spec.Controller)
}

func (r *report) ipAddress(obj *networkingv1.IPAddress) {
	p, s := field.NewPath("spec"), &obj.Spec
	p, parent := p.Child("parentRef"), s.ParentRef
	if parent == nil {
		r.add(field.Required(p, ""))
		return
	}
	r.optional(p.Child("group"), parent.Group, validation.IsDNS1123Subdomain)
	r.named(p.Child("resource"), parent.Resource, content.IsPathSegmentName)
	r.named(p.Child("name"), parent.Name, content.IsPathSegmentName)
	r.optional(p.Child("namespace"), parent.Namespace, content.IsPathSegmentName)
}

func (r *report) ipAddressChange(obj, old *networkingv1.IPAddress) {
	r.unchanged(field.NewPath("spec", "parentRef"), obj.Spec.ParentRef, old.Spec.ParentRef)
}

// serviceCIDR checks a new object. An update of its ranges is checked by serviceCIDRChange.
func (r *report) serviceCIDR(obj *networkingv1.ServiceCIDR) {
	if !r.existing {
		r.serviceRanges(field.NewPath("spec"), &obj.Spec)
	}
}

// serviceRanges checks the ranges of the addresses of Services: at most one of each family.
func (r *report) serviceRanges(p *field.Path, s *networkingv1.ServiceCIDRSpec) {
	p = p.Child("cidrs")
	if len(s.CIDRs) == 0 {
		r.add(field.Required(p, "at least one CIDR required"))
		return
	}
	if len(s.CIDRs) > 2 {
		r.add(field.Invalid(p, s, "may only hold up to 2 values"))
		return
	}
	for i, cidr := range s.CIDRs {
		r.add(validation.IsValidCIDR(p.Index(i), cidr)...)
	}
	if len(s.CIDRs) < 2 {
		return
	}
	family := netutils.IPFamilyOfCIDRString(s.CIDRs[0])
	r.is(family == netutils.IPFamilyUnknown || family != netutils.IPFamilyOfCIDRString(s.CIDRs[1]),
		field.Invalid(p, s.CIDRs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"))
}
