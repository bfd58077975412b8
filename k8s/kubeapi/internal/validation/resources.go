package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// resources checks what a container requests and may use.
func (r *report) resources(p *field.Path, s *corev1.ResourceRequirements) {
	limits, requests := p.Child("limits"), p.Child("requests")
	for _, name := range slices.Sorted(maps.Keys(s.Limits)) {
		r.resourceName(limits.Key(string(name)), name)
		r.quantity(limits.Key(string(name)), s.Limits[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Requests)) {
		q := s.Requests[name]
		r.resourceName(requests.Key(string(name)), name)
		r.quantity(requests.Key(string(name)), q)
		limit, limited := s.Limits[name]
		switch overcommitted := mayExceed(name); {
		case !limited:
			r.is(overcommitted, field.Required(limits, "Limit must be set for non overcommitable resources"))
		case !overcommitted && q.Cmp(limit) != 0:
			r.add(field.Invalid(requests, q.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String())))
		case q.Cmp(limit) > 0:
			r.add(field.Invalid(requests, q.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name,
				limit.String())))
		}
	}
}

// isNative reports whether Kubernetes itself defines the resource.
func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// mayExceed reports whether containers may use more of the resource than they request.
func mayExceed(name corev1.ResourceName) bool {
	return isNative(name) && !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func (r *report) resourceName(p *field.Path, name corev1.ResourceName) {
	messages := validation.IsQualifiedName(string(name))
	for _, message := range messages {
		r.add(field.Invalid(p, name, message))
	}
	if strings.Contains(string(name), "/") {
		return
	}
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return
	}
	if !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
		r.add(field.Invalid(p, name, "must be a standard resource for containers"))
	}
}
