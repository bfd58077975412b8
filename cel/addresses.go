package cel

import (
	"fmt"
	"net/netip"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// addressFunctions returns ip, cidr, isIP, isCIDR, ip.isCanonical and the functions of the values that they
// return.
func addressFunctions() []cel.EnvOption {
	ips := &opaqueType[netip.Addr]{
		Type:  cel.OpaqueType(ipTypeName),
		equal: func(a, b netip.Addr) bool { return a == b },
		size:  func(a netip.Addr) int { return bytesOfBits(a.BitLen()) },
	}
	cidrs := &opaqueType[netip.Prefix]{
		Type:  cel.OpaqueType(cidrTypeName),
		equal: func(a, b netip.Prefix) bool { return a == b },
		size:  func(p netip.Prefix) int { return bytesOfBits(p.Bits()) },
	}
	is := func(name, id string, is func(netip.Addr) bool) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(id, []*cel.Type{ips.Type}, cel.BoolType,
			unary(func(a netip.Addr) ref.Val { return types.Bool(is(a)) })))
	}
	text := []*cel.Type{cel.StringType}
	return []cel.EnvOption{
		cel.Types(ips.Type, cidrs.Type),
		cel.Function("ip",
			cel.Overload("string_to_ip", text, ips.Type, parsed(parseIP, ips.wrap)),
			cel.MemberOverload(ipOfCIDR, []*cel.Type{cidrs.Type}, ips.Type,
				unary(func(p netip.Prefix) ref.Val { return ips.wrap(p.Addr()) }))),
		cel.Function("isIP", cel.Overload("is_ip", text, cel.BoolType, readable(parseIP))),
		cel.Function("ip.isCanonical", cel.Overload("ip_is_canonical", text, cel.BoolType, unary(isCanonicalIP))),
		cel.Function("family", cel.MemberOverload("ip_family", []*cel.Type{ips.Type}, cel.IntType, unary(family))),
		is("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
		is("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
		is("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		is("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		is("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
		cel.Function("string",
			cel.Overload("ip_to_string", []*cel.Type{ips.Type}, cel.StringType,
				unary(func(a netip.Addr) ref.Val { return types.String(a.String()) })),
			cel.Overload("cidr_to_string", []*cel.Type{cidrs.Type}, cel.StringType,
				unary(func(p netip.Prefix) ref.Val { return types.String(p.String()) }))),

		cel.Function("cidr", cel.Overload("string_to_cidr", text, cidrs.Type, parsed(parseCIDR, cidrs.wrap))),
		cel.Function("isCIDR", cel.Overload("is_cidr", text, cel.BoolType, readable(parseCIDR))),
		cel.Function("prefixLength",
			cel.MemberOverload("cidr_prefix_length", []*cel.Type{cidrs.Type}, cel.IntType,
				unary(func(p netip.Prefix) ref.Val { return types.Int(p.Bits()) }))),
		cel.Function("masked", cel.MemberOverload("cidr_masked", []*cel.Type{cidrs.Type}, cidrs.Type,
			unary(func(p netip.Prefix) ref.Val { return cidrs.wrap(p.Masked()) }))),
		cel.Function("containsIP",
			cel.MemberOverload("cidr_contains_ip_ip", []*cel.Type{cidrs.Type, ips.Type}, cel.BoolType, binary(containsIP)),
			cel.MemberOverload(containsIPText, []*cel.Type{cidrs.Type, cel.StringType}, cel.BoolType,
				binary(func(p netip.Prefix, text string) ref.Val {
					a, err := parseIP(text)
					if err != nil {
						return types.NoSuchOverloadErr() // API servers do the same
					}
					return containsIP(p, a)
				}))),
		cel.Function("containsCIDR",
			cel.MemberOverload("cidr_contains_cidr", []*cel.Type{cidrs.Type, cidrs.Type}, cel.BoolType, binary(containsCIDR)),
			cel.MemberOverload(containsCIDRText, []*cel.Type{cidrs.Type, cel.StringType}, cel.BoolType,
				binary(func(p netip.Prefix, text string) ref.Val {
					inner, err := parseCIDR(text)
					if err != nil {
						return types.WrapErr(err)
					}
					return containsCIDR(p, inner)
				}))),
	}
}

func bytesOfBits(bits int) int { return (bits + 7) / 8 }

// parseIP accepts an address without a zone, except an IPv4 address that is mapped to IPv6.
func parseIP(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return a, fmt.Errorf("IP Address %q parse error during conversion from string: %w", text, err)
	case a.Zone() != "":
		return a, fmt.Errorf("IP address %q with zone value is not allowed", text)
	case a.Is4In6():
		return a, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", text)
	}
	return a, nil
}

// parseCIDR accepts an address and the length of a prefix. Bits of the address behind the prefix may be set.
func parseCIDR(text string) (netip.Prefix, error) {
	const during = "network address parse error during conversion from string: "
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return p, fmt.Errorf(during+during+"%w", err)
	case p.Addr().Is4In6():
		return p, fmt.Errorf(during+"IPv4-mapped IPv6 address %q is not allowed", text)
	}
	return p, nil
}

func isCanonicalIP(text string) ref.Val {
	a, err := parseIP(text)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(a.String() == text)
}

func family(a netip.Addr) ref.Val {
	if a.Is4() {
		return types.Int(4)
	}
	return types.Int(6)
}

func containsIP(p netip.Prefix, a netip.Addr) ref.Val { return types.Bool(p.Contains(a)) }

func containsCIDR(outer, inner netip.Prefix) ref.Val {
	return types.Bool(outer.Overlaps(inner) && outer.Bits() <= inner.Bits())
}
