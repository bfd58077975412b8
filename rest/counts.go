package rest

import (
	"context"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
)

// CountOptions select the objects that [Client.Count] counts, and the fields whose values it counts.
type CountOptions struct {
	LabelSelector, FieldSelector, FieldQuery string
	// By are the fields whose values are counted, such as "spec.color". At least one is required.
	By []string
}

// Count counts the selected objects by the values of some fields, without reading the objects. If the API does not
// support [Queries], the error is BadRequest.
func (c *client) Count(ctx context.Context, options CountOptions) (*queries.Counts, error) {
	if _, err := c.at(access.VerbList, "", ""); err != nil {
		return nil, err
	}
	if len(options.By) == 0 {
		return nil, status.BadRequest("rest.CountOptions.By names no field")
	}
	return c.service.Count(service.Caller{Context: ctx}, c.namespace, service.Selected{
		ListOptions: apimeta.ListOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector},
		Query:       resource.QueryText{Conditions: options.FieldQuery, Facets: strings.Join(options.By, ",")},
	}, nil)
}
