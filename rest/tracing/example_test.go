package tracing_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/tracing"
)

// The program records all requests whose clients record theirs, and one in a hundred of the others. It keeps the spans
// in memory, where a service has an exporter and WithBatcher.
func Example() {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(0.01))),
		sdk.WithSyncer(exporter))
	defer func() { _ = provider.Shutdown(context.Background()) }()
	spans, err := tracing.New(tracing.Options{TracerProvider: provider})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{spans}}, memos())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	r := httptest.NewRequest(http.MethodGet, "/apis/example.com/v1/namespaces/default/memos/a", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	api.ServeHTTP(httptest.NewRecorder(), r)
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.SpanContext.TraceID(), span.Name)
	}
	// Output: 0af7651916cd43dd8448eb211c80319c GET /apis/example.com/v1/namespaces/{namespace}/memos/{name}
}
