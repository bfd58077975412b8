package validation

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validate"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/cel"
	expressions "github.com/decorum-go/decorum/internal/rules"
)

// The numbers of elements of claims, the lengths of their texts, and the cost of a selector.
const (
	mostRequests       = 32
	mostConstraints    = 32
	mostConfigs        = 32
	mostSelectors      = 32
	mostAlternatives   = 8
	longestSelector    = 10 << 10
	costliestSelector  = 1_000_000 // units of CEL
	longestParameters  = 10 << 10
	mostConsumers      = 256
	mostAllocations    = 32
	mostDeviceStatuses = 8
	mostInterfaceIPs   = 16
)

func (r *report) deviceClass(obj *resourcev1.DeviceClass) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.deviceSelectors(p.Child("selectors"), s.Selectors)
	for i, c := range limited(r, p.Child("config"), s.Config, mostConfigs) {
		r.deviceConfiguration(p.Child("config").Index(i), &c.DeviceConfiguration)
	}
	if name := s.ExtendedResourceName; name != nil {
		r.obeys(p.Child("extendedResourceName"), *name, validate.ExtendedResourceName)
	}
}

// limited returns a list, or nothing and an error if it is too long.
func limited[T any](r *report, p *field.Path, list []T, most int) []T {
	if len(list) > most {
		r.add(field.TooMany(p, len(list), most))
		return nil
	}
	return list
}

// keyed checks that no two elements of a list have the same key.
func keyed[T any, K comparable](r *report, p *field.Path, list []T, key func(T) K) {
	for i := range repeated(list, key) {
		r.add(field.Duplicate(p.Index(i), key(list[i])))
	}
}

// distinctBy is keyed for a list whose rule Kubernetes declares: its errors show the whole element.
func distinctBy[T any, K comparable](r *report, p *field.Path, list []T, key func(T) K) {
	for i := range repeated(list, key) {
		r.add(field.Duplicate(p.Index(i), list[i]))
	}
}

// repeated returns the indexes of the elements with the key of an earlier one.
func repeated[T any, K comparable](list []T, key func(T) K) iter.Seq[int] {
	return func(yield func(int) bool) {
		seen := map[K]bool{}
		for i, one := range list {
			k := key(one)
			if seen[k] && !yield(i) {
				return
			}
			seen[k] = true
		}
	}
}

func itself(name string) string { return name }

// deviceClaim checks a new claim. Its specification does not change.
func (r *report) deviceClaim(obj *resourcev1.ResourceClaim) {
	if !r.existing {
		r.deviceClaimSpec(field.NewPath("spec"), &obj.Spec)
	}
}

func (r *report) deviceClaimChange(obj, old *resourcev1.ResourceClaim) {
	r.unchanged(field.NewPath("spec"), obj.Spec, old.Spec)
}

func (r *report) deviceClaimTemplate(obj *resourcev1.ResourceClaimTemplate) {
	p := field.NewPath("spec")
	r.templateMeta(p.Child("metadata"), &obj.Spec.ObjectMeta)
	r.deviceClaimSpec(p.Child("spec"), &obj.Spec.Spec)
}

func (r *report) deviceClaimTemplateChange(obj, old *resourcev1.ResourceClaimTemplate) {
	r.frozen(field.NewPath("spec"), obj.Spec, old.Spec)
}

// requestNames are the names of the requests of a claim, alone and with those of their alternatives.
type requestNames map[string]bool

func requestNamesOf(requests []resourcev1.DeviceRequest) requestNames {
	names := requestNames{}
	for _, request := range requests {
		names[request.Name] = true
		for _, one := range request.FirstAvailable {
			names[request.Name+"/"+one.Name] = true
		}
	}
	return names
}

func (r *report) deviceClaimSpec(p *field.Path, s *resourcev1.ResourceClaimSpec) {
	p = p.Child("devices")
	names := requestNamesOf(s.Devices.Requests)
	at := p.Child("requests")
	requests := limited(r, at, s.Devices.Requests, mostRequests)
	for i := range requests {
		r.deviceRequest(at.Index(i), &requests[i])
	}
	distinctBy(r, at, requests, func(d resourcev1.DeviceRequest) string { return d.Name })
	at = p.Child("constraints")
	for i, c := range limited(r, at, s.Devices.Constraints, mostConstraints) {
		p := at.Index(i)
		r.requestRefs(p.Child("requests"), c.Requests, names)
		match, distinct := c.MatchAttribute, c.DistinctAttribute
		r.is(match != nil || distinct != nil, field.Required(p, `exactly one of "matchAttribute" or "distinctAttribute" is `+
			`required, but multiple fields are set`))
		if match != nil {
			r.obeys(p.Child("matchAttribute"), string(*match), validate.ResourceFullyQualifiedName)
		}
		if distinct != nil {
			r.obeys(p.Child("distinctAttribute"), string(*distinct), validate.ResourceFullyQualifiedName)
		}
	}
	at = p.Child("config")
	for i, c := range limited(r, at, s.Devices.Config, mostConfigs) {
		r.requestRefs(at.Index(i).Child("requests"), c.Requests, names)
		r.deviceConfiguration(at.Index(i), &c.DeviceConfiguration)
	}
}

// requestName checks the name of a request.
func (r *report) requestName(p *field.Path, name string) {
	r.follows(p, name, validation.IsDNS1123Label)
}

func (r *report) deviceRequest(p *field.Path, d *resourcev1.DeviceRequest) {
	const one = "exactly one of `exactly` or `firstAvailable` is required"
	r.requestName(p.Child("name"), d.Name)
	exactly, alternatives := d.Exactly != nil, len(d.FirstAvailable) > 0
	r.is(exactly || alternatives, field.Required(p, one))
	r.is(!exactly || !alternatives, field.Invalid(p, nil, one+", but multiple fields are set"))
	if exactly {
		e, at := d.Exactly, p.Child("exactly")
		w := wantedDevices{e.Selectors, e.AllocationMode, e.Count, e.Tolerations}
		if r.declaredWanted(at, w); !alternatives {
			r.named(at.Child("deviceClassName"), e.DeviceClassName, validation.IsDNS1123Subdomain)
			r.wanted(at, w)
		}
	}
	at := p.Child("firstAvailable")
	list := limited(r, at, d.FirstAvailable, mostAlternatives)
	for i, s := range list {
		at := at.Index(i)
		w := wantedDevices{s.Selectors, s.AllocationMode, s.Count, s.Tolerations}
		if class := at.Child("deviceClassName"); r.given(class, s.DeviceClassName) {
			r.obeys(class, s.DeviceClassName, validate.LongName)
		}
		if r.declaredWanted(at, w); !exactly {
			r.requestName(at.Child("name"), s.Name)
			r.wanted(at, w)
		}
	}
	distinctBy(r, at, list, func(s resourcev1.DeviceSubRequest) string { return s.Name })
}

// wantedDevices is what a request and its alternatives have in common.
type wantedDevices struct {
	selectors   []resourcev1.DeviceSelector
	mode        resourcev1.DeviceAllocationMode
	count       int64
	tolerations []resourcev1.DeviceToleration
}

// declaredWanted checks the devices by the rules that Kubernetes' types declare. They also hold in a request that is
// invalid because it is of both forms.
func (r *report) declaredWanted(p *field.Path, w wantedDevices) {
	limited(r, p.Child("selectors"), w.selectors, mostSelectors)
	supported(r, p.Child("allocationMode"), w.mode, resourcev1.DeviceAllocationModeAll,
		resourcev1.DeviceAllocationModeExactCount)
	for i, t := range w.tolerations {
		p := p.Child("tolerations").Index(i)
		if t.Key != "" {
			r.add(metavalidation.ValidateLabelName(t.Key, p.Child("key"))...)
		}
		oneOf(r, p.Child("operator"), t.Operator, resourcev1.DeviceTolerationOpEqual, resourcev1.DeviceTolerationOpExists)
		if t.Effect != "" {
			r.taintEffect(p.Child("effect"), t.Effect)
		}
	}
}

// wanted checks the devices by all other rules.
func (r *report) wanted(p *field.Path, w wantedDevices) {
	if len(w.selectors) <= mostSelectors {
		r.deviceSelectors(p.Child("selectors"), w.selectors)
	}
	switch w.mode {
	case resourcev1.DeviceAllocationModeAll:
		r.is(w.count == 0, field.Invalid(p.Child("count"), w.count, "must not be specified when allocationMode is 'All'"))
	case resourcev1.DeviceAllocationModeExactCount:
		r.is(w.count > 0, field.Invalid(p.Child("count"), w.count, "must be greater than zero"))
	}
	for i, t := range w.tolerations {
		p := p.Child("tolerations").Index(i).Child("value")
		switch t.Operator {
		case resourcev1.DeviceTolerationOpExists:
			r.is(t.Value == "", field.Invalid(p, t.Value, "must be empty for operator `Exists`"))
		case resourcev1.DeviceTolerationOpEqual:
			r.follows(p, t.Value, validation.IsValidLabelValue)
		}
	}
}

func (r *report) taintEffect(p *field.Path, effect resourcev1.DeviceTaintEffect) {
	oneOf(r, p, effect, resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNoSchedule,
		resourcev1.DeviceTaintEffectNone)
}

// deviceSelectors checks which devices fit.
func (r *report) deviceSelectors(list *field.Path, selectors []resourcev1.DeviceSelector) {
	for i, s := range limited(r, list, selectors, mostSelectors) {
		p := list.Index(i).Child("cel")
		if s.CEL == nil {
			r.add(field.Required(p, ""))
			continue
		}
		r.deviceExpression(p.Child("expression"), s.CEL.Expression)
	}
}

// language compiles the expressions that select devices.
var language = expressions.LanguageOf(cel.Evaluator())

func (r *report) deviceExpression(p *field.Path, expression string) {
	if len(expression) > longestSelector {
		r.add(field.TooLong(p, "", longestSelector))
		return
	}
	switch verdict, err := language.DeviceSelector(expression); {
	case err != nil:
		r.add(field.InternalError(p, err))
	case verdict.Fault != "":
		r.add(field.Invalid(p, expression, verdict.Fault))
	case verdict.Cost > costliestSelector:
		r.add(field.Forbidden(p, "too complex, exceeds cost limit"))
	}
}

// requestRefs checks that requests exist in the claim.
func (r *report) requestRefs(list *field.Path, refs []string, names requestNames) {
	refs = limited(r, list, refs, mostRequests)
	for i, name := range refs {
		r.requestRef(list.Index(i), name, names)
	}
	keyed(r, list, refs, itself)
}

func (r *report) requestRef(p *field.Path, name string, names requestNames) {
	segments := strings.Split(name, "/")
	if len(segments) <= 2 {
		for _, segment := range segments {
			r.requestName(p, segment)
		}
	}
	r.is(len(segments) <= 2 && names[name], field.Invalid(p, name, "must be the name of a request in the claim or the "+
		"name of a request and a subrequest separated by '/'"))
}

func (r *report) deviceConfiguration(p *field.Path, c *resourcev1.DeviceConfiguration) {
	p = p.Child("opaque")
	if c.Opaque == nil {
		r.add(field.Required(p, ""))
		return
	}
	r.declaredDriver(p.Child("driver"), c.Opaque.Driver)
	r.rawObject(p.Child("parameters"), c.Opaque.Parameters)
}

// rawObject checks an object whose type only a driver knows.
func (r *report) rawObject(p *field.Path, raw runtime.RawExtension) {
	var v any
	switch err := json.Unmarshal(raw.Raw, &v); {
	case len(raw.Raw) == 0:
		r.add(field.Required(p, ""))
	case len(raw.Raw) > longestParameters:
		r.add(field.TooLong(p, "", longestParameters))
	case err != nil:
		r.add(field.Invalid(p, "<value omitted>", fmt.Sprintf("error parsing data as JSON: %v", err)))
	case v == nil:
		r.add(field.Required(p, ""))
	default:
		_, ok := v.(map[string]any)
		r.is(ok, field.Invalid(p, "<value omitted>", "must be a valid JSON object"))
	}
}

// deviceID names an allocated device, or one share of it.
type deviceID struct{ driver, pool, device, share string }

// deviceClaimStatus checks who uses the devices of a claim, and what their drivers say about them.
func (r *report) deviceClaimStatus(obj *resourcev1.ResourceClaim) {
	p, s := field.NewPath("status"), &obj.Status
	at := p.Child("reservedFor")
	consumers := limited(r, at, s.ReservedFor, mostConsumers)
	for i, c := range consumers {
		r.needs(at.Index(i), text{"resource", c.Resource}, text{"name", c.Name}, text{"uid", string(c.UID)})
	}
	distinctBy(r, at, consumers, func(c resourcev1.ResourceClaimConsumerReference) string { return string(c.UID) })
	r.is(len(s.ReservedFor) == 0 || s.Allocation != nil,
		field.Forbidden(at, "may not be specified when `allocated` is not set"))
	allocated := map[deviceID]bool{}
	if s.Allocation != nil {
		for _, d := range s.Allocation.Devices.Results {
			id := deviceID{driver: d.Driver, pool: d.Pool, device: d.Device}
			if d.ShareID != nil {
				id.share = string(*d.ShareID)
			}
			allocated[id] = true
		}
	}
	id := func(d resourcev1.AllocatedDeviceStatus) deviceID {
		id := deviceID{driver: d.Driver, pool: d.Pool, device: d.Device}
		if d.ShareID != nil {
			id.share = *d.ShareID
		}
		return id
	}
	at = p.Child("devices")
	for i := range s.Devices {
		d, p := &s.Devices[i], at.Index(i)
		r.is(allocated[id(*d)], field.Invalid(p, id(*d), "must be an allocated device in the claim"))
		r.deviceStatus(p, d)
	}
	distinctBy(r, at, s.Devices, id)
}

func (r *report) deviceStatus(p *field.Path, d *resourcev1.AllocatedDeviceStatus) {
	r.driverName(p.Child("driver"), d.Driver)
	r.poolName(p.Child("pool"), d.Pool)
	r.requestName(p.Child("device"), d.Device)
	if d.ShareID != nil {
		r.obeys(p.Child("shareID"), *d.ShareID, validate.UUID)
	}
	conditions := p.Child("conditions")
	r.is(len(d.Conditions) <= mostDeviceStatuses, field.TooMany(conditions, len(d.Conditions), mostDeviceStatuses))
	r.add(metavalidation.ValidateConditions(d.Conditions, conditions)...)
	if d.Data != nil && len(d.Data.Raw) > 0 {
		r.rawObject(p.Child("data"), *d.Data)
	}
	if n := d.NetworkData; n != nil {
		p := p.Child("networkData")
		r.is(len(n.InterfaceName) <= 256, field.TooLong(p.Child("interfaceName"), "", 256))
		r.is(len(n.HardwareAddress) <= 128, field.TooLong(p.Child("hardwareAddress"), "", 128))
		ips := limited(r, p.Child("ips"), n.IPs, mostInterfaceIPs)
		for i, ip := range ips {
			r.add(validation.IsValidInterfaceAddress(p.Child("ips").Index(i), ip)...)
		}
		keyed(r, p.Child("ips"), ips, itself)
	}
}

// deviceClaimStatusChange checks the devices that a claim gets. They do not change as long as it has them.
func (r *report) deviceClaimStatusChange(obj, old *resourcev1.ResourceClaim) {
	p, now, was := field.NewPath("status"), &obj.Status, &old.Status
	if obj.DeletionTimestamp != nil && now.Allocation != nil {
		r.is(!slices.ContainsFunc(now.ReservedFor, func(c resourcev1.ResourceClaimConsumerReference) bool {
			return !slices.Contains(was.ReservedFor, c)
		}), field.Forbidden(p.Child("reservedFor"), "new entries may not be added while `deallocationRequested` or "+
			"`deletionTimestamp` are set"))
	}
	switch {
	case now.Allocation == nil:
	case was.Allocation != nil:
		r.is(same(now.Allocation, was.Allocation),
			field.Invalid(p.Child("allocation"), nil, "field cannot be modified once set"))
	default:
		r.allocation(p.Child("allocation"), now.Allocation, requestNamesOf(obj.Spec.Devices.Requests))
	}
}

func (r *report) allocation(p *field.Path, a *resourcev1.AllocationResult, names requestNames) {
	results, configs := p.Child("devices", "results"), p.Child("devices", "config")
	for i, d := range limited(r, results, a.Devices.Results, mostAllocations) {
		p := results.Index(i)
		r.requestRef(p.Child("request"), d.Request, names)
		r.declaredDriver(p.Child("driver"), d.Driver)
		if pool := p.Child("pool"); r.given(pool, d.Pool) {
			r.obeys(pool, d.Pool, validate.ResourcePoolName)
		}
		r.requestName(p.Child("device"), d.Device)
		r.bindingConditions(p, d.BindingConditions, d.BindingFailureConditions)
		if d.ShareID != nil {
			r.obeys(p.Child("shareID"), string(*d.ShareID), validate.UUID)
		}
	}
	for i, c := range limited(r, configs, a.Devices.Config, 2*mostConfigs) {
		oneOf(r, configs.Index(i).Child("source"), c.Source, resourcev1.AllocationConfigSourceClaim,
			resourcev1.AllocationConfigSourceClass)
		r.requestRefs(configs.Index(i).Child("requests"), c.Requests, names)
		r.deviceConfiguration(configs.Index(i), &c.DeviceConfiguration)
	}
	if a.NodeSelector != nil {
		r.nodeSelector(p.Child("nodeSelector"), a.NodeSelector)
	}
}
