package callout_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/callout"
)

// Addresses of the machine and of its link are refused in all their forms.
func TestRefuseLocal(t *testing.T) {
	for address, refused := range map[string]string{
		"127.0.0.1":                    "loopback",
		"127.255.0.9":                  "loopback",
		"::1":                          "loopback",
		"::1%lo":                       "loopback",
		"::ffff:127.0.0.1":             "loopback",
		"::7f00:1":                     "loopback",
		"::ffff:0:127.0.0.1":           "loopback",
		"2002:7f00:1::":                "loopback",
		"64:ff9b::127.0.0.1":           "loopback",
		"2001:0:1:2:3:4:80ff:fffe":     "loopback",
		"2001:db8::5efe:127.0.0.1":     "loopback",
		"2001:db8::200:5efe:127.0.0.1": "loopback",
		"64:ff9b:1::127.0.0.1":         "local NAT64",
		"169.254.169.254":              "link-local",
		"::ffff:169.254.169.254":       "link-local",
		"2002:a9fe:a9fe::1":            "link-local",
		"64:ff9b::a9fe:a9fe":           "link-local",
		"fe80::1":                      "link-local",
		"fe80::1%eth0":                 "link-local",
		"0.0.0.0":                      "unspecified",
		"0.1.2.3":                      "unspecified",
		"::":                           "unspecified",
		"::%lo":                        "unspecified",
		"::ffff:0.0.0.0":               "unspecified",
		"224.0.0.1":                    "multicast",
		"ff02::1":                      "multicast",
		"::ffff:224.0.0.1":             "multicast",
		"255.255.255.255":              "broadcast",
		"fd00:ec2::254":                "metadata service",
		"fd20:ce::254":                 "metadata service",
		"100.100.100.200":              "metadata service",
		"64:ff9b::100.100.100.200":     "metadata service",
		"100.100.100.201":              "",
		"10.0.0.1":                     "",
		"192.0.2.1":                    "",
		"2001:db8::1":                  "",
		"fd00::1":                      "",
		"::ffff:10.0.0.1":              "",
		"64:ff9b::10.0.0.1":            "",
		"2002:a00:1::1":                "",
	} {
		err := callout.RefuseLocal(netip.AddrPortFrom(netip.MustParseAddr(address), 443))
		if refused == "" {
			assert.NoError(t, err, address)
		} else {
			assert.ErrorContains(t, err, refused, address)
		}
	}
	assert.Error(t, callout.RefuseLocal(netip.AddrPort{}))
}
