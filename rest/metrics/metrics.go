package metrics

import (
	"cmp"
	"errors"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/internal/memo"
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
	api     atomic.Pointer[rest.API] // nil before Plug
	routes  memo.Map[routeKey, *route]

	requests      *prometheus.CounterVec
	durations     *prometheus.HistogramVec
	sizes         *prometheus.HistogramVec
	inFlight      *prometheus.GaugeVec
	longRunning   *prometheus.GaugeVec
	watchEvents   *prometheus.CounterVec
	watchLists    *prometheus.HistogramVec
	deprecated    *prometheus.GaugeVec
	decisions     *prometheus.CounterVec
	phases        *prometheus.HistogramVec
	controllers   *prometheus.HistogramVec
	webhooks      *prometheus.HistogramVec
	webhookCalls  *prometheus.CounterVec
	webhookErrors *prometheus.CounterVec
	failedOpen    *prometheus.CounterVec
	policyChecks  *prometheus.CounterVec
	policies      *prometheus.HistogramVec
	rules         prometheus.Histogram
	commits       prometheus.Histogram
	conversions   *prometheus.HistogramVec
}

// Labels and buckets that several metrics share.
var (
	ofRequest   = []string{"component", "group", "resource", "scope", "subresource", "verb", "version"}
	ofAdmission = []string{"operation", "rejected", "type"}
	ofPolicy    = []string{"enforcement_action", "error_type", "policy", "policy_binding"}
	// ofWork are buckets of what usually takes less than a second.
	ofWork = []float64{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5}
)

// New returns Metrics for one API. The host passes it to [rest.Options].Plugins, and registers it in a registry of
// Prometheus.
func New(options Options) *Metrics {
	options.Component = cmp.Or(options.Component, "apiserver")
	options.AuthorizerName = cmp.Or(options.AuthorizerName, "authorizer")
	options.AuthorizerType = cmp.Or(options.AuthorizerType, "Authorizer")
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	admission := []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5}
	return &Metrics{
		options: options,
		requests: counters("apiserver_request_total", "Requests by what they asked for and by the HTTP code of the answer.",
			append([]string{"code", "dry_run"}, ofRequest...)...),
		durations: histogram("apiserver_request_duration_seconds",
			"Time from the arrival of a request to the end of its answer.",
			[]float64{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60},
			append([]string{"dry_run"}, ofRequest...)...),
		sizes: histogram("apiserver_response_sizes", "Bytes in the bodies of the answers to reads.",
			prometheus.ExponentialBuckets(1000, 10, 7), ofRequest...),
		inFlight: gauges("apiserver_current_inflight_requests", "Requests under way, except for watches and streams.",
			"request_kind"),
		longRunning: gauges("apiserver_longrunning_requests", "Watches and streams under way.", ofRequest...),
		watchEvents: counters("apiserver_watch_events_total", "Events that watches have sent, with their bookmarks.", "group",
			"resource", "version"),
		watchLists: histogram("apiserver_watch_list_duration_seconds",
			"Time until a watch with sendInitialEvents has sent the objects that existed when it began.",
			[]float64{0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300},
			"group", "version", "resource", "scope"),
		deprecated: gauges("apiserver_requested_deprecated_apis",
			"Deprecated versions that were requested. The label removed_release is empty, because no release removes them.",
			"group", "version", "resource", "subresource", "removed_release"),
		decisions: counters("apiserver_authorization_decisions_total", "Requests that the Authorizer has allowed or denied.",
			"decision", "name", "type"),
		phases: histogram("apiserver_admission_step_admission_duration_seconds",
			"Time that all admission hooks of a write took to change or to validate it.", admission, ofAdmission...),
		controllers: histogram("apiserver_admission_controller_admission_duration_seconds",
			"Time that one admission hook took.", admission, append([]string{"name"}, ofAdmission...)...),
		webhooks: histogram("apiserver_admission_webhook_admission_duration_seconds", "Time that one admission webhook took.",
			append(admission, 10, 25), append([]string{"name"}, ofAdmission...)...),
		webhookCalls: counters("apiserver_admission_webhook_request_total", "Calls of admission webhooks.",
			append([]string{"code", "name"}, ofAdmission...)...),
		webhookErrors: counters("apiserver_admission_webhook_rejection_count",
			"Writes that admission webhooks have rejected.", "error_type", "name", "operation", "rejection_code", "type"),
		failedOpen: counters("apiserver_admission_webhook_fail_open_count",
			"Calls of admission webhooks that failed, and whose failure policy let the write go on.", "name", "type"),
		policyChecks: counters("apiserver_validating_admission_policy_check_total",
			"Validations of policies that failed, by what the policy did about them.", ofPolicy...),
		policies: histogram("apiserver_validating_admission_policy_check_duration_seconds",
			"Time of the evaluations of policies whose validations failed.", []float64{5e-7, 0.001, 0.01, 0.1, 1}, ofPolicy...),
		rules: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "apiserver_cel_evaluation_duration_seconds", Help: "Time that the rules of a kind took for one object.",
			Buckets: prometheus.DefBuckets,
		}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "decorum_store_commit_duration_seconds", Help: "Time from the decision of a write until the store shows it.",
			Buckets: ofWork,
		}),
		conversions: histogram("decorum_conversion_duration_seconds",
			"Time that the conversion of objects outside of the process took.", ofWork, "version"),
	}
}

// Plug implements [rest.Plugin].
func (m *Metrics) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	if !m.api.CompareAndSwap(nil, api.API) {
		return rest.PluginParts{}, errors.New("the Metrics belong to another API")
	}
	return rest.PluginParts{Name: "metrics", Observer: (*observer)(m)}, nil
}

func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{
		m.requests, m.durations, m.sizes, m.inFlight, m.longRunning, m.watchEvents, m.watchLists, m.deprecated, m.decisions,
		m.phases, m.controllers, m.webhooks,
		m.webhookCalls, m.webhookErrors, m.failedOpen, m.policyChecks, m.policies, m.rules, m.commits, m.conversions,
	}
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(to)
	}
	describeStats(to)
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(to)
	}
	if api := m.api.Load(); api != nil {
		collectStats(api, to)
	}
}
