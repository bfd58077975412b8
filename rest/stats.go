package rest

import (
	"math"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/storage"
)

// Stats are the figures of an API at one moment, for metrics and for pages about its state. Later versions of this
// package may add fields.
type Stats struct {
	// Requests is how many requests are under way over HTTP, with watches and streams.
	Requests int
	// Places counts the requests that the API works on. The limit is [Limits].MaxInFlight, or none with a [Limiter].
	Places Usage
	// Bodies are the bodies that the API reads, counted in parts of 256 KiB. Answers are the large answers that clients
	// read.
	Bodies, Answers Usage
	// Webhooks are the hooks that wait for a service outside of the process, see [API.WaitOutside].
	Webhooks Usage
	// StuckHooks is how many hooks still run although their request has been answered, see [API.StuckHooks].
	StuckHooks int
	// Calls is how many calls of in-process clients are under way, with their watches.
	Calls int
	// Watches is how many watches are open over HTTP. WatchesBehind is how many of them have changes to look at, and
	// MostBehind is how many changes that are for the one with the most, see [OpenWatch].
	Watches, WatchesBehind int
	MostBehind             uint64
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

// Usage reports the use of a limit. Without a limit, Limit is 0.
type Usage struct {
	Used, Limit int
}

// Stats returns the present figures. Its cost grows with the number of open watches and kinds, but not with the number of
// objects. Requests neither begin nor end while Stats counts them, which takes some microseconds for a thousand.
func (a *API) Stats() Stats {
	var s Stats
	f := a.front.Stats()
	s.Requests, s.Watches, s.WatchesBehind, s.MostBehind = f.Requests, f.Watches, f.WatchesBehind, f.MostBehind
	s.Places, s.Bodies, s.Answers, s.Webhooks = usageOf(f.Places), usageOf(f.Bodies), usageOf(f.Answers), usageOf(f.Outside)
	s.StuckHooks, s.Calls = f.Abandoned, f.Calls
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

func usageOf(u delivery.Use) Usage {
	if u.Limit == math.MaxInt {
		u.Limit = 0
	}
	return Usage(u)
}
