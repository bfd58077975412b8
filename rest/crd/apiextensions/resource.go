package apiextensions

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// CustomResourceDefinitions declares the resource customresourcedefinitions. Hosts use package crd, which also serves
// the kinds. A program that only checks or stores definitions needs this function.
//
// status.storedVersions records every version in which objects of the kind may be stored: a write that changes the
// storage version adds it. The server adds a finalizer to each deleted definition. DELETE marks a definition as
// Terminating, and the server removes the definition when it has no finalizers left.
func CustomResourceDefinitions(checks Checks) rest.Resource[CustomResourceDefinition] {
	return rest.Resource[CustomResourceDefinition]{
		Group: Group, Version: Version, Plural: "customresourcedefinitions",
		Scope: rest.ScopeCluster,
		Names: rest.Names{Kind: "CustomResourceDefinition", Short: []string{"crd", "crds"},
			Categories: []string{"api-extensions"}},
		Description: "CustomResourceDefinition describes a kind that the API serves in addition to its own.",
		Columns:     columns(),
		Hooks: rest.Hooks[CustomResourceDefinition]{
			Default: func(_ context.Context, d *CustomResourceDefinition) error {
				setDefaults(d)
				return nil
			},
			Validate: checks.validate,
		},
		Wire: rest.Wire{Dialect: rest.DialectBuiltin, Generation: true, VersionRequired: true, PlainMetadata: true},
	}
}

// validateMark refuses writes of clients to definitions with the [CompiledAnnotation].
func (checks Checks) validateMark(ctx context.Context, d, old *CustomResourceDefinition) status.FieldErrors {
	marked := d.Annotations[CompiledAnnotation] != "" || old != nil && old.Annotations[CompiledAnnotation] != ""
	if !marked || checks.Own != nil && checks.Own(ctx) {
		return nil
	}
	return status.FieldErrors{status.ForbiddenField(status.NewPath("metadata", "annotations").Key(CompiledAnnotation),
		"only the server writes the definitions of its own kinds")}
}

func (checks Checks) validate(ctx context.Context, d, old *CustomResourceDefinition) (status.FieldErrors, error) {
	if access.AccessFrom(ctx).Subresource == "status" {
		return validateStatus(d), nil
	}
	if checks.Enter != nil {
		leave, err := checks.Enter(ctx)
		if err != nil {
			return nil, status.ServiceUnavailable("the definition waited for others to be checked: " + err.Error()).WithCause(err)
		}
		defer leave()
	}
	errs := append(checks.validateMark(ctx, d, old), checks.Validate(d, old)...)
	if len(errs) == 0 {
		for _, text := range warnings(d, old) {
			rest.Warn(ctx, text)
		}
	}
	return errs, nil
}
