package validation

import (
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) lease(p *field.Path, s *coordinationv1.LeaseSpec) {
	if d := s.LeaseDurationSeconds; d != nil {
		r.is(*d > 0, field.Invalid(p.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := s.LeaseTransitions; n != nil {
		r.is(*n >= 0, field.Invalid(p.Child("leaseTransitions"), *n, "must be greater than or equal to 0"))
	}
}

func (r *report) endpointSlice(obj *discoveryv1.EndpointSlice) {
	oneOf(r, field.NewPath("addressType"), obj.AddressType, discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6)
	names := map[string]bool{}
	for i, port := range obj.Ports {
		p := field.NewPath("ports").Index(i)
		if port.Name != nil {
			r.optional(p.Child("name"), *port.Name, validation.IsDNS1123Label)
			r.distinct(p.Child("name"), *port.Name, names)
		}
		if port.Protocol != nil {
			supported(r, p.Child("protocol"), *port.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
		}
	}
	for i, e := range obj.Endpoints {
		p := field.NewPath("endpoints").Index(i)
		r.is(len(e.Addresses) > 0, field.Required(p.Child("addresses"), "must contain at least 1 address"))
		for j, address := range e.Addresses {
			if obj.AddressType == discoveryv1.AddressTypeIPv4 {
				r.ip(p.Child("addresses").Index(j), address)
			}
		}
		if e.NodeName != nil {
			r.follows(p.Child("nodeName"), *e.NodeName, validation.IsDNS1123Subdomain)
		}
		if e.Hostname != nil {
			r.follows(p.Child("hostname"), *e.Hostname, validation.IsDNS1123Label)
		}
	}
}

func (r *report) disruptionBudget(p *field.Path, s *policyv1.PodDisruptionBudgetSpec) {
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

func (r *report) autoscaler(p *field.Path, s *autoscalingv2.HorizontalPodAutoscalerSpec) {
	if n := s.MinReplicas; n != nil {
		r.is(s.MaxReplicas >= *n, field.Invalid(p.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	if s.MaxReplicas == 0 {
		r.add(field.Required(p.Child("maxReplicas"), "must be set and greater than 0"))
	} else {
		r.is(s.MaxReplicas > 0, field.Invalid(p.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to 1"))
	}
	r.given(p.Child("scaleTargetRef", "kind"), s.ScaleTargetRef.Kind)
	r.given(p.Child("scaleTargetRef", "name"), s.ScaleTargetRef.Name)
	for i := range s.Metrics {
		r.metric(p.Child("metrics").Index(i), &s.Metrics[i])
	}
	if s.Behavior == nil {
		return
	}
	for _, direction := range []struct {
		name  string
		rules *autoscalingv2.HPAScalingRules
	}{{"scaleUp", s.Behavior.ScaleUp}, {"scaleDown", s.Behavior.ScaleDown}} {
		if direction.rules != nil {
			r.scaling(p.Child("behavior", direction.name), direction.rules)
		}
	}
}

func (r *report) scaling(p *field.Path, rules *autoscalingv2.HPAScalingRules) {
	if w := rules.StabilizationWindowSeconds; w != nil {
		r.is(*w >= 0, field.Invalid(p.Child("stabilizationWindowSeconds"), *w, "must be greater than or equal to zero"))
		r.is(*w <= 3600, field.Invalid(p.Child("stabilizationWindowSeconds"), *w, "must be less than or equal to 3600"))
	}
	if choice := rules.SelectPolicy; choice != nil {
		supported(r, p.Child("selectPolicy"), *choice, autoscalingv2.DisabledPolicySelect, autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect)
	}
	for i, policy := range rules.Policies {
		p := p.Child("policies").Index(i)
		supported(r, p.Child("type"), policy.Type, autoscalingv2.PercentScalingPolicy, autoscalingv2.PodsScalingPolicy)
		r.is(policy.Value > 0, field.Invalid(p.Child("value"), policy.Value, "must be greater than zero"))
		r.is(policy.PeriodSeconds > 0, field.Invalid(p.Child("periodSeconds"), policy.PeriodSeconds, "must be greater than zero"))
		r.is(policy.PeriodSeconds <= 1800, field.Invalid(p.Child("periodSeconds"), policy.PeriodSeconds, "must be less than or equal to 1800"))
	}
}

// metric checks that a metric has what its type names.
func (r *report) metric(p *field.Path, m *autoscalingv2.MetricSpec) {
	for _, source := range []struct {
		name string
		kind autoscalingv2.MetricSourceType
		set  bool
	}{
		{"object", autoscalingv2.ObjectMetricSourceType, m.Object != nil},
		{"pods", autoscalingv2.PodsMetricSourceType, m.Pods != nil},
		{"resource", autoscalingv2.ResourceMetricSourceType, m.Resource != nil},
		{"external", autoscalingv2.ExternalMetricSourceType, m.External != nil},
		{"containerResource", autoscalingv2.ContainerResourceMetricSourceType, m.ContainerResource != nil},
	} {
		r.is(source.set || source.kind != m.Type, field.Required(p.Child(source.name), "must populate information for the given metric source"))
	}
	supported(r, p.Child("type"), m.Type, autoscalingv2.ContainerResourceMetricSourceType, autoscalingv2.ExternalMetricSourceType,
		autoscalingv2.ObjectMetricSourceType, autoscalingv2.PodsMetricSourceType, autoscalingv2.ResourceMetricSourceType)
	if s := m.Pods; s != nil && m.Object == nil && m.External == nil {
		r.target(p.Child("pods", "target"), &s.Target)
		r.is(s.Metric.Name != "", field.Required(p.Child("pods", "metric", "name"), "must specify a metric name"))
		r.is(s.Target.AverageValue != nil, field.Required(p.Child("pods", "target", "averageValue"), "must specify a positive target averageValue"))
	}
	if s := m.Resource; s != nil && m.Object == nil && m.External == nil && m.Pods == nil { // Kubernetes looks only at the first
		r.target(p.Child("resource", "target"), &s.Target)
		r.is(s.Name != "", field.Required(p.Child("resource", "name"), "must specify a resource name"))
		target := p.Child("resource", "target")
		r.is(s.Target.AverageUtilization != nil || s.Target.AverageValue != nil,
			field.Required(target.Child("averageUtilization"), "must set either a target raw value or a target utilization"))
		r.is(s.Target.AverageUtilization == nil || s.Target.AverageValue == nil,
			field.Forbidden(target.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
}

func (r *report) target(p *field.Path, t *autoscalingv2.MetricTarget) {
	r.is(t.Type != "", field.Required(p.Child("type"), "must specify a metric target type"))
	switch t.Type {
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	default:
		r.add(field.Invalid(p.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue"))
	}
	if n := t.AverageUtilization; n != nil {
		r.is(*n >= 1, field.Invalid(p.Child("averageUtilization"), *n, "must be greater than 0"))
	}
	if q := t.AverageValue; q != nil {
		r.is(q.Sign() > 0, field.Invalid(p.Child("averageValue"), q, "must be positive"))
	}
}

func (r *report) priorityClass(obj *schedulingv1.PriorityClass) {
	if r.existing {
		return
	}
	const highest = 1_000_000_000
	r.is(strings.HasPrefix(obj.Name, "system-") || obj.Value <= highest,
		field.Forbidden(field.NewPath("value"), "maximum allowed value of a user defined priority is 1000000000"))
	if obj.PreemptionPolicy != nil {
		oneOf(r, field.NewPath("preemptionPolicy"), *obj.PreemptionPolicy, corev1.PreemptLowerPriority, corev1.PreemptNever)
	}
}

func (r *report) storageClass(obj *storagev1.StorageClass) {
	r.provisioner(field.NewPath("provisioner"), obj.Provisioner)
	r.parameters(field.NewPath("parameters"), obj.Parameters)
	if policy := obj.ReclaimPolicy; policy != nil && *policy != "" {
		supported(r, field.NewPath("reclaimPolicy"), *policy, corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRetain)
	}
	if mode := obj.VolumeBindingMode; mode != nil {
		supported(r, field.NewPath("volumeBindingMode"), *mode, storagev1.VolumeBindingImmediate, storagev1.VolumeBindingWaitForFirstConsumer)
	}
}
