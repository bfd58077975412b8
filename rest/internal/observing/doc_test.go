// Package observing_test measures hosts that need nested modules.
//
// BenchmarkObservers measures what the observers of the library cost a request: lines of a log, an audit, metrics,
// traces and fairness, each alone and all together, beside an API without observers. All run in turns in one process,
// and the clients run in another, so the figures contain only the processor time of the server.
//
// BenchmarkKubernetesKind measures hosts with a Kubernetes kind, and BenchmarkFullHost measures a host with all usual
// plug-ins. Both compare the host with a bare handler that does the same to an object. make bench runs both.
package observing_test
