package rest

import (
	"slices"

	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// serving is everything by which an API answers at one time: it is built whole from the resources and never changes. A
// request keeps the one that it began with.
type serving struct {
	resources  []*resource // one for each kind: the stored version
	versions   []*resource // every version of every kind that clients find
	namespaces *resource   // nil if the API serves no namespaces
	groups     []kind.Group
	openapi    openAPI
	router     *httprouter.Router
	notFound   httprouter.Handle
}

func (a *API) newServing(resources []*resource) *serving {
	s := &serving{resources: resources}
	var kinds []*kind.Kind
	for res := range s.everyVersion {
		if res.isServed {
			s.versions = append(s.versions, res)
			kinds = append(kinds, res.kind)
		}
	}
	if i := slices.IndexFunc(resources, func(res *resource) bool { return res.areNamespaces }); i >= 0 {
		s.namespaces = resources[i]
	}
	s.groups = kind.Groups(kinds)
	s.openapi = newOpenAPI(kinds, s.groups)
	s.notFound = a.route(s, nil, always((*request).unknownPath))
	s.router = a.routes(s)
	return s
}

// everyVersion yields the resources in all their versions, also in those that are stored only.
func (s *serving) everyVersion(yield func(*resource) bool) {
	for _, stored := range s.resources {
		for _, res := range stored.everyVersion() {
			if !yield(res) {
				return
			}
		}
	}
}

// versionAt returns the version of a group that is served below a path.
func (s *serving) versionAt(path string) (kind.Version, bool) {
	for _, g := range s.groups {
		for _, v := range g.Versions {
			if v.Path() == path {
				return v, true
			}
		}
	}
	return kind.Version{}, false
}
