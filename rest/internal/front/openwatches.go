package front

import (
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// OpenWatch is a watch that a client has open. Package rest describes its fields.
type OpenWatch struct {
	User, Path, Query string
	Behind            uint64
}

// OpenWatches returns the open watches.
func (a *Front) OpenWatches() []OpenWatch {
	var watches []OpenWatch
	a.flights.Each(func(r delivery.Request) {
		if q := r.(*request); q.watches {
			watches = append(watches, OpenWatch{
				User: access.UserFrom(q.r.Context()).Name, Path: q.r.URL.Path, Query: q.r.URL.RawQuery, Behind: q.changesBehind(),
			})
		}
	})
	return watches
}

// Stats counts the requests and calls that are running.
type Stats struct {
	delivery.Stats
	Requests, Watches, WatchesBehind int
	MostBehind                       uint64
}

// Stats returns the counts. No request begins or ends meanwhile.
func (a *Front) Stats() Stats {
	var s Stats
	s.Stats = a.flights.Stats(func(r delivery.Request) {
		s.Requests++
		q := r.(*request)
		if !q.watches {
			return
		}
		s.Watches++
		if behind := q.changesBehind(); behind > 0 {
			s.WatchesBehind++
			s.MostBehind = max(s.MostBehind, behind)
		}
	})
	return s
}

// changesBehind returns the number of changes in its store that a watch has not yet examined.
func (q *request) changesBehind() uint64 {
	now := uint64(q.res.Store.Revision())
	if at := q.behind.Load(); at != 0 && at < now {
		return now - at
	}
	return 0
}
