package matching

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Criteria say which writes a webhook or a policy sees.
type Criteria struct {
	// Rules select writes. If Rules is empty, AllResources selects all writes.
	Rules        []Rule
	AllResources bool
	// Exclude takes writes out again.
	Exclude []Rule
	// Equivalent makes the rules match every version of the resource of a write. Otherwise they match the one of the
	// request only.
	Equivalent bool
	// Namespaces selects by the labels of the namespace, and Objects by the labels of the new or the old object.
	Namespaces, Objects apimeta.LabelMatcher
}

// Request is a write to be matched against many [Criteria], by one goroutine. A mutation of the object between two
// matches counts.
type Request struct {
	review    *admission.Request
	requested admission.KindVersion
	versions  []admission.KindVersion // nil until they are needed
	write     subject
	namespace *namespace // nil until it is needed
}

// namespace is the outcome of reading the labels of a namespace.
type namespace struct {
	labels apimeta.Labels
	err    error
}

// For returns a Request for the request of an admission hook.
func For(r *admission.Request) *Request {
	return &Request{review: r, requested: r.Version(), write: subject{
		operation: string(r.Operation), subresource: r.Subresource, name: r.Name, namespaced: r.Namespace != "",
	}}
}

// Match reports whether the criteria select the write, and the version in which. A version other than the version of
// the request means that the webhook or the policy wants to see the object in it. Match returns a NotFound error if the
// namespace does not exist.
func (q *Request) Match(ctx context.Context, c *Criteria) (in admission.KindVersion, matches bool, err error) {
	if _, excluded := q.rule(c.Exclude, c.Equivalent); excluded {
		return in, false, nil
	}
	if in, matches = q.rule(c.Rules, c.Equivalent); len(c.Rules) == 0 && c.AllResources {
		in, matches = q.requested, true
	}
	if !matches {
		return in, false, nil
	}
	matches, err = q.inNamespace(ctx, c.Namespaces)
	if !matches && err == nil {
		return in, false, nil
	}
	selected, objectErr := q.selected(c.Objects)
	if !selected && objectErr == nil {
		return in, false, nil
	}
	if err == nil {
		err = objectErr
	}
	return in, err == nil, err
}

// rule returns the version in which a rule matches. The version of the request comes first, then the order of the rules
// counts.
func (q *Request) rule(rules []Rule, equivalent bool) (admission.KindVersion, bool) {
	for i := range rules {
		if rules[i].matches(&q.write, q.requested.Resource) && rules[i].names(q.write.name) {
			return q.requested, true
		}
	}
	if !equivalent || len(rules) == 0 {
		return admission.KindVersion{}, false
	}
	if q.versions == nil {
		q.versions = q.review.Versions()
	}
	for i := range rules {
		for _, v := range q.versions[1:] {
			if rules[i].matches(&q.write, v.Resource) && rules[i].names(q.write.name) {
				return v, true
			}
		}
	}
	return admission.KindVersion{}, false
}

// inNamespace reports whether a selector selects the namespace of the write. It selects all writes of cluster-scoped
// resources other than namespaces.
func (q *Request) inNamespace(ctx context.Context, s apimeta.LabelMatcher) (bool, error) {
	if s.Empty() || !q.write.namespaced && !q.review.IsNamespace() {
		return true, nil
	}
	if q.review.IsNamespace() { // whose labels may change from one match to the next
		q.namespace = nil
	}
	if q.namespace == nil {
		var of doc.Value
		_, err := q.review.NamespaceObject(ctx, &of)
		if err != nil {
			err = status.From(err)
		}
		q.namespace = &namespace{labelsOf(of), err}
	}
	return q.namespace.err == nil && s.Matches(q.namespace.labels), q.namespace.err
}

// selected reports whether a selector selects the new or the old object. Objects without metadata, such as the options
// of a stream, are not selected.
func (q *Request) selected(s apimeta.LabelMatcher) (bool, error) {
	if s.Empty() {
		return true, nil
	}
	for _, decode := range []func(admission.KindVersion, any) (bool, error){q.review.ObjectIn, q.review.OldObjectIn} {
		var object doc.Value
		if _, err := decode(q.requested, &object); err != nil {
			return false, err
		}
		if matchesObject(s, object) {
			return true, nil
		}
	}
	return false, nil
}

func matchesObject(s apimeta.LabelMatcher, object doc.Value) bool {
	return object.Get("metadata").Kind() == doc.Map && s.Matches(labelsOf(object))
}

// labelsOf returns the labels of an object.
func labelsOf(object doc.Value) apimeta.Labels {
	labels := map[string]string{}
	for key, value := range objectmeta.Of(object).Get(objectmeta.Labels).Members() {
		labels[key] = value.Text()
	}
	return apimeta.LabelsOf(labels)
}
