package rest

import (
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/health"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/storage"
)

// health answers /healthz, /livez and /readyz. During a shutdown the API is alive but not ready, so that load balancers stop sending
// requests. The API is also not ready while the store refuses writes; the response then gives the reason.
func (q *request) health() error {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, "/"), "/")
	unready := map[string]string{} // reasons, by check
	if endpoint == "readyz" {
		unready = q.api.unready()
	}
	query := q.parameters()
	text, ok := health.Report(endpoint, unready, query["exclude"], query.Has("verbose"))
	if check := q.at.name; check != "" {
		var known bool
		if text, ok, known = health.Check(check, unready); !known {
			return q.unknownPath()
		}
	}
	code := http.StatusOK
	if !ok {
		code = http.StatusInternalServerError
	}
	return q.writeRaw(code, media.Text, []byte(text), nil)
}

// unready returns the failed readiness checks and their reasons.
func (a *API) unready() map[string]string {
	why := map[string]string{}
	if a.closing() {
		why[health.Ping] = "the server is shutting down"
		return why
	}
	if store, ok := a.store.(storage.Prober); ok {
		if err := store.Ready(); err != nil {
			why[health.Store] = err.Error()
		}
	}
	return why
}
