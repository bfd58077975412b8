package metrics

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/rest"
)

// observer implements [rest.Observer], apart from [Metrics] so that a host sees only the plug-in and the collector.
type observer Metrics

// Observe implements [rest.Observer].
func (m *observer) Observe(_ context.Context, r *rest.ObservedRequest) (context.Context, rest.Observation, error) {
	labels := m.labelsOf(r)
	underWay := m.inFlight.WithLabelValues(kindOf(r))
	if r.LongRunning {
		underWay = m.longRunning.With(labels)
	}
	underWay.Inc()
	if r.Authorized {
		m.countDecision(r.Decision)
	}
	o := rest.Observation{Step: m.step, Ended: func(e rest.EndedRequest) {
		underWay.Dec()
		m.count(labels, r, e)
	}}
	if r.Deprecated {
		m.deprecated.WithLabelValues(labels["group"], labels["version"], labels["resource"], labels["subresource"], "").Set(1)
	}
	if r.Access.Verb == rest.VerbWatch && r.Access.Resource != "" {
		events := m.watchEvents.WithLabelValues(labels["group"], labels["resource"], labels["version"])
		o.Sent = func(int) { events.Inc() }
		if r.HTTP.URL.Query().Get("sendInitialEvents") == "true" {
			lists := m.watchLists.WithLabelValues(labels["group"], labels["version"], labels["resource"], labels["scope"])
			o.Listed = func() { lists.Observe(time.Since(r.Received).Seconds()) }
		}
	}
	return nil, o, nil
}

// count counts a request that has ended.
func (m *observer) count(labels prometheus.Labels, r *rest.ObservedRequest, e rest.EndedRequest) {
	verb := labels["verb"]
	if labels["resource"] != "" && (verb == "GET" || verb == "LIST" || verb == "WATCH") {
		m.sizes.With(labels).Observe(float64(e.Bytes))
	}
	labels["dry_run"] = ""
	if r.DryRun {
		labels["dry_run"] = "All"
	}
	m.durations.With(labels).Observe(e.Duration.Seconds())
	labels["code"] = strconv.Itoa(e.Code)
	m.requests.With(labels).Inc()
}

// countDecision counts what the Authorizer has decided. Having no opinion is no decision.
func (m *observer) countDecision(d rest.Decision) {
	_, some := d.Only()
	switch {
	case d.Allowed() || some:
		m.decisions.WithLabelValues("allowed", m.options.AuthorizerName, m.options.AuthorizerType).Inc()
	case d.Denied():
		m.decisions.WithLabelValues("denied", m.options.AuthorizerName, m.options.AuthorizerType).Inc()
	}
}

// kindOf returns the label request_kind of a request.
func kindOf(r *rest.ObservedRequest) string {
	switch r.HTTP.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return "mutating"
	}
	return "readOnly"
}

// labelsOf returns the labels that the metrics of requests share.
func (m *observer) labelsOf(r *rest.ObservedRequest) prometheus.Labels {
	labels := prometheus.Labels{
		"component": m.options.Component, "group": "", "resource": "", "scope": "", "subresource": "", "verb": verbOf(r), "version": "",
	}
	a := r.Access
	switch {
	case r.Unknown:
	case a.Resource == "":
		labels["subresource"] = r.Declared
	default:
		labels["group"], labels["version"], labels["resource"] = a.Group, a.Version, a.Resource
		labels["subresource"], labels["scope"] = a.Subresource, scopeOf(a)
	}
	return labels
}

// scopeOf says how much a request is about: one object, a namespace, or everything.
func scopeOf(a rest.Access) string {
	switch {
	case a.Name != "" || a.Verb == rest.VerbCreate:
		return "resource"
	case a.Namespace != "":
		return "namespace"
	}
	return "cluster"
}

// verbOf returns the label verb: the method, with lists, watches, applies and streams told apart.
func verbOf(r *rest.ObservedRequest) string {
	switch {
	case r.Access.Verb == rest.VerbWatch:
		return "WATCH"
	case r.Access.Verb == rest.VerbList:
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
