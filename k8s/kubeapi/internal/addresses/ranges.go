package addresses

import (
	"context"
	"net/netip"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// Ranges returns the ranges from which Services get cluster IPs: those of the ServiceCIDRs that are ready.
func Ranges(ctx context.Context) (ranges []netip.Prefix, err error) {
	cidrs, err := rest.ClientForHook[networkingv1.ServiceCIDR](ctx)
	if err != nil {
		return nil, err
	}
	for c, err := range cidrs.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		if !ready(c) {
			continue
		}
		for _, r := range rangesOf(c) {
			if !slices.Contains(ranges, r) {
				ranges = append(ranges, r)
			}
		}
	}
	return ranges, nil
}

// ready reports whether Services get addresses from a ServiceCIDR. Without a controller, no ServiceCIDR but the first
// has the condition Ready.
func ready(c *networkingv1.ServiceCIDR) bool {
	condition := meta.FindStatusCondition(c.Status.Conditions, networkingv1.ServiceCIDRConditionReady)
	return c.DeletionTimestamp == nil && (condition == nil || condition.Status == metav1.ConditionTrue)
}

// rangesOf returns the ranges of a ServiceCIDR, which validation has checked.
func rangesOf(c *networkingv1.ServiceCIDR) (ranges []netip.Prefix) {
	for _, text := range c.Spec.CIDRs {
		if r, err := netip.ParsePrefix(text); err == nil {
			ranges = append(ranges, r.Masked())
		}
	}
	return ranges
}

// Usable reports whether a Service may have an address of a range: all but the address of the network and, in IPv4,
// that of its broadcasts.
func Usable(r netip.Prefix, ip netip.Addr) bool {
	return r.Contains(ip) && ip != r.Addr() && (ip.Is6() || r.Contains(ip.Next()))
}
