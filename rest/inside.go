package rest

import (
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/status"
)

// ServeInside serves a request that the handler of a plug-in's path (see [Parts].Paths) makes on behalf of its client,
// such as one for each object of a transaction. The API authorizes, admits and observes it like any other request. But
// it has the user of the handler's request, without credentials of its own, and the place of the handler's request. The
// context of r must come from that request. Headers and body of r are those of the request inside.
func (a PluginAPI) ServeInside(w http.ResponseWriter, r *http.Request) {
	outer, ok := r.Context().Value(keys.Call{}).(*request)
	if !ok || outer.api != a.API {
		a.Error(w, r, status.InternalError(errors.New("ServeInside: the context is not that of a request of the API")))
		return
	}
	a.ServeHTTP(&insideWriter{w, outer}, r)
}

// insideWriter marks a request that another one has made.
type insideWriter struct {
	http.ResponseWriter
	outer *request
}

// Unwrap is for [http.ResponseController].
func (w *insideWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
