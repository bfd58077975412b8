package front

import (
	"context"
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/status"
)

// ServeInside serves a request that the handler of a plug-in's path makes on behalf of its client. The context of r must
// be derived from the request of that client.
func (a *Front) ServeInside(w http.ResponseWriter, r *http.Request) {
	outer := a.requestIn(r.Context())
	if outer == nil {
		a.Error(w, r, status.InternalError(errors.New("ServeInside: the context does not belong to a request of the API")))
		return
	}
	a.ServeHTTP(&insideWriter{w, outer}, r)
}

// requestIn returns the request of the API to which a context belongs, or nil.
func (a *Front) requestIn(ctx context.Context) *request {
	if q, ok := ctx.Value(keys.Call{}).(*request); ok && q.api == a {
		return q
	}
	return nil
}

// insideWriter marks a request that was made by another one.
type insideWriter struct {
	http.ResponseWriter
	outer *request
}

// Unwrap serves [http.ResponseController].
func (w *insideWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
