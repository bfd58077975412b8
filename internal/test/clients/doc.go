// Package clients contains only tests. They use client-go and controller-runtime, as programs do, against an API in the
// same process. Every test runs twice, over a socket and over rest.RoundTripper, and does not know which.
//
// It is a separate module, so that its dependencies do not become those of the library's users.
package clients
