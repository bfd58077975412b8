package tracing

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
)

// request is a request whose span is recorded.
type request struct {
	*observer
	*observe.Request
	span   trace.Span
	open   []trace.Span // the spans of the steps under way
	events int          // the number of events of a watch
}

func (q *request) sent(int) { q.events++ }

// ended ends the span of the request. A step that a hook still holds ends with it.
func (q *request) ended(e observe.Ended) {
	at := trace.WithTimestamp(q.Received.Add(e.Duration))
	for _, step := range slices.Backward(q.open) {
		step.SetAttributes(abandonedKey.Bool(true))
		step.End(at)
	}
	q.open = nil
	attrs := make([]attribute.KeyValue, 0, 6)
	if e.Code != 0 {
		attrs = append(attrs, semconv.HTTPResponseStatusCode(e.Code), semconv.HTTPResponseBodySize(int(e.Bytes)))
	}
	if q.Access.Verb == access.VerbWatch {
		attrs = append(attrs, eventsKey.Int(q.events))
	}
	switch {
	case e.Code >= http.StatusInternalServerError:
		attrs = append(attrs, semconv.ErrorTypeKey.String(strconv.Itoa(e.Code)))
		q.span.SetStatus(codes.Error, reasonOf(e))
	case e.Aborted:
		attrs = append(attrs, semconv.ErrorTypeKey.String("aborted"))
		q.span.SetStatus(codes.Error, "aborted")
	}
	if e.Abandoned {
		attrs = append(attrs, abandonedKey.Bool(true))
	}
	if e.Panic != nil {
		q.span.AddEvent(semconv.ExceptionEventName, at, trace.WithAttributes(
			semconv.ExceptionTypeKey.String(fmt.Sprintf("%T", e.Panic)),
			semconv.ExceptionStacktrace(clean(string(e.Stack), maxStack))))
	}
	q.span.SetAttributes(attrs...)
	q.span.End(at)
}

// reasonOf returns the reason in the answer to a request that has failed.
func reasonOf(e observe.Ended) string {
	if e.Status == nil {
		return ""
	}
	return clean(string(e.Status.Reason), maxText)
}
