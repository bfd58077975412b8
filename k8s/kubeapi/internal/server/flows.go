package server

import (
	"fmt"
	"net/http"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/fairness"
)

// flows divides the capacity of the server by FlowSchemas. It is nil without flow control.
type flows struct{ limiter *fairness.Limiter }

func newFlows(c Config) (*flows, error) {
	if c.NoFlowControl {
		return nil, nil
	}
	limiter, err := fairness.New(fairness.Options{Objects: true, Seats: c.MaxReads + c.MaxWrites, Logger: c.Logger})
	return &flows{limiter}, err
}

// limits returns the plug-ins that limit requests.
func (c *Config) limits(f *flows) []rest.Plugin {
	if f == nil {
		return []rest.Plugin{&inFlight{reads: limit{max: c.MaxReads}, writes: limit{max: c.MaxWrites}}}
	}
	return []rest.Plugin{f.limiter,
		rest.PluginParts{Name: "metrics", Paths: map[string]http.Handler{"/metrics": http.HandlerFunc(f.serveMetrics)}}}
}

// name writes the headers that name the flow of a request which the API does not limit.
func (f *flows) name(h http.Header, access func() access.Access) {
	if f != nil {
		f.limiter.Name(h, access())
	}
}

// serveMetrics writes the one metric that the end-to-end tests of Kubernetes wait for: how many seats each priority
// level has. It stands for itself, because module rest/metrics would bring Prometheus to all users of this module.
func (f *flows) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	const name = "apiserver_flowcontrol_nominal_limit_seats"
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = fmt.Fprintf(w, "# HELP %s Seats of each level, without those that it borrows.\n# TYPE %s gauge\n", name, name)
	for _, l := range f.limiter.State().Levels {
		_, _ = fmt.Fprintf(w, "%s{priority_level=%q} %d\n", name, l.Name, l.NominalSeats)
	}
}
