package front

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// handler answers one request, or returns the error to answer with.
type handler func(q *request) error

// chooser returns the handler for a request's method, or an error if there is none. It returns before the handler runs,
// so that few stack frames lie between a request and its answer.
type chooser func(q *request) (handler, error)

// always returns the chooser for a path whose handler checks the method itself.
func always(h handler) chooser {
	return func(*request) (handler, error) { return h, nil }
}

// exactly returns the chooser for a path that is unknown with a trailing slash.
func exactly(h handler) chooser {
	return func(q *request) (handler, error) {
		if strings.HasSuffix(q.r.URL.Path, "/") {
			return (*request).unknownPath, nil
		}
		return h, nil
	}
}

// finder finds out where a path leads: to a resource, or nil for a path outside of all resources, and to a chooser, or
// nil if the path is unknown. It fills in the place.
type finder func(s *Serving, path string, at *place) (*Served, chooser)

// anyMethod is the only method that the router knows. The handler of a path checks the method, because the answer to a
// wrong one depends on the resource.
const anyMethod = "ANY"

// Names of the parameters in a path.
const (
	paramGroup   = "group"
	paramVersion = "version"
	paramCheck   = "check"
)

// newRouter returns the router of the paths that every API has. It does not contain the paths of resources, because a
// router panics if two paths overlap, and clients choose the names of resources. [Serving.lookUpIn] looks up these
// paths by their parts.
func (a *Front) newRouter() *httprouter.Router {
	router := &httprouter.Router{}
	add := func(path string, find finder) {
		router.Handle(anyMethod, path, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
			a.request(w, r, find).pass()
		})
	}
	outside := func(path string, choose chooser) {
		add(path, func(*Serving, string, *place) (*Served, chooser) { return nil, choose })
	}

	outside("/", always((*request).index))
	outside("/index.html", always((*request).index))
	outside("/version", always((*request).version))
	for _, endpoint := range Endpoints {
		path := "/" + string(endpoint)
		outside(path, exactly((*request).health))
		add(path+"/:"+paramCheck, a.findCheck)
	}
	outside("/openapi/v2", exactly((*request).openAPIv2))
	outside("/openapi/v3", exactly((*request).openAPIv3Index))
	add("/openapi/v3/*"+paramVersion, findDocument)

	outside("/api", always((*request).legacyGroups))
	outside("/apis", always((*request).groups))
	add("/api/:"+paramVersion, findDocument)
	add("/apis/:"+paramGroup, findDocument)
	add("/apis/:"+paramGroup+"/:"+paramVersion, findDocument)
	return router
}

// findCheck finds a single health check, if the API has it.
func (a *Front) findCheck(_ *Serving, path string, at *place) (*Served, chooser) {
	at.name = path[strings.LastIndexByte(path, '/')+1:]
	if findCheck(a.checksOf(healthEndpointOf(path)), at.name) < 0 {
		return nil, nil
	}
	return nil, always((*request).health)
}

// findDocument finds a document about a group or a version, if the API serves it.
func findDocument(s *Serving, path string, _ *place) (*Served, chooser) {
	return nil, s.documents[path]
}

// cutPath cuts a path below a version of a group: the path of a resource, an object or a subresource.
func cutPath(path string) (gv apimeta.GroupVersion, below string, ok bool) {
	if rest, core := strings.CutPrefix(path, "/api/"); core {
		gv.Version, below, ok = strings.Cut(rest, "/")
		return gv, below, ok
	}
	rest, ok := strings.CutPrefix(path, "/apis/")
	if !ok {
		return gv, "", false
	}
	gv.Group, rest, _ = strings.Cut(rest, "/")
	gv.Version, below, ok = strings.Cut(rest, "/")
	return gv, below, ok
}

// findResource finds a resource, an object or a subresource.
func findResource(s *Serving, path string, at *place) (*Served, chooser) {
	gv, below, _ := cutPath(path)
	if gv.Group == "" && strings.HasPrefix(path, "/apis/") { // /apis//v1 is not the core group
		return nil, nil
	}
	return s.lookUpIn(gv, below, at)
}

// documents returns the choosers for the paths of the documents about each group and version, and about the paths
// outside of all groups.
func documents(groups []kind.Group, outside []openapi.Path) map[string]chooser {
	paths := map[string]chooser{}
	for _, g := range groups {
		if g.Name != "" {
			paths["/apis/"+g.Name] = always((*request).group)
		}
		for _, v := range g.Versions {
			paths[v.Path()] = always((*request).groupVersion)
			paths["/openapi/v3"+v.Path()] = always((*request).openAPIv3)
		}
	}
	for _, p := range outside {
		paths["/openapi/v3"+p.Path] = always((*request).openAPIv3)
	}
	return paths
}

// request returns a request to the path that find looks up.
func (a *Front) request(w http.ResponseWriter, r *http.Request, find finder) *request {
	q := &request{api: a, r: r, asked: asked{lookUp: find}, answer: answer{w: w}}
	if inside, ok := w.(*insideWriter); ok {
		q.outer = inside.outer
	}
	return q
}

// choose is a stage.
func (q *request) choose() (err error) {
	q.handle, err = q.chooser(q)
	return err
}

// lookUpIn finds out where a path below a version of a group leads. Resources register no paths. So whatever they are
// called, a path leads to one place at most, and no resource can make the lookup of another one fail.
func (s *Serving) lookUpIn(gv apimeta.GroupVersion, path string, at *place) (*Served, chooser) {
	watched, watches := strings.CutPrefix(path, route.WatchSegment+"/")
	if !watches || s.HasPlural(gv, route.WatchSegment) { // a resource called watch takes the path
		return s.lookUpObject(gv, path, at)
	}
	res, choose := s.lookUpObject(gv, watched, at)
	if res == nil || choose == nil || at.subresource != "" || at.below {
		return nil, nil
	}
	at.watched = true
	return res, (*request).watchByPath
}

// lookUpObject is lookUpIn for the path of a resource, of an object or of a subresource. …/namespaces/NAMESPACE/NAME is
// a resource in a namespace if there is one with this plural, and otherwise the subresource of an object of the
// resource "namespaces".
func (s *Serving) lookUpObject(gv apimeta.GroupVersion, path string, at *place) (*Served, chooser) {
	plural, rest, more := strings.Cut(path, "/")
	if plural == resource.NamespacesPlural {
		namespace, inside, _ := strings.Cut(rest, "/")
		inner, below, more := strings.Cut(inside, "/")
		if res := s.find(gv, inner); res != nil && res.Kind.Namespaced {
			at.namespace = namespace
			return res, res.lookUp(below, more, at)
		}
	}
	switch res := s.find(gv, plural); {
	case res != nil && !res.Kind.Namespaced:
		return res, res.lookUp(rest, more, at)
	case res != nil && !more:
		return res, (*request).collectionOfAll
	case res == nil && gv == apimeta.GroupVersion{Version: "v1"} && plural == resource.NamespacesPlural && rest != "" &&
		!strings.Contains(rest, "/"):
		return nil, always((*request).namespaceNotServed)
	}
	return nil, nil
}

// lookUp returns the chooser for a path below a collection; inside is false for the collection itself.
func (res *Served) lookUp(path string, inside bool, at *place) chooser {
	if !inside {
		return (*request).collection
	}
	if at.name, path, inside = strings.Cut(path, "/"); !inside {
		if at.name == "" {
			return nil
		}
		return (*request).item
	}
	at.subresource, _, at.below = strings.Cut(path, "/")
	switch {
	case res.namesNamespaces() && res.subresource(at.subresource) == nil:
		return nil
	case at.below:
		return always((*request).belowSubresourceOfItem)
	case at.subresource == "":
		return nil
	}
	return always((*request).subresourceOfItem)
}

// namesNamespaces reports whether the name of an object is at the position where the paths of other resources have
// their namespace.
func (res *Served) namesNamespaces() bool {
	return !res.Kind.Namespaced && res.GR.Resource == resource.NamespacesPlural
}

// HasPlural implements [route.Served].
func (s *Serving) HasPlural(gv apimeta.GroupVersion, plural string) bool {
	return s.find(gv, plural) != nil
}

// HasBelowNamespace implements [route.Served]. status and finalize count as subresources of namespaces even if the API
// does not serve namespaces, as in kube-apiserver, unless the API serves a resource with that plural.
func (s *Serving) HasBelowNamespace(gv apimeta.GroupVersion, name string) bool {
	if res := s.find(gv, name); res != nil && res.Kind.Namespaced {
		return false
	}
	if res := s.find(gv, resource.NamespacesPlural); res != nil && res.namesNamespaces() && res.subresource(name) != nil {
		return true
	}
	return (name == "status" || name == "finalize") && !s.HasPlural(gv, name)
}

// find returns the resource with a group, version and plural, or nil.
func (s *Serving) find(gv apimeta.GroupVersion, plural string) *Served {
	return s.byPath[gv.WithResource(plural)]
}

// unknownPath answers a path without a route: with 503 if the API expects the resource and does not serve it yet, with
// a Status below the groups that are served, as their clients expect, and in plain text elsewhere.
func (q *request) unknownPath() error {
	path := q.r.URL.Path
	question, expected := q.Question(), q.api.expected.Load()
	gvr := apimeta.GroupVersionResource{Group: question.Group, Version: question.Version, Resource: question.Resource}
	if expected != nil && (*expected)[gvr] && q.serving.byPath[gvr] == nil {
		return delivery.NotYetServed()
	}
	if kind.InGroup(q.serving.Groups, path) {
		return status.ResourceNotFound()
	}
	http.NotFound(q.w, q.r)
	return nil
}

// namespaceNotServed answers for a namespace if the API serves no namespaces. When kubectl receives a 404 for an
// object, it asks for the object's namespace; a second 404 would replace the first in its message.
func (q *request) namespaceNotServed() error { return status.MethodNotAllowed() }

// handlerOf returns the handler of a verb. own means that the handler itself checks whether the resource has the verb,
// because errors in the parameters come first.
func handlerOf(verb string) (h handler, own bool) {
	switch verb {
	case kind.Get:
		return (*request).get, false
	case kind.List:
		return (*request).list, true
	case kind.Watch:
		return (*request).watch, true
	case kind.Create:
		return (*request).create, false
	case kind.Update:
		return (*request).put, false
	case kind.Patch:
		return (*request).patch, false
	case kind.Delete:
		return (*request).delete, false
	case kind.DeleteCollection:
		return (*request).deleteCollection, false
	}
	return nil, false
}

// collection chooses the handler for a resource, or for one namespace of it.
func (q *request) collection() (handler, error) { return q.byVerb(true) }

// collectionOfAll chooses the handler for a namespaced resource across all namespaces.
func (q *request) collectionOfAll() (handler, error) {
	if q.method() == http.MethodGet {
		return q.byVerb(true)
	}
	return nil, status.MethodNotAllowed()
}

// item chooses the handler for one object.
func (q *request) item() (handler, error) { return q.byVerb(false) }

// byVerb returns the handler of the request's verb, or 405 if the resource does not have the verb.
func (q *request) byVerb(ofMany bool) (handler, error) {
	verb := kind.VerbOf(q.method(), ofMany, q.flag)
	h, own := handlerOf(verb)
	switch {
	case h == nil:
		return nil, q.noSuchMethod()
	case !own && !q.res.Has(verb):
		return nil, status.MethodNotAllowed()
	}
	return h, nil
}

// method returns the method of the request. In the dialects that serve HEAD, it is a GET: net/http leaves out the body.
func (q *request) method() string {
	if q.r.Method == http.MethodHead && q.res.Dialect.HeadServed && !q.flag(kind.Watch) {
		return http.MethodGet
	}
	return q.r.Method
}

// noSuchMethod refuses a method that the path does not have. Custom resources name themselves if no path has the
// method.
func (q *request) noSuchMethod() error {
	known := []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	if q.res.Dialect.MethodsNamed && !slices.Contains(known, q.r.Method) {
		return status.MethodNotSupported(q.res.GR, "")
	}
	return status.MethodNotAllowed()
}
