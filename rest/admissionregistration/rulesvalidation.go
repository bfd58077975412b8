package admissionregistration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// all stands for everything in a list of a [Rule].
const all = "*"

// unsupported returns an error if value is not one of the allowed ones, which are sorted.
func unsupported[T ~string](at *status.Path, value T, allowed ...T) status.FieldErrors {
	if slices.Contains(allowed, value) {
		return nil
	}
	texts := make([]string, len(allowed))
	for i, v := range allowed {
		texts[i] = string(v)
	}
	return status.FieldErrors{status.NotSupportedField(at, string(value), texts)}
}

func (r *RuleWithOperations) validate(at *status.Path) (errs status.FieldErrors) {
	operations := at.Child("operations")
	if len(r.Operations) == 0 {
		errs = append(errs, status.RequiredField(operations, ""))
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, OperationAll) {
		errs = append(errs, status.InvalidField(operations, r.Operations, "if '*' is present, must not specify other "+
			"operations"))
	}
	for i, operation := range r.Operations {
		errs = append(errs, unsupported(operations.Index(i), operation, OperationAll, Connect, Create, Delete, Update)...)
	}
	return append(errs, r.Rule.validate(at)...)
}

func (r *Rule) validate(at *status.Path) (errs status.FieldErrors) {
	list := func(name string, values []string, others string) *status.Path {
		at := at.Child(name)
		if len(values) == 0 {
			errs = append(errs, status.RequiredField(at, ""))
		}
		if len(values) > 1 && slices.Contains(values, all) {
			errs = append(errs, status.InvalidField(at, values, "if '*' is present, must not specify other "+others))
		}
		return at
	}
	list("apiGroups", r.APIGroups, "API groups")
	versions := list("apiVersions", r.APIVersions, "API versions")
	for i, version := range r.APIVersions {
		if version == "" {
			errs = append(errs, status.RequiredField(versions.Index(i), ""))
		}
	}
	errs = append(errs, validateResources(r.Resources, at.Child("resources"))...)
	if r.Scope != nil {
		errs = append(errs, unsupported(at.Child("scope"), *r.Scope, AllScopes, ClusterScope, NamespacedScope)...)
	}
	return errs
}

// validateResources refuses resources that another one in the list includes.
func validateResources(resources []string, at *status.Path) (errs status.FieldErrors) {
	if len(resources) == 0 {
		errs = append(errs, status.RequiredField(at, ""))
	}
	allSubresources, allResources := map[string]bool{}, map[string]bool{}
	single := false // whether the last resource without a subresource is not "*", as API servers have it
	for i, text := range resources {
		if text == "" {
			errs = append(errs, status.RequiredField(at.Index(i), ""))
			continue
		}
		resource, subresource, ok := strings.Cut(text, "/")
		if !ok {
			single = text != all
			continue
		}
		if allSubresources[resource] {
			errs = append(errs, status.InvalidField(at.Index(i), text,
				fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, text)))
		}
		if allResources[subresource] {
			errs = append(errs, status.InvalidField(at.Index(i), text,
				fmt.Sprintf("if '*/%s' is present, must not specify %s", subresource, text)))
		}
		allSubresources[resource] = allSubresources[resource] || subresource == all
		allResources[subresource] = allResources[subresource] || resource == all
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs = append(errs, status.InvalidField(at, resources, "if '*/*' is present, must not specify other resources"))
	}
	if single && slices.Contains(resources, all) {
		errs = append(errs, status.InvalidField(at, resources, "if '*' is present, must not specify other resources "+
			"without subresources"))
	}
	return errs
}

const maxMatchConditions = 64

// validateMatchConditions checks match conditions. compile returns the fault of an expression.
func validateMatchConditions(conditions []MatchCondition, at *status.Path,
	compile func(expression string) error) (errs status.FieldErrors) {
	if len(conditions) > maxMatchConditions {
		errs = append(errs, status.TooManyField(at, len(conditions), maxMatchConditions))
		conditions = conditions[:maxMatchConditions] // compiling more would cost much
	}
	names := map[string]bool{}
	for i, c := range conditions {
		at := at.Index(i)
		if text := strings.TrimSpace(c.Expression); text == "" {
			errs = append(errs, status.RequiredField(at.Child("expression"), ""))
		} else if err := compile(text); err != nil {
			errs = append(errs, status.InvalidField(at.Child("expression"), text, err.Error()))
		}
		if c.Name == "" {
			errs = append(errs, status.RequiredField(at.Child("name"), ""))
			continue
		}
		for _, fault := range apimeta.ValidateQualifiedName(c.Name) {
			errs = append(errs, status.InvalidField(at.Child("name"), c.Name, fault))
		}
		if names[c.Name] {
			errs = append(errs, status.DuplicateField(at.Child("name"), c.Name))
		}
		names[c.Name] = true
	}
	return errs
}
