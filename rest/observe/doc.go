// Package observe has the words of observers: host code that sees the requests of an API for logs, metrics, traces and
// audits. An [Observer] begins to observe a [Request] and says in an [Observation] what it wants to know. It sees the
// steps of the request, what the request changed, and how the request [Ended].
//
// Packages rest/audit and rest/requestlog, and modules rest/metrics and rest/tracing, are observers. A plug-in that waits
// for something tells them so with [BeginStep].
//
// The package also has the types that operators of an API read: [HealthCheck], [Load] and [OpenWatch].
package observe
