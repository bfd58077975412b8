package tracing

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
)

// Options configure the plug-in [Tracing]. TracerProvider is required.
type Options struct {
	// TracerProvider makes the spans. Its sampler sees the name of the span, http.request.method, url.path and url.scheme.
	// Required.
	TracerProvider trace.TracerProvider
	// Propagator reads the trace from the headers of a request and writes it into the headers of a call of a webhook.
	// Default: [propagation.TraceContext], the headers traceparent and tracestate.
	Propagator propagation.TextMapPropagator
	// Untrusted reports whether the sender of a request may not choose its trace. The span of the request then begins a
	// new trace, and links to the span of the sender. Otherwise a sender can have each of its requests recorded, if the
	// sampler follows the parent. Default: all senders are trusted.
	Untrusted func(r *observe.Request) bool
}

// Tracing is the plug-in that records requests as spans. Calls of in-process clients are not requests. But if a hook
// calls the API with its context, the steps of that call are children of the hook.
type Tracing struct {
	options Options
	tracer  trace.Tracer
}

// instrumentation names the package in its spans.
const instrumentation = "github.com/decorum-go/decorum/rest/tracing"

// New returns a Tracing. It returns an error if Options.TracerProvider is missing.
func New(options Options) (*Tracing, error) {
	if options.TracerProvider == nil {
		return nil, errors.New("tracing.New: Options.TracerProvider must be set")
	}
	if options.Propagator == nil {
		options.Propagator = propagation.TraceContext{}
	}
	return &Tracing{options, options.TracerProvider.Tracer(instrumentation, trace.WithSchemaURL(semconv.SchemaURL))}, nil
}

// Plug implements [rest.Plugin].
func (t *Tracing) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	o := &observer{Tracing: t}
	o.unrecorded.Step, o.unrecorded.Brief = o.passOn, true
	return rest.PluginParts{Name: "tracing", Observer: o}, nil
}

// observer implements [observe.Observer], apart from [Tracing] so that a host sees only the plug-in.
type observer struct {
	*Tracing
	unrecorded observe.Observation // observes requests that are not sampled
}

// Observe implements [observe.Observer].
func (o *observer) Observe(ctx context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	ctx, span := o.begin(ctx, r)
	if !span.IsRecording() {
		span.End()
		return ctx, o.unrecorded, nil
	}
	q := &request{observer: o, Request: r, span: span}
	span.SetAttributes(attributesOf(r)...)
	// The steps of the pipeline do not become spans, because a write has about 20 short ones.
	observation := observe.Observation{Step: q.step, Brief: true, Ended: q.ended}
	if r.Access.Verb == access.VerbWatch {
		observation.Sent = q.sent
	}
	return ctx, observation, nil
}

var ofServer = trace.WithSpanKind(trace.SpanKindServer)

// mayBeSent reports whether the headers of a request may have a trace.
func (o *observer) mayBeSent(r *observe.Request) bool {
	_, usual := o.options.Propagator.(propagation.TraceContext)
	return !usual || len(r.HTTP.Header["Traceparent"]) > 0
}

// begin begins the span of a request. A span that the host's middleware has begun is its parent, and otherwise the span
// of the sender.
func (o *observer) begin(ctx context.Context, r *observe.Request) (context.Context, trace.Span) {
	options := make([]trace.SpanStartOption, 0, 5)
	options = append(options, ofServer, trace.WithTimestamp(r.Received), trace.WithAttributes(identifying(r)...))
	parent := ctx
	if o.mayBeSent(r) && !trace.SpanContextFromContext(ctx).IsValid() {
		sent := o.options.Propagator.Extract(ctx, propagation.HeaderCarrier(r.HTTP.Header))
		switch {
		case !trace.SpanContextFromContext(sent).IsValid():
		case o.options.Untrusted != nil && o.options.Untrusted(r):
			options = append(options, trace.WithNewRoot(), trace.WithLinks(trace.LinkFromContext(sent)))
		default:
			parent = sent
		}
	}
	return o.tracer.Start(parent, nameOf(r), options...)
}
