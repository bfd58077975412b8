package front

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/observe"
)

// Endpoints are the paths of the health reports, without the slash.
var Endpoints = []observe.HealthEndpoint{observe.Readyz, observe.Livez, observe.Healthz}

// health answers /healthz, /livez and /readyz. During a shutdown the API is alive but not ready, so that load balancers
// stop sending requests. The API is also not ready while the store refuses writes, and until its plug-ins have started.
func (q *request) health() error {
	endpoint := healthEndpointOf(q.r.URL.Path)
	checks := q.api.checksOf(endpoint)
	var text string
	var ok bool
	if name := q.at.name; name != "" {
		text, ok = "ok", true
		if err := checks[findCheck(checks, name)].Begin()(); err != nil {
			text, ok = "internal server error: "+err.Error()+"\n", false
		}
	} else {
		query := q.query
		text, ok = healthReport(endpoint, checks, query["exclude"], query.Has("verbose"))
	}
	code := http.StatusOK
	if !ok {
		code = http.StatusInternalServerError
	}
	return q.writeRaw(code, media.Text, []byte(text), nil)
}

// healthEndpointOf returns the endpoint in the path of a report or of a single check.
func healthEndpointOf(path string) observe.HealthEndpoint {
	endpoint, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return observe.HealthEndpoint(endpoint)
}

// findCheck returns the index of a check, or -1.
func findCheck(checks []Check, name string) int {
	return slices.IndexFunc(checks, func(c Check) bool { return c.Name == name })
}

// Check is one line of a health report.
type Check struct {
	Name      string
	Endpoints []observe.HealthEndpoint // the endpoints whose reports contain the check
	Open      bool                     // the report gives the reason for a failure
	Begin     func() func() error      // begins the check, and returns the function that waits for its result
}

// OwnCheck returns a check of the API itself, which does not wait.
func OwnCheck(name string, open bool, result func() error, endpoints ...observe.HealthEndpoint) Check {
	return Check{name, endpoints, open, func() func() error { return result }}
}

// checksOf returns the checks of an endpoint, in the order of the report.
func (a *Front) checksOf(endpoint observe.HealthEndpoint) []Check {
	return slices.DeleteFunc(slices.Clone(a.options.Checks),
		func(c Check) bool { return !slices.Contains(c.Endpoints, endpoint) })
}

// healthReport returns the answer for all checks of an endpoint but the excluded ones, and whether they succeed. The
// checks run at the same time. A report of success is short unless it is verbose. The texts match kube-apiserver's,
// which never contain a reason.
func healthReport(endpoint observe.HealthEndpoint, checks []Check, excluded []string,
	verbose bool) (text string, ok bool) {
	unknown := map[string]bool{}
	for _, name := range excluded {
		unknown[name] = true
	}
	results := make([]func() error, len(checks))
	for i, c := range checks {
		if slices.Contains(excluded, c.Name) {
			delete(unknown, c.Name)
			continue
		}
		results[i] = c.Begin()
	}
	var report strings.Builder
	ok = true
	for i, c := range checks {
		if results[i] == nil {
			fmt.Fprintf(&report, "[+]%s excluded: ok\n", c.Name)
			continue
		}
		switch err := results[i](); {
		case err == nil:
			fmt.Fprintf(&report, "[+]%s ok\n", c.Name)
		case c.Open:
			ok = false
			fmt.Fprintf(&report, "[-]%s failed: %v\n", c.Name, err)
		default:
			ok = false
			fmt.Fprintf(&report, "[-]%s failed: reason withheld\n", c.Name)
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
		return report.String() + string(endpoint) + " check failed\n", false
	case verbose:
		return report.String() + string(endpoint) + " check passed\n", true
	}
	return "ok", true
}
