package rest

import (
	"math"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/storage"
)

// Stats are the figures of an API at one moment, for metrics and for pages about its state. Later versions of this package may add fields.
type Stats struct {
	// Requests is how many requests are under way over HTTP, with watches and streams.
	Requests int
	// Places are the requests that the API works on, of [Options].MaxInFlight. With a [Limiter] they have no limit.
	Places Use
	// Bodies are the bodies that the API reads, counted in parts of 256 KiB. Answers are the large answers that clients read.
	Bodies, Answers Use
	// Webhooks are the hooks that wait for a service outside of the process, see [API.WaitOutside].
	Webhooks Use
	// StuckHooks is how many hooks still run although their request has been answered, see [API.StuckHooks].
	StuckHooks int
	// Calls is how many calls of in-process clients are under way, with their watches.
	Calls int
	// Watches is how many watches are open over HTTP. WatchesBehind is how many of them have changes to look at, and MostBehind is how many
	// changes that are for the one with the most, see [OpenWatch].
	Watches, WatchesBehind int
	MostBehind             uint64
	// Objects is how many objects of each kind the store holds, for the kinds that the API serves from the store.
	Objects map[apimeta.GroupResource]int
	// Store are the figures of the store. If the store does not implement [storage.Reporter], Store is nil and Objects is empty.
	Store *storage.StoreStats
}

// Use is how many of a limited number are in use. Limit is 0 without a limit.
type Use struct {
	Used, Limit int
}

// Stats returns the present figures. Its cost grows with the number of open watches and of kinds, and not with that of objects. Requests
// neither begin nor end while Stats counts them, which takes some microseconds for a thousand.
func (a *API) Stats() Stats {
	var s Stats
	now := uint64(a.store.Revision())
	f := a.flights.Stats(func(r delivery.Request) {
		s.Requests++
		q := r.(*request)
		if !q.watches {
			return
		}
		s.Watches++
		if behind := q.changesBehind(now); behind > 0 {
			s.WatchesBehind++
			s.MostBehind = max(s.MostBehind, behind)
		}
	})
	s.Places, s.Bodies, s.Answers, s.Webhooks = useOf(f.Places), useOf(f.Bodies), useOf(f.Answers), useOf(f.Outside)
	s.StuckHooks, s.Calls = f.Abandoned, f.Calls
	if store, ok := a.store.(storage.Reporter); ok {
		stats := store.StoreStats()
		s.Store, s.Objects = &stats, map[apimeta.GroupResource]int{}
		for _, res := range a.serving.Load().stored {
			if of, ok := stats.Resources[res.StoredName()]; ok && !res.Kind.Virtual {
				s.Objects[res.GR] = of.Objects
			}
		}
	}
	return s
}

func useOf(u delivery.Use) Use {
	if u.Limit == math.MaxInt {
		u.Limit = 0
	}
	return Use(u)
}
