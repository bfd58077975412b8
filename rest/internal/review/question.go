package review

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// Asked returns the question as a request would ask it.
func (s *Question) Asked() route.Question {
	if path := s.NonResourceAttributes; path != nil {
		return route.Question{Verb: path.Verb, Path: path.Path}
	}
	r := s.ResourceAttributes
	return route.Question{Verb: r.Verb, Group: r.Group, Version: r.Version, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name,
		LabelSelector: r.LabelSelector.parameter(route.LabelText), FieldSelector: r.FieldSelector.parameter(route.FieldText)}
}

// Check refuses a question with neither a resource nor a path, or with both.
func (s *Question) Check() status.FieldErrors {
	if (s.ResourceAttributes == nil) != (s.NonResourceAttributes == nil) {
		return nil
	}
	return status.FieldErrors{status.InvalidField(status.Field("spec"), s.NonResourceAttributes, "exactly one of nonResourceAttributes or resourceAttributes must be specified")}
}

// Check also refuses a question that names no user and no group.
func (s *AccessSpec) Check() status.FieldErrors {
	errs := s.Question.Check()
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, status.InvalidField(status.Field("spec", "user"), s.User, "at least one of user or group must be specified"))
	}
	return errs
}

// CheckNamespace refuses a question about more than the namespace in which it is asked.
func (s *AccessSpec) CheckNamespace(namespace string) (errs status.FieldErrors) {
	if r := s.ResourceAttributes; r != nil && r.Namespace != namespace {
		errs = append(errs, status.InvalidField(status.Field("spec", "resourceAttributes", "namespace"), r.Namespace, "must match metadata.namespace"))
	}
	if path := s.NonResourceAttributes; path != nil {
		errs = append(errs, status.InvalidField(status.Field("spec", "nonResourceAttributes"), path, "disallowed on this kind of request"))
	}
	return errs
}

// parameter returns the selector as the parameter of a request. It must be in one of the two forms; if it has both, the answer is
// about all objects.
func (s *selectorAttribute) parameter(of func([]route.Requirement) string) string {
	if s == nil || s.RawSelector != "" && len(s.Requirements) > 0 {
		return ""
	}
	var requirements []route.Requirement
	for _, r := range s.Requirements {
		requirements = append(requirements, route.Requirement{Key: r.Key, Operator: apimeta.LabelSelectorOperator(r.Operator), Values: r.Values})
	}
	return s.RawSelector + of(requirements)
}
