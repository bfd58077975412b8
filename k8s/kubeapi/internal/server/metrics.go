package server

import (
	"fmt"
	"net/http"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/fairness"
)

// measured serves /metrics, with the one metric that the end-to-end tests of Kubernetes wait for: how many seats each priority level has. It
// stands for itself, because module rest/metrics would bring Prometheus to all users of this module.
func measured(limiter *fairness.Limiter) rest.Plugin {
	return rest.Parts{Name: "metrics", Paths: map[string]http.Handler{"/metrics": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const name = "apiserver_flowcontrol_nominal_limit_seats"
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = fmt.Fprintf(w, "# HELP %s Seats of each level, without those that it borrows.\n# TYPE %s gauge\n", name, name)
		for _, l := range limiter.State().Levels {
			_, _ = fmt.Fprintf(w, "%s{priority_level=%q} %d\n", name, l.Name, l.NominalSeats)
		}
	})}}
}
