package route

import (
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// Served tells Read which resources an API serves, because the meaning of some paths depends on it.
type Served interface {
	// HasPlural reports whether the API serves a resource with this plural.
	HasPlural(gv apimeta.GroupVersion, plural string) bool
	// HasBelowNamespace reports whether NAME in …/namespaces/NAMESPACE/NAME is a subresource of the namespace.
	HasBelowNamespace(gv apimeta.GroupVersion, name string) bool
}

// WatchSegment begins the legacy form of a watch path, such as …/v1/watch/widgets/NAME. Newer clients send ?watch=true
// to the collection instead.
const WatchSegment = "watch"

// Read returns the access that a request needs, without the user. It interprets a path as the API looks it up, and a path that leads nowhere as
// kube-apiserver does. The API finds no object for a name with an escaped slash, so Read treats such a path as a path
// outside all resources.
func Read(method string, u *url.URL, s Served) access.Access {
	q, segments, whole := begin(u)
	gv := apimeta.GroupVersion{Group: q.Group, Version: q.Version}
	watches := len(segments) > 0 && segments[0] == WatchSegment && !s.HasPlural(gv, WatchSegment)
	if watches {
		segments = segments[1:]
	}
	if len(segments) > 0 {
		find(&q, segments, func(name string) bool { return s.HasBelowNamespace(gv, name) })
	}
	switch {
	case q.Resource == "" || !whole && q.Subresource == "":
		return access.Access{Verb: access.Verb(strings.ToLower(method)), Path: u.Path}
	case watches:
		q.Verb = "watch" // a watch of one object has no selector
	default:
		if method == "HEAD" {
			method = "GET"
		}
		q.Verb = access.Verb(kind.VerbOfObject(method))
		refine(&q, method, u)
	}
	return q
}

// begin reads the group and the version, and returns the segments that follow. It returns no segments for a path
// outside all resources. If a segment contains an escaped slash, begin returns only the segments before it, and whole
// is false.
func begin(u *url.URL) (q access.Access, segments []string, whole bool) {
	path := strings.Trim(u.EscapedPath(), "/")
	segments, whole = strings.Split(path, "/"), true
	if strings.Contains(path, "%") {
		for i, s := range segments {
			if segments[i], whole = Unescape(s); !whole {
				segments = segments[:i]
				break
			}
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

// find reads the segments after the version. For the object NAME of the resource "namespaces" it also sets the
// namespace to NAME, as kube-apiserver does.
func find(q *access.Access, segments []string, belowNamespace func(name string) bool) {
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

// refine replaces get and delete by list, watch or deletecollection if the request is about many objects, and reads the
// selectors. If the field selector of a list or watch selects a single name, refine sets that name.
func refine(q *access.Access, method string, u *url.URL) {
	if q.Name != "" || !slices.Contains([]access.Verb{access.VerbGet, access.VerbDelete}, q.Verb) {
		return
	}
	query := u.Query()
	q.LabelSelector, q.FieldSelector = query.Get("labelSelector"), query.Get("fieldSelector")
	q.Verb = access.Verb(kind.VerbOf(method, true, func(flag string) bool { return query.Has(flag) && ParseBool(query.Get(flag)) }))
	if q.Verb != access.VerbDeleteCollection {
		q.Name = SelectedName(q.FieldSelector)
	}
}

// SelectedName returns the name that a field selector requires in metadata.name, or "" if it does not require a valid
// name.
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

// ParseBool reads a flag as Kubernetes does: what is not plainly false is true.
func ParseBool(s string) bool { return s != "0" && !strings.EqualFold(s, "false") }
