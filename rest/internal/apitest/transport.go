package apitest

import (
	"net/http"
	"testing"

	"github.com/decorum-go/decorum/rest"
)

// Transport is the way in which a test's client calls the API: in process or over HTTP.
type Transport string

const (
	inProcess Transport = "in process"
	OverHTTP  Transport = "over HTTP"
)

// Transports are all ways to call an API.
var Transports = []Transport{inProcess, OverHTTP}

// OverBoth runs a test of the typed client over both transports.
func OverBoth(t *testing.T, test func(t *testing.T, by Transport)) {
	for _, by := range Transports {
		t.Run(string(by), func(t *testing.T) { test(t, by) })
	}
}

// ClientBy returns a client of a resource. For HTTP, it mounts the API under a prefix.
func ClientBy[T any](t testing.TB, by Transport, api *rest.API, r rest.Resource[T]) rest.Client[T] {
	if by == inProcess {
		return ClientFor[T](t, api)
	}
	return ClientForEndpoint(t, EndpointOf(http.StripPrefix("/pre/fix", api)), r)
}

// EndpointOf returns a server that passes requests to a handler mounted under /pre/fix.
func EndpointOf(h http.Handler) rest.Endpoint {
	return rest.Endpoint{URL: "https://api.example.com/pre/fix/", HTTP: &http.Client{Transport: rest.RoundTripper(h)}}
}

// AllWidgets returns the client of Widgets without a namespace.
func (by Transport) AllWidgets(t testing.TB, api *rest.API, options ...WidgetOption) rest.Client[Widget] {
	return ClientBy(t, by, api, WidgetResource(options...))
}

// Widgets returns the client of Widgets in namespace default.
func (by Transport) Widgets(t testing.TB, api *rest.API, options ...WidgetOption) rest.Client[Widget] {
	return by.AllWidgets(t, api, options...).Namespace("default")
}

// NewDials is like the function newDials, with a client of this transport.
func (by Transport) NewDials(t testing.TB, options ...DialOption) (*rest.API, rest.Client[Dial]) {
	api, _ := NewDials(t, options...)
	return api, ClientBy(t, by, api, DialResource(options...)).Namespace("default")
}
