package rest

import (
	"context"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
)

// Counts is the answer to a list with the parameter facets, see [Queries]: how many of the selected objects have which
// values. Its apiVersion is "queries.decorum-go.github.io/v1". ResourceVersion is that of the state in which the
// objects were counted, so a watch can continue from it.
type Counts struct {
	apimeta.TypeMeta `json:",inline"`
	apimeta.ListMeta `json:"metadata"`

	// Total is the number of selected objects.
	Total int64 `json:"total"`
	// Facets has an entry for each field, in the order of the request.
	Facets []Facet `json:"facets"`
}

// Facet counts the values of one field in the selected objects.
type Facet struct {
	Field string `json:"field"`
	// Values are at most [Queries].MaxValues values, the most frequent first. It names no value above 4 KiB.
	Values []ValueCount `json:"values"`
	// Absent is the number of objects without the field, and Others that of the objects whose value is not among Values.
	Absent int64 `json:"absent"`
	Others int64 `json:"others"`
}

// ValueCount is the number of objects with a value.
type ValueCount struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}

// CountOptions select the objects that [Client.Count] counts, and the fields whose values it counts.
type CountOptions struct {
	LabelSelector, FieldSelector, FieldQuery string
	// By are the fields whose values are counted, such as "spec.color". At least one is required.
	By []string
}

// Count counts the selected objects by the values of some fields, without reading the objects. If the API does not
// support [Queries], the error is BadRequest.
func (c *client) Count(ctx context.Context, options CountOptions) (*Counts, error) {
	if _, err := c.at(access.VerbList, "", ""); err != nil {
		return nil, err
	}
	if len(options.By) == 0 {
		return nil, status.BadRequest("rest.CountOptions.By names no field")
	}
	found, err := c.service.Count(service.Caller{Context: ctx}, c.namespace, service.Selected{
		ListOptions: apimeta.ListOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector},
		Query:       resource.QueryText{Conditions: options.FieldQuery, Facets: strings.Join(options.By, ",")},
	}, nil)
	if err != nil {
		return nil, err
	}
	counts := new(Counts)
	json, err := codec.EncodeOwn(found)
	if err := decodeInto(counts, json, err); err != nil {
		return nil, err
	}
	return counts, nil
}
