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

// About returns the question that asks for an access of its user. A review of it is about exactly what the request
// does: what [Question.Asked] returns for it is an equal access, except that it lacks the requirements that a review
// cannot express, and selectors that cannot be parsed. The review then covers more objects than the request, never
// fewer.
func About(a access.Access) AccessSpec {
	spec := AccessSpec{User: a.User.Name, UID: a.User.UID, Groups: a.User.Groups, Extra: a.User.Extra}
	if a.Resource == "" {
		spec.NonResourceAttributes = &NonResourceAttributes{Path: a.Path, Verb: string(a.Verb)}
		return spec
	}
	spec.ResourceAttributes = &ResourceAttributes{Namespace: a.Namespace, Verb: string(a.Verb), Group: a.Group,
		Version: a.Version, Resource: a.Resource, Subresource: a.Subresource, Name: a.Name,
		LabelSelector: attribute(labelRequirements(a.LabelSelector)),
		FieldSelector: attribute(fieldRequirements(a.FieldSelector))}
	return spec
}

// operators are the operators of selectors in a review. It has no others.
var operators = map[apimeta.Operator]apimeta.LabelSelectorOperator{
	apimeta.Equals: apimeta.LabelSelectorIn, apimeta.In: apimeta.LabelSelectorIn,
	apimeta.NotEquals: apimeta.LabelSelectorNotIn, apimeta.NotIn: apimeta.LabelSelectorNotIn,
	apimeta.Exists: apimeta.LabelSelectorExists, apimeta.DoesNotExist: apimeta.LabelSelectorDoesNotExist,
}

func labelRequirements(text string) (requirements []selectorRequirement) {
	selector, err := apimeta.ParseLabelSelector(text)
	if err != nil {
		return nil
	}
	for _, r := range selector.Requirements() {
		if operator, ok := operators[r.Operator()]; ok {
			requirements = append(requirements,
				selectorRequirement{Key: r.Key(), Operator: string(operator), Values: r.Values()})
		}
	}
	return requirements
}

func fieldRequirements(text string) (requirements []selectorRequirement) {
	selector, err := apimeta.ParseFieldSelector(text)
	if err != nil {
		return nil
	}
	for _, r := range selector.Requirements() {
		requirements = append(requirements,
			selectorRequirement{Key: r.Field, Operator: string(operators[r.Operator]), Values: []string{r.Value}})
	}
	return requirements
}

// attribute returns the selector of a review, or nil if it requires nothing.
func attribute(requirements []selectorRequirement) *selectorAttribute {
	if len(requirements) == 0 {
		return nil
	}
	return &selectorAttribute{Requirements: requirements}
}

// Check requires either a resource or a path, but not both.
func (s *Question) Check() status.FieldErrors {
	if (s.ResourceAttributes == nil) != (s.NonResourceAttributes == nil) {
		return nil
	}
	return status.FieldErrors{status.InvalidField(status.NewPath("spec"), s.NonResourceAttributes,
		"exactly one of nonResourceAttributes or resourceAttributes must be specified")}
}

// Check also requires a user or a group.
func (s *AccessSpec) Check() status.FieldErrors {
	errs := s.Question.Check()
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "user"), s.User,
			"at least one of user or group must be specified"))
	}
	return errs
}

// CheckNamespace requires that the question is about the namespace of the request.
func (s *AccessSpec) CheckNamespace(namespace string) (errs status.FieldErrors) {
	if r := s.ResourceAttributes; r != nil && r.Namespace != namespace {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "resourceAttributes", "namespace"), r.Namespace,
			"must match metadata.namespace"))
	}
	if path := s.NonResourceAttributes; path != nil {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "nonResourceAttributes"), path,
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
