// Package clients holds no code, only tests: client-go and controller-runtime as
// programs use them, against an API in the same process. Every test runs twice,
// over a socket and over rest.RoundTripper, and nothing in it is told which.
//
// It is a module of its own, so that what these libraries need never reaches the
// library's users.
package clients
