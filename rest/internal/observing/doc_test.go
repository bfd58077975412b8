// Package observing_test measures what the observers of the library cost a request: lines of a log, an audit, metrics,
// traces and fairness, each alone and all together, beside an API without any. All run in turns in one process, and the
// clients run in another, so the figures contain the processor time of the server alone.
package observing_test
