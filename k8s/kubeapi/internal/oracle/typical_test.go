package oracle

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// typical are the values that a mutator often gives to the fields of a type, as if they were an enumeration.
var typical = map[reflect.Type]map[string][]string{
	reflect.TypeFor[resourcev1.CELDeviceSelector](): {"expression": {
		"true", "1", `"a"`, "", "(", "nope", "device", "device.nope", "device.driver", "device.driver == 1",
		"device.allowMultipleAllocations", `device.driver.startsWith("a")`, `device.attributes["a"].b`,
		`device.attributes["a"].b == 1 && device.attributes["a"].c.isGreaterThan(semver("1.0.0"))`,
		`device.attributes.a`, `device.attributes["a"]["b"].c == 1`, `device.capacity["a"].b`,
		`device.capacity["a"].b.compareTo(quantity("1Gi")) >= 0`, `device.capacity["a"]["b"] == quantity("x")`,
		`cel.bind(a, device.attributes["a"], a.b && a.c)`, `"a" in device.attributes`,
		`device.attributes.all(d, device.attributes[d].exists(i, i == "a"))`,
		"device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, " +
			"device.attributes.all(e, a + b + c + d == e)))))",
		`device.attributes["a"].b.matches("[")`, `device.attributes["a"].b.lowerAscii().contains("x")`,
		`device.driver.matches("(a+)+$")`, `[1, "a"].exists(x, x == 1)`, `duration("x") == duration("1s")`,
		`quantity("x") == quantity("1")`, `object.metadata.name == "a"`, `kubernetes.DRADevice{driver: "a"}.driver == "a"`,
		`size(device.attributes) > 1 ? device.attributes["a"].b : true`, "{1: 2}[1] == 2", "dyn(1)", "null",
		strings.Repeat("a", 10<<10+1), strings.Repeat("!", 400) + "true",
	}},
	reflect.TypeFor[corev1.ServiceSpec](): {"clusterIP": ips, "clusterIPs": ips, "externalIPs": ips,
		"loadBalancerSourceRanges": ranges},
	reflect.TypeFor[corev1.EndpointAddress]():     {"ip": ips},
	reflect.TypeFor[corev1.HostAlias]():           {"ip": ips},
	reflect.TypeFor[corev1.HostIP]():              {"ip": ips},
	reflect.TypeFor[corev1.PodIP]():               {"ip": ips},
	reflect.TypeFor[corev1.PodDNSConfig]():        {"nameservers": ips},
	reflect.TypeFor[corev1.LoadBalancerIngress](): {"ip": ips},
	reflect.TypeFor[corev1.NodeSpec]():            {"podCIDR": ranges, "podCIDRs": ranges},
	reflect.TypeFor[discoveryv1.Endpoint]():       {"addresses": ips},
	reflect.TypeFor[networkingv1.IPBlock]():       {"cidr": ranges, "except": ranges},
}

var (
	ips = []string{"10.0.0.1", "10.0.0.9", "010.0.0.1", "::ffff:10.0.0.1", "fd00::1", "2001:db8::1", "None", "127.0.0.1",
		"169.254.1.1", "224.0.0.1", "0.0.0.0", "", "a"}
	ranges = []string{"10.0.0.0/24", "10.1.0.0/16", "10.0.0.1/24", "010.0.0.0/24", "fd00::/64", "::ffff:10.0.0.0/120",
		" 10.0.0.0/24 ", "10.0.0.0", "", "a"}
)
