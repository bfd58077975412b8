package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
)

// resources checks what a container requests and may use. claims are the devices of its Pod.
func (r *report) resources(p *field.Path, s *corev1.ResourceRequirements, claims []corev1.PodResourceClaim) {
	r.requirements(p, s, r.resourceName)
	r.usedClaims(p.Child("claims"), s.Claims, claims)
}

// requirements checks what a container or a Pod requests and may use.
func (r *report) requirements(
	p *field.Path, s *corev1.ResourceRequirements, named func(*field.Path, corev1.ResourceName),
) {
	limits, requests := p.Child("limits"), p.Child("requests")
	huge, computes := false, false
	amount := func(p *field.Path, name corev1.ResourceName, q resource.Quantity) {
		named(p, name)
		r.amountOf(p, name, q)
		if isHuge(name) {
			huge = true
			r.is(divisible(name, q), field.Invalid(p, q.String(),
				fmt.Sprintf("%s is not positive integer multiple of %s", q.String(), name)))
		}
		computes = computes || name == corev1.ResourceCPU || name == corev1.ResourceMemory
	}
	for _, name := range slices.Sorted(maps.Keys(s.Limits)) {
		amount(limits.Key(string(name)), name, s.Limits[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Requests)) {
		q := s.Requests[name]
		amount(requests.Key(string(name)), name, q)
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
	r.is(computes || !huge, field.Forbidden(p, "HugePages require cpu or memory"))
}

// isHuge reports whether a resource is memory in pages of one size.
func isHuge(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// divisible reports whether an amount consists of whole pages.
func divisible(name corev1.ResourceName, q resource.Quantity) bool {
	page, err := resource.ParseQuantity(strings.TrimPrefix(string(name), corev1.ResourceHugePagesPrefix))
	return err == nil && page.Sign() > 0 && page.MilliValue()%1000 == 0 && q.Value()%page.Value() == 0
}

// usedClaims checks which devices of the Pod a container uses, each in whole or in parts.
func (r *report) usedClaims(p *field.Path, used []corev1.ResourceClaim, claims []corev1.PodResourceClaim) {
	var known []string
	for _, c := range claims {
		if c.Name != "" {
			known = append(known, c.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	whole, parts := map[string]bool{}, map[string]int{}
	for i, c := range used {
		p := p.Index(i)
		if !r.given(p, c.Name) {
			continue
		}
		part := c.Name + "/" + c.Request
		switch {
		case whole[c.Name]:
			r.add(field.Duplicate(p, c.Name))
		case c.Request == "":
			for range parts[c.Name] {
				r.add(field.Duplicate(p, c.Name))
			}
			whole[c.Name] = true
		default:
			r.follows(p.Child("request"), c.Request, validation.IsDNS1123Label)
			if r.distinct(p, part, whole); whole[part] {
				parts[c.Name]++
			}
		}
		if !slices.Contains(known, c.Name) {
			missing := field.NotFound(p, c.Name)
			missing.Detail = "must be one of the names in pod.spec.resourceClaims which is empty"
			if len(known) > 0 {
				missing.Detail = "must be one of the names in pod.spec.resourceClaims: " + strings.Join(known, ", ")
			}
			r.add(missing)
		}
	}
}

// podResources checks what all containers of a Pod share.
func (r *report) podResources(p *field.Path, s *corev1.PodSpec) {
	if s.Resources == nil {
		return
	}
	if s.OS != nil && s.OS.Name == corev1.Windows {
		r.add(field.Forbidden(p, "may not be set for a windows pod"))
		return
	}
	r.absent(p, "claims may not be set for Resources at pod-level", member{"claims", s.Resources.Claims != nil})
	r.requirements(p, s.Resources, func(p *field.Path, name corev1.ResourceName) {
		before := len(r.errs)
		if r.knownResource(p, name); len(r.errs) > before || isHuge(name) {
			return
		}
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
			r.add(field.NotSupported(p, name, []corev1.ResourceName{"cpu", corev1.ResourceHugePagesPrefix, "memory"}))
		}
	})
	r.usedClaims(p.Child("claims"), s.Resources.Claims, s.ResourceClaims)
	r.shares(p, s)
}

// shares checks that the containers of a Pod together need at most what the Pod has.
func (r *report) shares(p *field.Path, s *corev1.PodSpec) {
	requests, limits := amounts.OfContainers(s, amounts.Requests), amounts.OfContainers(s, amounts.Limits)
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if all, ok := s.Resources.Requests[name]; ok {
			sum := requests[name]
			r.is(sum.Cmp(all) <= 0, field.Invalid(p.Child("requests").Key(string(name)), all.String(),
				"must be greater than or equal to aggregate container requests of "+sum.String()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if all, ok := s.Resources.Limits[name]; ok && isHuge(name) {
			sum := limits[name]
			r.is(sum.Cmp(all) <= 0, field.Invalid(p.Child("limits").Key(string(name)), all.String(),
				"must be greater than or equal to aggregate container limits of "+sum.String()))
		}
	}
	for i, c := range s.Containers {
		for _, name := range slices.Sorted(maps.Keys(c.Resources.Limits)) {
			limit := c.Resources.Limits[name]
			all, ok := s.Resources.Limits[name]
			r.is(!ok || limit.Cmp(all) <= 0,
				field.Invalid(p.Child("containers").Index(i).Key(string(name)).Child("limits"), limit.String(),
					"must be less than or equal to pod limits of "+all.String()))
		}
	}
}

// isNative reports whether Kubernetes itself defines the resource.
func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// mayExceed reports whether containers may use more of the resource than they request.
func mayExceed(name corev1.ResourceName) bool {
	return isNative(name) && !isHuge(name)
}

// resourceName checks the name of a resource of a container.
func (r *report) resourceName(p *field.Path, name corev1.ResourceName) {
	r.knownResource(p, name)
	switch {
	case !strings.Contains(string(name), "/"):
		ofContainers := name == corev1.ResourceCPU || name == corev1.ResourceMemory ||
			name == corev1.ResourceEphemeralStorage || isHuge(name)
		r.is(ofContainers, field.Invalid(p, name, "must be a standard resource for containers"))
	case !isNative(name):
		r.is(ofVendors(name), field.Invalid(p, name, "doesn't follow extended resource name standard"))
	}
}
