// Package observing_test measures hosts that need nested modules.
//
// BenchmarkObservers measures what the observers of the library cost a request: lines of a log, an audit, metrics,
// traces and fairness, each alone and all together, beside an API without any. All run in turns in one process, and the
// clients run in another, so the figures contain the processor time of the server alone.
//
// BenchmarkKubernetesKind and BenchmarkFullHost measure hosts with a kind of Kubernetes, and hosts with everything that hosts
// have, beside a bare handler that does the same to an object. They are rows of make bench.
package observing_test
