package front

import (
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/observe"
)

// OpenWatches returns the open watches.
func (a *Front) OpenWatches() []observe.OpenWatch {
	watches := []observe.OpenWatch{}
	a.flights.Each(func(r delivery.Request) {
		if q := r.(*request); q.watches {
			watches = append(watches, observe.OpenWatch{
				User: access.UserFrom(q.r.Context()).Name, Path: q.r.URL.Path, Query: q.r.URL.RawQuery, Behind: q.changesBehind(),
			})
		}
	})
	return watches
}

// Load returns what the API is doing. No request begins or ends meanwhile.
func (a *Front) Load() (load observe.Load) {
	a.flights.Count(&load, func(r delivery.Request) {
		load.Requests++
		q := r.(*request)
		if !q.watches {
			return
		}
		load.Watches++
		if behind := q.changesBehind(); behind > 0 {
			load.WatchesBehind++
			load.MostBehind = max(load.MostBehind, behind)
		}
	})
	return load
}

// changesBehind returns the number of changes in its store that a watch has not yet examined.
func (q *request) changesBehind() uint64 {
	now := uint64(q.res.Store.Revision())
	if at := q.behind.Load(); at != 0 && at < now {
		return now - at
	}
	return 0
}
