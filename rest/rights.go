package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/rest/access"
)

// AccessOf returns the access that a request needs, so that middleware can log or limit the request.
// [Options.Authorizer] is asked about the same access, so middleware need not authorize requests. If the host uses
// [http.StripPrefix], the middleware must run inside of it, because AccessOf expects the path without the prefix.
//
// AccessOf parses a path, including its escapes, exactly as the API does. It parses the path of a resource that the API
// does not serve as kube-apiserver does. Middleware must not parse paths itself: a client could then reach an object
// for which the middleware has not authorized it. AccessOf treats an invalid path, such as one with an escaped slash in
// a name, as a path outside all resources. The API answers such a path with 404.
func (a *API) AccessOf(r *http.Request) access.Access { return a.front.AccessOf(r) }

// RightsChanged makes the API ask [Options.Authorizer] again about every open watch and stream. If the user may no
// longer do exactly the same, a watch ends with 410 Expired, so that its client lists again, and the context of a
// stream ends. RightsChanged returns at once. An Authorizer calls it after its rules have changed; package access/rbac
// does.
func (a *API) RightsChanged() { a.rights.Changed() }
