// Package route parses the paths of requests. The API and the host's middleware both use it, so a request reaches
// exactly the object that the middleware has authorized.
package route
