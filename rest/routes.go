package rest

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// anyMethod is the one method under which all routes stand. Which methods a path takes is decided by its handler,
// because the answer to a wrong one depends on the resource.
const anyMethod = "ANY"

// Names of the parameters of a path. What follows 'namespaces' is always called paramNamespace, also where it names
// an object of a resource called namespaces: the router allows one name in a place.
const (
	paramNamespace   = "namespace"
	paramName        = "name"
	paramSubresource = "subresource"
	paramCheck       = "check"
)

// handler answers one request, or returns what is to be answered instead.
type handler func(q *request) error

// route makes a handler of ours one of the router's. res is nil for paths that belong to no resource.
func (a *API) route(res *resource, h handler) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		q := request{api: a, res: res, w: w, r: r, params: params}
		if res != nil {
			q.wire = res.wire
		}
		if err := a.enter(); err != nil && !q.isHealth() {
			q.fail(err)
			return
		} else if err == nil {
			defer q.leave()
		}
		defer q.recover()
		err := q.readQuery()
		if err == nil {
			err = h(&q)
		}
		if err != nil {
			q.fail(err)
		}
	}
}

// routes registers each resource under its literal plural: a parameter in that place would collide with 'namespaces'.
func (a *API) routes() *httprouter.Router {
	router := &httprouter.Router{}
	add := func(path string, res *resource, h handler) { router.Handle(anyMethod, path, a.route(res, h)) }

	add("/", nil, (*request).index)
	add("/version", nil, (*request).version)
	for _, endpoint := range []string{"/healthz", "/livez", "/readyz"} {
		add(endpoint, nil, (*request).health)
		add(endpoint+"/:"+paramCheck, nil, (*request).health)
	}
	add("/api", nil, (*request).legacyGroups)
	add("/apis", nil, (*request).groups)
	add("/openapi/v2", nil, (*request).openAPIv2)
	add("/openapi/v3", nil, (*request).openAPIv3Index)
	for _, g := range a.groups {
		if g.name != "" {
			add("/apis/"+g.name, nil, (*request).group)
		}
		for _, v := range g.versions {
			add(v.path(), nil, (*request).groupVersion)
			add("/openapi/v3"+v.path(), nil, (*request).openAPIv3)
		}
	}
	for _, res := range a.resources {
		base := gvPath(res.gvk.GroupVersion())
		plural := base + "/" + res.gr.Resource
		switch {
		case res.namespaced:
			inNamespace := base + "/namespaces/:" + paramNamespace + "/" + res.gr.Resource
			add(plural, res, (*request).collectionOfAll)
			add(inNamespace, res, (*request).collection)
			add(inNamespace+"/:"+paramName, res, (*request).item)
			add(inNamespace+"/:"+paramName+"/:"+paramSubresource, res, (*request).subresourceOfItem)
		case res.namesNamespaces():
			item := plural + "/:" + paramNamespace
			add(plural, res, (*request).collection)
			add(item, res, (*request).item)
			for _, sub := range res.subresources {
				add(item+"/"+sub.name, res, (*request).subresourceOfItem)
			}
		default:
			add(plural, res, (*request).collection)
			add(plural+"/:"+paramName, res, (*request).item)
			add(plural+"/:"+paramName+"/:"+paramSubresource, res, (*request).subresourceOfItem)
		}
	}
	return router
}

// namesNamespaces says that an object of the resource stands in a path where others have their namespace.
func (res *resource) namesNamespaces() bool {
	return !res.namespaced && res.gr.Resource == "namespaces"
}

func gvPath(gv apimeta.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}

// unknownPath answers a path that no route takes: a Status below the groups that are served, as a client of the API
// expects it, and plain text elsewhere.
func (q *request) unknownPath() error {
	path := q.r.URL.Path
	for _, g := range q.api.groups {
		base := "/apis/" + g.name
		if g.name == "" {
			base = "/api"
		}
		if strings.HasPrefix(path, base+"/") {
			return status.ResourceNotFound()
		}
	}
	http.NotFound(q.w, q.r)
	return nil
}

// collection answers for a resource, or for one namespace of it.
func (q *request) collection() error {
	switch q.r.Method {
	case http.MethodGet:
		return q.list()
	case http.MethodPost:
		return q.allowed(Create, q.create)
	case http.MethodDelete:
		return q.allowed(DeleteCollection, q.deleteCollection)
	}
	return status.MethodNotAllowed()
}

// collectionOfAll answers for a namespaced resource across all namespaces.
func (q *request) collectionOfAll() error {
	if q.r.Method == http.MethodGet {
		return q.list()
	}
	return status.MethodNotAllowed()
}

// item answers for one object.
func (q *request) item() error {
	switch q.r.Method {
	case http.MethodGet:
		return q.allowed(Get, q.get)
	case http.MethodPut:
		return q.allowed(Update, q.put)
	case http.MethodPatch:
		return q.allowed(Patch, q.patch)
	case http.MethodDelete:
		return q.allowed(Delete, q.delete)
	}
	return status.MethodNotAllowed()
}

// allowed runs a verb that the resource has.
func (q *request) allowed(v Verb, run handler0) error {
	if !q.res.has(v) {
		return status.MethodNotAllowed()
	}
	return run()
}

type handler0 func() error
