package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

// node checks a Node. Kubernetes shows its taints as if they were part of the metadata.
func (r *report) node(obj *corev1.Node) {
	p := field.NewPath("spec")
	r.nodeAnnotations(obj.Annotations)
	r.taints(field.NewPath("metadata", "taints"), obj.Spec.Taints)
	r.nodeResources(field.NewPath("status"), &obj.Status)
	ranges := p.Child("podCIDRs")
	for i, cidr := range obj.Spec.PodCIDRs {
		r.cidr(ranges.Index(i), cidr)
	}
	if n := len(obj.Spec.PodCIDRs); n > 1 {
		both, err := netutils.IsDualStackCIDRStrings(obj.Spec.PodCIDRs)
		if err != nil {
			r.add(field.InternalError(ranges,
				fmt.Errorf("invalid PodCIDRs. failed to check with dual stack with error:%w", err)))
		}
		r.is(both && n <= 2, field.Invalid(ranges, obj.Spec.PodCIDRs, "may specify no more than one CIDR for each IP family"))
	}
}

func (r *report) taints(p *field.Path, taints []corev1.Taint) {
	seen := map[corev1.Taint]bool{}
	for i, t := range taints {
		p := p.Index(i)
		r.add(metavalidation.ValidateLabelName(t.Key, p.Child("key"))...)
		if messages := validation.IsValidLabelValue(t.Value); len(messages) > 0 {
			r.add(field.Invalid(p.Child("value"), t.Value, strings.Join(messages, ";")))
		}
		oneOf(r, p.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
			corev1.TaintEffectNoExecute)
		key := corev1.Taint{Key: t.Key, Effect: t.Effect}
		if seen[key] {
			twice := field.Duplicate(p, t)
			twice.Detail = "taints must be unique by key and effect pair"
			r.add(twice)
		}
		seen[key] = true
	}
}

// nodeResources checks what a Node has, and what it says about its features.
func (r *report) nodeResources(p *field.Path, s *corev1.NodeStatus) {
	for _, list := range []struct {
		name  string
		names corev1.ResourceList
	}{{"capacity", s.Capacity}, {"allocatable", s.Allocatable}} {
		for _, name := range slices.Sorted(maps.Keys(list.names)) {
			r.amountOf(p.Child(list.name, string(name)), name, list.names[name])
		}
	}
	features := p.Child("declaredFeatures")
	for i, f := range s.DeclaredFeatures {
		if problem := featureProblem(f); problem != "" {
			r.add(field.Invalid(features.Index(i), f, problem))
		}
		if i == 0 {
			continue
		}
		r.is(s.DeclaredFeatures[i-1] != f, field.Duplicate(features.Index(i), f))
		r.is(s.DeclaredFeatures[i-1] <= f, field.Invalid(features.Index(i), f, "list must be sorted alphabetically"))
	}
}

// featureName matches the name of a feature of a Node.
var featureName = regexp.MustCompile(`^[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*$`)

func featureProblem(name string) string {
	switch {
	case len(name) > validation.DNS1123SubdomainMaxLength:
		return fmt.Sprintf("invalid feature name %q: must be no more than %d characters", name,
			validation.DNS1123SubdomainMaxLength)
	case !featureName.MatchString(name):
		return fmt.Sprintf("invalid feature name %q: must start with an UpperCamelCase segment, with subsequent segments "+
			"separated by '/' "+
			"(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes", name)
	}
	return ""
}

func (r *report) nodeStatus(obj *corev1.Node) {
	p, s := field.NewPath("status"), &obj.Status
	r.nodeResources(p, s)
	r.nodeConfigs(obj)
	seen := map[corev1.NodeAddress]bool{}
	for i, address := range s.Addresses {
		r.is(!seen[address], field.Duplicate(p.Child("addresses").Index(i), address))
		seen[address] = true
	}
}

// amountOf checks a quantity, which is a whole number for objects and for the resources of vendors.
func (r *report) amountOf(p *field.Path, name corev1.ResourceName, q resource.Quantity) {
	r.quantity(p, q)
	r.is(!countedWhole(name) || q.MilliValue()%1000 == 0, field.Invalid(p, q, "must be an integer"))
}

// namespace checks the finalizers of a namespace.
func (r *report) namespace(obj *corev1.Namespace) {
	p, s := field.NewPath("spec"), &obj.Spec
	p = p.Child("finalizers")
	for _, f := range s.Finalizers {
		r.add(apimachinery.ValidateFinalizerName(string(f), p)...)
		switch f {
		case corev1.FinalizerKubernetes, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		default:
			r.is(strings.Contains(string(f), "/"), field.Invalid(p, string(f), "name is neither a standard finalizer name nor "+
				"is it fully qualified"))
		}
	}
}

// namespaceStatus checks that a namespace ends exactly if it is being deleted.
func (r *report) namespaceStatus(n *corev1.Namespace) {
	p := field.NewPath("status")
	phase, detail := corev1.NamespaceActive, "may only be 'Active' if `deletionTimestamp` is empty"
	if n.DeletionTimestamp != nil {
		phase, detail = corev1.NamespaceTerminating, "may only be 'Terminating' if `deletionTimestamp` is not empty"
	}
	r.is(n.Status.Phase == phase, field.Invalid(p.Child("Phase"), n.Status.Phase, detail))
}
