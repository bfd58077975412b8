package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/debug"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/metrics"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/rest/requestlog"
	"github.com/decorum-go/decorum/rest/tracing"
)

// operations are the parts that those need who run the program.
type operations struct {
	metrics     *metrics.Metrics
	controllers *metrics.Controllers
	audit       *audit.Audit
	file        *audit.File
	fairness    *fairness.Limiter
	tracing     *tracing.Tracing
	log         *requestlog.Log
	registry    *prometheus.Registry
}

func newOperations(auditFile string, logger *slog.Logger, traces trace.TracerProvider) (*operations, error) {
	o := &operations{
		metrics: metrics.New(metrics.Options{}), controllers: metrics.NewControllers(), registry: prometheus.NewRegistry(),
		log: requestlog.New(requestlog.Options{Logger: logger, Slow: time.Second}),
	}
	var err error
	if o.fairness, err = fairness.New(fairness.Options{Logger: logger}); err != nil {
		return nil, err
	}
	if o.tracing, err = tracing.New(tracing.Options{TracerProvider: traces}); err != nil {
		return nil, err
	}
	if o.file, err = audit.OpenFile(auditFile, audit.FileOptions{}); err != nil {
		return nil, err
	}
	if o.audit, err = audit.New(audit.Options{Outputs: []audit.Output{{Sink: o.file}}, Logger: logger}); err != nil {
		return nil, errors.Join(err, o.file.Close())
	}
	o.registry.MustRegister(o.metrics, o.controllers, metrics.FlowControl(o.fairness))
	return o, nil
}

// plugins lists all parts in the form in which an API takes them.
func (o *operations) plugins() []rest.Plugin {
	states := map[string]func() any{"fairness": func() any { return o.fairness.State() }}
	return []rest.Plugin{
		o.metrics, o.audit, o.fairness, o.tracing, o.log, debug.New(debug.Options{States: states}),
		rest.PluginParts{
			Name:         "platform",
			Paths:        map[string]http.Handler{"/metrics": promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{})},
			HealthChecks: []observe.HealthCheck{{Name: "disk", Check: o.checkDisk}},
		},
	}
}

// checkDisk returns an error if events of the audit have been lost.
func (o *operations) checkDisk(context.Context) error {
	for _, s := range o.audit.Stats() {
		if s.Dropped > 0 {
			return errors.New("events of the audit have been lost")
		}
	}
	return nil
}
