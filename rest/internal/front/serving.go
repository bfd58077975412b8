package front

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Serving is everything that an API serves at one moment. It is immutable. A request uses the same Serving from its
// beginning to its end.
type Serving struct {
	resource.Set
	Kinds    []*Served // the stored version of every kind, even if it is not served
	versions []*Served // every served version of every kind
	byPath   map[apimeta.GroupVersionResource]*Served
	Groups   []kind.Group
	openapi  *openapi.Documents
	// documents are the choosers for the paths of the discovery documents of each group and version.
	documents map[string]chooser
	Replaced  chan struct{} // closed when another Serving has replaced this one
}

// newServing builds a Serving, and reuses the unchanged parts of old, which is nil for the first one. Versions that are
// not served have no route and are absent from discovery, but the typed client finds them.
func newServing(resources []*Served, outside []openapi.Path, old *Serving) *Serving {
	s := &Serving{Kinds: resources, byPath: make(map[apimeta.GroupVersionResource]*Served, len(resources)),
		Replaced: make(chan struct{})}
	var kinds []*kind.Kind
	for _, of := range resources {
		for _, res := range of.Versions() {
			if res.Unserved {
				continue
			}
			s.versions = append(s.versions, res)
			s.byPath[res.GVK.GroupVersion().WithResource(res.GR.Resource)] = res
			kinds = append(kinds, res.Kind)
		}
	}
	s.Set = resource.NewSet(resourcesOf(resources))
	s.Groups = kind.Groups(kinds)
	var before *openapi.Documents
	if old != nil {
		before = old.openapi
	}
	s.openapi = openapi.NewDocuments(kinds, s.Groups, outside, before)
	s.documents = documents(s.Groups, outside)
	return s
}

// Serving returns the current Serving.
func (a *Front) Serving() *Serving { return a.serving.Load() }

// Next builds a Serving of these resources, given by their stored versions. The API serves it after a call of Serve.
func (a *Front) Next(stored []*Served) *Serving {
	return newServing(stored, a.describedPaths(), a.serving.Load())
}

// Serve makes the API serve next from now on.
func (a *Front) Serve(next *Serving) { close(a.serving.Swap(next).Replaced) }

// Expect announces resources that the API will serve soon.
func (a *Front) Expect(resources map[apimeta.GroupVersionResource]bool) { a.expected.Store(&resources) }
