package rest

import (
	"cmp"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
)

// Stats are the figures of an API at one moment, for metrics and for pages about its state. Later versions of this
// package may add fields.
type Stats struct {
	// Load is the work of the API.
	observe.Load
	// Objects is how many objects of each kind its store holds, for the kinds that the API serves from a store that
	// implements [storage.Reporter].
	Objects map[apimeta.GroupResource]int
	// Store are the figures of the store of the API. It is nil if the store does not implement [storage.Reporter].
	Store *storage.StoreStats
	// Stores are the figures of the stores in [Options].Stores that implement [storage.Reporter], for the resources that
	// the API serves.
	Stores map[apimeta.GroupResource]*storage.StoreStats
}

// Of returns the figures of the store of a resource, or nil.
func (s *Stats) Of(gr apimeta.GroupResource) *storage.StoreStats {
	if own := s.Stores[gr]; own != nil {
		return own
	}
	return s.Store
}

// Stats returns the present figures. Its cost grows with the number of open watches and kinds, but not with the number of
// objects. Requests neither begin nor end while Stats counts them, which takes some microseconds for a thousand.
func (a *API) Stats() Stats {
	s := Stats{Load: a.front.Load()}
	a.countObjects(&s)
	return s
}

// countObjects adds the figures of the stores.
func (a *API) countObjects(s *Stats) {
	if store, ok := a.store.(storage.Reporter); ok {
		stats := store.StoreStats()
		s.Store = &stats
	}
	for _, res := range a.front.Serving().Kinds {
		if res.Apart {
			s.addStore(res.GR, res.Store)
		}
		of := s.Of(res.GR)
		if of == nil || res.Kind.Virtual {
			continue
		}
		if figures, ok := of.Resources[res.StoredName()]; ok {
			if s.Objects == nil {
				s.Objects = map[apimeta.GroupResource]int{}
			}
			s.Objects[res.GR] = figures.Objects
		}
	}
}

// addStore adds the figures of a resource's own store.
func (s *Stats) addStore(gr apimeta.GroupResource, store storage.Store) {
	reporter, ok := store.(storage.Reporter)
	if !ok {
		return
	}
	if s.Stores == nil {
		s.Stores = map[apimeta.GroupResource]*storage.StoreStats{}
	}
	stats := reporter.StoreStats()
	s.Stores[gr] = &stats
}

// OpenWatches returns the watches that are open over HTTP. Those that are most behind come first. It holds requests up
// while it collects them, so do not call it many times a second.
func (a *API) OpenWatches() []observe.OpenWatch {
	watches := a.front.OpenWatches()
	slices.SortStableFunc(watches, func(x, y observe.OpenWatch) int { return cmp.Compare(y.Behind, x.Behind) })
	return watches
}
