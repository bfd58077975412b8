// Package metrics counts and times the requests of an API for Prometheus, under the names, labels and buckets of
// kube-apiserver, so that its dashboards and alerts work. What kube-apiserver has no name for begins with decorum_.
//
// A [Metrics] is a plug-in of the API and a prometheus.Collector. The host registers it where it wants; the package has
// no registry of its own. It counts the requests that the API receives over HTTP, and no calls of in-process clients.
// At each scrape it reads [rest.API.Stats]: the objects, the history and the size of the store, the lag of a replica,
// open watches, and the places in use.
//
// [FlowControl] has the metrics of a limiter of package rest/fairness, and [Controllers] those of controllers and
// informers of package rest/controller.
//
// [FlowControl] is a collector of the state of package fairness.
//
// The labels resource, subresource and verb have no values that a client can choose: a request to a path at which the
// API serves nothing has an empty resource and subresource.
package metrics
