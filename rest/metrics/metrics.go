package metrics

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/rest"
)

// Options are what a host can choose. The zero value is usual.
type Options struct {
	// Component is the value of the label component. Default: "apiserver", which the queries of most dashboards select.
	Component string
	// AuthorizerName and AuthorizerType are the labels name and type of apiserver_authorization_decisions_total. Default:
	// "authorizer" and "Authorizer". A host with package rest/rbac may want "rbac" and "RBAC", as kube-apiserver has.
	AuthorizerName, AuthorizerType string
}

// Metrics observes the requests of one API, and is a [prometheus.Collector].
type Metrics struct {
	options Options

	requests      *prometheus.CounterVec
	durations     *prometheus.HistogramVec
	sizes         *prometheus.HistogramVec
	inFlight      *prometheus.GaugeVec
	longRunning   *prometheus.GaugeVec
	watchEvents   *prometheus.CounterVec
	decisions     *prometheus.CounterVec
	phases        *prometheus.HistogramVec
	controllers   *prometheus.HistogramVec
	webhooks      *prometheus.HistogramVec
	webhookCalls  *prometheus.CounterVec
	webhookErrors *prometheus.CounterVec
	failedOpen    *prometheus.CounterVec
}

// Labels that several metrics share.
var (
	ofRequest   = []string{"component", "group", "resource", "scope", "subresource", "verb", "version"}
	ofAdmission = []string{"operation", "rejected", "type"}
)

// New returns Metrics for one API. The host passes it to [rest.Options].Plugins, and registers it in a registry of Prometheus.
func New(options Options) *Metrics {
	options.Component = cmp.Or(options.Component, "apiserver")
	options.AuthorizerName = cmp.Or(options.AuthorizerName, "authorizer")
	options.AuthorizerType = cmp.Or(options.AuthorizerType, "Authorizer")
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	admission := []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5}
	return &Metrics{
		options: options,
		requests: counter("apiserver_request_total", "Requests by what they asked for and by the HTTP code of the answer.",
			append([]string{"code", "dry_run"}, ofRequest...)...),
		durations: histogram("apiserver_request_duration_seconds", "Time from the arrival of a request to the end of its answer.",
			[]float64{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60},
			append([]string{"dry_run"}, ofRequest...)...),
		sizes: histogram("apiserver_response_sizes", "Bytes in the bodies of the answers to reads.",
			prometheus.ExponentialBuckets(1000, 10, 7), ofRequest...),
		inFlight:    gauge("apiserver_current_inflight_requests", "Requests under way, except for watches and streams.", "request_kind"),
		longRunning: gauge("apiserver_longrunning_requests", "Watches and streams under way.", ofRequest...),
		watchEvents: counter("apiserver_watch_events_total", "Events that watches have sent, with their bookmarks.", "group", "resource", "version"),
		decisions: counter("apiserver_authorization_decisions_total", "Requests that the Authorizer has allowed or denied.",
			"decision", "name", "type"),
		phases: histogram("apiserver_admission_step_admission_duration_seconds",
			"Time that all admission hooks of a write took to change or to validate it.", admission, ofAdmission...),
		controllers: histogram("apiserver_admission_controller_admission_duration_seconds", "Time that one admission hook took.",
			admission, append([]string{"name"}, ofAdmission...)...),
		webhooks: histogram("apiserver_admission_webhook_admission_duration_seconds", "Time that one admission webhook took.",
			append(admission, 10, 25), append([]string{"name"}, ofAdmission...)...),
		webhookCalls: counter("apiserver_admission_webhook_request_total", "Calls of admission webhooks.",
			append([]string{"code", "name"}, ofAdmission...)...),
		webhookErrors: counter("apiserver_admission_webhook_rejection_count", "Writes that admission webhooks have rejected.",
			"error_type", "name", "operation", "rejection_code", "type"),
		failedOpen: counter("apiserver_admission_webhook_fail_open_count",
			"Calls of admission webhooks that failed, and whose failure policy let the write go on.", "name", "type"),
	}
}

// Plug implements [rest.Plugin].
func (m *Metrics) Plug(*rest.API) (rest.Parts, error) {
	return rest.Parts{Name: "metrics", Observer: (*observer)(m)}, nil
}

func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{
		m.requests, m.durations, m.sizes, m.inFlight, m.longRunning, m.watchEvents, m.decisions, m.phases, m.controllers, m.webhooks,
		m.webhookCalls, m.webhookErrors, m.failedOpen,
	}
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(to)
	}
}
