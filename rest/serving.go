package rest

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// serving is everything that an API answers with. It is built whole and never changes. A request uses the same serving
// from its beginning to its end.
type serving struct {
	resource.Set
	stored   []*served // the stored version of every kind, also if it is not served
	versions []*served // every served version of every kind
	byPath   map[apimeta.GroupVersionResource]*served
	groups   []kind.Group
	openapi  *openapi.Documents
	// documents are the choosers for the paths of the documents about each group and version.
	documents map[string]chooser
	replaced  chan struct{} // closed when another serving has taken the place of this one
}

// newServing builds a serving after another one, from which it takes what has not changed; old is nil for the first.
// Versions that are not served have no route and no place in discovery, but the typed client finds them.
func newServing(resources []*served, outside []openapi.Path, old *serving) *serving {
	s := &serving{stored: resources, byPath: make(map[apimeta.GroupVersionResource]*served, len(resources)),
		replaced: make(chan struct{})}
	var kinds []*kind.Kind
	for _, of := range resources {
		for _, res := range of.everyVersion() {
			if res.unserved {
				continue
			}
			s.versions = append(s.versions, res)
			s.byPath[res.GVK.GroupVersion().WithResource(res.GR.Resource)] = res
			kinds = append(kinds, res.Kind)
		}
	}
	s.Set = resource.NewSet(resourcesOf(resources))
	s.groups = kind.Groups(kinds)
	var before *openapi.Documents
	if old != nil {
		before = old.openapi
	}
	s.openapi = openapi.NewDocuments(kinds, s.groups, outside, before)
	s.documents = documents(s.groups, outside)
	return s
}
