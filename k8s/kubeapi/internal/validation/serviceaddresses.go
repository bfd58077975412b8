package validation

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/decorum-go/decorum/status"
)

// ServiceAddresses returns the faults of the addresses of a Service and of their families. Whoever allocates addresses
// asks first, because the rules of a Service assume that it has its addresses. Pass nil as old for a new Service.
func ServiceAddresses(s, old *corev1.Service) status.FieldErrors {
	p := field.NewPath("spec")
	if old == nil {
		return faults(func(r *report) { r.serviceAddresses(p, &s.Spec) })
	}
	errs := added(s, old, func(r *report, s any) { r.serviceAddresses(p, &s.(*corev1.Service).Spec) })
	return append(errs, faults(func(r *report) { r.serviceAddressesChange(p, &s.Spec, &old.Spec) })...)
}

func (r *report) serviceAddresses(p *field.Path, s *corev1.ServiceSpec) {
	if s.Type == corev1.ServiceTypeExternalName {
		r.absent(p, "may not be set for ExternalName services", member{"clusterIPs", len(s.ClusterIPs) > 0},
			member{"ipFamilies", len(s.IPFamilies) > 0}, member{"ipFamilyPolicy", s.IPFamilyPolicy != nil})
		return
	}
	at := p.Child("clusterIPs")
	if isHeadless(s) && (s.Type == corev1.ServiceTypeLoadBalancer || s.Type == corev1.ServiceTypeNodePort) {
		r.add(field.Invalid(at.Index(0), s.ClusterIPs[0], fmt.Sprintf("may not be set to 'None' for %s services", s.Type)))
	}
	switch {
	case s.ClusterIP == "":
		r.is(len(s.ClusterIPs) == 0, field.Invalid(at, s.ClusterIPs, "must be empty when `clusterIP` is not specified"))
	case len(s.ClusterIPs) == 0:
		r.add(field.Required(at, ""))
	default:
		r.is(s.ClusterIPs[0] == s.ClusterIP, field.Invalid(at, s.ClusterIPs, "first value must match `clusterIP`"))
	}
	r.addressFamilies(p, s)
	before := len(r.errs)
	for i, ip := range s.ClusterIPs {
		if i > 0 || ip != corev1.ClusterIPNone {
			r.ip(at.Index(i), ip)
		} else {
			r.is(len(s.ClusterIPs) == 1, field.Invalid(at, s.ClusterIPs, "'None' must be the first and only value"))
		}
	}
	valid := len(r.errs) == before
	r.is(len(s.ClusterIPs) <= 2, field.Invalid(at, s.ClusterIPs, "may only hold up to 2 values"))
	if valid {
		r.familiesOfAddresses(at, s)
	}
}

// addressFamilies checks the address families, which must not repeat, and the policy for them.
func (r *report) addressFamilies(p *field.Path, s *corev1.ServiceSpec) {
	seen := map[corev1.IPFamily]bool{}
	for i, family := range s.IPFamilies {
		at := p.Child("ipFamilies").Index(i)
		supported(r, at, family, corev1.IPv4Protocol, corev1.IPv6Protocol)
		r.is(!seen[family], field.Duplicate(at, family))
		seen[family] = true
	}
	optionalOneOf(r, p.Child("ipFamilyPolicy"), s.IPFamilyPolicy, corev1.IPFamilyPolicyPreferDualStack,
		corev1.IPFamilyPolicyRequireDualStack, corev1.IPFamilyPolicySingleStack)
}

// familiesOfAddresses checks that addresses are of different families, in the order of those that the Service names.
func (r *report) familiesOfAddresses(p *field.Path, s *corev1.ServiceSpec) {
	if len(s.ClusterIPs) > 1 {
		both, err := netutils.IsDualStackIPStrings(s.ClusterIPs)
		if err != nil {
			r.add(field.InternalError(p, fmt.Errorf("failed to check for dual stack with error:%w", err)))
		}
		r.is(both, field.Invalid(p, s.ClusterIPs, "may specify no more than one IP for each IP family"))
	}
	if isHeadless(s) {
		return
	}
	for i, ip := range s.ClusterIPs[:min(len(s.ClusterIPs), len(s.IPFamilies))] {
		family, other := s.IPFamilies[i], corev1.IPv4Protocol
		if netutils.IsIPv6String(ip) {
			other = corev1.IPv6Protocol
		}
		known := family == corev1.IPv4Protocol || family == corev1.IPv6Protocol
		r.is(!known || family == other, field.Invalid(p.Index(i), ip,
			fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", family, i)))
	}
}

// isHeadless reports whether a Service has no address.
func isHeadless(s *corev1.ServiceSpec) bool {
	return len(s.ClusterIPs) == 1 && s.ClusterIPs[0] == corev1.ClusterIPNone
}

// serviceAddressesChange checks that a Service keeps its first address and its first family. It may get a second one,
// and lose it again.
func (r *report) serviceAddressesChange(p *field.Path, now, was *corev1.ServiceSpec) {
	if now.Type == corev1.ServiceTypeExternalName || was.Type == corev1.ServiceTypeExternalName {
		return
	}
	headless, wasHeadless := isHeadless(now), isHeadless(was)
	if !headless || !wasHeadless {
		ips := p.Child("clusterIPs")
		r.is(len(was.ClusterIPs) == 0 || len(now.ClusterIPs) > 0,
			field.Invalid(ips.Index(0), now.ClusterIPs, "primary clusterIP can not be unset"))
		kept(r, ips.Index, now.ClusterIPs, was.ClusterIPs)
		r.singleStack(p, "clusterIP", now, len(now.ClusterIPs) == 1 && len(was.ClusterIPs) > 1)
	}
	if headless || wasHeadless {
		return
	}
	families := p.Child("ipFamilies").Index(0)
	r.is(len(now.IPFamilies) >= len(was.IPFamilies) || len(now.ClusterIPs) > 0,
		field.Invalid(families, now.IPFamilies, "primary ipFamily can not be unset"))
	kept(r, func(int) *field.Path { return families }, now.IPFamilies, was.IPFamilies)
	r.singleStack(p, "ipFamily", now, len(now.IPFamilies) == 1 && len(was.IPFamilies) > 1)
}

// kept checks that the first element of a list stays, or all of them if their number does.
func kept[T ~string](r *report, at func(int) *field.Path, now, was []T) {
	n := min(len(now), len(was))
	if len(now) != len(was) {
		n = min(n, 1)
	}
	for i := range n {
		r.is(now[i] == was[i], field.Invalid(at(i), now, "may not change once set"))
	}
}

// singleStack checks that a Service which loses its second address or family no longer asks for two.
func (r *report) singleStack(p *field.Path, lost string, s *corev1.ServiceSpec, loses bool) {
	single := s.IPFamilyPolicy != nil && *s.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack
	r.is(!loses || single, field.Invalid(p.Child("ipFamilyPolicy"), s.IPFamilyPolicy,
		"must be set to 'SingleStack' when releasing the secondary "+lost))
}
