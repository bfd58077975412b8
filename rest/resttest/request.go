package resttest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
)

// Request is a request that the server received, in terms of the API rather than of HTTP (API conventions, Verbs on
// Resources).
type Request struct {
	// Verb is the verb. It is empty for a request that names no resource, as in discovery.
	Verb access.Verb
	// Group, Version and Resource name the resource; Resource is the plural. Version is empty for calls in process.
	Group, Version, Resource string
	// Subresource is the subresource, such as "status".
	Subresource string
	// Namespace and Name are those of the object, as far as the request states them. For a list or watch, Name comes from
	// the field selector; for a create, from the body.
	Namespace, Name string
	// Method and URL are those of the HTTP request. They are empty for a call in process.
	Method, URL string
	// Body is the body of the request. For a write in process it is the object that was about to be stored.
	Body []byte
	// Code is the HTTP status of the answer. It is 0 before the answer, and stays 0 if the connection broke.
	Code int
	// Fault reports whether the request has met a fault.
	Fault bool
	// InProcess reports whether it was a call of a typed client. See [Server.UnderTest].
	InProcess bool
}

// path returns resource and subresource in the form of [Fault.Resource].
func (r *Request) path() string {
	if r.Subresource == "" {
		return r.Resource
	}
	return r.Resource + "/" + r.Subresource
}

func (r *Request) groupResource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: r.Group, Resource: r.Resource}
}

// readRequest returns the description of an HTTP request. path is relative to the mount point.
func readRequest(r *http.Request, path string, body []byte) Request {
	out := Request{Method: r.Method, URL: r.URL.RequestURI(), Body: body}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = plain
		}
	}
	switch {
	case segments[0] == "api" && len(segments) > 2:
		out.Version, segments = segments[1], segments[2:]
	case segments[0] == "apis" && len(segments) > 3:
		out.Group, out.Version, segments = segments[1], segments[2], segments[3:]
	default:
		return out
	}
	parts := []*string{&out.Resource, &out.Name, &out.Subresource}
	if segments[0] == "namespaces" && len(segments) > 2 && !isPartOfNamespace(segments[2:]) {
		out.Namespace, segments = segments[1], segments[2:]
	}
	for i, s := range segments {
		if i < len(parts) {
			*parts[i] = s
		}
	}
	out.readVerb(r)
	return out
}

// isPartOfNamespace reports whether the path segments behind a namespace's name are a subresource of the namespace.
func isPartOfNamespace(rest []string) bool {
	return len(rest) == 1 && (rest[0] == "status" || rest[0] == "finalize")
}

func (r *Request) readVerb(in *http.Request) {
	query := in.URL.Query()
	one := r.Name != ""
	switch in.Method {
	case http.MethodPost:
		r.Verb = access.VerbCreate
		if !one {
			r.Name = nameIn(r.Body)
		}
	case http.MethodPut:
		r.Verb = access.VerbUpdate
	case http.MethodPatch:
		r.Verb = access.VerbPatch
	case http.MethodDelete:
		if r.Verb = access.VerbDeleteCollection; one {
			r.Verb = access.VerbDelete
		}
	case http.MethodGet:
		switch {
		case one:
			r.Verb = access.VerbGet
		case slices.Contains([]string{"true", "1"}, query.Get("watch")):
			r.Verb = access.VerbWatch
		default:
			r.Verb = access.VerbList
		}
		if fields, err := apimeta.ParseFieldSelector(query.Get("fieldSelector")); err == nil && !one {
			r.Name, _ = fields.Exact("metadata.name")
		}
	}
}

// nameIn returns the name in the metadata of a JSON body.
func nameIn(body []byte) string {
	var named struct {
		Metadata struct{ Name string }
	}
	if json.Unmarshal(body, &named) != nil {
		return ""
	}
	return named.Metadata.Name
}
