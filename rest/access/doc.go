// Package access has the words in which an API and its host speak about who may do what. An [Authenticator] finds out
// the [User] of a request. An [Authorizer] decides whether the user may have the [Access] that the request needs, and
// returns a [Decision]. Package rest asks both; packages rest/auth and rest/rbac have ready ones.
//
// Hooks find the user of their request with [UserFrom], and the access with [AccessFrom]. [Authorize] asks about another
// access.
package access
