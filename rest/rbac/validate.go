package rbac

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// validateRules checks the rules of a Role, if namespaced is set, or of a ClusterRole.
func validateRules(rules []PolicyRule, namespaced bool) (errs status.FieldErrors) {
	for i, r := range rules {
		errs = append(errs, r.validate(status.NewPath("rules").Index(i), namespaced)...)
	}
	return errs
}

func (r *PolicyRule) validate(at *status.Path, namespaced bool) (errs status.FieldErrors) {
	if len(r.Verbs) == 0 {
		errs = append(errs, status.RequiredField(at.Child("verbs"), ""))
	}
	if urls := at.Child("nonResourceURLs"); len(r.NonResourceURLs) > 0 {
		if namespaced {
			errs = append(errs, status.InvalidField(urls, r.NonResourceURLs,
				"namespaced rules cannot apply to non-resource URLs"))
		}
		if len(r.APIGroups)+len(r.Resources)+len(r.ResourceNames) > 0 {
			errs = append(errs, status.InvalidField(urls, r.NonResourceURLs,
				"rules cannot apply to both regular resources and non-resource URLs"))
		}
		return errs
	}
	if len(r.APIGroups) == 0 {
		errs = append(errs, status.RequiredField(at.Child("apiGroups"), "resource rules must supply at least one api group"))
	}
	if len(r.Resources) == 0 {
		errs = append(errs, status.RequiredField(at.Child("resources"), "resource rules must supply at least one resource"))
	}
	return errs
}

// validateClusterRole also checks the selectors of an aggregationRule.
func validateClusterRole(r *ClusterRole) status.FieldErrors {
	errs := validateRules(r.Rules, false)
	if r.AggregationRule == nil {
		return errs
	}
	selectors := status.NewPath("aggregationRule", "clusterRoleSelectors")
	if len(r.AggregationRule.ClusterRoleSelectors) == 0 {
		errs = append(errs, status.RequiredField(selectors,
			"at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i := range r.AggregationRule.ClusterRoleSelectors {
		s := &r.AggregationRule.ClusterRoleSelectors[i]
		errs = append(errs, objectmeta.ValidateSelector(s, selectors.Index(i))...)
		if _, err := s.Matcher(); err != nil {
			errs = append(errs, status.InvalidField(selectors.Index(i), nil, "invalid label selector."))
		}
	}
	return errs
}

// validateBinding checks a RoleBinding, if namespaced is set, or a ClusterRoleBinding.
func validateBinding(ref RoleRef, subjects []Subject, namespaced bool) (errs status.FieldErrors) {
	at := status.NewPath("roleRef")
	if ref.APIGroup != Group {
		errs = append(errs, status.NotSupportedField(at.Child("apiGroup"), ref.APIGroup, []string{Group}))
	}
	if kinds := roleKinds(namespaced); ref.Kind != "ClusterRole" && !(namespaced && ref.Kind == "Role") {
		errs = append(errs, status.NotSupportedField(at.Child("kind"), ref.Kind, kinds))
	}
	if ref.Name == "" {
		errs = append(errs, status.RequiredField(at.Child("name"), ""))
	}
	for _, fault := range apimeta.ValidatePathSegmentName(ref.Name) {
		errs = append(errs, status.InvalidField(at.Child("name"), ref.Name, fault))
	}
	for i, s := range subjects {
		errs = append(errs, s.validate(status.NewPath("subjects").Index(i), namespaced)...)
	}
	return errs
}

func roleKinds(namespaced bool) []string {
	if namespaced {
		return []string{"Role", "ClusterRole"}
	}
	return []string{"ClusterRole"}
}

func (s *Subject) validate(at *status.Path, namespaced bool) (errs status.FieldErrors) {
	if s.Name == "" {
		errs = append(errs, status.RequiredField(at.Child("name"), ""))
	}
	group := Group
	switch s.Kind {
	case ServiceAccountKind:
		group = ""
		if s.Name != "" {
			for _, fault := range apimeta.ValidateDNS1123Subdomain(s.Name) {
				errs = append(errs, status.InvalidField(at.Child("name"), s.Name, fault))
			}
		}
		if !namespaced && s.Namespace == "" {
			errs = append(errs, status.RequiredField(at.Child("namespace"), ""))
		}
	case UserKind, GroupKind:
	default:
		return append(errs, status.NotSupportedField(at.Child("kind"), s.Kind,
			[]string{ServiceAccountKind, UserKind, GroupKind}))
	}
	if s.APIGroup != group {
		errs = append(errs, status.NotSupportedField(at.Child("apiGroup"), s.APIGroup, []string{group}))
	}
	return errs
}

// validateSameRole refuses to point a binding at another role, because the subjects would get rights that were not
// granted to them.
func validateSameRole(ref, old RoleRef) status.FieldErrors {
	if ref == old {
		return nil
	}
	return status.FieldErrors{status.InvalidField(status.NewPath("roleRef"), ref, "field is immutable")}
}
