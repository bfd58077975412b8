package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// anyMethod is the only method that the router knows. The handler of a path checks the method, because the answer to a wrong one
// depends on the resource.
const anyMethod = "ANY"

// Names of the parameters in a path. The segment after "namespaces" is always paramNamespace, even if it names an object of a
// resource called namespaces, because the router allows only one parameter name at a position.
const (
	paramNamespace   = "namespace"
	paramName        = "name"
	paramSubresource = "subresource"
	paramBelow       = "below"
	paramCheck       = "check"
)

// handler answers one request, or returns the error to answer with.
type handler func(q *request) error

// chooser returns the handler for a request's method, or an error if there is none. It returns before the handler runs, so that
// few stack frames lie between a request and its answer.
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

// route wraps a chooser as a handler of the router. It admits the request, checks what all requests have in common, and answers
// with the error if there is one. res is nil for paths outside of all resources.
func (a *API) route(s *serving, res *served, choose chooser) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		q := request{api: a, serving: s, res: res, w: w, r: r, params: params}
		w.Header()["X-Content-Type-Options"] = headerNoSniff
		if len(a.options.AllowedOrigins) > 0 && a.pages.Share(w.Header(), r) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		var of *resource.Resource
		if res != nil {
			q.kind, of = res.media, res.Resource
			if res.Kind.Warning != "" {
				w.Header().Add("Warning", media.Warning(res.Kind.Warning))
			}
		}
		if err := a.flights.Enter(&q.flight, &q, of); err != nil && !q.isHealth() {
			q.fail(err)
			return
		} else if err == nil {
			defer a.flights.Leave(&q.flight)
		}
		defer q.recover()
		var err error
		if r.Header["Origin"] != nil || r.Header["Sec-Fetch-Site"] != nil { // a browser may have sent it for a page
			err = q.checkPage()
		}
		if err == nil && q.needsUser() {
			err = q.identify()
		}
		if err == nil {
			err = q.readQuery()
		}
		if err == nil && a.options.Authorizer != nil {
			err = q.authorize()
		}
		var h handler
		if err == nil {
			h, err = choose(&q)
		}
		if err == nil {
			err = h(&q)
		}
		if err != nil {
			q.fail(err)
		}
	}
}

// routes registers each resource under its literal plural, because a parameter at that position would collide with "namespaces".
func (a *API) routes(s *serving) *httprouter.Router {
	router := &httprouter.Router{}
	add := func(path string, res *served, choose chooser) {
		router.Handle(anyMethod, path, a.route(s, res, choose))
	}

	addSubresource := func(path string, res *served) {
		add(path, res, always((*request).subresourceOfItem))
		add(path+"/*"+paramBelow, res, always((*request).belowSubresourceOfItem))
	}

	addWatch := func(base string, res *served, paths ...string) {
		if s.HasPlural(res.GVK.GroupVersion(), route.WatchSegment) {
			return // a resource called watch takes the path
		}
		for _, path := range paths {
			add(base+"/"+route.WatchSegment+path, res, (*request).watchByPath)
		}
	}

	add("/", nil, always((*request).index))
	add("/index.html", nil, always((*request).index))
	add("/version", nil, always((*request).version))
	for _, endpoint := range []string{"/healthz", "/livez", "/readyz"} {
		add(endpoint, nil, exactly((*request).health))
		add(endpoint+"/:"+paramCheck, nil, always((*request).health))
	}
	add("/api", nil, always((*request).legacyGroups))
	add("/apis", nil, always((*request).groups))
	add("/openapi/v2", nil, exactly((*request).openAPIv2))
	add("/openapi/v3", nil, exactly((*request).openAPIv3Index))
	for _, g := range s.groups {
		if g.Name != "" {
			add("/apis/"+g.Name, nil, always((*request).group))
		}
		for _, v := range g.Versions {
			add(v.Path(), nil, always((*request).groupVersion))
			add("/openapi/v3"+v.Path(), nil, always((*request).openAPIv3))
		}
	}
	if core := (apimeta.GroupVersion{Version: "v1"}); !s.HasPlural(core, "namespaces") {
		add(kind.Path(core)+"/namespaces/:"+paramNamespace, nil, always((*request).namespaceNotServed))
	}
	for _, res := range s.versions {
		base := kind.Path(res.GVK.GroupVersion())
		plural := base + "/" + res.GR.Resource
		switch {
		case res.Kind.Namespaced:
			inNamespace := base + "/namespaces/:" + paramNamespace + "/" + res.GR.Resource
			add(plural, res, (*request).collectionOfAll)
			addWatch(base, res, "/"+res.GR.Resource, "/namespaces/:"+paramNamespace+"/"+res.GR.Resource, "/namespaces/:"+paramNamespace+"/"+res.GR.Resource+"/:"+paramName)
			add(inNamespace, res, (*request).collection)
			add(inNamespace+"/:"+paramName, res, (*request).item)
			addSubresource(inNamespace+"/:"+paramName+"/:"+paramSubresource, res)
		case res.namesNamespaces():
			item := plural + "/:" + paramNamespace
			add(plural, res, (*request).collection)
			addWatch(base, res, "/"+res.GR.Resource, "/"+res.GR.Resource+"/:"+paramNamespace)
			add(item, res, (*request).item)
			for _, sub := range res.shown {
				addSubresource(item+"/"+sub.Name, res)
			}
		default:
			add(plural, res, (*request).collection)
			addWatch(base, res, "/"+res.GR.Resource, "/"+res.GR.Resource+"/:"+paramName)
			add(plural+"/:"+paramName, res, (*request).item)
			addSubresource(plural+"/:"+paramName+"/:"+paramSubresource, res)
		}
	}
	return router
}

// namesNamespaces reports whether the name of an object is at the position where the paths of other resources have their
// namespace.
func (res *served) namesNamespaces() bool {
	return !res.Kind.Namespaced && res.GR.Resource == "namespaces"
}

// HasPlural implements [route.Served].
func (s *serving) HasPlural(gv apimeta.GroupVersion, plural string) bool {
	return s.find(gv, plural) != nil
}

// HasBelowNamespace implements [route.Served]. status and finalize count as subresources of namespaces even if the API does not
// serve namespaces, as in kube-apiserver, unless the API serves a resource with that plural.
func (s *serving) HasBelowNamespace(gv apimeta.GroupVersion, name string) bool {
	if res := s.find(gv, "namespaces"); res != nil && res.namesNamespaces() && res.subresource(name) != nil {
		return true
	}
	return (name == "status" || name == "finalize") && !s.HasPlural(gv, name)
}

// find returns the resource with a group, version and plural, or nil.
func (s *serving) find(gv apimeta.GroupVersion, plural string) *served {
	return s.byPath[gv.WithResource(plural)]
}

// unknownPath answers a path without a route: with 503 if the API expects the resource and does not serve it yet, with a Status below
// the groups that are served, as their clients expect, and in plain text elsewhere.
func (q *request) unknownPath() error {
	path := q.r.URL.Path
	asked, expected := q.question(), q.api.expected.Load()
	gvr := apimeta.GroupVersionResource{Group: asked.Group, Version: asked.Version, Resource: asked.Resource}
	if expected != nil && (*expected)[gvr] && q.serving.byPath[gvr] == nil {
		return delivery.NotYetServed()
	}
	if kind.InGroup(q.serving.groups, path) {
		return status.ResourceNotFound()
	}
	http.NotFound(q.w, q.r)
	return nil
}

// namespaceNotServed answers for a namespace if the API serves no namespaces. When kubectl receives a 404 for an object, it asks
// for the object's namespace; a second 404 would replace the first in its message.
func (q *request) namespaceNotServed() error { return status.MethodNotAllowed() }

// collection chooses the handler for a resource, or for one namespace of it.
func (q *request) collection() (handler, error) {
	switch q.method() {
	case http.MethodGet:
		return q.listing(), nil
	case http.MethodPost:
		return q.allowed(Create, (*request).create)
	case http.MethodDelete:
		return q.allowed(DeleteCollection, (*request).deleteCollection)
	}
	return nil, q.noSuchMethod()
}

// collectionOfAll chooses the handler for a namespaced resource across all namespaces.
func (q *request) collectionOfAll() (handler, error) {
	if q.method() == http.MethodGet {
		return q.listing(), nil
	}
	return nil, status.MethodNotAllowed()
}

// listing returns the handler for GET of a collection, which is a list or a watch.
func (q *request) listing() handler {
	if q.wantsWatch() {
		return (*request).watch
	}
	return (*request).list
}

// item chooses the handler for one object.
func (q *request) item() (handler, error) {
	switch q.method() {
	case http.MethodGet:
		return q.allowed(Get, (*request).get)
	case http.MethodPut:
		return q.allowed(Update, (*request).put)
	case http.MethodPatch:
		return q.allowed(Patch, (*request).patch)
	case http.MethodDelete:
		return q.allowed(Delete, (*request).delete)
	}
	return nil, q.noSuchMethod()
}

// method returns the method of the request. In the dialects that serve HEAD, it is a GET: net/http leaves out the body.
func (q *request) method() string {
	if q.r.Method == http.MethodHead && q.res.Dialect.HeadServed && !q.wantsWatch() {
		return http.MethodGet
	}
	return q.r.Method
}

// noSuchMethod refuses a method that the path does not have. Custom resources name themselves if no path has the method.
func (q *request) noSuchMethod() error {
	known := []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	if q.res.Dialect.MethodsNamed && !slices.Contains(known, q.r.Method) {
		return status.MethodNotSupported(q.res.GR, "")
	}
	return status.MethodNotAllowed()
}

// allowed returns the handler of a verb, or 405 if the resource does not have the verb.
func (q *request) allowed(v Verb, h handler) (handler, error) {
	if !q.res.Has(string(v)) {
		return nil, status.MethodNotAllowed()
	}
	return h, nil
}
