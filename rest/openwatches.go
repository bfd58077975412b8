package rest

import "slices"

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
	for _, w := range a.front.OpenWatches() {
		watches = append(watches, OpenWatch(w))
	}
	slices.SortStableFunc(watches, func(x, y OpenWatch) int { return int(y.Behind) - int(x.Behind) })
	return watches
}
