package validation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	required  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

func (r *report) affinity(p *field.Path, a *corev1.Affinity) {
	if a == nil {
		return
	}
	if n := a.NodeAffinity; n != nil {
		r.nodeAffinity(p.Child("nodeAffinity"), n)
	}
	if t := a.PodAffinity; t != nil {
		r.podAffinity(p.Child("podAffinity"), t.RequiredDuringSchedulingIgnoredDuringExecution,
			t.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if t := a.PodAntiAffinity; t != nil {
		r.podAffinity(p.Child("podAntiAffinity"), t.RequiredDuringSchedulingIgnoredDuringExecution,
			t.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func (r *report) nodeAffinity(p *field.Path, a *corev1.NodeAffinity) {
	if s := a.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
		r.nodeSelector(p.Child(required), s)
	}
	for i, t := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		r.weight(p.Child(preferred).Index(i), t.Weight)
		r.nodeTerm(p.Child(preferred).Index(i).Child("preference"), t.Preference, false)
	}
}

func (r *report) nodeSelector(p *field.Path, s *corev1.NodeSelector) {
	p = p.Child("nodeSelectorTerms")
	r.is(len(s.NodeSelectorTerms) > 0, field.Required(p, "must have at least one node selector term"))
	for i, t := range s.NodeSelectorTerms {
		r.nodeTerm(p.Index(i), t, true)
	}
}

// nodeTerm checks one term of a selector. The values of a preferred one may be anything.
func (r *report) nodeTerm(p *field.Path, t corev1.NodeSelectorTerm, valuesToo bool) {
	for i, e := range t.MatchFields {
		r.nodeField(p.Child("matchFields").Index(i), e)
	}
	for i, e := range t.MatchExpressions {
		p := p.Child("matchExpressions").Index(i)
		values := p.Child("values")
		switch e.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			r.is(len(e.Values) > 0, field.Required(values, "must be specified when `operator` is 'In' or 'NotIn'"))
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			r.is(len(e.Values) == 0, field.Forbidden(values, "may not be specified when `operator` is 'Exists' or "+
				"'DoesNotExist'"))
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			r.is(len(e.Values) == 1, field.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
		default:
			r.add(field.Invalid(p.Child("operator"), e.Operator, "not a valid selector operator"))
		}
		r.add(metavalidation.ValidateLabelName(e.Key, p.Child("key"))...)
		for j, value := range e.Values {
			if valuesToo {
				r.follows(values.Index(j), value, validation.IsValidLabelValue)
			}
		}
	}
}

// nodeField checks what a term requires of a field of a Node. Only the name is such a field.
func (r *report) nodeField(p *field.Path, e corev1.NodeSelectorRequirement) {
	switch e.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		r.is(len(e.Values) == 1, field.Required(p.Child("values"),
			"must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
	default:
		r.add(field.Invalid(p.Child("operator"), e.Operator, "not a valid selector operator"))
	}
	if e.Key != metav1.ObjectNameField {
		r.add(field.Invalid(p.Child("key"), e.Key, "not a valid field selector key"))
		return
	}
	for i, name := range e.Values {
		r.follows(p.Child("values").Index(i), name, validation.IsDNS1123Subdomain)
	}
}

func (r *report) podAffinity(p *field.Path, must []corev1.PodAffinityTerm, should []corev1.WeightedPodAffinityTerm) {
	for i := range must {
		r.podTerm(p.Child(required).Index(i), &must[i])
	}
	for i := range should {
		r.weight(p.Child(preferred).Index(i), should[i].Weight)
		r.podTerm(p.Child(preferred).Index(i).Child("podAffinityTerm"), &should[i].PodAffinityTerm)
	}
}

func (r *report) podTerm(p *field.Path, t *corev1.PodAffinityTerm) {
	r.selector(p.Child("labelSelector"), t.LabelSelector)
	r.selector(p.Child("namespaceSelector"), t.NamespaceSelector)
	for _, name := range t.Namespaces {
		r.follows(p.Child("namespace"), name, validation.IsDNS1123Label)
	}
	r.labelKeys(p.Child("matchLabelKeys"), t.MatchLabelKeys, t.LabelSelector)
	r.labelKeys(p.Child("mismatchLabelKeys"), t.MismatchLabelKeys, t.LabelSelector)
	for i, key := range t.MatchLabelKeys {
		r.is(!slices.Contains(t.MismatchLabelKeys, key), field.Invalid(p.Child("matchLabelKeys").Index(i), key,
			"exists in both matchLabelKeys and mismatchLabelKeys"))
	}
	r.is(t.TopologyKey != "", field.Required(p.Child("topologyKey"), "can not be empty"))
	r.add(metavalidation.ValidateLabelName(t.TopologyKey, p.Child("topologyKey"))...)
}

func (r *report) weight(p *field.Path, weight int32) {
	r.is(weight > 0 && weight <= 100, field.Invalid(p.Child("weight"), weight, "must be in the range 1-100"))
}
