package apiextensions

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// CustomResourceDefinitions declares the resource customresourcedefinitions.
func CustomResourceDefinitions(checks Checks) rest.Resource[CustomResourceDefinition] {
	return rest.Resource[CustomResourceDefinition]{
		Group: Group, Version: Version, Plural: "customresourcedefinitions",
		Scope:       rest.Cluster,
		Description: "CustomResourceDefinition describes a kind that the API serves in addition to its own.",
		Names:       rest.Names{Short: []string{"crd", "crds"}, Categories: []string{"api-extensions"}},
		Wire:        rest.Wire{Dialect: rest.Builtin, Generation: true, VersionRequired: true},
		Hooks: rest.Hooks[CustomResourceDefinition]{
			Default: func(_ context.Context, d *CustomResourceDefinition) error {
				setDefaults(d)
				return nil
			},
			Prepare:  prepare,
			Validate: checks.validate,
		},
	}
}

// prepare gives a new definition its first status, and records a changed storage version.
func prepare(_ context.Context, d, old *CustomResourceDefinition) error {
	if old == nil {
		d.Status = CustomResourceDefinitionStatus{}
	}
	recordStorageVersion(d)
	return nil
}

func (checks Checks) validate(ctx context.Context, d, old *CustomResourceDefinition) status.FieldErrors {
	if rest.AccessFrom(ctx).Subresource == "status" {
		return ValidateStatus(d)
	}
	errs := checks.Validate(d, old)
	if len(errs) == 0 {
		for _, text := range Warnings(d, old) {
			rest.Warn(ctx, text)
		}
	}
	return errs
}
