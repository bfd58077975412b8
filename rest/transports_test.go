package rest_test

import (
	"net/http"
	"testing"

	"github.com/decorum-go/decorum/rest"
)

// transport is the way in which a test's client calls the API: in process or over HTTP.
type transport string

const (
	inProcess transport = "in process"
	overHTTP  transport = "over HTTP"
)

var transports = []transport{inProcess, overHTTP}

// overBoth runs a test of the typed client over both transports.
func overBoth(t *testing.T, test func(t *testing.T, by transport)) {
	for _, by := range transports {
		t.Run(string(by), func(t *testing.T) { test(t, by) })
	}
}

// clientBy returns a client of a resource. For HTTP, it mounts the API under a prefix.
func clientBy[T any](t testing.TB, by transport, api *rest.API, r rest.Resource[T]) rest.Client[T] {
	if by == inProcess {
		return clientFor[T](t, api)
	}
	return clientAt(t, serverOf(http.StripPrefix("/pre/fix", api)), r)
}

// serverOf returns a server that passes requests to a handler mounted under /pre/fix.
func serverOf(h http.Handler) rest.Endpoint {
	return rest.Endpoint{URL: "https://api.example.com/pre/fix/", HTTP: &http.Client{Transport: rest.RoundTripper(h)}}
}

// allWidgets returns the client of Widgets without a namespace.
func (by transport) allWidgets(t testing.TB, api *rest.API, options ...widgetOption) rest.Client[Widget] {
	return clientBy(t, by, api, widgetResource(options...))
}

// widgets returns the client of Widgets in namespace default.
func (by transport) widgets(t testing.TB, api *rest.API, options ...widgetOption) rest.Client[Widget] {
	return by.allWidgets(t, api, options...).Namespace("default")
}

// newDials is like the function newDials, with a client of this transport.
func (by transport) newDials(t testing.TB, options ...dialOption) (*rest.API, rest.Client[Dial]) {
	api, _ := newDials(t, options...)
	return api, clientBy(t, by, api, dialResource(options...)).Namespace("default")
}
