package validation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// serviceChange checks what a Service keeps as long as its type does.
func (r *report) serviceChange(obj, old *corev1.Service) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	r.serviceAddressesChange(p, now, was)
	const once = "may not change once set"
	balanced := corev1.ServiceTypeLoadBalancer
	r.is(now.Type != balanced || was.Type != balanced || same(now.LoadBalancerClass, was.LoadBalancerClass),
		field.Invalid(p.Child("loadBalancerClass"), now.LoadBalancerClass, once))
	if checkedByNodes(now) && checkedByNodes(was) {
		r.is(now.HealthCheckNodePort == was.HealthCheckNodePort, field.Forbidden(p.Child("healthCheckNodePort"),
			"field is immutable"))
	}
}

// checkedByNodes reports whether load balancers ask the nodes for the health of the Service.
func checkedByNodes(s *corev1.ServiceSpec) bool {
	return s.Type == corev1.ServiceTypeLoadBalancer && s.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// serviceCIDRChange checks that ranges of addresses stay. A second one may be added.
func (r *report) serviceCIDRChange(obj, old *networkingv1.ServiceCIDR) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	const immutable = "field is immutable"
	ranges, second := p.Child("cidrs"), len(was.CIDRs) == 1 && len(now.CIDRs) == 2
	if len(now.CIDRs) != len(was.CIDRs) && !second {
		r.add(field.Invalid(ranges, now.CIDRs, immutable))
		return
	}
	for i := range was.CIDRs {
		r.is(now.CIDRs[i] == was.CIDRs[i], field.Invalid(ranges.Index(i), now.CIDRs[i], immutable))
	}
	if second {
		r.serviceRanges(p, now)
	}
}

// nodeChange checks that a Node keeps its ranges of addresses and its provider once it has them.
func (r *report) nodeChange(obj, old *corev1.Node) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	r.is(len(was.PodCIDRs) == 0 || slices.Equal(now.PodCIDRs, was.PodCIDRs),
		field.Forbidden(p.Child("podCIDRs"), "node updates may not change podCIDR except from \"\" to valid"))
	r.is(was.ProviderID == "" || now.ProviderID != "",
		field.Invalid(p.Child("providerID"), nil, "field cannot be cleared once set"))
	r.is(was.ProviderID == "" || now.ProviderID == "" || now.ProviderID == was.ProviderID,
		field.Invalid(p.Child("providerID"), nil, "field cannot be modified once set"))
	r.nodeConfigs(obj)
	r.is(now.DoNotUseExternalID == was.DoNotUseExternalID, field.Forbidden(p.Child("externalID"), "may not be updated"))
}

// quotaChange checks that a quota keeps its scopes, in any order.
func (r *report) quotaChange(obj, old *corev1.ResourceQuota) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	contains := func(list []corev1.ResourceQuotaScope) func(corev1.ResourceQuotaScope) bool {
		return func(s corev1.ResourceQuotaScope) bool { return !slices.Contains(list, s) }
	}
	r.is(!slices.ContainsFunc(now.Scopes, contains(was.Scopes)) && !slices.ContainsFunc(was.Scopes, contains(now.Scopes)),
		field.Invalid(p.Child("scopes"), now.Scopes, "field is immutable"))
}
