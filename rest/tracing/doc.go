// Package tracing records what each request to an API does as spans of OpenTelemetry.
//
//	spans, err := tracing.New(tracing.Options{TracerProvider: provider})
//	…
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{spans}}, definitions...)
//
// A request is a span with the attributes of an HTTP server, and with the user, the verb and the object. Its children
// are the admission hooks, the calls of webhooks, the conversions by webhooks, and the commits of the store. A watch or
// a stream is a span that ends with it. The sampler of the TracerProvider decides which requests are recorded.
//
// A span continues the trace of the request, as W3C Trace Context describes it, and webhooks receive the trace of the
// call. Hooks find the span in their context. So a host's own spans, for example those of its database, become
// children.
//
// A span omits bodies, queries, the texts of errors, and all headers except User-Agent. docs/operations.md lists the
// attributes.
package tracing
