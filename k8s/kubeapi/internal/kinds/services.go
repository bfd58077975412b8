package kinds

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/addresses"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// The range of node ports for Services.
const firstNodePort, lastNodePort = 30000, 32767

// allocator gives Services their cluster IPs and node ports. All addresses are of one family.
type allocator struct {
	family corev1.IPFamily
	ips    pool[netip.Addr]
	ports  pool[int32]
}

// services returns the kind Service. Cluster IPs are of the family of r, from the ranges of ServiceCIDRs.
func services(r netip.Prefix) rest.Resource[corev1.Service] {
	a := &allocator{family: familyOf(r)}
	a.ips.of, a.ips.reserved, a.ports.of = addresses.Of, addresses.Reserved, nodePortsOf
	k := of[corev1.Service]()
	k.Hooks.ValidateDelete = func(_ context.Context, s *corev1.Service) error {
		a.confirm(s)
		return nil
	}
	k.Subresources = append(k.Subresources, noProxy[corev1.Service, corev1.ServiceProxyOptions]())
	return preparing(k, a.prepare)
}

func (a *allocator) confirm(s *corev1.Service) {
	a.ips.confirm(s)
	a.ports.confirm(s)
}

// prepare keeps what the client has left out of an update, drops what a new type of the Service does not use, and
// allocates the rest.
func (a *allocator) prepare(ctx context.Context, s, old *corev1.Service) error {
	if part(ctx) != "" {
		return nil
	}
	if old != nil {
		a.confirm(old)
		keepAllocated(s, old)
	}
	if !needsClusterIP(s) {
		s.Spec.InternalTrafficPolicy = nil // the default may come from another type
	}
	pluralClusterIPs(s, old)
	if old != nil {
		dropUnused(s, old)
	}
	if needsClusterIP(s) {
		if errs := append(validation.ServiceAddresses(s, old), secondAddresses(s)...); len(errs) > 0 {
			return invalidService(s, errs)
		}
	}
	if err := a.chooseFamilies(s, old); err != nil {
		return err
	}
	if err := a.allocateIP(ctx, s, old); err != nil {
		return err
	}
	return a.allocatePorts(ctx, s, old)
}

// chooseFamilies fills in the families of the cluster IPs. A headless Service without a selector may have addresses of
// both families, on every cluster.
func (a *allocator) chooseFamilies(s, old *corev1.Service) error {
	if !needsClusterIP(s) {
		return nil
	}
	spec, own := &s.Spec, a.family
	free := headless(s) && len(spec.Selector) == 0
	if spec.IPFamilyPolicy == nil {
		policy := corev1.IPFamilyPolicySingleStack
		switch {
		case old != nil && old.Spec.IPFamilyPolicy != nil:
			policy = *old.Spec.IPFamilyPolicy
		case free:
			policy = corev1.IPFamilyPolicyRequireDualStack
		}
		spec.IPFamilyPolicy = &policy
	}
	if old != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack && len(spec.IPFamilies) > 1 &&
		slices.Equal(spec.IPFamilies, old.Spec.IPFamilies) {
		spec.IPFamilies = spec.IPFamilies[:1]
	}
	var errs status.FieldErrors
	families := status.NewPath("spec", "ipFamilies")
	if !free && *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "ipFamilyPolicy"), *spec.IPFamilyPolicy,
			"this cluster is not configured for dual-stack services"))
	}
	for i, f := range spec.IPFamilies {
		if !free && f != own {
			errs = append(errs, status.InvalidField(families.Index(i), f, "not configured on this cluster"))
		}
	}
	if len(errs) > 0 {
		return invalidService(s, errs)
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{own}
	}
	if free && len(spec.IPFamilies) == 1 && *spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack {
		spec.IPFamilies = append(spec.IPFamilies, otherFamily(spec.IPFamilies[0]))
	}
	return nil
}

func familyOf(r netip.Prefix) corev1.IPFamily {
	if r.Addr().Is4() {
		return corev1.IPv4Protocol
	}
	return corev1.IPv6Protocol
}

func otherFamily(f corev1.IPFamily) corev1.IPFamily {
	if f == corev1.IPv4Protocol {
		return corev1.IPv6Protocol
	}
	return corev1.IPv4Protocol
}

// allocateIP takes the cluster IP that the client asks for, or any.
func (a *allocator) allocateIP(ctx context.Context, s, old *corev1.Service) error {
	if !needsClusterIP(s) || headless(s) || old != nil && needsClusterIP(old) {
		return nil // none, or the one that it has
	}
	ranges, err := addresses.Ranges(ctx)
	if err != nil {
		return err
	}
	ranges = slices.DeleteFunc(ranges, func(r netip.Prefix) bool { return familyOf(r) != a.family })
	if s.Spec.ClusterIP == "" && len(s.Spec.ClusterIPs) == 0 {
		ip, ok, err := a.ips.takeAny(ctx, candidates(ranges), nameOf(s))
		if err != nil {
			return err
		}
		if !ok {
			return status.InternalError(fmt.Errorf("failed to allocate a serviceIP for Service %q: range is full", s.Name))
		}
		s.Spec.ClusterIP, s.Spec.ClusterIPs = ip.String(), []string{ip.String()}
		return nil
	}
	ip, err := netip.ParseAddr(s.Spec.ClusterIP)
	if err != nil {
		return err
	}
	why := "provided IP is already allocated"
	ok := slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return addresses.Usable(r, ip) })
	if !ok {
		why = "the provided network does not match the current range"
	} else if ok, err = a.ips.take(ctx, ip, nameOf(s)); err != nil {
		return err
	}
	if !ok {
		return invalidService(s, status.FieldErrors{status.InvalidField(status.NewPath("spec", "clusterIPs"),
			s.Spec.ClusterIPs,
			fmt.Sprintf("failed to allocate IP %s: %s", ip, why))})
	}
	return nil
}

// candidates yields the addresses of the ranges, one range after the other. In each range it begins at a random
// address, and yields the first 16 addresses last, because people choose fixed addresses there.
func candidates(ranges []netip.Prefix) iter.Seq[netip.Addr] {
	const reserved = 16
	return func(yield func(netip.Addr) bool) {
		for _, r := range ranges {
			size := 1 << min(r.Addr().BitLen()-r.Bits(), 16)
			for i := range circle(reserved, size-1) {
				if ip := plus(r.Addr(), i); addresses.Usable(r, ip) && !yield(ip) {
					return
				}
			}
		}
	}
}

// circle yields the numbers from 0 to last: first those from start on, beginning at a random one, and then those below
// start.
func circle(start, last int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if start > last {
			start = 0
		}
		for i, at := 0, rand.IntN(last-start+1); start+i <= last; i++ {
			if !yield(start + (at+i)%(last-start+1)) {
				return
			}
		}
		for i := range start {
			if !yield(i) {
				return
			}
		}
	}
}

// plus returns the address n after another one. n is below 65536.
func plus(ip netip.Addr, n int) netip.Addr {
	b := ip.AsSlice()
	for i := len(b) - 1; n > 0; i-- {
		n += int(b[i])
		b[i] = byte(n)
		n >>= 8
	}
	sum, _ := netip.AddrFromSlice(b)
	return sum
}

func invalidService(s *corev1.Service, errs status.FieldErrors) error {
	return status.Invalid(apimeta.GroupKind{Kind: "Service"}, s.Name, errs)
}
