// Package rest serves resources over HTTP by the Kubernetes API conventions. The program that serves them reads and
// writes them through a typed client in the same process. Other programs use the same client over HTTP.
//
// Declare a kind as a Go struct, describe in a [Resource] how to serve it, and pass it to [New]. The [API] that New
// returns is a [net/http.Handler]; [ClientForType] returns a [Client] of a kind. [ClientForEndpoint] returns a Client
// of a kind that another process serves.
//
// # Contents
//
// Every host needs the first group. The others follow in the order in which hosts come to need them.
//
//   - To serve a kind: [Resource], which is a [Definition], [New] with [Options], and [API]. [Hooks] default and
//     validate objects in Go, [Rules] in CEL. [Column] and [ColumnFunc] are what kubectl get shows, and [Names] what a
//     person may type. [Scope] says where objects live, and [NameRule] how they may be called.
//   - To read and write from Go: [ClientForType] returns a [Client], whose calls take [ListOptions], [WatchOptions] and
//     [DeleteOptions], and return a [Page] or an [Event]. A hook uses [ClientForHook], another process
//     [ClientForEndpoint] with an [Endpoint], and a program that learns at run time which resource to use
//     [ClientForResource]. [RoundTripper] lets an HTTP client call an API in its process.
//   - To tell the client of a write something, or to hear it: [Warn], [WithWarnings] and [IsDryRun].
//   - To serve several versions of a kind: [VersionOf], [Converted] and [Stage].
//   - To serve paths below an object: [SubresourceOf], [Subresource], [Scale], and [Stream] with its [Session] and
//     [TerminalSize]. [CreateSubresource], [GetSubresource] and [UpdateSubresource] call them.
//   - To serve kinds of others: [Schema] for a kind without a Go struct, [Wire] and [Dialect] for kinds of Kubernetes,
//     [NamespacesOf] for namespaces, and [DefiningObject] for kinds that an object defines. [Describe] returns a
//     [Description], with each [DescribedSubresource], for tools. [NameTakenError] says which name two kinds share.
//   - To run an API: [Limits], [Health] with each observe.HealthCheck, [Browsers], [ProgramVersion], [Transcoder] for
//     CBOR, and [TypeCache] for programs that make many APIs. [Stats] and [API.OpenWatches] show what an API is doing.
//   - To write a plug-in: [Plugin], [PluginAPI] and [PluginParts], [Evaluator] for rules that clients bring, and [Wait]
//     for its Stop. Its parts have the types of packages access, admission and observe.
//   - Extensions, which may change until v1.1: [History], [HistoryOf], [HistoryClient] and [UndoOptions]; [Queries] and
//     [CountOptions], with the answer in package queries; [Committed] for transactions.
//
// # Words
//
// The words of this package are those of the API conventions:
//
//   - A kind is a type of object, such as Widget. A resource is the collection of the objects of a kind, such as widgets. Each
//     has a group and one or more versions. The store keeps objects in one of the versions.
//   - An object has metadata, a spec (the wanted state) and a status (the observed state).
//   - A subresource has a path below that of its object. It is a part of the object (/status), a view of it (/scale), an action, or a
//     stream.
//   - A write is a create, an update, a patch, an apply or a delete. The server takes the steps of a write in one order, whatever its
//     verb and its client. docs/design-of-rest.md has the table of the steps. To prune is to remove unknown fields, to default is to set
//     missing ones, to admit is to let admission hooks change or refuse the object, to convert is to change its version, and to own is
//     to be the manager of a field.
//   - Admission consists of the host's hooks on the writes of all kinds: see package admission. A [Resource] has the hooks on one kind.
//   - A part is a part of an object ([Wire].Parts) or, of a plug-in, what it adds to an API ([PluginParts]).
//   - To claim is to record that an action of a subresource begins, and to settle is to record what became of it.
//   - To hold an object is to keep it from being removed, as finalizers and a grace period do.
//   - A watch reports the changes of objects. A stream carries bytes through a subresource.
//   - A plug-in adds kinds, hooks, users, rights and work in the background to an API: see [Plugin].
//   - A dialect is one of the two ways in which Kubernetes' own servers answer, [DialectCustom] or [DialectBuiltin].
//
// # Concurrency and errors
//
// Hooks hold no lock and may call the API. They work on a snapshot, and run again if another write commits first. If a
// hook returns an error of package status, the server sends this error. If a hook returns any other error or panics,
// the server sends a 500, and logs the error.
//
// # Contexts
//
// The context that a hook receives carries the request or the call that runs the hook. These functions read it, or a
// context derived from it. Any other context carries no request:
//
//   - [access.AccessFrom] returns an Access with only the User, and [access.UserFrom] the user of [access.WithUser].
//   - [access.Authorize] and [ClientForHook] return an error. [access.AuthorizerFrom] returns false.
//   - [Warn] and [API.AfterCommit] do nothing and return false. [IsDryRun] returns false.
//   - observe.BeginStep returns observe.Unobserved, and audit.Annotate does nothing.
//   - [API.WaitOutside] counts the wait, but no request gives its seat to others. The methods of a [PluginAPI] that work for a
//     request return or answer an InternalError.
//
// [WithWarnings] and [access.WithUser] are for the context of a call. The hooks of that call receive what they add.
//
// docs/design-of-rest.md shows how the package is built, for those who want to change it.
package rest
