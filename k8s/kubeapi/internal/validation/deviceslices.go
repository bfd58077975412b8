package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The numbers of elements of ResourceSlices, and the lengths of their texts.
const (
	mostDevices             = 128
	mostComplexDevices      = 64
	mostCounterSets         = 8
	mostCounters            = 32
	mostConsumedSets        = 2
	mostProperties          = 32
	mostDeviceTaints        = 16
	mostBindingConditions   = 4
	mostRequestValues       = 10
	longestProperty         = 32
	longestPropertyValue    = 64
	longestQualifiedName    = 63 + 1 + longestProperty
	onePlaceInSpec          = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
	onePlaceInDevice        = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when " + perDevice
	perDevice               = "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
	mustBeUnsetOrTrue       = "must be either unset or set to true"
	mustBeUnsetOrHaveLength = "must be either unset or set to a non-empty string"
)

func (r *report) resourceSlice(obj *resourcev1.ResourceSlice) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.driverName(p.Child("driver"), s.Driver)
	r.poolName(p.Child("pool", "name"), s.Pool.Name)
	r.is(s.Pool.ResourceSliceCount > 0, field.Invalid(p.Child("pool", "resourceSliceCount"), s.Pool.ResourceSliceCount,
		"must be greater than zero"))
	r.is(s.Pool.Generation >= 0, field.Invalid(p.Child("pool", "generation"), s.Pool.Generation,
		"must be greater than or equal to zero"))
	r.slicePlace(p, s)
	r.is(s.SharedCounters == nil || s.Devices == nil,
		field.Invalid(p, "", "only one of `sharedCounters` or `devices` is allowed"))
	most := mostDevices
	if slices.ContainsFunc(s.Devices, func(d resourcev1.Device) bool {
		return len(d.Taints) > 0 || len(d.ConsumesCounters) > 0
	}) {
		most = mostComplexDevices
	}
	at := p.Child("devices")
	devices := limited(r, at, s.Devices, most)
	for i := range devices {
		r.device(at.Index(i), &devices[i], isTrue(s.PerDeviceNodeSelection))
	}
	keyed(r, at, devices, func(d resourcev1.Device) string { return d.Name })
	at = p.Child("sharedCounters")
	sets := limited(r, at, s.SharedCounters, mostCounterSets)
	for i, set := range sets {
		r.shortName(at.Index(i).Child("name"), set.Name)
		r.counters(at.Index(i).Child("counters"), set.Counters)
	}
	distinctBy(r, at, sets, func(c resourcev1.CounterSet) string { return c.Name })
}

func (r *report) resourceSliceChange(obj, old *resourcev1.ResourceSlice) {
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	r.frozen(p.Child("pool", "name"), now.Pool.Name, was.Pool.Name)
	r.frozen(p.Child("driver"), now.Driver, was.Driver)
	r.frozen(p.Child("nodeName"), now.NodeName, was.NodeName)
	for i := range now.Devices {
		d := &now.Devices[i]
		j := slices.IndexFunc(was.Devices, func(old resourcev1.Device) bool { return old.Name == d.Name })
		if j < 0 || !same(was.Devices[j].Capacity, d.Capacity) {
			r.deviceCapacity(p.Child("devices").Index(i), d)
		}
	}
}

// slicePlace checks which nodes can use the devices of a slice.
func (r *report) slicePlace(p *field.Path, s *resourcev1.ResourceSliceSpec) {
	var set []string
	if s.NodeName != nil {
		if *s.NodeName == "" {
			r.add(field.Invalid(p.Child("nodeName"), "", mustBeUnsetOrHaveLength))
		} else {
			set = append(set, "`nodeName`")
			r.follows(p.Child("nodeName"), *s.NodeName, validation.IsDNS1123Subdomain)
		}
	}
	if s.NodeSelector != nil {
		set = append(set, "`nodeSelector`")
		r.nodeSelector(p.Child("nodeSelector"), s.NodeSelector)
		r.is(len(s.NodeSelector.NodeSelectorTerms) == 1, field.Invalid(p.Child("nodeSelector", "nodeSelectorTerms"),
			s.NodeSelector.NodeSelectorTerms, "must have exactly one node selector term"))
	}
	for _, choice := range []struct {
		name string
		set  *bool
	}{{"allNodes", s.AllNodes}, {"perDeviceNodeSelection", s.PerDeviceNodeSelection}} {
		if isTrue(choice.set) {
			set = append(set, "`"+choice.name+"`")
		}
		r.is(choice.set == nil || *choice.set, field.Invalid(p.Child(choice.name), false, mustBeUnsetOrTrue))
	}
	r.is(len(set) > 0, field.Required(p, onePlaceInSpec))
	r.is(len(set) <= 1, field.Invalid(p, "{"+strings.Join(set, ", ")+"}", onePlaceInSpec+", but multiple fields are set"))
}

// devicePlace checks which nodes can use a device of a slice whose devices are in different places.
func (r *report) devicePlace(p *field.Path, d *resourcev1.Device) {
	var set []string
	if d.NodeName != nil {
		if *d.NodeName == "" {
			r.add(field.Invalid(p.Child("nodeName"), "", "must not be empty"))
		} else {
			set = append(set, "`nodeName`")
			r.follows(p.Child("nodeName"), *d.NodeName, validation.IsDNS1123Subdomain)
		}
	}
	if d.NodeSelector != nil {
		set = append(set, "`nodeSelector`")
		r.nodeSelector(p.Child("nodeSelector"), d.NodeSelector)
	}
	if isTrue(d.AllNodes) {
		set = append(set, "`allNodes`")
	}
	r.is(d.AllNodes == nil || *d.AllNodes, field.Invalid(p.Child("allNodes"), false, mustBeUnsetOrTrue))
	r.is(len(set) > 0, field.Required(p, onePlaceInDevice))
	r.is(len(set) <= 1, field.Invalid(p, "{"+strings.Join(set, ", ")+"}", onePlaceInDevice))
}

func (r *report) device(p *field.Path, d *resourcev1.Device, apart bool) {
	r.requestName(p.Child("name"), d.Name)
	n := len(d.Attributes) + len(d.Capacity)
	r.is(n <= mostProperties, field.Invalid(p, n, fmt.Sprintf("the total number of attributes and capacities must not "+
		"exceed %d", mostProperties)))
	for _, name := range slices.Sorted(maps.Keys(d.Attributes)) {
		r.property(p.Child("attributes"), string(name))
		attribute := d.Attributes[name]
		r.attribute(p.Child("attributes").Key(shortened(string(name), longestQualifiedName)), &attribute)
	}
	if !r.existing { // otherwise only a capacity that changes counts
		r.deviceCapacity(p, d)
	}
	for i, t := range limited(r, p.Child("taints"), d.Taints, mostDeviceTaints) {
		p := p.Child("taints").Index(i)
		r.add(metavalidation.ValidateLabelName(t.Key, p.Child("key"))...)
		r.optional(p.Child("value"), t.Value, validation.IsValidLabelValue)
		r.taintEffect(p.Child("effect"), t.Effect)
	}
	at := p.Child("consumesCounters")
	consumed := limited(r, at, d.ConsumesCounters, mostConsumedSets)
	for i, c := range consumed {
		r.shortName(at.Index(i).Child("counterSet"), c.CounterSet)
		r.counters(at.Index(i).Child("counters"), c.Counters)
	}
	distinctBy(r, at, consumed, func(c resourcev1.DeviceCounterConsumption) string { return c.CounterSet })
	if apart {
		r.devicePlace(p, d)
	} else {
		r.is(d.NodeName == nil && d.NodeSelector == nil && d.AllNodes == nil,
			field.Invalid(p, nil, "`nodeName`, `nodeSelector` and `allNodes` can only be set if "+perDevice))
	}
	r.bindingConditions(p, d.BindingConditions, d.BindingFailureConditions)
}

func (r *report) counters(p *field.Path, counters map[string]resourcev1.Counter) {
	switch n := len(counters); {
	case n == 0:
		r.add(field.Required(p, ""))
	case n > mostCounters:
		r.add(field.TooMany(p, n, mostCounters))
	default:
		for _, name := range slices.Sorted(maps.Keys(counters)) {
			r.obeys(p, name, validate.ShortName)
		}
	}
}

// shortName checks the name of a counter or a handler by a declared rule.
func (r *report) shortName(p *field.Path, name string) {
	if r.given(p, name) {
		r.obeys(p, name, validate.ShortName)
	}
}

// property checks the name of an attribute or a capacity, which may have a domain.
func (r *report) property(p *field.Path, name string) {
	switch parts := strings.Split(name, "/"); len(parts) {
	case 1:
		r.identifier(p, name)
	case 2:
		r.is(parts[0] != "", field.Invalid(p, "", "the domain must not be empty"))
		if parts[0] != "" {
			r.driverName(p, parts[0])
		}
		r.is(parts[1] != "", field.Invalid(p, "", "the name must not be empty"))
		if parts[1] != "" {
			r.identifier(p, parts[1])
		}
	}
}

func (r *report) identifier(p *field.Path, name string) {
	r.is(len(name) <= longestProperty, field.TooLong(p, "", longestProperty))
	r.follows(p, name, validation.IsCIdentifier)
}

// shortened returns a text as the paths of faults show it: without its middle if it is too long.
func shortened(name string, most int) string {
	if len(name) <= most {
		return name
	}
	rest := most - len("...")
	return name[:(rest+1)/2] + "..." + name[len(name)-rest/2:]
}

// semantic matches versions in the form of semver.org.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}` +
	`(-` + prerelease + `(\.` + prerelease + `)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

const prerelease = `(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)`

func (r *report) attribute(p *field.Path, a *resourcev1.DeviceAttribute) {
	var set []string
	for _, value := range []struct {
		name string
		set  bool
	}{{"int", a.IntValue != nil}, {"bool", a.BoolValue != nil}, {"string", a.StringValue != nil},
		{"version", a.VersionValue != nil}} {
		if value.set {
			set = append(set, value.name)
		}
	}
	if s := a.StringValue; s != nil {
		r.is(len(*s) <= longestPropertyValue, field.TooLong(p.Child("string"), "", longestPropertyValue))
	}
	if s := a.VersionValue; s != nil {
		r.is(semantic.MatchString(*s), field.Invalid(p.Child("version"), *s, "must be a string compatible with semver.org "+
			"spec 2.0.0"))
		r.is(len(*s) <= longestPropertyValue, field.TooLong(p.Child("version"), "", longestPropertyValue))
	}
	const values = "one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`"
	r.is(len(set) > 0 || hasLists(a), field.Invalid(p, "", "must specify "+values))
	r.is(len(set) <= 1 || hasLists(a),
		field.Invalid(p, "{"+strings.Join(set, ", ")+"}", "must specify exactly "+values))
}

// deviceCapacity checks the capacity of a device.
func (r *report) deviceCapacity(p *field.Path, d *resourcev1.Device) {
	for _, name := range slices.Sorted(maps.Keys(d.Capacity)) {
		r.property(p.Child("capacity"), string(name))
		c := d.Capacity[name]
		at := p.Child("capacity").Key(shortened(string(name), longestQualifiedName)).Child("requestPolicy")
		switch {
		case c.RequestPolicy == nil:
		case isTrue(d.AllowMultipleAllocations):
			r.requestPolicy(at, c.Value, c.RequestPolicy)
		default:
			r.add(field.Forbidden(at, "allowMultipleAllocations must be true"))
		}
	}
}

// hasLists reports whether an attribute has a list of values, which needs a feature gate that is off.
func hasLists(a *resourcev1.DeviceAttribute) bool {
	return a.BoolValues != nil || a.IntValues != nil || a.StringValues != nil || a.VersionValues != nil
}

// requestPolicy checks how much of a capacity claims may request.
func (r *report) requestPolicy(p *field.Path, all resource.Quantity, policy *resourcev1.CapacityRequestPolicy) {
	usual := policy.Default
	switch values, span := len(policy.ValidValues) > 0, policy.ValidRange != nil; {
	case values && span:
		r.add(field.Forbidden(p, `exactly one policy can be specified, cannot specify "validValues" and "validRange" at `+
			`the same time`))
	case values && usual == nil:
		r.add(field.Required(p.Child("default"), "required when validValues is defined"))
	case values:
		r.requestValues(p.Child("validValues"), all, *usual, policy.ValidValues)
	case span && usual == nil:
		r.add(field.Required(p.Child("default"), "required when validRange is defined"))
	case span:
		r.requestRange(p.Child("validRange"), all, *usual, policy.ValidRange)
	}
}

func (r *report) requestValues(p *field.Path, all, usual resource.Quantity, values []resource.Quantity) {
	for i := 1; i < len(values); i++ {
		r.is(values[i-1].Cmp(values[i]) <= 0, field.Invalid(p.Index(i), values[i].String(),
			"values must be sorted in ascending order"))
	}
	found := false
	values = limited(r, p, values, mostRequestValues)
	for i, value := range values {
		r.is(value.Cmp(all) <= 0, field.Invalid(p.Index(i), value.String(), "option is larger than capacity value: "+
			all.String()))
		found = found || value.Cmp(usual) == 0
	}
	keyed(r, p, values, func(q resource.Quantity) int64 { return q.Value() })
	r.is(found, field.Invalid(p, usual.String(), "default value is not valid according to the requestPolicy"))
}

func (r *report) requestRange(p *field.Path, all, usual resource.Quantity, span *resourcev1.CapacityRequestPolicyRange) {
	least, most, step := span.Min, span.Max, span.Step
	if least == nil {
		r.add(field.Required(p.Child("min"), "required when validRange is defined"))
		return
	}
	orders := func(name string, a, b *resource.Quantity, shown *resource.Quantity, detail string, with *resource.Quantity) {
		r.is(a.Cmp(*b) <= 0, field.Invalid(p.Child(name), shown.String(), detail+": "+with.String()))
	}
	orders("min", least, &all, least, "min is larger than capacity value", &all)
	orders("min", least, &usual, &usual, "default is less than min", least)
	if most != nil {
		orders("max", least, most, least, "min is larger than max", most)
		orders("max", most, &all, most, "max is larger than capacity value", &all)
		orders("max", &usual, most, &usual, "default is more than max", most)
	}
	if step == nil || step.Value() == 0 {
		return
	}
	at, next := p.Child("step"), least.DeepCopy()
	next.Add(*step)
	r.is(next.Cmp(all) <= 0, field.Invalid(at, step.String(), fmt.Sprintf("one step %s is larger than capacity value: %s",
		next.String(), all.String())))
	for _, q := range []*resource.Quantity{&usual, most} {
		if q != nil {
			r.is((q.Value()-least.Value())%step.Value() == 0, field.Invalid(at, q.String(),
				fmt.Sprintf("value is not a multiple of a given step (%s) from (%s)", step.String(), least.String())))
		}
	}
}

// bindingConditions checks the conditions by which the binding of a Pod learns that a device is ready, or has failed.
func (r *report) bindingConditions(p *field.Path, ready, failed []string) {
	readyAt, failedAt := p.Child("bindingConditions"), p.Child("bindingFailureConditions")
	for _, list := range []struct {
		at    *field.Path
		names []string
	}{{readyAt, ready}, {failedAt, failed}} {
		for i, name := range limited(r, list.at, list.names, mostBindingConditions) {
			r.add(metavalidation.ValidateLabelName(name, list.at.Index(i))...)
		}
		keyed(r, list.at, list.names, itself)
	}
	for i, name := range failed {
		r.is(!slices.Contains(ready, name), field.Invalid(failedAt.Index(i), name,
			"bindingFailureConditions must not overlap with bindingConditions"))
	}
	r.is(len(ready) > 0 || len(failed) == 0,
		field.Invalid(readyAt, ready, "bindingConditions are required to use bindingFailureConditions"))
	r.is(len(failed) > 0 || len(ready) == 0,
		field.Invalid(failedAt, failed, "bindingFailureConditions are required to use bindingConditions"))
}

// poolName checks the name of a pool of devices, which consists of subdomains.
func (r *report) poolName(p *field.Path, name string) {
	if !r.given(p, name) {
		return
	}
	r.is(len(name) <= validation.DNS1123SubdomainMaxLength, field.TooLong(p, "", validation.DNS1123SubdomainMaxLength))
	for part := range strings.SplitSeq(name, "/") {
		r.follows(p, part, validation.IsDNS1123Subdomain)
	}
}
