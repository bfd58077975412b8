// Package decorum is the tour of a library with which any Go program serves APIs that follow the Kubernetes API
// conventions. It contains no code; the packages below it do.
//
// # The shortest path
//
// Declare a kind: a struct that embeds apimeta.TypeMeta and apimeta.ObjectMeta, and has a Spec and usually a Status. A
// rest.Resource names the kind's group, version and plural. Pass it to rest.New, which returns an http.Handler, and
// mount the handler in your server. The example of this package does all of this, and `go run ./examples/quickstart`
// adds a controller.
//
// # The packages
//
//   - apimeta: what all objects have in common (metadata, conditions, options, label and field selectors, tables).
//   - status: the kind Status as a Go error. A hook that returns such an error chooses the response. For any other error the
//     server responds with 500, and logs the cause.
//   - patch: JSON Patch, merge patch and strategic merge patch, as pure functions on documents.
//   - watch: the revision log, one ordered history of changes. A watcher is a position in it and a selector.
//   - storage: the contract of a store. storage/memory keeps objects in memory, storage/bolt also in a file, and the modules
//     storage/etcd and storage/postgres where replicas share them. storage/engine and storage/storagetest help authors of
//     stores, and storage/foreign serves objects that live elsewhere.
//   - rest: resources, the HTTP handler, and typed clients for the same process and for other processes.
//   - rest/builtin: the kinds Namespace, Lease and Event, which clients of Kubernetes expect from every API.
//   - rest/controller: informers, a work queue and a reconcile loop.
//   - rest/lifecycle: the controllers that delete objects. They collect garbage, empty namespaces, delete expired objects,
//     and end grace periods.
//   - rest/events: a recorder of events for kubectl describe.
//   - rest/election: the election of a leader among the replicas of a program.
//   - rest/host: the start and the end of a program around an API: server, election, controllers.
//   - rest/auth: finds out who sends a request, and tells clients what they may do (kubectl auth can-i).
//   - rest/rbac: decides what users may do by the roles and bindings of Kubernetes.
//   - rest/serviceaccount: identities of programs, and their tokens.
//   - rest/credentials: tokens of people and keys of service accounts, in files.
//   - rest/kubeconfig: reads and writes the files in which kubectl keeps addresses and credentials.
//   - rest/seed: creates the first objects of an API from files.
//   - rest/validate: says what an API would answer to the objects in files.
//   - rest/crd: serves the kinds of CustomResourceDefinitions, and exports a kind as one.
//   - rest/webhook, rest/policy: admission webhooks and admission policies that users of an API register, and rest/callout, the client
//     that calls webhooks.
//   - rest/quota: limits of what a namespace or a user stores.
//   - rest/fairness: shares the capacity of an API among its users, as API Priority and Fairness does.
//   - rest/debug: profiles, open watches and other states, behind a right of their own.
//   - rest/audit: records who did what, as Kubernetes' audit does.
//   - rest/requestlog: a line of log/slog for each request.
//   - rest/transaction: lists of objects that clients store together or not at all.
//   - rest/console: a web page that shows an API.
//   - rest/apiservice: lists groups and versions as objects, for clients that look there.
//   - rest/aggregated: makes an API a part of a Kubernetes cluster, as an aggregated API server.
//   - rest/cbor: the media type CBOR, for hosts that enable it.
//   - rest/resttest: serves an API to tests, with faults to inject.
//   - rest/conventions: checks kinds against the API conventions.
//
// Five modules add what needs more dependencies: cel, rules in the Common Expression Language; k8s, the kinds of
// k8s.io/api; rest/auth/oidc, people who log in with OpenID Connect; rest/metrics, metrics for Prometheus; and
// rest/tracing, requests as spans of OpenTelemetry. Module rest/vettags is a tool for go vet: it finds wrong api tags.
//
// A program links only the packages that it imports.
//
// # The way of a request
//
// A read sends the bytes that the store holds: the server encodes an object once, when it commits it. A write takes the
// steps of one list: the server decodes it, checks it against the URL, restores the fields that its verb may not
// change, sets defaults, validates it by the schema and by hooks, and encodes it. Then the store compares it with the
// current object, assigns a revision and appends the change to the log. If another write has changed the object in the
// meantime, the server repeats these steps, so a hook may run more than once for one request. Typed clients in the same
// process take the same steps.
//
// # What the host decides
//
// The host decides about the listener, TLS, users, logging, metrics and the path prefix. Set ReadTimeout and
// WriteTimeout on the server; otherwise a slow client occupies a connection for ever. For watches, the handler lifts
// the WriteTimeout through http.ResponseController. A middleware that wraps the ResponseWriter must therefore have a
// method Unwrap, which net/http requires of every such wrapper.
//
// At the end of the program, first cancel the context of your controllers and wait for their Run. Then call
// rest.API.Shutdown, which ends the watches, and finally http.Server.Shutdown, which waits for all other requests.
package decorum
