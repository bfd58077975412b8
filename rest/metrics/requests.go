package metrics

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/internal/memo"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
)

// observer implements [observe.Observer], apart from [Metrics] so that a host sees only the plug-in and the collector.
type observer Metrics

// Observe implements [observe.Observer].
func (m *observer) Observe(_ context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	of := m.routeOf(r)
	of.underWay.Inc()
	if r.Authorized {
		m.countDecision(r.Decision)
	}
	o := observe.Observation{Step: m.step, Brief: true, Ended: func(e observe.Ended) {
		of.underWay.Dec()
		m.count(of, r.DryRun, &e)
	}}
	if r.Deprecated {
		m.deprecated.WithLabelValues(of.group, of.version, of.resource, of.subresource, "").Set(1)
	}
	if r.Access.Verb == access.VerbWatch && r.Access.Resource != "" {
		events := m.watchEvents.WithLabelValues(of.group, of.resource, of.version)
		o.Sent = func(int) { events.Inc() }
		if r.HTTP.URL.Query().Get("sendInitialEvents") == "true" {
			lists := m.watchLists.WithLabelValues(of.group, of.version, of.resource, of.scope)
			o.Listed = func() { lists.Observe(time.Since(r.Received).Seconds()) }
		}
	}
	return nil, o, nil
}

// labels are those that the metrics of requests share, apart from the component. Clients cannot choose them freely.
type labels struct{ group, resource, scope, subresource, verb, version string }

// route is what requests with the same labels share, so that they need not be found for each request.
type route struct {
	labels
	underWay prometheus.Gauge
	outcomes memo.Map[outcome, *outcomeMetrics]
}

// outcome is what the metrics of requests that have ended differ in, apart from the labels.
type outcome struct {
	code   int
	dryRun bool
}

type outcomeMetrics struct {
	requests  prometheus.Counter
	durations prometheus.Observer
	sizes     prometheus.Observer // nil for writes
}

// routeKey is what a route depends on.
type routeKey struct {
	labels
	longRunning, mutating bool
}

// routeOf returns the route of a request.
func (m *observer) routeOf(r *observe.Request) *route {
	key := routeKey{labelsOf(r), r.LongRunning, isMutating(r)}
	if known, ok := m.routes.Load(key); ok {
		return known
	}
	key.labels = key.clone()
	made := &route{labels: key.labels}
	switch {
	case key.longRunning:
		made.underWay = m.longRunning.With(key.with(m.options.Component))
	case key.mutating:
		made.underWay = m.inFlight.WithLabelValues("mutating")
	default:
		made.underWay = m.inFlight.WithLabelValues("readOnly")
	}
	return m.routes.Add(key, made)
}

// clone returns the labels with texts of their own. Those of a request are parts of its URI, which may be large.
func (l labels) clone() labels {
	for _, text := range []*string{&l.group, &l.resource, &l.scope, &l.subresource, &l.verb, &l.version} {
		*text = strings.Clone(*text)
	}
	return l
}

// with returns the labels with the component as the metrics have them.
func (l *labels) with(component string) prometheus.Labels {
	return prometheus.Labels{
		"component": component, "group": l.group, "resource": l.resource, "scope": l.scope, "subresource": l.subresource,
		"verb":    l.verb,
		"version": l.version,
	}
}

// count counts a request that has ended.
func (m *observer) count(of *route, dryRun bool, e *observe.Ended) {
	key := outcome{e.Code, dryRun}
	into, ok := of.outcomes.Load(key)
	if !ok {
		into = of.outcomes.Add(key, m.outcomeMetrics(&of.labels, key))
	}
	into.requests.Inc()
	into.durations.Observe(e.Duration.Seconds())
	if into.sizes != nil {
		into.sizes.Observe(float64(e.Bytes))
	}
}

func (m *observer) outcomeMetrics(of *labels, o outcome) *outcomeMetrics {
	var into outcomeMetrics
	all := of.with(m.options.Component)
	if of.resource != "" && (of.verb == "GET" || of.verb == "LIST" || of.verb == "WATCH") {
		into.sizes = m.sizes.With(all)
	}
	all["dry_run"] = ""
	if o.dryRun {
		all["dry_run"] = "All"
	}
	into.durations = m.durations.With(all)
	all["code"] = strconv.Itoa(o.code)
	into.requests = m.requests.With(all)
	return &into
}

// countDecision counts what the Authorizer has decided. Having no opinion is no decision.
func (m *observer) countDecision(d access.Decision) {
	_, some := d.Only()
	switch {
	case d.Allowed() || some:
		m.decisions.WithLabelValues("allowed", m.options.AuthorizerName, m.options.AuthorizerType).Inc()
	case d.Denied():
		m.decisions.WithLabelValues("denied", m.options.AuthorizerName, m.options.AuthorizerType).Inc()
	}
}

// isMutating reports whether the label request_kind of a request is mutating.
func isMutating(r *observe.Request) bool {
	switch r.HTTP.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// labelsOf returns the labels that the metrics of requests share.
func labelsOf(r *observe.Request) labels {
	a := &r.Access
	switch {
	case r.Unknown:
		return labels{verb: verbOf(r)}
	case a.Resource == "":
		return labels{verb: verbOf(r), subresource: r.Declared}
	}
	return labels{a.Group, a.Resource, scopeOf(a), a.Subresource, verbOf(r), a.Version}
}

// scopeOf says how much a request is about: one object, a namespace, or everything.
func scopeOf(a *access.Access) string {
	switch {
	case a.Name != "" || a.Verb == access.VerbCreate:
		return "resource"
	case a.Namespace != "":
		return "namespace"
	}
	return "cluster"
}

// verbOf returns the label verb: the method, except that lists, watches, applies and streams have verbs of their own.
func verbOf(r *observe.Request) string {
	switch {
	case r.Access.Verb == access.VerbWatch:
		return "WATCH"
	case r.Access.Verb == access.VerbList:
		return "LIST"
	case r.LongRunning:
		return "CONNECT"
	}
	switch r.HTTP.Method {
	case http.MethodPatch:
		if is, _, err := mime.ParseMediaType(r.HTTP.Header.Get("Content-Type")); err == nil && applies[is] {
			return "APPLY"
		}
		return "PATCH"
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return r.HTTP.Method
	}
	return "other"
}

// applies are the media types of server-side apply.
var applies = map[string]bool{"application/apply-patch+yaml": true, "application/apply-patch+cbor": true}
