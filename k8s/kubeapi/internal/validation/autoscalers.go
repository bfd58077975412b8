package validation

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) autoscaler(obj *autoscalingv2.HorizontalPodAutoscaler) {
	p, s := field.NewPath("spec"), &obj.Spec
	if n := s.MinReplicas; n != nil {
		r.is(*n >= 0, field.Invalid(p.Child("minReplicas"), *n, "must be greater than or equal to 0"))
		r.is(s.MaxReplicas >= *n, field.Invalid(p.Child("maxReplicas"), s.MaxReplicas,
			"must be greater than or equal to `minReplicas`"))
		scaled := false
		for _, m := range s.Metrics {
			scaled = scaled || m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType
		}
		r.is(*n != 0 || scaled, field.Forbidden(p.Child("metrics"), "must specify at least one Object or External metric "+
			"to support scaling to zero replicas"))
	}
	if s.MaxReplicas == 0 {
		r.add(field.Required(p.Child("maxReplicas"), ""))
	} else {
		r.is(s.MaxReplicas > 0, field.Invalid(p.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to 1"))
	}
	r.scaled(p.Child("scaleTargetRef"), &s.ScaleTargetRef, s.ScaleTargetRef.Kind == "ReplicationController")
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

func (r *report) autoscalerStatus(obj *autoscalingv2.HorizontalPodAutoscaler) {
	s := &obj.Status
	r.counts(field.NewPath("status"), count{"currentReplicas", s.CurrentReplicas},
		count{"desiredReplicas", s.DesiredReplicas})
}

// scaled checks the reference to an object. Only core objects have a version without a group.
func (r *report) scaled(p *field.Path, ref *autoscalingv2.CrossVersionObjectReference, core bool) {
	r.named(p.Child("kind"), ref.Kind, content.IsPathSegmentName)
	r.named(p.Child("name"), ref.Name, content.IsPathSegmentName)
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		r.add(field.Invalid(p.Child("apiVersion"), ref.APIVersion, err.Error()))
		return
	}
	r.is(gv.Group != "" || core, field.Invalid(p.Child("apiVersion"), ref.APIVersion, "apiVersion must specify API group"))
}

func (r *report) scaling(p *field.Path, rules *autoscalingv2.HPAScalingRules) {
	if w := rules.StabilizationWindowSeconds; w != nil {
		r.is(*w >= 0, field.Invalid(p.Child("stabilizationWindowSeconds"), *w, "must be greater than or equal to zero"))
		r.is(*w <= 3600, field.Invalid(p.Child("stabilizationWindowSeconds"), *w, "must be less than or equal to 3600"))
	}
	if choice := rules.SelectPolicy; choice != nil {
		supported(r, p.Child("selectPolicy"), *choice, autoscalingv2.DisabledPolicySelect,
			autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect)
	}
	r.is(len(rules.Policies) > 0, field.Required(p.Child("policies"), "must specify at least one Policy"))
	for i, policy := range rules.Policies {
		p := p.Child("policies").Index(i)
		supported(r, p.Child("type"), policy.Type, autoscalingv2.PercentScalingPolicy, autoscalingv2.PodsScalingPolicy)
		r.is(policy.Value > 0, field.Invalid(p.Child("value"), policy.Value, "must be greater than zero"))
		r.is(policy.PeriodSeconds > 0, field.Invalid(p.Child("periodSeconds"), policy.PeriodSeconds,
			"must be greater than zero"))
		r.is(policy.PeriodSeconds <= 1800, field.Invalid(p.Child("periodSeconds"), policy.PeriodSeconds,
			"must be less than or equal to 1800"))
	}
	if rules.Tolerance != nil {
		r.quantity(p.Child("tolerance"), *rules.Tolerance)
	}
}

// metric checks that a metric has what its type names, and nothing else. Kubernetes looks only into the first source.
func (r *report) metric(p *field.Path, m *autoscalingv2.MetricSpec) {
	r.is(m.Type != "", field.Required(p.Child("type"), "must specify a metric source type"))
	supported(r, p.Child("type"), m.Type, autoscalingv2.ContainerResourceMetricSourceType,
		autoscalingv2.ExternalMetricSourceType,
		autoscalingv2.ObjectMetricSourceType, autoscalingv2.PodsMetricSourceType, autoscalingv2.ResourceMetricSourceType)
	sources := []struct {
		name  string
		kind  autoscalingv2.MetricSourceType
		set   bool
		check func(*field.Path)
	}{
		{"object", autoscalingv2.ObjectMetricSourceType, m.Object != nil,
			func(p *field.Path) { r.objectMetric(p, m.Object) }},
		{"external", autoscalingv2.ExternalMetricSourceType, m.External != nil,
			func(p *field.Path) { r.externalMetric(p, m.External) }},
		{"pods", autoscalingv2.PodsMetricSourceType, m.Pods != nil, func(p *field.Path) { r.podsMetric(p, m.Pods) }},
		{"resource", autoscalingv2.ResourceMetricSourceType, m.Resource != nil,
			func(p *field.Path) { r.resourceMetric(p, m.Resource) }},
		{"containerResource", autoscalingv2.ContainerResourceMetricSourceType, m.ContainerResource != nil,
			func(p *field.Path) { r.containerMetric(p, m.ContainerResource) }},
	}
	set := 0
	for _, s := range sources {
		if s.set {
			set++
		}
		if s.set && set == 1 {
			s.check(p.Child(s.name))
		}
		r.is(s.set || s.kind != m.Type, field.Required(p.Child(s.name), "must populate information for the given metric "+
			"source"))
	}
	for _, s := range sources {
		r.is(set == 1 || !s.set || s.kind == m.Type, field.Forbidden(p.Child(s.name),
			"must populate the given metric source only"))
	}
}

func (r *report) objectMetric(p *field.Path, s *autoscalingv2.ObjectMetricSource) {
	r.scaled(p.Child("describedObject"), &s.DescribedObject, true)
	r.metricName(p.Child("metric", "name"), s.Metric.Name)
	r.target(p.Child("target"), &s.Target)
	r.is(s.Target.Value != nil || s.Target.AverageValue != nil,
		field.Required(p.Child("target", "averageValue"), "must set either a target value or averageValue"))
}

func (r *report) externalMetric(p *field.Path, s *autoscalingv2.ExternalMetricSource) {
	r.metricName(p.Child("metric", "name"), s.Metric.Name)
	r.target(p.Child("target"), &s.Target)
	total, each := s.Target.Value != nil, s.Target.AverageValue != nil
	r.is(total || each, field.Required(p.Child("target", "averageValue"),
		"must set either a target value for metric or a per-pod target"))
	r.is(!total || !each, field.Forbidden(p.Child("target", "value"), "may not set both a target value for metric and a "+
		"per-pod target"))
}

func (r *report) podsMetric(p *field.Path, s *autoscalingv2.PodsMetricSource) {
	r.metricName(p.Child("metric", "name"), s.Metric.Name)
	r.target(p.Child("target"), &s.Target)
	r.is(s.Target.AverageValue != nil, field.Required(p.Child("target", "averageValue"),
		"must specify a positive target averageValue"))
}

func (r *report) resourceMetric(p *field.Path, s *autoscalingv2.ResourceMetricSource) {
	r.is(s.Name != "", field.Required(p.Child("name"), "must specify a resource name"))
	r.resourceTarget(p.Child("target"), &s.Target)
}

func (r *report) containerMetric(p *field.Path, s *autoscalingv2.ContainerResourceMetricSource) {
	if s.Name == "" {
		r.add(field.Required(p.Child("name"), "must specify a resource name"))
	} else {
		r.resourceName(p.Child("name"), s.Name)
	}
	r.is(s.Container != "", field.Required(p.Child("container"), "must specify a container"))
	r.optional(p.Child("container"), s.Container, validation.IsDNS1123Label)
	r.resourceTarget(p.Child("target"), &s.Target)
}

func (r *report) metricName(p *field.Path, name string) {
	r.is(name != "", field.Required(p, "must specify a metric name"))
	r.optional(p, name, content.IsPathSegmentName)
}

func (r *report) resourceTarget(p *field.Path, t *autoscalingv2.MetricTarget) {
	r.target(p, t)
	r.is(t.AverageUtilization != nil || t.AverageValue != nil, field.Required(p.Child("averageUtilization"),
		"must set either a target raw value or a target utilization"))
	r.is(t.AverageUtilization == nil || t.AverageValue == nil, field.Forbidden(p.Child("averageValue"),
		"may not set both a target raw value and a target utilization"))
}

func (r *report) target(p *field.Path, t *autoscalingv2.MetricTarget) {
	r.is(t.Type != "", field.Required(p.Child("type"), "must specify a metric target type"))
	switch t.Type {
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	default:
		r.add(field.Invalid(p.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue"))
	}
	if q := t.Value; q != nil {
		r.is(q.Sign() > 0, field.Invalid(p.Child("value"), q, "must be positive"))
	}
	if q := t.AverageValue; q != nil {
		r.is(q.Sign() > 0, field.Invalid(p.Child("averageValue"), q, "must be positive"))
	}
	if n := t.AverageUtilization; n != nil {
		r.is(*n >= 1, field.Invalid(p.Child("averageUtilization"), *n, "must be greater than 0"))
	}
}
