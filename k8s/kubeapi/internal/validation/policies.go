package validation

import (
	"fmt"
	"reflect"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
	"k8s.io/utils/ptr"
)

func (r *report) lease(obj *coordinationv1.Lease) {
	p, s := field.NewPath("spec"), &obj.Spec
	if d := s.LeaseDurationSeconds; d != nil {
		r.is(*d > 0, field.Invalid(p.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := s.LeaseTransitions; n != nil {
		r.is(*n >= 0, field.Invalid(p.Child("leaseTransitions"), *n, "must be greater than or equal to 0"))
	}
	strategy := ptr.Deref(s.Strategy, "")
	if s.Strategy != nil {
		at := p.Child("strategy", "strategy") // Kubernetes repeats the name of the field
		if strings.Contains(string(strategy), "/") {
			r.follows(at, string(strategy), validation.IsQualifiedName)
		} else {
			supported(r, at, strategy, coordinationv1.OldestEmulationVersion)
		}
	}
	r.is(strategy != "" || ptr.Deref(s.PreferredHolder, "") == "",
		field.Forbidden(p.Child("preferredHolder"), "may only be specified if `strategy` is defined"))
}

// The numbers of elements that an EndpointSlice has at most.
const (
	mostEndpoints  = 1000
	mostPorts      = 20000
	mostAddresses  = 100
	mostTopologies = 16
	mostHints      = 8
)

func (r *report) endpointSlice(obj *discoveryv1.EndpointSlice) {
	oneOf(r, field.NewPath("addressType"), obj.AddressType, discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4,
		discoveryv1.AddressTypeIPv6)
	names := map[string]bool{}
	if n := len(obj.Ports); n > mostPorts {
		r.add(field.TooMany(field.NewPath("ports"), n, mostPorts))
	}
	for i, port := range obj.Ports[:min(len(obj.Ports), mostPorts)] {
		p := field.NewPath("ports").Index(i)
		if port.Name != nil {
			r.optional(p.Child("name"), *port.Name, validation.IsDNS1123Label)
			r.distinct(p.Child("name"), *port.Name, names)
		}
		if port.Protocol != nil {
			supported(r, p.Child("protocol"), *port.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
		}
		if port.AppProtocol != nil {
			r.follows(p.Child("appProtocol"), *port.AppProtocol, validation.IsQualifiedName)
		}
	}
	if n := len(obj.Endpoints); n > mostEndpoints {
		r.add(field.TooMany(field.NewPath("endpoints"), n, mostEndpoints))
		return
	}
	for i, e := range obj.Endpoints {
		p := field.NewPath("endpoints").Index(i)
		addresses := p.Child("addresses")
		r.is(len(e.Addresses) > 0, field.Required(addresses, ""))
		r.is(len(e.Addresses) <= mostAddresses, field.TooMany(addresses, len(e.Addresses), mostAddresses))
		for j, address := range e.Addresses {
			r.sliceAddress(addresses, addresses.Index(j), obj.AddressType, address)
		}
		topology := p.Child("deprecatedTopology")
		r.is(len(e.DeprecatedTopology) <= mostTopologies,
			field.TooMany(topology, len(e.DeprecatedTopology), mostTopologies))
		r.labels(topology, e.DeprecatedTopology)
		if e.Hints != nil {
			r.hints(p.Child("hints"), e.Hints)
		}
		if e.NodeName != nil {
			r.follows(p.Child("nodeName"), *e.NodeName, validation.IsDNS1123Subdomain)
		}
		if e.Hostname != nil {
			r.follows(p.Child("hostname"), *e.Hostname, validation.IsDNS1123Label)
		}
	}
}

// sliceAddress checks an address of the type of its slice.
func (r *report) sliceAddress(list, p *field.Path, t discoveryv1.AddressType, address string) {
	before := len(r.errs)
	switch t {
	case discoveryv1.AddressTypeFQDN:
		r.add(validation.IsFullyQualifiedDomainName(p, address)...)
	case discoveryv1.AddressTypeIPv4:
		if r.ip(p, address); len(r.errs) == before {
			r.is(netutils.IsIPv4String(address), field.Invalid(list, address, "must be an IPv4 address"))
			r.endpointIP(p, address)
		}
	case discoveryv1.AddressTypeIPv6:
		if r.add(validation.IsValidIP(p, address)...); len(r.errs) == before {
			r.is(netutils.IsIPv6String(address), field.Invalid(list, address, "must be an IPv6 address"))
			r.endpointIP(p, address)
		}
	}
}

// hints checks from where an endpoint should get its traffic.
func (r *report) hints(p *field.Path, h *discoveryv1.EndpointHints) {
	zones, nodes := p.Child("forZones"), p.Child("forNodes")
	if n := len(h.ForZones); n > mostHints {
		r.add(field.TooMany(zones, n, mostHints))
		return
	}
	seen := map[string]bool{}
	for i, zone := range h.ForZones {
		r.distinct(zones.Index(i).Child("name"), zone.Name, seen)
		r.follows(zones.Index(i).Child("name"), zone.Name, validation.IsValidLabelValue)
	}
	if n := len(h.ForNodes); n > mostHints {
		r.add(field.TooMany(nodes, n, mostHints))
		return
	}
	seen = map[string]bool{}
	for i, node := range h.ForNodes {
		r.distinct(nodes.Index(i).Child("name"), node.Name, seen)
		r.follows(nodes.Index(i).Child("name"), node.Name, validation.IsDNS1123Subdomain)
	}
}

func (r *report) endpointSliceChange(obj, old *discoveryv1.EndpointSlice) {
	r.unchanged(field.NewPath("addressType"), obj.AddressType, old.AddressType)
}

func (r *report) disruptionBudget(obj *policyv1.PodDisruptionBudget) {
	p, s := field.NewPath("spec"), &obj.Spec
	if s.MinAvailable != nil && s.MaxUnavailable != nil {
		r.add(field.Invalid(p, *s, "minAvailable and maxUnavailable cannot be both set"))
	}
	if s.MinAvailable != nil {
		r.share(p.Child("minAvailable"), *s.MinAvailable, true)
	}
	if s.MaxUnavailable != nil {
		r.share(p.Child("maxUnavailable"), *s.MaxUnavailable, true)
	}
	r.selector(p.Child("selector"), s.Selector)
	if u := s.UnhealthyPodEvictionPolicy; u != nil {
		supported(r, p.Child("unhealthyPodEvictionPolicy"), *u, policyv1.AlwaysAllow, policyv1.IfHealthyBudget)
	}
}

func (r *report) disruptionBudgetStatus(obj *policyv1.PodDisruptionBudget) {
	p, s := field.NewPath("status"), &obj.Status
	r.add(metavalidation.ValidateConditions(s.Conditions, p.Child("conditions"))...)
	r.counts(p, count{"disruptionsAllowed", s.DisruptionsAllowed}, count{"currentHealthy", s.CurrentHealthy},
		count{"desiredHealthy", s.DesiredHealthy}, count{"expectedPods", s.ExpectedPods})
}

func (r *report) priorityClass(obj *schedulingv1.PriorityClass) {
	if r.existing {
		return
	}
	const highest = 1_000_000_000
	if strings.HasPrefix(obj.Name, "system-") {
		if why := notOfSystem(obj); why != "" {
			r.add(field.Forbidden(field.NewPath("metadata", "name"),
				"priority class names with 'system-' prefix are reserved for system use only. error: "+why))
		}
	} else {
		r.is(obj.Value <= highest,
			field.Forbidden(field.NewPath("value"), "maximum allowed value of a user defined priority is 1000000000"))
	}
	if obj.PreemptionPolicy != nil {
		oneOf(r, field.NewPath("preemptionPolicy"), *obj.PreemptionPolicy, corev1.PreemptLowerPriority, corev1.PreemptNever)
	}
}

// notOfSystem returns why a PriorityClass differs from the ones that every cluster has, or "".
func notOfSystem(c *schedulingv1.PriorityClass) string {
	values := map[string]int32{"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
	switch value, ok := values[c.Name]; {
	case !ok:
		return c.Name + " is not a known system priority class"
	case c.Value != value:
		return fmt.Sprintf("value of %s PriorityClass must be %d", c.Name, value)
	case c.GlobalDefault:
		return fmt.Sprintf("globalDefault of %s PriorityClass must be false", c.Name)
	}
	return ""
}

func (r *report) priorityClassChange(obj, old *schedulingv1.PriorityClass) {
	r.is(obj.Value == old.Value, field.Forbidden(field.NewPath("value"), "may not be changed in an update."))
	r.frozen(field.NewPath("preemptionPolicy"), obj.PreemptionPolicy, old.PreemptionPolicy)
}

func (r *report) storageClass(obj *storagev1.StorageClass) {
	r.provisioner(field.NewPath("provisioner"), obj.Provisioner)
	r.parameters(field.NewPath("parameters"), obj.Parameters)
	if policy := obj.ReclaimPolicy; policy != nil && *policy != "" {
		supported(r, field.NewPath("reclaimPolicy"), *policy, corev1.PersistentVolumeReclaimDelete,
			corev1.PersistentVolumeReclaimRetain)
	}
	if mode := obj.VolumeBindingMode; mode != nil {
		supported(r, field.NewPath("volumeBindingMode"), *mode, storagev1.VolumeBindingImmediate,
			storagev1.VolumeBindingWaitForFirstConsumer)
	}
	r.topologies(field.NewPath("allowedTopologies"), obj.AllowedTopologies)
}

// topologies checks where volumes of a class may be: no two terms mean the same.
func (r *report) topologies(p *field.Path, terms []corev1.TopologySelectorTerm) {
	var others []map[string]map[string]bool
	for i, term := range terms {
		p, keys := p.Index(i).Child("matchLabelExpressions"), map[string]map[string]bool{}
		for j, e := range term.MatchLabelExpressions {
			p, values := p.Index(j), map[string]bool{}
			r.is(len(e.Values) > 0, field.Required(p.Child("values"), ""))
			for k, value := range e.Values {
				r.distinct(p.Child("values").Index(k), value, values)
			}
			r.add(metavalidation.ValidateLabelName(e.Key, p.Child("key"))...)
			r.is(keys[e.Key] == nil, field.Duplicate(p.Child("key"), e.Key))
			keys[e.Key] = values
		}
		for range terms { // Kubernetes also compares with as many terms that are empty
			r.is(len(keys) > 0, field.Duplicate(p, ""))
		}
		for _, other := range others {
			r.is(!reflect.DeepEqual(other, keys), field.Duplicate(p, ""))
		}
		others = append(others, keys)
	}
}

func (r *report) storageClassChange(obj, old *storagev1.StorageClass) {
	r.unchanged(field.NewPath("parameters"), obj.Parameters, old.Parameters)
	r.unchanged(field.NewPath("provisioner"), obj.Provisioner, old.Provisioner)
	r.unchanged(field.NewPath("reclaimPolicy"), obj.ReclaimPolicy, old.ReclaimPolicy)
	r.unchanged(field.NewPath("volumeBindingMode"), obj.VolumeBindingMode, old.VolumeBindingMode)
}
