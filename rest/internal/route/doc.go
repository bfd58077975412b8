// Package route reads the paths of requests: where a request leads, and what it asks. Everything that depends on a path splits it
// here, so that a request reaches exactly what the host's middleware has authorized.
package route
