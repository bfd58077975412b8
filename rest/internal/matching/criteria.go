package matching

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// Criteria say which writes a webhook or a policy sees.
type Criteria struct {
	// Rules select writes. If Rules is empty, AllResources selects all writes.
	Rules        []Rule
	AllResources bool
	// Exclude takes writes out again.
	Exclude []Rule
	// Equivalent makes the rules match every version of the resource of a write. Otherwise they match the one of the request only.
	Equivalent bool
	// Namespaces selects by the labels of the namespace, and Objects by those of the new or the old object.
	Namespaces, Objects apimeta.Selector
}

// Request is a write to be matched against many [Criteria], by one goroutine. A mutation of the object between two matches counts.
type Request struct {
	review    *write.Review
	requested write.Version
	versions  []write.Version // nil until they are needed
	write     subject
	namespace *namespace // nil until it is needed
}

// namespace is the outcome of reading the labels of a namespace.
type namespace struct {
	labels apimeta.Labels
	err    error
}

// For returns a Request for the review of an admission hook.
func For(review *write.Review) *Request {
	_, subresource := review.Where()
	space, name := review.Named()
	return &Request{review: review, requested: review.Requested(), write: subject{
		operation: review.Operation(), subresource: subresource, name: name, namespaced: space != "",
	}}
}

// Match reports whether the criteria select the write, and the version in which. A version other than that of the request means that the
// webhook or the policy wants to see the object in it. Match returns a NotFound error if the namespace does not exist.
func (q *Request) Match(ctx context.Context, c *Criteria) (in write.Version, matches bool, err error) {
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

// rule returns the version in which a rule matches. The version of the request comes first, then the order of the rules counts.
func (q *Request) rule(rules []Rule, equivalent bool) (write.Version, bool) {
	for i := range rules {
		if rules[i].matches(&q.write, q.requested.Resource) && rules[i].names(q.write.name) {
			return q.requested, true
		}
	}
	if !equivalent || len(rules) == 0 {
		return write.Version{}, false
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
	return write.Version{}, false
}

// inNamespace reports whether a selector selects the namespace of the write. It selects all writes of cluster-scoped resources other than
// namespaces.
func (q *Request) inNamespace(ctx context.Context, s apimeta.Selector) (bool, error) {
	if s.Empty() || !q.write.namespaced && !q.review.AreNamespaces() {
		return true, nil
	}
	if q.review.AreNamespaces() { // whose labels may change from one match to the next
		q.namespace = nil
	}
	if q.namespace == nil {
		of, err := q.review.Namespace(ctx)
		if err != nil {
			err = status.From(err)
		}
		q.namespace = &namespace{labelsOf(of), err}
	}
	return q.namespace.err == nil && s.Matches(q.namespace.labels), q.namespace.err
}

// selected reports whether a selector selects the new or the old object. Objects without metadata, such as the options of a stream, are
// not selected.
func (q *Request) selected(s apimeta.Selector) (bool, error) {
	if s.Empty() {
		return true, nil
	}
	object, old, err := q.review.In(q.requested)
	return err == nil && (matchesObject(s, object) || matchesObject(s, old)), err
}

func matchesObject(s apimeta.Selector, object doc.Value) bool {
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
