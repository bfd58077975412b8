package route

import (
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Question is what a request asks for: a verb on a resource, or on a path outside of all resources.
type Question struct {
	// Verb is empty if the method of a request for a resource stands for no verb.
	Verb string

	Group, Version, Resource, Subresource string
	Namespace, Name                       string
	LabelSelector, FieldSelector          string

	// Path is empty for a resource.
	Path string
}

// Served is what an API serves, as far as the meaning of a path depends on it.
type Served interface {
	// HasPlural reports whether a resource of this plural is served.
	HasPlural(gv apimeta.GroupVersion, plural string) bool
	// HasBelowNamespace reports whether NAME in …/namespaces/NAMESPACE/NAME is a subresource of the namespace.
	HasBelowNamespace(gv apimeta.GroupVersion, name string) bool
}

// WatchSegment stands before the path of what is watched, in the form of a watch that old clients know: instead of ?watch=true at
// a collection, and for one object.
const WatchSegment = "watch"

// Read returns what a request asks. It reads a path like the routes of the API do, and a path without a route as kube-apiserver
// does. A path with an escaped slash in a name leads nowhere, so it is a path outside of all resources.
func Read(method string, u *url.URL, s Served) Question {
	q, segments, whole := begin(u)
	gv := apimeta.GroupVersion{Group: q.Group, Version: q.Version}
	watches := len(segments) > 0 && segments[0] == WatchSegment && !s.HasPlural(gv, WatchSegment)
	if watches {
		segments = segments[1:]
	}
	if len(segments) > 0 {
		q.find(segments, func(name string) bool { return s.HasBelowNamespace(gv, name) })
	}
	switch {
	case q.Resource == "" || !whole && q.Subresource == "":
		return Question{Verb: strings.ToLower(method), Path: u.Path}
	case watches:
		q.Verb = "watch" // and no selector, because a watch of one object has none
	default:
		q.Verb = verbs[method]
		q.refine(u)
	}
	return q
}

// verbs are the verbs of the methods at the path of one object.
var verbs = map[string]string{"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}

// begin reads the group and the version, and returns the segments that follow. There are none in a path outside of all resources.
// If a segment contains an escaped slash, whole is false, and the segments end before it.
func begin(u *url.URL) (q Question, segments []string, whole bool) {
	segments = strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	whole = true
	for i, s := range segments {
		if segments[i], whole = Unescape(s); !whole {
			segments = segments[:i]
			break
		}
	}
	switch {
	case len(segments) > 2 && segments[0] == "api":
		q.Version, segments = segments[1], segments[2:]
	case len(segments) > 3 && segments[0] == "apis":
		q.Group, q.Version, segments = segments[1], segments[2], segments[3:]
	default:
		segments = nil
	}
	return q, segments, whole
}

// find reads the segments after the version. The path of an object called NAME of the resource "namespaces" is also in the
// namespace NAME, as for kube-apiserver.
func (q *Question) find(segments []string, belowNamespace func(name string) bool) {
	if segments[0] == "namespaces" && len(segments) > 1 {
		q.Namespace = segments[1]
		if len(segments) > 2 && !belowNamespace(segments[2]) {
			segments = segments[2:]
		}
	}
	q.Resource = segments[0]
	if len(segments) > 1 {
		q.Name = segments[1]
	}
	if len(segments) > 2 {
		q.Subresource = segments[2]
	}
}

// refine completes the verb of a request for many objects, and reads its selectors. A list or a watch that selects one name is a
// question about the object of that name.
func (q *Question) refine(u *url.URL) {
	if q.Name != "" || !slices.Contains([]string{"get", "delete"}, q.Verb) {
		return
	}
	query := u.Query()
	q.LabelSelector, q.FieldSelector = query.Get("labelSelector"), query.Get("fieldSelector")
	switch {
	case q.Verb == "delete":
		q.Verb = "deletecollection"
		return
	case query.Has("watch") && resource.ParseBool(query.Get("watch")):
		q.Verb = "watch"
	default:
		q.Verb = "list"
	}
	q.Name = SelectedName(q.FieldSelector)
}

// SelectedName returns the only name that a field selector can select, or "".
func SelectedName(fieldSelector string) string {
	fields, err := apimeta.ParseFieldSelector(fieldSelector)
	if err != nil {
		return ""
	}
	if name, ok := fields.Exact("metadata.name"); ok && len(apimeta.ValidatePathSegmentName(name)) == 0 {
		return name
	}
	return ""
}
