package apiextensions

import (
	"context"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// CustomResourceDefinitions declares the resource customresourcedefinitions.
func CustomResourceDefinitions(checks Checks) rest.Resource[CustomResourceDefinition] {
	r := rest.DefinitionsOf[CustomResourceDefinition]()
	r.Description = "CustomResourceDefinition describes a kind that the API serves in addition to its own."
	r.Columns = columns()
	r.Hooks = rest.Hooks[CustomResourceDefinition]{
		Default: func(_ context.Context, d *CustomResourceDefinition) error {
			setDefaults(d)
			return nil
		},
		Validate: checks.validate,
	}
	return r
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
		return ValidateStatus(d), nil
	}
	giveBack, err := checks.Turn.Take(ctx)
	if err != nil {
		return nil, status.ServiceUnavailable("the definition waited for others to be checked: " + err.Error()).WithCause(err)
	}
	defer giveBack()
	errs := append(checks.validateMark(ctx, d, old), checks.Validate(d, old)...)
	if len(errs) == 0 {
		for _, text := range Warnings(d, old) {
			rest.Warn(ctx, text)
		}
	}
	return errs, nil
}
