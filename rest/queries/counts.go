// Package queries holds the kind that answers a list with the parameter facets, which an API has if its host sets
// Options.Queries of package rest. It is an extension: Kubernetes has no such parameter.
//
// This package may change until v1.1 (docs/stability.md).
package queries

import "github.com/decorum-go/decorum/apimeta"

// APIVersion identifies the kind of this package.
const APIVersion = "queries.decorum-go.github.io/v1"

// Counts is the answer to a list with the parameter facets, see rest.Queries: how many of the selected objects have
// which values. Its apiVersion is [APIVersion]. ResourceVersion is the revision at which the objects were counted, so
// a watch can continue from it.
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
	// Values are at most rest.Queries.MaxValues values, the most frequent first. It names no value above 4 KiB.
	Values []ValueCount `json:"values"`
	// Absent counts the objects without the field, and Others the objects whose value is not among Values.
	Absent int64 `json:"absent"`
	Others int64 `json:"others"`
}

// ValueCount is the number of objects with a value.
type ValueCount struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}
