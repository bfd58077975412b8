package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/storage"
)

// The checks of the health endpoints. ping succeeds unless the API is shutting down. The report shows the check of the store only if it
// fails.
const (
	pingCheck  = "ping"
	storeCheck = "store"
)

// health answers /healthz, /livez and /readyz. During a shutdown the API is alive but not ready, so that load balancers stop sending
// requests. The API is also not ready while the store refuses writes; the response then gives the reason.
func (q *request) health() error {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, "/"), "/")
	q.w.Header().Set("X-Content-Type-Options", "nosniff")
	unready := map[string]string{} // reasons, by check
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
			why = "reason withheld" // the text of kube-apiserver
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

// unready returns the failed readiness checks and their reasons.
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
