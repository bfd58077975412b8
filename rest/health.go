package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/storage"
)

// health answers /healthz, /livez and /readyz. During a shutdown the API is alive but not ready, so that load balancers stop sending
// requests. The API is also not ready while the store refuses writes, and until its plug-ins have started; the response then gives the
// reason.
func (q *request) health() error {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(q.r.URL.Path, "/"), "/")
	unready := map[string]string{} // reasons, by check
	if endpoint == "readyz" {
		unready = q.api.unready()
	}
	query := q.parameters()
	text, ok := healthReport(endpoint, unready, query["exclude"], query.Has("verbose"))
	if check := q.at.name; check != "" {
		var known bool
		if text, ok, known = healthOf(check, unready); !known {
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
	if a.plugins.leaving.Err() != nil || a.closing() {
		why[checkPing] = "the server is shutting down"
		return why
	}
	if store, ok := a.store.(storage.Prober); ok {
		if err := store.Ready(); err != nil {
			why[checkStore] = err.Error()
		}
	}
	if a.plugins.waiting.Load() {
		why[checkPlugins] = "the API has not started its plug-ins: " + a.plugins.names()
	}
	return why
}

// The checks of the health endpoints. The report shows checkStore and checkPlugins only if they fail.
const (
	checkPing    = "ping"
	checkStore   = "store"
	checkPlugins = "plugins"
)

// healthOf returns the answer for a single check, and whether it succeeds. failed holds the reasons of the failed checks. known is false if no
// check has the name.
func healthOf(name string, failed map[string]string) (text string, ok, known bool) {
	why, down := failed[name]
	switch {
	case name != checkPing && name != checkStore && name != checkPlugins:
		return "", false, false
	case down:
		return "internal server error: " + why + "\n", false, true
	}
	return "ok", true, true
}

// healthReport returns the answer for all checks of an endpoint but the excluded ones, and whether they succeed. A report of success is short
// unless it is verbose.
func healthReport(endpoint string, failed map[string]string, excluded []string, verbose bool) (text string, ok bool) {
	var report strings.Builder
	ok = true
	for _, check := range []string{checkPing, checkStore, checkPlugins} {
		why, down := failed[check]
		if check == checkPing {
			why = "reason withheld" // the text of kube-apiserver
		}
		switch {
		case slices.Contains(excluded, check):
			report.WriteString("[+]" + check + " excluded: ok\n")
		case down:
			ok = false
			report.WriteString("[-]" + check + " failed: " + why + "\n")
		case check == checkPing:
			report.WriteString("[+]" + check + " ok\n")
		}
	}
	switch {
	case !ok:
		return report.String() + endpoint + " check failed\n", false
	case verbose:
		return report.String() + endpoint + " check passed\n", true
	}
	return "ok", true
}
