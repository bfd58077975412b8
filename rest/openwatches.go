package rest

import (
	"slices"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// OpenWatch is a watch that a client has open over HTTP.
type OpenWatch struct {
	User string `json:"user"`
	// Path and Query are those of the request. They name the resource, the namespace and the selectors.
	Path  string `json:"path"`
	Query string `json:"query"`
	// Behind is how many changes of the store the watch has yet to look at, whether or not it selects them. It grows while
	// the client does not read what has happened. It is zero if the client has been sent everything.
	Behind uint64 `json:"behind"`
}

// OpenWatches returns the watches that are open over HTTP. Those that are most behind come first. It holds requests up
// while it collects them, so do not call it many times a second.
func (a *API) OpenWatches() []OpenWatch {
	watches := []OpenWatch{}
	a.flights.Each(func(r delivery.Request) {
		q := r.(*request)
		if !q.watches {
			return
		}
		watches = append(watches, OpenWatch{
			User: access.UserFrom(q.r.Context()).Name, Path: q.r.URL.Path, Query: q.r.URL.RawQuery, Behind: q.changesBehind(),
		})
	})
	slices.SortStableFunc(watches, func(x, y OpenWatch) int { return int(y.Behind) - int(x.Behind) })
	return watches
}

// changesBehind returns how many changes of its store a watch has yet to look at.
func (q *request) changesBehind() uint64 {
	now := uint64(q.res.Store.Revision())
	if at := q.behind.Load(); at != 0 && at < now {
		return now - at
	}
	return 0
}
