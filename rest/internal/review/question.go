package review

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// Asked returns the [access.Access] of a request for which the client needs the access.
func (s *Question) Asked() access.Access {
	if path := s.NonResourceAttributes; path != nil {
		return access.Access{Verb: access.Verb(path.Verb), Path: path.Path}
	}
	r := s.ResourceAttributes
	return access.Access{Verb: access.Verb(r.Verb), Group: r.Group, Version: r.Version, Resource: r.Resource,
		Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name,
		LabelSelector: r.LabelSelector.parameter(route.LabelText), FieldSelector: r.FieldSelector.parameter(route.FieldText)}
}

// Check requires either a resource or a path, but not both.
func (s *Question) Check() status.FieldErrors {
	if (s.ResourceAttributes == nil) != (s.NonResourceAttributes == nil) {
		return nil
	}
	return status.FieldErrors{status.InvalidField(status.Field("spec"), s.NonResourceAttributes,
		"exactly one of nonResourceAttributes or resourceAttributes must be specified")}
}

// Check also requires a user or a group.
func (s *AccessSpec) Check() status.FieldErrors {
	errs := s.Question.Check()
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, status.InvalidField(status.Field("spec", "user"), s.User,
			"at least one of user or group must be specified"))
	}
	return errs
}

// CheckNamespace requires that the question is about the namespace of the request.
func (s *AccessSpec) CheckNamespace(namespace string) (errs status.FieldErrors) {
	if r := s.ResourceAttributes; r != nil && r.Namespace != namespace {
		errs = append(errs, status.InvalidField(status.Field("spec", "resourceAttributes", "namespace"), r.Namespace,
			"must match metadata.namespace"))
	}
	if path := s.NonResourceAttributes; path != nil {
		errs = append(errs, status.InvalidField(status.Field("spec", "nonResourceAttributes"), path,
			"disallowed on this kind of request"))
	}
	return errs
}

// parameter returns the selector in the form of a query parameter. A selector must be either raw or parsed; if a client
// sends both, parameter ignores them, and the answer covers all objects.
func (s *selectorAttribute) parameter(of func([]route.Requirement) string) string {
	if s == nil || s.RawSelector != "" && len(s.Requirements) > 0 {
		return ""
	}
	var requirements []route.Requirement
	for _, r := range s.Requirements {
		requirements = append(requirements,
			route.Requirement{Key: r.Key, Operator: apimeta.LabelSelectorOperator(r.Operator), Values: r.Values})
	}
	return s.RawSelector + of(requirements)
}
