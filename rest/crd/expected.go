package crd

import (
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// expected are the resources of the definitions. While the API does not serve one of them, its paths answer 503,
// because clients take a 404 for the last word. Definitions without the right to their names are not among them.
type expected struct {
	api    *rest.API
	mu     sync.Mutex
	coming map[string]coming // the keys are names of definitions
}

// coming are the resources of one generation of a definition.
type coming struct {
	uid        string
	generation int64
	resources  []apimeta.GroupVersionResource
	refused    bool // the definition has no right to its names
}

func (of coming) describes(d *apiextensions.CustomResourceDefinition) bool {
	return of.uid == d.UID && of.generation == d.Generation
}

// add expects the resources of definitions.
func (e *expected) add(all ...*apiextensions.CustomResourceDefinition) {
	e.mu.Lock()
	defer e.mu.Unlock()
	changed := false
	for _, d := range all {
		if e.coming[d.Name].describes(d) {
			continue
		}
		of := coming{uid: d.UID, generation: d.Generation}
		for _, v := range d.Spec.Versions {
			if v.Served {
				of.resources = append(of.resources,
					apimeta.GroupVersionResource{Group: d.Spec.Group, Version: v.Name, Resource: d.Spec.Names.Plural})
			}
		}
		if e.coming == nil {
			e.coming = map[string]coming{}
		}
		e.coming[d.Name], changed = of, true
	}
	if changed {
		e.announce()
	}
}

// refuse says whether a definition has no right to its names, unless a newer generation has arrived.
func (e *expected) refuse(d *definition, refused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if of := e.coming[d.Name]; of.refused != refused && of.describes(d.CustomResourceDefinition) {
		of.refused = refused
		e.coming[d.Name] = of
		e.announce()
	}
}

// remove ends the expectation for a definition that is gone, unless another one has taken its place.
func (e *expected) remove(d *definition) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.coming[d.Name].uid == d.UID {
		delete(e.coming, d.Name)
		e.announce()
	}
}

func (e *expected) announce() {
	var all []apimeta.GroupVersionResource
	for _, of := range e.coming {
		if !of.refused {
			all = append(all, of.resources...)
		}
	}
	e.api.Expect(all...)
}
