package rest

import (
	"github.com/julienschmidt/httprouter"

	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// serving is everything that an API answers with. It is built whole and never changes. A request uses the same serving from its
// beginning to its end.
type serving struct {
	resource.Set
	versions []*served // every served version of every kind
	groups   []kind.Group
	openapi  *openapi.Documents
	router   *httprouter.Router
	notFound httprouter.Handle
}

// newServing builds a serving. Versions that are not served have no route and no place in discovery, but the typed client finds
// them.
func (a *API) newServing(resources []*served) *serving {
	s := &serving{}
	var kinds []*kind.Kind
	for _, stored := range resources {
		s.Resources = append(s.Resources, stored.Resource)
		if stored.AreNamespaces() {
			s.Namespaces = stored.Resource
		}
		for _, res := range stored.everyVersion() {
			if res.unserved {
				continue
			}
			s.versions = append(s.versions, res)
			kinds = append(kinds, res.Kind)
		}
	}
	s.groups = kind.Groups(kinds)
	s.openapi = openapi.NewDocuments(kinds, s.groups)
	s.notFound = a.route(s, nil, always((*request).unknownPath))
	s.router = a.routes(s)
	return s
}
