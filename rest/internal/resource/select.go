package resource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/shard"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// InvalidOptions returns the error for invalid request options, or nil if errs is empty.
func InvalidOptions(kind string, errs status.FieldErrors) error {
	if len(errs) == 0 {
		return nil
	}
	return status.Invalid(apimeta.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

// ListParameters are the options of list, watch and deletecollection, with the selectors parsed.
type ListParameters struct {
	apimeta.ListOptions
	Labels apimeta.LabelMatcher
	Fields apimeta.FieldMatcher
	// Shard is nil unless the client asks for a shard, and the kind has shards.
	Shard *shard.Selector
	// Only restricts the client. Resume returns an error unless the client may watch the changes after a revision
	// without listing first; nil allows every revision.
	Only   *rights.Restriction
	Resume func(ctx context.Context, after watch.Revision) error
	// Query is nil unless the client uses a parameter of [Query].
	Query *Query
	// Known is the [storage.Listing.Changed] of an earlier list of the same resource with the same parameters that the
	// caller still has, or 0.
	Known watch.Revision
}

// Read fills in the options, for a list or a watch of a resource. It returns an error for invalid options.
func (p *ListParameters) Read(options apimeta.ListOptions, of *Resource) (err error) {
	p.ListOptions = options
	if p.Labels, err = apimeta.ParseLabelSelector(options.LabelSelector); err != nil {
		return status.BadRequest(err.Error())
	}
	if p.Fields, err = apimeta.ParseFieldSelector(options.FieldSelector); err != nil {
		return status.BadRequest(err.Error())
	}
	if p.ShardSelector != "" && of.Kind.Sharded {
		if p.Shard, err = shard.Parse(p.ShardSelector); err != nil {
			return status.BadRequest("invalid shardSelector: " + err.Error())
		}
	}
	return cmp.Or(p.Validate(), of.CheckFieldSelector(p.Fields))
}

// CheckFieldSelector refuses a selector with a field by which the resource cannot select.
func (res *Resource) CheckFieldSelector(s apimeta.FieldMatcher) error {
	for _, r := range s.Requirements() {
		switch {
		case r.Field == "metadata.name" || slices.Contains(res.fields, r.Field):
		case r.Field == "metadata.namespace" && (res.Kind.Namespaced || len(res.fields) == 0 && res.Dialect.LabelsListed):
		case len(res.fields) > 0 || !res.Dialect.LabelsListed:
			return status.BadRequest("field label not supported: " + r.Field)
		default:
			return status.BadRequest(fmt.Sprintf("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", r.Field))
		}
	}
	return nil
}

// Validate refuses options that contradict each other (API concepts, Resource versions).
func (p ListParameters) Validate() error {
	if p.Watch {
		return InvalidOptions("ListOptions", p.watchErrors())
	}
	path := status.NewPath("resourceVersionMatch")
	var errs status.FieldErrors
	if match := p.ResourceVersionMatch; match != "" {
		if p.ResourceVersion == "" {
			errs = append(errs, status.ForbiddenField(path,
				"resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if p.Continue != "" {
			errs = append(errs, matchWithContinue(path))
		}
		if match != apimeta.MatchExact && match != apimeta.MatchNotOlderThan {
			errs = append(errs, status.NotSupportedField(path, string(match), []string{"Exact", "NotOlderThan", ""}))
		}
		if match == apimeta.MatchExact && p.ResourceVersion == "0" {
			errs = append(errs, status.ForbiddenField(path,
				"resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""))
		}
	}
	if p.SendInitialEvents != nil {
		errs = append(errs, status.ForbiddenField(status.NewPath("sendInitialEvents"),
			"sendInitialEvents is forbidden for list"))
	}
	return InvalidOptions("ListOptions", errs)
}

// watchErrors returns the errors in the options of a watch.
func (p ListParameters) watchErrors() (errs status.FieldErrors) {
	path := status.NewPath("resourceVersionMatch")
	match, sends := p.ResourceVersionMatch, p.SendInitialEvents != nil
	if !sends && match == "" && (p.ResourceVersion == "" || p.ResourceVersion == "0") {
		match, sends = apimeta.MatchNotOlderThan, true // a watch without a version asks for this
	}
	if sends && match != apimeta.MatchNotOlderThan {
		errs = append(errs, status.ForbiddenField(path,
			"sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if match == "" {
		return errs
	}
	if !sends {
		errs = append(errs, status.ForbiddenField(path,
			"resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != apimeta.MatchNotOlderThan {
		errs = append(errs, status.NotSupportedField(path, string(match), []string{"NotOlderThan"}))
	}
	if p.Continue != "" {
		errs = append(errs, matchWithContinue(path))
	}
	return errs
}

func matchWithContinue(path *status.Path) *status.FieldError {
	return status.ForbiddenField(path, "resourceVersionMatch is forbidden when continue is provided")
}

// ReadRevision parses the resourceVersion of a get or a list, where "0" means any revision.
func ReadRevision(s string) (watch.Revision, error) {
	if s == "0" {
		return storage.Any, nil
	}
	n, err := ParseRevision(s)
	return watch.Revision(n), err
}

// ParseRevision parses a resourceVersion. It returns 0 for "" and "0".
func ParseRevision(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, status.BadRequest(fmt.Sprintf("invalid resource version: resourceVersion: Invalid value: %q: %s", s,
			words.NotUnsigned(s, 64)))
	}
	return n, nil
}

// Selection is what a list or watch selects: where the store looks, and which of the records there match.
type Selection struct {
	Within watch.Key
	Terms  []watch.Term               // indexed values that the store may use to find the matches
	Match  func(*storage.Record) bool // nil matches everything
	// Among, Order and MaxVisits come from the query.
	Among     []storage.Among
	Order     []storage.Order
	MaxVisits int
	// visible and selects are the two halves of Match if the client may not see everything: visible reports whether it may
	// see a record, and selects whether it asks for the record. Nil accepts all records.
	visible, selects func(*storage.Record) bool
	// mayMatch is false for records that the client clearly may not see, even without a conversion. It is nil if the
	// client may see everything.
	mayMatch func(*storage.Record) bool
	// Of is the version in which the objects are shown.
	Of *Resource
}

// outside reports whether the objects are converted outside of the process.
func (s Selection) outside() bool { return s.Of != nil && s.Of.ConvertsOutside() }

// Query returns the query that lists the whole selection at the latest revision.
func (s Selection) Query() storage.Query {
	q := storage.Query{Within: s.Within, Terms: s.Terms, Among: s.Among, Match: s.Match, Order: s.Order,
		MaxVisits: s.MaxVisits}
	if s.visible != nil {
		q.Visible, q.Match = s.visible, s.selects
	}
	return q
}

// ConvertsOutside reports whether objects are converted to this version outside of the process.
func (res *Resource) ConvertsOutside() bool {
	return res.FromStored != nil && res.Stored.outside != nil
}

// Select turns the selectors of a request into a scope, as narrow as possible, and a match for the rest.
func (res *Resource) Select(namespace string, p ListParameters) (s Selection) {
	s.Of = res
	s.Within = watch.Key{Resource: res.StoredName(), Namespace: namespace}
	if name, ok := p.Fields.Exact("metadata.name"); ok && (namespace != "" || !res.Kind.Namespaced) {
		s.Within.Name = name
	}
	if ns, ok := p.Fields.Exact("metadata.namespace"); ok {
		switch {
		case namespace != "" && ns != namespace || !res.Kind.Namespaced && ns != "":
			s.Match = nothing // no object meets both conditions
			return s
		case res.Kind.Namespaced && ns != "":
			s.Within.Namespace = ns
		}
	}
	labels, fields, only, part := p.Labels, p.Fields, p.Only, p.Shard
	byLabels, byFields, conditions := !labels.Empty(), !fields.Empty(), res.selectQuery(&s, p.Query)
	needsForm := byLabels || byFields || conditions != nil // of the object in the version of the resource
	if !needsForm && only == nil && part == nil {
		return s
	}
	s.Terms = res.labelTerms(res.fieldTerms(s.Terms, fields), labels)
	if only != nil {
		res.narrow(&s, only)
		s.mayMatch = func(r *storage.Record) bool { return part.Matches(r.UID, r.Key.Namespace) && res.mayAdmit(only, r) }
		s.visible = func(r *storage.Record) bool { return res.Admits(only, r) }
		s.Match = s.visible
	}
	if !needsForm && part == nil {
		return s
	}
	selects := func(r *storage.Record) bool {
		if !part.Matches(r.UID, r.Key.Namespace) {
			return false
		}
		if !needsForm {
			return true
		}
		shown, err := res.showToSelect(r)
		if err != nil {
			return true // the reader of the record gets the error
		}
		return (!byLabels || labels.Matches(shown.Labels)) &&
			(!byFields || fields.Matches(func(field string) string { return res.fieldOf(shown, field) })) &&
			conditions.hold(shown)
	}
	if only == nil {
		s.Match = selects
		return s
	}
	visible := s.visible
	s.selects = selects
	s.Match = func(r *storage.Record) bool { return visible(r) && selects(r) }
	return s
}

// nothing is the match of a selection that no object can meet.
func nothing(*storage.Record) bool { return false }

// fieldTerms appends the indexed values that a selector of fields requires. Indexes hold values of the stored version
// only.
func (res *Resource) fieldTerms(terms []watch.Term, fields apimeta.FieldMatcher) []watch.Term {
	if res.FromStored != nil {
		return terms
	}
	for i, field := range res.fields {
		if value, ok := fields.Exact(field); ok {
			terms = append(terms, watch.Term{Index: res.indexOf(i), Value: value})
		}
	}
	return terms
}

// labelTerms appends the indexed values that a selector of labels requires.
func (res *Resource) labelTerms(terms []watch.Term, labels apimeta.LabelMatcher) []watch.Term {
	if res.FromStored != nil {
		return terms
	}
	for _, label := range res.indexedLabels {
		if value, ok := labels.Exact(label); ok {
			terms = append(terms, watch.Term{Index: watch.Index{Label: label}, Value: value})
		}
	}
	return terms
}

// fieldOf returns the value of a selectable field of a record.
func (res *Resource) fieldOf(r *storage.Record, field string) string {
	switch field {
	case "metadata.name":
		return r.Key.Name
	case "metadata.namespace":
		return r.Key.Namespace
	}
	if i := slices.Index(res.fields, field); i >= 0 && i < len(r.Fields) {
		return r.Fields[i]
	}
	return ""
}
