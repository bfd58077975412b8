package rest

import (
	"cmp"

	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Queries lets clients query, sort and count the objects of all resources, see [Options.Queries]. It is an extension of
// this library: clients of Kubernetes do not use it, and servers without it ignore its parameters. OpenAPI lists the
// parameters if the API has them, and the answer to a list or a watch that used some names them in its header
// [AppliedParameters].
//
// The parameter fieldQuery selects the objects of a list, a watch or a deletion of a collection, besides labelSelector
// and fieldSelector. All of its conditions must hold:
//
//	fieldQuery=spec.size>=3,spec.color in (red,blue),metadata.name^=web-
//
// The operators are = (or ==), != , in and notin, as in label selectors, and <, <=, >, >= and ^=, which requires a
// prefix. A field is a selectable field of the resource in the version of the request, metadata.name,
// metadata.namespace, metadata.creationTimestamp, or metadata.labels. with the key of a label behind it. Integers are
// compared as numbers, and everything else byte by byte. A value that contains white space or one of ,()=!<>^" is
// written as a JSON string. An object without the field meets != and notin, and = with an empty value.
//
// The parameter sortBy sorts a list by up to four of these fields, and then by namespace and name:
//
//	sortBy=spec.size,-metadata.creationTimestamp
//
// A minus means descending. Objects without the field come last. With limit and continue, all pages show one revision,
// as those of any other list.
//
// With the parameter facets, a list contains no objects but queries.Counts: how many of the selected objects have which
// values of some fields.
//
//	facets=spec.color,status.phase
//
// A list by an indexed field or label, which all selectable fields and [Resource.IndexedLabels] in the stored version
// are, visits only the objects that it needs. Any other query visits all objects of its namespace. MaxVisits bounds
// both.
//
// A user who may access some of the objects (see [access.AllowOnly]) queries, sorts and counts only these. No answer
// depends on the others: of such a user's query, MaxVisits counts the visible objects that meet the conditions on
// indexed fields. The server may look at more objects for it, unless the filter names a namespace or requires an indexed value.
type Queries struct {
	// MaxVisits is how many objects the server looks at to answer one request. If it would need more, the client gets 400
	// BadRequest. Default: 100,000.
	MaxVisits int
	// MaxValues is how many different values of one field an answer counts. It sums up the others, and values of more than
	// 4 KiB. Default: 1,000.
	MaxValues int
}

const (
	defaultMaxVisits = 100_000
	defaultMaxValues = 1000
)

// AppliedParameters is the header of an answer that names those parameters of [Queries] that had an effect on it, such
// as "fieldQuery, sortBy". A server without them does not send the header.
const AppliedParameters = resource.AppliedParameters

// limits returns the limits of queries, or nil if the API has none.
func (q *Queries) limits() *resource.QueryLimits {
	if q == nil {
		return nil
	}
	return &resource.QueryLimits{
		MaxVisits: cmp.Or(max(q.MaxVisits, 0), defaultMaxVisits), MaxValues: cmp.Or(max(q.MaxValues, 0), defaultMaxValues),
	}
}
