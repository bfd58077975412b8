package validation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// counted are the resources that are numbers of objects.
var counted = []corev1.ResourceName{
	corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices, corev1.ResourceReplicationControllers,
	corev1.ResourceSecrets,
	corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims, corev1.ResourceServicesNodePorts,
	corev1.ResourceServicesLoadBalancers,
}

// measured are the resources that Pods and claims use.
var measured = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
	corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceRequestsStorage,
	corev1.ResourceRequestsEphemeralStorage,
	corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory, corev1.ResourceLimitsEphemeralStorage,
}

// isForQuota reports whether a quota knows a resource without a domain.
func isForQuota(name corev1.ResourceName) bool {
	return slices.Contains(counted, name) || slices.Contains(measured, name) ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) ||
		strings.HasPrefix(string(name), corev1.ResourceRequestsHugePagesPrefix)
}

// countedWhole reports whether a resource exists in whole numbers only: objects, and what vendors define.
func countedWhole(name corev1.ResourceName) bool {
	return slices.Contains(counted, name) || ofVendors(name)
}

// ofVendors reports whether a name is one that vendors may give to a resource.
func ofVendors(name corev1.ResourceName) bool {
	return !isNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) &&
		len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+string(name))) == 0
}

// quotaResource checks the name of a resource that a quota limits.
func (r *report) quotaResource(p *field.Path, name corev1.ResourceName) {
	if r.knownResource(p, name); !strings.Contains(string(name), "/") {
		r.is(isForQuota(name), field.Invalid(p, name, "must be a standard resource for quota"))
	}
}

// knownResource checks the name of a resource, which Kubernetes knows or which has a domain.
func (r *report) knownResource(p *field.Path, name corev1.ResourceName) {
	messages := validation.IsQualifiedName(string(name))
	for _, message := range messages {
		r.add(field.Invalid(p, name, message))
	}
	known := isForQuota(name) || name == corev1.ResourceStorage || strings.Contains(string(name), "/")
	r.is(len(messages) > 0 || known, field.Invalid(p, name, "must be a standard resource type or fully qualified"))
}

func (r *report) quotaAmounts(p *field.Path, list corev1.ResourceList) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		r.quotaResource(p.Key(string(name)), name)
		r.amountOf(p.Key(string(name)), name, list[name])
	}
}

func (r *report) quota(obj *corev1.ResourceQuota) {
	p, s := field.NewPath("spec"), &obj.Spec
	r.quotaAmounts(p.Child("hard"), s.Hard)
	scopes := p.Child("scopes")
	for _, scope := range s.Scopes {
		r.is(isScope(scope), field.Invalid(scopes, s.Scopes, "unsupported scope"))
		r.scoped(scopes, scope, s, s.Scopes)
	}
	r.conflicts(scopes, s.Scopes, s)
	if s.ScopeSelector == nil {
		return
	}
	var selected []corev1.ResourceQuotaScope
	p = p.Child("scopeSelector", "matchExpressions")
	for _, e := range s.ScopeSelector.MatchExpressions {
		r.scopeRequirement(p, e)
		r.scoped(p, e.ScopeName, s, s.ScopeSelector)
		selected = append(selected, e.ScopeName)
	}
	r.conflicts(p, selected, s)
}

func (r *report) quotaStatus(obj *corev1.ResourceQuota) {
	p, s := field.NewPath("status"), &obj.Status
	r.quotaAmounts(p.Child("hard"), s.Hard)
	r.quotaAmounts(p.Child("used"), s.Used)
}

// scoped checks that a scope limits objects which use each of the resources.
func (r *report) scoped(p *field.Path, scope corev1.ResourceQuotaScope, s *corev1.ResourceQuotaSpec, shown any) {
	for _, name := range slices.Sorted(maps.Keys(s.Hard)) {
		r.is(!isForQuota(name) || isOfScope(scope, name), field.Invalid(p, shown, "unsupported scope applied to resource"))
	}
}

// conflicts checks that no two scopes exclude each other.
func (r *report) conflicts(p *field.Path, scopes []corev1.ResourceQuotaScope, s *corev1.ResourceQuotaSpec) {
	for _, pair := range [][2]corev1.ResourceQuotaScope{
		{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort},
		{corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating},
	} {
		r.is(!slices.Contains(scopes, pair[0]) || !slices.Contains(scopes, pair[1]),
			field.Invalid(p, s.Scopes, "conflicting scopes"))
	}
}

func isScope(scope corev1.ResourceQuotaScope) bool {
	switch scope {
	case corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating,
		corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
		corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeVolumeAttributesClass,
		corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return true
	}
	return false
}

// isOfScope reports whether the objects of a scope use a resource.
func isOfScope(scope corev1.ResourceQuotaScope, name corev1.ResourceName) bool {
	switch {
	case !isScope(scope):
		return true
	case scope == corev1.ResourceQuotaScopeVolumeAttributesClass:
		return name == corev1.ResourcePersistentVolumeClaims || name == corev1.ResourceRequestsStorage
	case name == corev1.ResourcePods:
		return true
	case scope == corev1.ResourceQuotaScopeBestEffort:
		return false
	}
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
		corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory:
		return true
	}
	return false
}

func (r *report) scopeRequirement(p *field.Path, e corev1.ScopedResourceSelectorRequirement) {
	r.is(isScope(e.ScopeName), field.Invalid(p.Child("scopeName"), e.ScopeName, "unsupported scope"))
	switch e.ScopeName {
	case corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopeTerminating,
		corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		r.is(e.Operator == corev1.ScopeSelectorOpExists, field.Invalid(p.Child("operator"), e.Operator,
			"must be 'Exists' when scope is any of "+
				"ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "+
				"ResourceQuotaScopeNotBestEffort or "+
				"ResourceQuotaScopeCrossNamespacePodAffinity"))
	}
	switch e.Operator {
	case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
		r.is(len(e.Values) > 0, field.Required(p.Child("values"), "must be at least one value when `operator` is 'In' or "+
			"'NotIn' for scope selector"))
	case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
		r.is(len(e.Values) == 0, field.Invalid(p.Child("values"), e.Values, "must be no value when `operator` is 'Exist' "+
			"or 'DoesNotExist' for scope selector"))
	default:
		r.add(field.Invalid(p.Child("operator"), e.Operator, "not a valid selector operator"))
	}
}

func (r *report) limitRange(obj *corev1.LimitRange) {
	p, s := field.NewPath("spec"), &obj.Spec
	types := map[string]bool{}
	for i := range s.Limits {
		l, p := &s.Limits[i], p.Child("limits").Index(i)
		r.limitType(p.Child("type"), l.Type)
		r.is(!types[string(l.Type)], field.Duplicate(p.Child("type"), l.Type))
		types[string(l.Type)] = true
		r.limitNames(p, l)
		for _, name := range namesOf(l) {
			r.limit(p, string(name), limitsOf(l, name))
		}
	}
}

func (r *report) limitType(p *field.Path, t corev1.LimitType) {
	messages := validation.IsQualifiedName(string(t))
	for _, message := range messages {
		r.add(field.Invalid(p, t, message))
	}
	switch t {
	case corev1.LimitTypePod, corev1.LimitTypeContainer, corev1.LimitTypePersistentVolumeClaim:
	default:
		r.is(len(messages) > 0 || strings.Contains(string(t), "/"),
			field.Invalid(p, t, "must be a standard limit type or fully qualified"))
	}
}

// limitNames checks the names of the resources that a limit is about. A limit for Pods has no defaults.
func (r *report) limitNames(p *field.Path, l *corev1.LimitRangeItem) {
	for _, list := range []struct {
		name      string
		resources corev1.ResourceList
		isDefault bool
	}{
		{"max", l.Max, false}, {"min", l.Min, false}, {"default", l.Default, true},
		{"defaultRequest", l.DefaultRequest, true},
		{"maxLimitRequestRatio", l.MaxLimitRequestRatio, false},
	} {
		p := p.Child(list.name)
		if list.isDefault && l.Type == corev1.LimitTypePod {
			r.is(len(list.resources) == 0, field.Forbidden(p, "may not be specified when `type` is 'Pod'"))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(list.resources)) {
			if l.Type == corev1.LimitTypePod || l.Type == corev1.LimitTypeContainer {
				r.resourceName(p.Key(string(name)), name)
			} else {
				r.knownResource(p.Key(string(name)), name)
			}
		}
	}
	_, least := l.Min[corev1.ResourceStorage]
	_, most := l.Max[corev1.ResourceStorage]
	r.is(least || most || l.Type != corev1.LimitTypePersistentVolumeClaim,
		field.Required(p.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
}

func namesOf(l *corev1.LimitRangeItem) []corev1.ResourceName {
	all := map[corev1.ResourceName]bool{}
	for _, list := range []corev1.ResourceList{l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio} {
		for name := range list {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
