package rest

import (
	"context"
	"net/http"
)

// ReadBody reads the body of a request that the handler of a plug-in's path (see [PluginParts].Paths) answers. As for
// other requests, the limit is [Limits].MaxBodyBytes, and the request gives its place to others until the client has
// sent the body.
func (a PluginAPI) ReadBody(r *http.Request) ([]byte, error) {
	return a.front.ReadBody(r)
}

// TakeMemory takes bytes of the memory for answers (see [Limits].Budget), before the handler of a plug-in's path makes
// an answer whose size the client chooses. ctx is the context of the handler's request, or comes from it. If there is
// no room, the error is one for the client, such as 429. A negative number gives bytes back, and the API gives all back
// when the handler returns. One goroutine at a time may call it for a request.
func (a PluginAPI) TakeMemory(ctx context.Context, bytes int64) error {
	return a.front.TakeMemory(ctx, bytes)
}

// Answer answers a request to a plug-in's path with a JSON text. As for other large answers, the request gives its
// place to others while its client reads, a client that is too slow loses the rest, and the answer may be compressed.
// The handler returns after Answer.
func (a PluginAPI) Answer(w http.ResponseWriter, r *http.Request, json []byte) {
	a.front.Answer(w, r, json)
}

// StuckHooks returns the number of hooks that still run after the time limit of their requests (see
// [Limits].RequestTimeout).
func (a *API) StuckHooks() int { return a.flights.Abandoned() }

// WaitOutside registers that a hook begins to wait for a service outside of the process, such as a webhook. ctx is the
// context of the hook. WaitOutside returns an error if too many hooks wait, for this service or for all, so that a
// service that hangs does not take all requests. The caller calls done when the wait has ended. Meanwhile the request
// of the hook needs no seat (see [access.Limiter]).
func (a *API) WaitOutside(ctx context.Context, service string) (done func(), err error) {
	return a.front.WaitOutside(ctx, service)
}
