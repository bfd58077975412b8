package front

import (
	"context"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// takePlace is a stage. A health check that has not entered needs no place.
func (q *request) takePlace() error {
	switch {
	case !q.entered:
		return nil
	case q.outer != nil:
		return q.api.flights.Take(q.r.Context(), &q.flight, delivery.Holder{Exempt: true})
	}
	h := q.holder()
	if limit := q.api.options.Limiter; limit != nil && !q.isHealth() && !q.isOpen() && !q.isStream() {
		seats := limit.Limit(access.LimitedRequest{
			Access: q.access(), Query: q.query, Header: q.w.Header(), Objects: q.stored,
		})
		if !h.Exempt {
			h.Seats = seats
		}
	}
	return q.api.flights.Take(q.r.Context(), &q.flight, h)
}

// stored returns the number of stored objects in the resource and the namespace of the request.
func (q *request) stored() int {
	if q.res == nil || q.res.Kind.Virtual {
		return 0
	}
	within := watch.Key{Resource: q.res.StoredName(), Namespace: q.at.namespace}
	page, err := q.res.Store.List(q.r.Context(), storage.Query{Within: within, Limit: 1}, nil)
	if err != nil {
		return 0
	}
	return len(page.Records) + int(max(page.Remaining, 0))
}

// WaitOutside registers that a hook begins to wait for a service outside the process. ctx is the context of the hook.
func (a *Front) WaitOutside(ctx context.Context, service string) (done func(), err error) {
	var in *delivery.Flight
	if q := a.requestIn(ctx); q != nil {
		in = &q.flight
	}
	return a.flights.WaitOutside(in, service)
}
