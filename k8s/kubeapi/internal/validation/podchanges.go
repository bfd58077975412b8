package validation

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podFieldsFrozen is the error about a change of a Pod that Kubernetes does not allow.
const podFieldsFrozen = "pod updates may not change fields other than " +
	"`spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// podChange checks that a Pod gets at most other images, a shorter deadline, more tolerations, fewer gates, and, as
// long as it has gates, a narrower choice of nodes.
func (r *report) podChange(obj, old *corev1.Pod) {
	r.podAnnotationsChange(obj.Annotations, old.Annotations)
	p, now, was := field.NewPath("spec"), &obj.Spec, &old.Spec
	const lengths = "pod updates may not add or remove containers"
	if len(now.Containers) != len(was.Containers) {
		r.add(field.Forbidden(p.Child("containers"), lengths))
		return
	}
	if len(now.InitContainers) != len(was.InitContainers) {
		r.add(field.Forbidden(p.Child("initContainers"), lengths))
		return
	}
	if !r.deadlineChange(p.Child("activeDeadlineSeconds"), now.ActiveDeadlineSeconds, was.ActiveDeadlineSeconds) {
		return
	}
	r.tolerationsChange(p.Child("tolerations"), now.Tolerations, was.Tolerations)
	for i, g := range now.SchedulingGates {
		r.is(slices.Contains(was.SchedulingGates, g),
			field.Forbidden(p.Child("schedulingGates").Index(i).Child("name"), "only deletion is allowed, but found new "+
				"scheduling gate '"+g.Name+"'"))
	}
	rest := now.DeepCopy()
	for i := range rest.Containers {
		rest.Containers[i].Image = was.Containers[i].Image
	}
	for i := range rest.InitContainers {
		rest.InitContainers[i].Image = was.InitContainers[i].Image
	}
	rest.ActiveDeadlineSeconds, rest.Tolerations, rest.SchedulingGates = was.ActiveDeadlineSeconds, was.Tolerations,
		was.SchedulingGates
	if p, n := was.TerminationGracePeriodSeconds, rest.TerminationGracePeriodSeconds; p != nil && n != nil && *p < 0 &&
		*n == 1 {
		rest.TerminationGracePeriodSeconds = p
	}
	if len(was.SchedulingGates) > 0 {
		r.placementChange(p, rest, was)
		rest.NodeSelector = was.NodeSelector
		withNodeAffinity(rest, was)
	}
	r.is(same(*rest, *was), field.Forbidden(p, podFieldsFrozen))
}

// deadlineChange allows a deadline to be set and to become shorter. It returns false for a deadline that it refuses.
func (r *report) deadlineChange(p *field.Path, now, was *int64) bool {
	switch {
	case now != nil && (*now < 0 || *now > math.MaxInt32):
		r.add(field.Invalid(p, *now, validation.InclusiveRangeError(0, math.MaxInt32)))
		return false
	case now == nil && was != nil:
		r.add(field.Invalid(p, now, "must not update from a positive integer to nil value"))
	case now != nil && was != nil && *now > *was:
		r.add(field.Invalid(p, *now, "must be less than or equal to previous value"))
		return false
	}
	return true
}

func (r *report) tolerationsChange(p *field.Path, now, was []corev1.Toleration) {
	for _, t := range was {
		t.TolerationSeconds = nil
		if !slices.ContainsFunc(now, func(n corev1.Toleration) bool { n.TolerationSeconds = nil; return n == t }) {
			r.add(field.Forbidden(p, "existing toleration can not be modified except its tolerationSeconds"))
			return
		}
	}
}

// placementChange checks that a Pod which waits for its gates does not fit more nodes than before.
func (r *report) placementChange(p *field.Path, now, was *corev1.PodSpec) {
	for key, value := range was.NodeSelector {
		if v, ok := now.NodeSelector[key]; !ok || v != value {
			r.add(field.Invalid(p.Child("nodeSelector"), now.NodeSelector, "only additions to spec.nodeSelector are allowed "+
				"(no mutations or deletions)"))
			break
		}
	}
	terms, old := p.Child("affinity", "nodeAffinity", required, "nodeSelectorTerms"), requiredTerms(was)
	narrower := requiredTerms(now)
	if len(old) > 0 && len(old) != len(narrower) {
		r.add(field.Invalid(terms, narrower, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"))
		return
	}
	for i := range old {
		r.is(narrowed(narrower[i], old[i]),
			field.Invalid(terms.Index(i), narrower[i], "only additions are allowed (no mutations or deletions)"))
	}
}

func requiredTerms(s *corev1.PodSpec) []corev1.NodeSelectorTerm {
	if s.Affinity == nil || s.Affinity.NodeAffinity == nil {
		return nil
	}
	required := s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil {
		return nil
	}
	return required.NodeSelectorTerms
}

// narrowed reports whether a term only adds requirements to another one. A term without requirements selects nothing,
// and stays so.
func narrowed(now, was corev1.NodeSelectorTerm) bool {
	if len(was.MatchExpressions)+len(was.MatchFields) == 0 {
		return len(now.MatchExpressions)+len(now.MatchFields) == 0
	}
	return begins(now.MatchExpressions, was.MatchExpressions) && begins(now.MatchFields, was.MatchFields)
}

// begins reports whether a list begins with the elements of another one.
func begins(list, with []corev1.NodeSelectorRequirement) bool {
	return len(list) >= len(with) && same(list[:len(with)], with)
}

// withNodeAffinity gives a Pod the node affinity of another one.
func withNodeAffinity(s, of *corev1.PodSpec) {
	var affinity corev1.Affinity
	if s.Affinity != nil {
		affinity = *s.Affinity
	}
	affinity.NodeAffinity = nil
	if of.Affinity != nil {
		affinity.NodeAffinity = of.Affinity.NodeAffinity
	}
	if s.Affinity = &affinity; affinity == (corev1.Affinity{}) && of.Affinity == nil {
		s.Affinity = nil
	}
}
