package apiservice

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/table"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// ownKey is the key of the context value of the API's own writes.
type ownKey struct{}

// definition returns the kind, whose objects only the API writes.
func definition() rest.Definition {
	return rest.Resource[APIService]{
		Group: Group, Version: "v1", Plural: "apiservices", Scope: rest.ScopeCluster,
		Wire:        rest.Wire{Dialect: rest.DialectBuiltin, StatusOnCreate: true},
		Names:       rest.Names{Rule: rest.NamePathSegment, Categories: []string{"api-extensions"}},
		Description: "APIService describes a version of a group.",
		Columns: []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Service",
				Description: "The reference to the service that hosts this API endpoint."},
				func(s *APIService) any { return serviceOf(s) }),
			rest.ColumnFunc(rest.Column{Name: "Available", Description: "Whether this service is available."},
				func(s *APIService) any { return available(s) }),
			{Name: "Age", Path: ".metadata.creationTimestamp", Type: table.DateType, Description: table.CreationDescription},
		},
		Hooks: rest.Hooks[APIService]{
			Prepare: func(ctx context.Context, s, _ *APIService) error {
				if s.Spec.Service != nil {
					return refused(ctx, s.Name, "this server does not aggregate other servers (spec.service)")
				}
				return refused(ctx, s.Name, "only the server writes APIServices, which describe what it serves")
			},
			ValidateDelete: func(ctx context.Context, s *APIService) error {
				return refused(ctx, s.Name, "only the server deletes APIServices, which describe what it serves")
			},
		},
	}
}

// refused returns the error for a write, unless the API itself writes.
func refused(ctx context.Context, name, why string) error {
	if ctx.Value(ownKey{}) != nil {
		return nil
	}
	return status.Forbidden(apimeta.GroupResource{Group: Group, Resource: "apiservices"}, name, why)
}

// serviceOf returns the cell of the column Service.
func serviceOf(s *APIService) string {
	if s.Spec.Service == nil {
		return "Local"
	}
	return s.Spec.Service.Namespace + "/" + s.Spec.Service.Name
}

// available returns the cell of the column Available.
func available(s *APIService) string {
	for _, c := range s.Status.Conditions {
		switch {
		case c.Type != "Available":
		case c.Status == "True":
			return c.Status
		default:
			return fmt.Sprintf("%s (%s)", c.Status, c.Reason)
		}
	}
	return "Unknown"
}
