package observe

// Load is the work of an API at one moment. Later versions of this package may add fields.
type Load struct {
	// Requests is how many requests are under way over HTTP, with watches and streams.
	Requests int
	// Places counts the requests that the API works on. The limit is rest.Limits.MaxInFlight, or none with an
	// [access.Limiter].
	Places Usage
	// Bodies are the bodies that the API reads, counted in parts of 256 KiB. Answers are the large answers that clients
	// read.
	Bodies, Answers Usage
	// Webhooks are the hooks that wait for a service outside of the process, see rest.API.WaitOutside.
	Webhooks Usage
	// StuckHooks is how many hooks still run although their request has been answered, see rest.API.StuckHooks.
	StuckHooks int
	// Calls is how many calls of in-process clients are under way, with their watches.
	Calls int
	// Watches is how many watches are open over HTTP. WatchesBehind is how many of them have changes to look at, and
	// MostBehind is how many changes that are for the one with the most, see [OpenWatch].
	Watches, WatchesBehind int
	MostBehind             uint64
}

// Usage reports the use of a limit. Without a limit, Limit is 0.
type Usage struct {
	Used, Limit int
}

// OpenWatch is a watch that a client has open over HTTP.
type OpenWatch struct {
	User string `json:"user"`
	// Path and Query come from the URL of the request. They name the resource, the namespace and the selectors.
	Path  string `json:"path"`
	Query string `json:"query"`
	// Behind is how many changes of the store the watch has yet to look at, whether or not it selects them. It grows while
	// the client does not read what has happened. It is zero if the client has been sent everything.
	Behind uint64 `json:"behind"`
}
