package objectmeta

import (
	"maps"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// ValidateSelector checks a label selector.
func ValidateSelector(s *apimeta.LabelSelector, at *status.Path) (errs status.FieldErrors) {
	invalid := func(at *status.Path, value string, faults []string) {
		for _, fault := range faults {
			errs = append(errs, status.InvalidField(at, value, fault))
		}
	}
	labels := at.Child("matchLabels")
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		invalid(labels, key, apimeta.ValidateQualifiedName(key))
		invalid(labels, s.MatchLabels[key], apimeta.ValidateLabelValue(s.MatchLabels[key]))
	}
	for i, r := range s.MatchExpressions {
		at := at.Child("matchExpressions").Index(i)
		values := at.Child("values")
		switch r.Operator {
		case "In", "NotIn":
			if len(r.Values) == 0 {
				errs = append(errs, status.RequiredField(values, "must be specified when `operator` is 'In' or 'NotIn'"))
			}
		case "Exists", "DoesNotExist":
			if len(r.Values) > 0 {
				errs = append(errs, status.ForbiddenField(values, "may not be specified when `operator` is 'Exists' or "+
					"'DoesNotExist'"))
			}
		default:
			errs = append(errs, status.InvalidField(at.Child("operator"), r.Operator, "not a valid selector operator"))
		}
		invalid(at.Child("key"), r.Key, apimeta.ValidateQualifiedName(r.Key))
		for j, value := range r.Values {
			invalid(values.Index(j), value, apimeta.ValidateLabelValue(value))
		}
	}
	return errs
}
