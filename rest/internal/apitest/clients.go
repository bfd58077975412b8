package apitest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// ClientFor returns the client of the resource whose Go type is T.
func ClientFor[T any](t testing.TB, api *rest.API) rest.Client[T] {
	t.Helper()
	client, err := rest.ClientForType[T](api)
	require.NoError(t, err)
	return client
}

// ClientOf returns the client of a resource.
func ClientOf[T any](t testing.TB, api *rest.API, of apimeta.GroupVersionResource) rest.Client[T] {
	t.Helper()
	client, err := rest.ClientForResource[T](api, of)
	require.NoError(t, err)
	return client
}

// ClientForEndpoint returns a client that sends its calls to a server.
func ClientForEndpoint[T any](t testing.TB, server rest.Endpoint, r rest.Resource[T]) rest.Client[T] {
	t.Helper()
	client, err := rest.ClientForEndpoint(server, r)
	require.NoError(t, err)
	return client
}
