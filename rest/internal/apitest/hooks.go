package apitest

import (
	"context"
	"testing"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// AdmissionFunc is a hook's function.
type AdmissionFunc = func(ctx context.Context, r *admission.Request) error

// Mutating is an admission hook that changes objects.
func Mutating(name string, f AdmissionFunc) admission.Hook {
	return admission.Hook{Name: name, SideEffects: admission.SideEffectsNone, Mutate: f}
}

// Validating is an admission hook that accepts or refuses writes.
func Validating(name string, f AdmissionFunc) admission.Hook {
	return admission.Hook{Name: name, SideEffects: admission.SideEffectsNone, Validate: f}
}

// NewWidgetsWithAdmission is an API of Widgets with these admission hooks.
func NewWidgetsWithAdmission(t testing.TB, hooks ...admission.Hook) *rest.API {
	return New(t, rest.Options{Admission: hooks}, WidgetResource())
}

// WithDefault sets the hook Default.
func WithDefault(f func(ctx context.Context, w *Widget) error) WidgetOption {
	return func(r *rest.Resource[Widget]) { r.Hooks.Default = f }
}

// WithValidate sets the hook Validate.
func WithValidate(f func(ctx context.Context, w, old *Widget) (status.FieldErrors, error)) WidgetOption {
	return func(r *rest.Resource[Widget]) { r.Hooks.Validate = f }
}

// WithValidateDelete sets the hook ValidateDelete.
func WithValidateDelete(f func(ctx context.Context, w *Widget) error) WidgetOption {
	return func(r *rest.Resource[Widget]) { r.Hooks.ValidateDelete = f }
}
