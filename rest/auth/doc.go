// Package auth finds out who sends a request, and tells clients what others may do.
//
//	users := access.Authenticators{auth.Certificates(authorities), auth.Tokens(tokens...)}
//	api, err := rest.New(rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles, auth.Reviews()}}, definitions...)
//
// Nothing that a client sends is trusted unless an authenticator of the host reads it. [RequestHeaders] reads headers
// that name the user, but only in requests of a proxy that proves who it is.
package auth
