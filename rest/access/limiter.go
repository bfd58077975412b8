package access

import (
	"context"
	"net/http"
	"net/url"
)

// Limiter decides when the API works on a request. A plug-in supplies it in its rest.PluginParts. It replaces the limit
// rest.Limits.MaxInFlight; the limits on bodies and on answers stay. Package rest/fairness has a Limiter. Many
// goroutines call it at once.
//
// The API does not ask it about health checks, about paths that rest.Health.Open opens, or about streams. Members of
// rest.Limits.ExemptGroups do not wait for the seats that it returns.
type Limiter interface {
	// Limit returns the seats that a request needs, or nil if it needs none. It does not wait.
	Limit(r LimitedRequest) Seats
}

// LimitedRequest is what a [Limiter] knows of a request.
type LimitedRequest struct {
	// Access is the access that the request needs.
	Access Access
	// Query is the query of the URL.
	Query url.Values
	// Header is the header of the answer, to which the Limiter may add.
	Header http.Header
	// Objects returns how many objects the store holds in the resource and the namespace of the request.
	Objects func() int
}

// Seats are what a request needs of the capacity of the API while the API works on it. A request gives them back while
// its body is read, while it waits for a webhook, and while its client is slow to take a piece of a large answer. A
// watch needs them until it has sent the existing objects.
type Seats interface {
	// Take waits for the seats, or returns the error to answer with. ctx ends when the client has gone.
	Take(ctx context.Context) error
	// Continue waits for the seats of a request that has given them back while its client was slow, and whose answer the
	// API has to encode or to compress further. The client has a part of the answer, so the request waits until it gets
	// its seats or ctx ends, when the client has gone. An error breaks off the answer.
	Continue(ctx context.Context) error
	// Retake takes the seats at once, even if there are none, for a request that has given them back while it waited for a
	// webhook.
	Retake()
	// Release gives the seats back, if the request has them.
	Release()
}
