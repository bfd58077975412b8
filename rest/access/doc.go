// Package access has the words in which an API and its host speak about who may do what. An [Authenticator] finds out
// the [User] of a request. An [Authorizer] decides whether the user may have the [Access] that the request needs, and
// returns a [Decision]. A [Limiter] decides when the API works on the request. Package rest asks all three; packages
// rest/auth, rest/rbac and rest/fairness have ready ones.
//
// Hooks find the user of their request with [UserFrom], and the access with [AccessFrom]. [Authorize] asks about another
// access.
package access
