package resttest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Request is a request that came to the server, in the words of the API rather than of HTTP (API conventions, Verbs on
// Resources).
type Request struct {
	// Verb is what was asked for; empty where it was not asked of a resource, as in discovery.
	Verb rest.Verb
	// Group, Version and Resource say of what; Resource is the plural. Calls in process know no Version.
	Group, Version, Resource string
	// Subresource is the part of the object that was meant, like "status".
	Subresource string
	// Namespace and Name are those of the object, as far as the request has them. The name of a list or watch is that of a
	// field selector, and the name of a create stands in its body.
	Namespace, Name string
	// Method and URL are what HTTP saw of it; empty for a call in process.
	Method, URL string
	// Body is what was sent. For a write in process it is the object as it was about to be stored.
	Body []byte
	// Code is the answer's; 0 as long as there is none, and for good when the connection broke before.
	Code int
	// Fault says that the request has met a fault.
	Fault bool
	// InProcess says that it was a call of a typed client. See [Server.UnderTest].
	InProcess bool
}

// path returns resource and subresource, as [Fault.Resource] has them.
func (r *Request) path() string {
	if r.Subresource == "" {
		return r.Resource
	}
	return r.Resource + "/" + r.Subresource
}

func (r *Request) groupResource() apimeta.GroupResource {
	return apimeta.GroupResource{Group: r.Group, Resource: r.Resource}
}

// readRequest says what a request over HTTP asks for. The path is that below the mount point.
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

// isPartOfNamespace reports whether what follows a namespace's name is a subresource of the namespace.
func isPartOfNamespace(rest []string) bool {
	return len(rest) == 1 && (rest[0] == "status" || rest[0] == "finalize")
}

func (r *Request) readVerb(in *http.Request) {
	query := in.URL.Query()
	one := r.Name != ""
	switch in.Method {
	case http.MethodPost:
		r.Verb = rest.Create
		if !one {
			r.Name = nameIn(r.Body)
		}
	case http.MethodPut:
		r.Verb = rest.Update
	case http.MethodPatch:
		r.Verb = rest.Patch
	case http.MethodDelete:
		if r.Verb = rest.DeleteCollection; one {
			r.Verb = rest.Delete
		}
	case http.MethodGet:
		switch {
		case one:
			r.Verb = rest.Get
		case slices.Contains([]string{"true", "1"}, query.Get("watch")):
			r.Verb = rest.Watch
		default:
			r.Verb = rest.List
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
