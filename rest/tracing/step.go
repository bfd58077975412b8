package tracing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// step implements the function Step of [observe.Observation].
func (q *request) step(ctx context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
	if !trace.SpanContextFromContext(ctx).IsValid() { // the step must not end with the request, so it has another context
		ctx = trace.ContextWithSpan(ctx, q.span)
	}
	name, kind := stepName(s), trace.SpanKindInternal
	if leaves(s) {
		kind = trace.SpanKindClient
	}
	ctx, span := q.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(stepAttributes(s)...))
	q.open = append(q.open, span)
	if leaves(s) {
		ctx = q.inject(ctx)
	}
	return ctx, func(r observe.StepResult) {
		q.open = slices.DeleteFunc(q.open, func(open trace.Span) bool { return open == span })
		if r.Code != 0 {
			span.SetAttributes(semconv.HTTPResponseStatusCode(r.Code))
		}
		if r.FailedOpen {
			span.SetAttributes(failedOpenKey.Bool(true))
		}
		if r.Err != nil {
			fail(span, r.Err)
		}
		span.End()
	}
}

// fail marks the span of a step that has failed: with the reason of a Status, or with the type of another error. The
// text of an error may quote a body.
func fail(span trace.Span, err error) {
	kind, reason := fmt.Sprintf("%T", err), ""
	if answer, ok := errors.AsType[*status.Error](err); ok {
		reason = clean(string(answer.Status.Reason), maxText)
		kind = cmp.Or(reason, kind)
	}
	span.SetStatus(codes.Error, reason)
	span.SetAttributes(semconv.ErrorTypeKey.String(kind))
}

// passOn is step for requests that are not recorded. Those whom they call learn that.
func (o *observer) passOn(ctx context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
	if !leaves(s) {
		return nil, nil
	}
	return o.inject(ctx), nil
}

// inject returns a context whose calls carry the trace.
func (o *observer) inject(ctx context.Context) context.Context {
	header := http.Header{}
	o.options.Propagator.Inject(ctx, propagation.HeaderCarrier(header))
	return callout.WithHeader(ctx, header)
}

// leaves reports whether a step waits for another program.
func leaves(s observe.Step) bool {
	return s.Kind == observe.StepWebhook || s.Kind == observe.StepConversion
}

// stepName returns the name of the span of a step.
func stepName(s observe.Step) string {
	switch s.Kind {
	case observe.StepAdmission:
		if s.Mutating {
			return "mutating admission"
		}
		return "validating admission"
	case observe.StepConversion:
		return "conversion to " + clean(s.Name, maxText)
	case observe.StepHook, observe.StepWebhook:
		return string(s.Kind) + " " + clean(s.Name, maxText)
	}
	return string(s.Kind)
}

func stepAttributes(s observe.Step) []attribute.KeyValue {
	if s.Operation == "" {
		return nil
	}
	return []attribute.KeyValue{operationKey.String(string(s.Operation)), mutatingKey.Bool(s.Mutating)}
}
