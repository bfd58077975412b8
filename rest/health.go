package rest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/storage"
)

// The checks that the API makes itself. All endpoints have checkPing, and /readyz the others.
const (
	checkPing     = "ping"
	checkStore    = "store"
	checkPlugins  = "plugins"
	checkShutdown = "shutdown"
)

// health answers /healthz, /livez and /readyz. During a shutdown the API is alive but not ready, so that load balancers
// stop sending requests. The API is also not ready while the store refuses writes, and until its plug-ins have started.
func (q *request) health() error {
	endpoint := healthEndpointOf(q.r.URL.Path)
	checks := q.api.checksOf(endpoint)
	var text string
	var ok bool
	if name := q.at.name; name != "" {
		text, ok = "ok", true
		if err := checks[findCheck(checks, name)].begin()(); err != nil {
			text, ok = "internal server error: "+err.Error()+"\n", false
		}
	} else {
		query := q.query
		text, ok = healthReport(string(endpoint), checks, query["exclude"], query.Has("verbose"))
	}
	code := http.StatusOK
	if !ok {
		code = http.StatusInternalServerError
	}
	return q.writeRaw(code, media.Text, []byte(text), nil)
}

// healthEndpointOf returns the endpoint in the path of a report or of a single check.
func healthEndpointOf(path string) HealthEndpoint {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return HealthEndpoint(endpoint)
}

// findCheck returns the index of a check, or -1.
func findCheck(checks []check, name string) int {
	return slices.IndexFunc(checks, func(c check) bool { return c.name == name })
}

// check is one line of a health report.
type check struct {
	name  string
	open  bool                // the report gives the reason of a failure
	begin func() func() error // begins the check, and returns the function that waits for its result
}

// own returns a check of the API itself, which does not wait.
func own(name string, open bool, result func() error) check {
	return check{name, open, func() func() error { return result }}
}

// checksOf returns the checks of an endpoint, in the order of the report. /readyz gives the reasons of the API's own
// checks.
func (a *API) checksOf(endpoint HealthEndpoint) []check {
	checks := []check{own(checkPing, false, func() error { return nil })}
	if endpoint == Readyz {
		if store, ok := a.store.(storage.Prober); ok {
			checks = append(checks, own(checkStore, true, store.Ready))
		}
		for _, gr := range sortedResources(a.options.Stores) {
			if store, ok := a.options.Stores[gr].(storage.Prober); ok {
				checks = append(checks, own(checkStore+"-"+gr.String(), true, store.Ready))
			}
		}
		if len(a.plugins.parts) > 0 {
			checks = append(checks, own(checkPlugins, true, a.plugins.ready))
		}
	}
	for _, c := range a.checks {
		if slices.Contains(c.Endpoints, endpoint) {
			checks = append(checks, check{c.Name, false, func() func() error {
				call := c.begin()
				return func() error { return c.wait(call) }
			}})
		}
	}
	if endpoint == Readyz {
		checks = append(checks, own(checkShutdown, false, a.leaving))
	}
	return checks
}

// ready returns an error until the plug-ins have started.
func (p *plugins) ready() error {
	if p.waiting.Load() {
		return errors.New("the API has not started its plug-ins: " + p.names())
	}
	return nil
}

// leaving returns an error once the API has begun to shut down.
func (a *API) leaving() error {
	if a.plugins.leaving.Err() != nil || a.closing() {
		return errors.New("the server is shutting down")
	}
	return nil
}

// healthReport returns the answer for all checks of an endpoint but the excluded ones, and whether they succeed. The
// checks run at the same time. A report of success is short unless it is verbose. The texts are those of
// kube-apiserver, which never gives a reason.
func healthReport(endpoint string, checks []check, excluded []string, verbose bool) (text string, ok bool) {
	unknown := map[string]bool{}
	for _, name := range excluded {
		unknown[name] = true
	}
	results := make([]func() error, len(checks))
	for i, c := range checks {
		if slices.Contains(excluded, c.name) {
			delete(unknown, c.name)
			continue
		}
		results[i] = c.begin()
	}
	var report strings.Builder
	ok = true
	for i, c := range checks {
		if results[i] == nil {
			fmt.Fprintf(&report, "[+]%s excluded: ok\n", c.name)
			continue
		}
		switch err := results[i](); {
		case err == nil:
			fmt.Fprintf(&report, "[+]%s ok\n", c.name)
		case c.open:
			ok = false
			fmt.Fprintf(&report, "[-]%s failed: %v\n", c.name, err)
		default:
			ok = false
			fmt.Fprintf(&report, "[-]%s failed: reason withheld\n", c.name)
		}
	}
	if len(unknown) > 0 {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(unknown)) {
			names = append(names, strconv.Quote(name))
		}
		fmt.Fprintf(&report, "warn: some health checks cannot be excluded: no matches for %s\n", strings.Join(names, ","))
	}
	switch {
	case !ok:
		return report.String() + endpoint + " check failed\n", false
	case verbose:
		return report.String() + endpoint + " check passed\n", true
	}
	return "ok", true
}
