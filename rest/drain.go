package rest

import (
	"context"
	"time"
)

// Drain announces the end of the API. From now on /readyz fails, and the answer to every request asks the client to use
// another connection: over HTTP/1 with the header Connection: close, for which an [http.Server] sends GOAWAY over
// HTTP/2. So a proxy opens its next connections, which may lead to other replicas, before the host closes the listener.
// The API serves everything as before.
//
// [API.Shutdown] drains first. A host that has other things to stop before calls Drain at the very beginning, as
// host.Run of package rest/host does: [Health].DrainTime counts from the first call of Drain.
func (a *API) Drain() {
	if a.front.Drain() {
		a.plugins.leave(errLeaving)
	}
}

// DrainTime returns [Health].DrainTime, the minimum duration of a shutdown.
func (a *API) DrainTime() time.Duration { return a.options.Health.DrainTime }

// untilDrained waits until the time of the drain is over, or until ctx or the API ends.
func (a *API) untilDrained(ctx context.Context) {
	left := time.Until(a.front.DrainsSince().Add(a.options.Health.DrainTime))
	if left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-a.ending.Done():
	}
}
