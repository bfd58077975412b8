package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/storage"
)

// The checks of the health endpoints. An API that answers passes ping. The check of the store appears in the report only if it fails.
const (
	pingCheck  = "ping"
	storeCheck = "store"
)

// health answers /healthz, /livez and /readyz. During a shutdown the API is still alive but no longer ready, so that load balancers stop
// sending requests. It is not ready either while the store takes no writes, and then says why.
func (q *request) health() error {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, "/"), "/")
	q.w.Header().Set("X-Content-Type-Options", "nosniff")
	unready := map[string]string{} // the reasons, by check
	if endpoint == "readyz" {
		unready = q.api.unready()
	}
	if check := q.params.ByName(paramCheck); check != "" {
		why, failed := unready[check]
		switch {
		case check != pingCheck && check != storeCheck:
			return q.unknownPath()
		case failed:
			return q.writeRaw(http.StatusInternalServerError, media.Text, []byte("internal server error: "+why+"\n"))
		}
		return q.writeRaw(http.StatusOK, media.Text, []byte("ok"))
	}
	var report strings.Builder
	query := q.parameters()
	failed := false
	for _, check := range []string{pingCheck, storeCheck} {
		why, down := unready[check]
		if check == pingCheck {
			why = "reason withheld" // as an API server says
		}
		switch {
		case slices.Contains(query["exclude"], check):
			report.WriteString("[+]" + check + " excluded: ok\n")
		case down:
			failed = true
			report.WriteString("[-]" + check + " failed: " + why + "\n")
		case check == pingCheck:
			report.WriteString("[+]" + check + " ok\n")
		}
	}
	_, verbose := query["verbose"]
	switch {
	case failed:
		return q.writeRaw(http.StatusInternalServerError, media.Text, []byte(report.String()+endpoint+" check failed\n"))
	case verbose:
		return q.writeRaw(http.StatusOK, media.Text, []byte(report.String()+endpoint+" check passed\n"))
	default:
		return q.writeRaw(http.StatusOK, media.Text, []byte("ok"))
	}
}

// unready returns why the API should get no requests, by check.
func (a *API) unready() map[string]string {
	why := map[string]string{}
	if a.closing() {
		why[pingCheck] = "the server is shutting down"
		return why
	}
	if store, ok := a.store.(storage.Prober); ok {
		if err := store.Ready(); err != nil {
			why[storeCheck] = err.Error()
		}
	}
	return why
}
