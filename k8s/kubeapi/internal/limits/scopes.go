package limits

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// scopesOf returns the scopes of a quota. The quota counts only objects that are in all of them.
func scopesOf(q *corev1.ResourceQuota) (scopes []corev1.ScopedResourceSelectorRequirement) {
	for _, name := range q.Spec.Scopes {
		scopes = append(scopes, corev1.ScopedResourceSelectorRequirement{ScopeName: name,
			Operator: corev1.ScopeSelectorOpExists})
	}
	if q.Spec.ScopeSelector != nil {
		scopes = append(scopes, q.Spec.ScopeSelector.MatchExpressions...)
	}
	return scopes
}

func podInScope(pod *corev1.Pod, s corev1.ScopedResourceSelectorRequirement) (bool, error) {
	switch s.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return isTerminating(pod), nil
	case corev1.ResourceQuotaScopeNotTerminating:
		return !isTerminating(pod), nil
	case corev1.ResourceQuotaScopeBestEffort:
		return pod.Status.QOSClass == corev1.PodQOSBestEffort, nil
	case corev1.ResourceQuotaScopeNotBestEffort:
		return pod.Status.QOSClass != corev1.PodQOSBestEffort, nil
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return looksElsewhere(pod.Spec.Affinity), nil
	case corev1.ResourceQuotaScopePriorityClass:
		return matches(s, pod.Spec.PriorityClassName)
	}
	return false, nil
}

// isTerminating reports whether a Pod ends after some time.
func isTerminating(pod *corev1.Pod) bool {
	return pod.Spec.ActiveDeadlineSeconds != nil && *pod.Spec.ActiveDeadlineSeconds >= 0
}

// looksElsewhere reports whether the place of a Pod depends on Pods of other namespaces.
func looksElsewhere(a *corev1.Affinity) bool {
	if a == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	addWeighted := func(weighted []corev1.WeightedPodAffinityTerm) {
		for _, w := range weighted {
			terms = append(terms, w.PodAffinityTerm)
		}
	}
	if p := a.PodAffinity; p != nil {
		terms = append(terms, p.RequiredDuringSchedulingIgnoredDuringExecution...)
		addWeighted(p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if p := a.PodAntiAffinity; p != nil {
		terms = append(terms, p.RequiredDuringSchedulingIgnoredDuringExecution...)
		addWeighted(p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return slices.ContainsFunc(terms,
		func(t corev1.PodAffinityTerm) bool { return len(t.Namespaces) > 0 || t.NamespaceSelector != nil })
}

func claimInScope(c *corev1.PersistentVolumeClaim, s corev1.ScopedResourceSelectorRequirement) (bool, error) {
	if s.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass {
		return false, nil
	}
	return matches(s, attributesClassesOf(c)...)
}

// attributesClassesOf returns the names of the VolumeAttributesClasses that a claim has, wants and gets.
func attributesClassesOf(c *corev1.PersistentVolumeClaim) (classes []string) {
	for _, class := range []*string{c.Spec.VolumeAttributesClassName, c.Status.CurrentVolumeAttributesClassName} {
		if class != nil {
			classes = append(classes, *class)
		}
	}
	if m := c.Status.ModifyVolumeStatus; m != nil {
		classes = append(classes, m.TargetVolumeAttributesClassName)
	}
	return classes
}

// matches reports whether one of the classes of an object, or the lack of a class, meets the requirement of a scope.
func matches(s corev1.ScopedResourceSelectorRequirement, classes ...string) (bool, error) {
	classes = slices.DeleteFunc(classes, func(c string) bool { return c == "" })
	listed := func(c string) bool { return slices.Contains(s.Values, c) }
	switch s.Operator {
	case corev1.ScopeSelectorOpExists:
		return len(classes) > 0, nil
	case corev1.ScopeSelectorOpDoesNotExist:
		return len(classes) == 0, nil
	case corev1.ScopeSelectorOpIn:
		return slices.ContainsFunc(classes, listed), nil
	case corev1.ScopeSelectorOpNotIn:
		return len(classes) == 0 || slices.ContainsFunc(classes, func(c string) bool { return !listed(c) }), nil
	}
	return false, fmt.Errorf("%q is not a valid scope selector operator", s.Operator)
}
