package kinds

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// immutable is the error about a field that an update may not change.
const immutable = "field is immutable"

// frozen is a field that an update of the object may not change.
type frozen[T any] struct {
	path string // such as "spec.selector"
	of   func(obj *T) any
}

// freezing returns the resource with fields that an update may not change.
func freezing[T any](r rest.Resource[T], fields ...frozen[T]) rest.Resource[T] {
	return validating(r, func(ctx context.Context, obj, old *T) (errs status.FieldErrors) {
		if old == nil || part(ctx) != "" {
			return nil
		}
		for _, f := range fields {
			if now := f.of(obj); !equality.Semantic.DeepEqual(now, f.of(old)) {
				errs = append(errs, status.InvalidField(pathOf(f.path), now, immutable))
			}
		}
		return errs
	})
}

// pathOf returns the path of a field from its text.
func pathOf(text string) *status.Path {
	names := strings.Split(text, ".")
	return status.Field(names[0], names[1:]...)
}

// sealing returns the resource with fields that cannot change once the object declares itself immutable.
func sealing[T any](r rest.Resource[T], sealed func(obj *T) *bool, fields ...frozen[T]) rest.Resource[T] {
	const why = "field is immutable when `immutable` is set"
	return validating(r, func(_ context.Context, obj, old *T) (errs status.FieldErrors) {
		if old == nil || sealed(old) == nil || !*sealed(old) {
			return nil
		}
		if now := sealed(obj); now == nil || !*now {
			errs = append(errs, status.ForbiddenField(status.Field("immutable"), why))
		}
		for _, f := range fields {
			if !equality.Semantic.DeepEqual(f.of(obj), f.of(old)) {
				errs = append(errs, status.ForbiddenField(pathOf(f.path), why))
			}
		}
		return errs
	})
}
