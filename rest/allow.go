package rest

import (
	"net/http"
	"slices"
	"strings"
)

// pathMethod is a method of a path, with the verbs that it stands for.
type pathMethod struct {
	method string
	verbs  []Verb
}

// The methods of a collection, of a collection in all namespaces, of an object and of a subresource, in the order in
// which the header Allow names them.
var (
	collectionMethods = []pathMethod{
		{http.MethodGet, []Verb{VerbList, VerbWatch}}, {http.MethodPost, []Verb{VerbCreate}},
		{http.MethodDelete, []Verb{VerbDeleteCollection}},
	}
	collectionOfAllMethods = collectionMethods[:1]
	itemMethods            = []pathMethod{
		{http.MethodGet, []Verb{VerbGet}}, {http.MethodPut, []Verb{VerbUpdate}}, {http.MethodPatch, []Verb{VerbPatch}},
		{http.MethodDelete, []Verb{VerbDelete}},
	}
	subresourceMethods = slices.Insert(slices.Clone(itemMethods), 1, pathMethod{http.MethodPost, []Verb{VerbCreate}})
)

// setAllow names the methods of the path in the header Allow, which RFC 9110 demands of a 405. It keeps a header that
// the handler of the path has set.
func (q *request) setAllow() {
	if h := q.w.Header(); h["Allow"] == nil {
		h.Set("Allow", strings.Join(q.methods(), ", "))
	}
}

// methods returns the methods of the path. A path outside of all resources has GET alone.
func (q *request) methods() (methods []string) {
	if q.res == nil {
		return []string{http.MethodGet}
	}
	of, has, byteStream := q.pathMethods(), q.res.Has, false
	if sub := q.res.subresource(q.at.subresource); sub != nil {
		has, byteStream = sub.Has, sub.bytes != nil
	}
	for _, m := range of {
		if !slices.ContainsFunc(m.verbs, func(v Verb) bool { return has(string(v)) }) {
			continue
		}
		methods = append(methods, m.method)
		if m.method == http.MethodGet && q.res.Dialect.HeadServed && !byteStream {
			methods = append(methods, http.MethodHead)
		}
	}
	return methods
}

// pathMethods returns the methods that a path of its form may have.
func (q *request) pathMethods() []pathMethod {
	switch {
	case q.at.subresource != "":
		return subresourceMethods
	case q.at.name != "":
		return itemMethods
	case q.res.Kind.Namespaced && q.at.namespace == "":
		return collectionOfAllMethods
	}
	return collectionMethods
}
