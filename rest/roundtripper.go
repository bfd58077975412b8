package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/inprocess"
)

// RoundTripper returns a transport that calls the handler in process, without a socket, a port or TLS. Give it to
// client-go as rest.Config.Transport, or to an http.Client. The scheme of the URL does not matter, nor does the host,
// unless [Browsers.AllowedHosts] is set: then it must be one of these names. Answers stream, so watches work.
//
// The handler runs in a goroutine of its own. It is expected to return when the client closes the body of the answer,
// when the context of the request ends, or when [API.Close] is called.
func RoundTripper(h http.Handler) http.RoundTripper { return inprocess.Transport(h) }
