// Package metrics counts and times the requests of an API for Prometheus, under the names, labels and buckets of kube-apiserver, so that
// its dashboards and alerts work.
//
// A [Metrics] is a plug-in of the API and a prometheus.Collector. The host registers it where it wants; the package has no registry of
// its own. It counts the requests that the API receives over HTTP, and no calls of in-process clients.
//
// [FlowControl] is a collector of the state of package fairness.
//
// The labels resource, subresource and verb have no values that a client can choose: a request to a path at which the API serves nothing
// has an empty resource and subresource.
package metrics
