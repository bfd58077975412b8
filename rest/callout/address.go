package callout

import (
	"errors"
	"net/netip"
	"slices"
)

// RefuseLocal returns an error for an address that belongs to the machine or to its network link: loopback, link-local,
// unspecified, multicast and broadcast addresses, and the addresses at which clouds give a machine its credentials. It
// finds such an IPv4 address inside an IPv6 address too: mapped, compatible, translated, 6to4, Teredo and NAT64. It
// permits private networks, where most webhooks are.
func RefuseLocal(address netip.AddrPort) error {
	addr := address.Addr().Unmap().WithZone("")
	if !addr.IsValid() {
		return errors.New("refused: not an IP address")
	}
	if err := refuse(addr); err != nil {
		return err
	}
	if addr.Is4() {
		return nil
	}
	if localNAT64().Contains(addr) {
		return errors.New("refused: address of a local NAT64 network")
	}
	if inner, ok := embedded(addr.As16()); ok {
		return refuse(inner)
	}
	return nil
}

// refuse looks at the address itself.
func refuse(addr netip.Addr) error {
	switch {
	case addr.IsLoopback():
		return errors.New("refused: loopback address")
	case addr.IsLinkLocalUnicast():
		return errors.New("refused: link-local address")
	case addr.IsMulticast():
		return errors.New("refused: multicast address")
	case addr.IsUnspecified() || addr.Is4() && addr.As4()[0] == 0:
		return errors.New("refused: unspecified address")
	case addr == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return errors.New("refused: broadcast address")
	case slices.Contains(metadataServices(), addr):
		return errors.New("refused: metadata service of a cloud")
	}
	return nil
}

// metadataServices are the metadata services of clouds outside of the link-local addresses: of AWS, Google Cloud and
// Alibaba Cloud.
func metadataServices() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
		netip.AddrFrom4([4]byte{100, 100, 100, 200})}
}

// localNAT64 is the network whose prefix does not say where the IPv4 address is (RFC 8215).
func localNAT64() netip.Prefix { return netip.MustParsePrefix("64:ff9b:1::/48") }

// embedded returns the IPv4 address inside an IPv6 address. A gateway may forward to it.
func embedded(ip [16]byte) (netip.Addr, bool) {
	last := netip.AddrFrom4([4]byte(ip[12:]))
	switch prefix := [12]byte(ip[:12]); {
	case prefix == [12]byte{}, // compatible (RFC 4291)
		prefix == [12]byte{8: 0xff, 9: 0xff},           // translated (RFC 2765)
		prefix == [12]byte{0, 0x64, 0xff, 0x9b},        // NAT64 (RFC 6052)
		ip[9] == 0 && ip[10] == 0x5e && ip[11] == 0xfe: // ISATAP (RFC 5214)
		return last, true
	case ip[0] == 0x20 && ip[1] == 0x02: // 6to4 (RFC 3056)
		return netip.AddrFrom4([4]byte(ip[2:6])), true
	case [4]byte(ip[:4]) == [4]byte{0x20, 0x01}: // Teredo (RFC 4380) inverts the address
		return netip.AddrFrom4([4]byte{^ip[12], ^ip[13], ^ip[14], ^ip[15]}), true
	}
	return netip.Addr{}, false
}
