package resttest

import (
	"testing"

	"github.com/decorum-go/decorum/rest"
)

// Client returns the in-process client of the resource whose Go type is T, as [rest.ClientForType] does. If the API
// serves no such resource, or several, it fails the test.
func Client[T any](t testing.TB, api *rest.API) rest.Client[T] {
	t.Helper()
	client, err := rest.ClientForType[T](api)
	if err != nil {
		t.Fatalf("resttest: %v", err)
	}
	return client
}
