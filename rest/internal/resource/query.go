package resource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/query"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// QueryLimits bound what one request with a [Query] costs.
type QueryLimits struct {
	// MaxVisits is how many objects the request may look at, and MaxValues how many values of a field it may count.
	MaxVisits, MaxValues int
}

// Query is what a client asks beyond selectors, see package query.
type Query struct {
	Conditions []query.Condition
	Order      []query.Order
	Facets     []string
	// Text has the parameters as the client sent them.
	Text QueryText
}

// QueryText has the parameters of a query as the client sends them.
type QueryText struct{ Conditions, SortBy, Facets string }

// AppliedParameters is the header of an answer that names the parameters of a query, see package rest.
const AppliedParameters = "Applied-Parameters"

// The names of the parameters in a URL.
const (
	FieldQuery = "fieldQuery"
	SortBy     = "sortBy"
	Facets     = "facets"
)

// Parameters returns the names and values of the parameters that are not empty.
func (t QueryText) Parameters(yield func(name, value string) bool) {
	for _, p := range [...][2]string{{FieldQuery, t.Conditions}, {SortBy, t.SortBy}, {Facets, t.Facets}} {
		if p[1] != "" && !yield(p[0], p[1]) {
			return
		}
	}
}

// Applied returns the names of the parameters, for a header.
func (t QueryText) Applied() string {
	var names []string
	for name := range t.Parameters {
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// ReadQuery adds a query to the parameters, for a list or a watch of a resource. It returns an error for an invalid
// query, and if the API does not support queries.
func (p *ListParameters) ReadQuery(text QueryText, of *Resource) (err error) {
	if text == (QueryText{}) {
		return nil
	}
	if of.Queries == nil {
		return status.BadRequest("this API does not support queries: its host has not set rest.Options.Queries")
	}
	q := &Query{Text: text}
	if q.Conditions, err = query.Parse(text.Conditions); err == nil {
		q.Order, err = query.ParseOrder(text.SortBy)
	}
	if err == nil {
		q.Facets, err = query.ParseFacets(text.Facets)
	}
	switch {
	case err != nil:
		return status.BadRequest(err.Error())
	case len(q.Facets) > 0 && (len(q.Order) > 0 || p.Limit != 0 || p.Continue != ""):
		return status.BadRequest("facets is forbidden with sortBy, limit and continue, because its answer contains no objects")
	}
	p.Query = q
	return of.CheckQuery(q)
}

// CheckUnsorted refuses a query that only a list can answer.
func (q *Query) CheckUnsorted() error {
	switch {
	case q == nil:
		return nil
	case len(q.Order) > 0:
		return status.BadRequest("sortBy is allowed for lists only")
	case len(q.Facets) > 0:
		return status.BadRequest("facets is allowed for lists only")
	}
	return nil
}

// CheckQuery refuses a query with a field or a value that the resource does not support.
func (res *Resource) CheckQuery(q *Query) error {
	if q == nil {
		return nil
	}
	for _, c := range q.Conditions {
		f, err := res.queryField(c.Field)
		if err == nil {
			if _, mismatch := c.On(f.index.Numeric); mismatch != nil {
				err = status.BadRequest("invalid fieldQuery: " + mismatch.Error())
			}
		}
		if err != nil {
			return err
		}
	}
	for _, o := range q.Order {
		if _, err := res.queryField(o.Field); err != nil {
			return err
		}
	}
	for _, field := range q.Facets {
		if _, err := res.queryField(field); err != nil {
			return err
		}
	}
	return nil
}

// queryField is a field that a query may name.
type queryField struct {
	// index belongs to the field, and says whether its values are numbers. stored says that the store may have the
	// index.
	index  watch.Index
	stored bool
	// of returns the value of an object in the version of the resource, or "".
	of func(shown *storage.Record) string
}

const labelsPrefix = "metadata.labels."

// queryField returns the field with a name: a selectable field, or one of metadata.
func (res *Resource) queryField(name string) (queryField, error) {
	if label, ok := strings.CutPrefix(name, labelsPrefix); ok && label != "" {
		return queryField{watch.Index{Label: label}, true, func(r *storage.Record) string {
			value, _ := r.Labels.Lookup(label)
			return value
		}}, nil
	}
	switch i := slices.Index(res.fields, name); {
	case i >= 0:
		return queryField{res.indexOf(i), true, func(r *storage.Record) string {
			if i < len(r.Fields) {
				return r.Fields[i]
			}
			return ""
		}}, nil
	case name == "metadata.name":
		return queryField{of: func(r *storage.Record) string { return r.Key.Name }}, nil
	case name == "metadata.namespace" && res.Kind.Namespaced:
		return queryField{of: func(r *storage.Record) string { return r.Key.Namespace }}, nil
	case name == "metadata.creationTimestamp":
		return queryField{of: (*storage.Record).CreationTimestamp}, nil
	}
	known := append([]string{"metadata.name", "metadata.creationTimestamp", labelsPrefix + "KEY"}, res.fields...)
	if res.Kind.Namespaced {
		known = slices.Insert(known, 1, "metadata.namespace")
	}
	return queryField{}, status.BadRequest(fmt.Sprintf("field label not supported: %s; queries of %s may name %s",
		name, res.GR, strings.Join(known, ", ")))
}

// conditions are the conditions of a query, each with the field that it is about.
type conditions []fieldCondition

type fieldCondition struct {
	query.Condition
	queryField
}

// hold reports whether an object in the version of the resource meets all conditions.
func (all conditions) hold(shown *storage.Record) bool {
	for i := range all {
		if !all[i].Holds(all[i].of(shown)) {
			return false
		}
	}
	return true
}

// selectQuery adds a query to a selection, and returns its conditions. CheckQuery must have accepted the query.
func (res *Resource) selectQuery(s *Selection, q *Query) (all conditions) {
	if q == nil {
		return nil
	}
	s.MaxVisits = res.Queries.MaxVisits
	for _, c := range q.Conditions {
		f, err := res.queryField(c.Field)
		if err == nil {
			c, err = c.On(f.index.Numeric)
		}
		if err != nil { // a newer declaration lacks the field
			f.of = func(*storage.Record) string { return "" }
		}
		all = append(all, fieldCondition{c, f})
		if err != nil || !f.stored || res.FromStored != nil {
			continue
		}
		if value, ok := c.Exact(); ok {
			if value != "" || f.index.Label == "" {
				s.Terms = append(s.Terms, watch.Term{Index: f.index, Value: value})
			}
		} else if ranges := rangesOf(c); ranges != nil {
			s.Among = append(s.Among, storage.Among{Index: f.index, Ranges: ranges})
		}
	}
	for _, o := range q.Order {
		s.Order = append(s.Order, res.orderBy(o))
	}
	return all
}

// rangesOf returns the ranges of values that meet a condition, or nil if also an object without a value may meet it.
func rangesOf(c query.Condition) []storage.Range {
	if c.Operator == query.NotIn || slices.Contains(c.Values, "") {
		return nil
	}
	value := c.Values[0]
	switch c.Operator {
	case query.Less:
		return []storage.Range{{To: value, BeforeTo: true}}
	case query.AtMost:
		return []storage.Range{{To: value}}
	case query.Greater:
		return []storage.Range{{From: value, AfterFrom: true}}
	case query.AtLeast:
		return []storage.Range{{From: value}}
	case query.HasPrefix:
		return []storage.Range{{From: value, To: afterPrefix(value), BeforeTo: true}}
	}
	values := slices.Clone(c.Values)
	slices.SortFunc(values, watch.Index{Numeric: c.Numeric}.Compare)
	var ranges []storage.Range
	for _, value := range slices.Compact(values) {
		ranges = append(ranges, storage.Range{From: value, To: value})
	}
	return ranges
}

// afterPrefix returns the least text after all texts with a prefix, which is valid UTF-8 and not empty.
func afterPrefix(prefix string) string {
	end := len(prefix) - 1
	return prefix[:end] + string([]byte{prefix[end] + 1}) // no byte of UTF-8 is 0xff
}

// orderBy returns an order of the records.
func (res *Resource) orderBy(o query.Order) storage.Order {
	f, err := res.queryField(o.Field)
	if err != nil {
		return storage.Order{Value: func(*storage.Record) string { return "" }}
	}
	order := storage.Order{Index: f.index, Descending: o.Descending}
	switch {
	case res.FromStored != nil:
		order.Value = func(r *storage.Record) string {
			shown, err := res.showToSelect(r)
			if err != nil {
				return "" // Match has let the record pass, or it is on no page; the reader of the page gets the error
			}
			return f.of(shown)
		}
	case !f.stored:
		order.Value = f.of
	}
	return order
}

// valuesIn returns the values of a record in an order.
func valuesIn(order []storage.Order, r *storage.Record) []string {
	values := make([]string, len(order))
	for i := range order {
		values[i] = order[i].Of(r)
	}
	return values
}
