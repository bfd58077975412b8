package rest

import (
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
)

// health answers /healthz, /livez and /readyz. The only check is ping, and an API that answers passes it. During a shutdown the
// API is still alive but no longer ready, so that load balancers stop sending requests.
func (q *request) health() error {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, "/"), "/")
	header := q.w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	down := endpoint == "readyz" && q.api.closing()
	if check := q.params.ByName(paramCheck); check != "" {
		if check != healthCheck {
			return q.unknownPath()
		}
		if down {
			return q.writeRaw(http.StatusInternalServerError, media.Text, []byte("internal server error: the server is shutting down\n"))
		}
		return q.writeRaw(http.StatusOK, media.Text, []byte("ok"))
	}
	var report strings.Builder
	query := q.parameters()
	excluded := false
	for _, name := range query["exclude"] {
		excluded = excluded || name == healthCheck
	}
	failed := down && !excluded
	switch {
	case excluded:
		report.WriteString("[+]" + healthCheck + " excluded: ok\n")
	case failed:
		report.WriteString("[-]" + healthCheck + " failed: reason withheld\n")
	default:
		report.WriteString("[+]" + healthCheck + " ok\n")
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

const healthCheck = "ping"
