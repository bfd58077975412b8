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
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// The node ports that Services get.
const firstNodePort, lastNodePort = 30000, 32767

// allocator gives Services their cluster IPs and node ports. All addresses are of one family, that of the range.
type allocator struct {
	addresses netip.Prefix
	ips       pool[netip.Addr]
	ports     pool[int32]
}

// services returns the kind Service. Cluster IPs are from the range addresses, without its first and, in IPv4, its last
// one.
func services(addresses netip.Prefix) rest.Resource[corev1.Service] {
	a := &allocator{addresses: addresses.Masked()}
	a.ips.of, a.ports.of = clusterIPsOf, nodePortsOf
	r := of[corev1.Service]()
	r.Hooks.ValidateDelete = func(_ context.Context, s *corev1.Service) error {
		a.confirm(s)
		return nil
	}
	r.Subresources = append(r.Subresources, noProxy[corev1.Service, corev1.ServiceProxyOptions]())
	return preparing(r, a.prepare)
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
	spec, own := &s.Spec, a.family()
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
	families := status.Field("spec", "ipFamilies")
	if !free && *spec.IPFamilyPolicy == corev1.IPFamilyPolicyRequireDualStack {
		errs = append(errs, status.InvalidField(status.Field("spec", "ipFamilyPolicy"), *spec.IPFamilyPolicy,
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

func (a *allocator) family() corev1.IPFamily {
	if a.addresses.Addr().Is4() {
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
	if s.Spec.ClusterIP == "" && len(s.Spec.ClusterIPs) == 0 {
		ip, ok, err := a.ips.takeAny(ctx, a.candidates(), nameOf(s))
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
	ok := a.allocatable(ip)
	if !ok {
		why = "the provided network does not match the current range"
	} else if ok, err = a.ips.take(ctx, ip, nameOf(s)); err != nil {
		return err
	}
	if !ok {
		return invalidService(s, status.FieldErrors{status.InvalidField(status.Field("spec", "clusterIPs"), s.Spec.ClusterIPs,
			fmt.Sprintf("failed to allocate IP %s: %s", ip, why))})
	}
	return nil
}

// allocatable reports whether a Service may have an address: it is in the range, and it is neither the address of the
// network nor that of its broadcasts.
func (a *allocator) allocatable(ip netip.Addr) bool {
	return a.addresses.Contains(ip) && ip != a.addresses.Addr() && (ip.Is6() || a.addresses.Contains(ip.Next()))
}

// candidates yields all addresses of the range, from a random one on. The first 16 come last, because people choose
// fixed addresses there.
func (a *allocator) candidates() iter.Seq[netip.Addr] {
	const reserved = 16
	size := 1 << min(a.addresses.Addr().BitLen()-a.addresses.Bits(), 16)
	return func(yield func(netip.Addr) bool) {
		for i := range circle(reserved, size-1) {
			if ip := plus(a.addresses.Addr(), i); a.allocatable(ip) && !yield(ip) {
				return
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
