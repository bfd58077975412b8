package rest

import (
	"fmt"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// idleAfter is how long nothing may move on a stream before it is taken for forgotten: a person who has paused the output
// of a command comes back within hours.
const idleAfter = 4 * time.Hour

// stream answers for a subresource that is a Stream.
func (q *request) stream(sub *subresource) error {
	s := sub.bytes
	switch method := q.r.Method; {
	case s.way == serveWay:
	case method == http.MethodGet:
	case method == http.MethodPost && s.way != outputWay:
	default:
		return status.MethodNotAllowed()
	}
	bound, err := q.bindStream(sub)
	if err != nil {
		return err
	}
	ctx, cancel := q.api.untilEnding(q.r.Context())
	defer cancel()
	if err := bound.check(ctx); err != nil {
		return err
	}
	if (s.way == sessionWay || s.way == forwardWay) && !wantsSocket(q.r) {
		return q.needsSocket(sub)
	}
	q.becomeWatch()
	switch s.way {
	case outputWay:
		return q.streamOutput(ctx, s, bound)
	case sessionWay:
		return q.streamSession(ctx, bound)
	case forwardWay:
		return q.streamForward(ctx, bound)
	default:
		return q.streamServe(ctx, bound)
	}
}

// bindStream finds the object and reads the parameters of a request to a stream of it.
func (q *request) bindStream(sub *subresource) (boundStream, error) {
	s := sub.bytes
	namespace, name, err := q.object()
	if err != nil {
		return boundStream{}, err
	}
	record, err := q.res.find(q.r.Context(), namespace, name, 0)
	if err != nil {
		return boundStream{}, err
	}
	parent, _, err := codec.DecodeJSON(record.JSON)
	if err != nil {
		return boundStream{}, fmt.Errorf("stored object: %w", err)
	}
	options, err := s.readOptions(q.parameters())
	if err != nil {
		return boundStream{}, err
	}
	if s.way != outputWay { // that is a read
		if q.parameters().Get("dryRun") != "" {
			return boundStream{}, status.BadRequest("dryRun is not supported")
		}
		if options, err = q.res.admitConnect(q.r.Context(), sub, parent, options, &writeOptions{warnings: &q.warnings}); err != nil {
			return boundStream{}, err
		}
	}
	return s.bind(parent, options)
}

// needsSocket refuses a request that asks for no WebSocket. Clients older than that protocol ask for SPDY.
func (q *request) needsSocket(sub *subresource) error {
	if asked := q.r.Header.Get("Upgrade"); asked != "" {
		return status.BadRequest(fmt.Sprintf("%s is served over WebSocket, not %s: use a newer client", sub.name, asked))
	}
	return status.BadRequest("Upgrade request required")
}
