package rest

import (
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// ClientOf returns the in-process client of the resource with this group, version and plural, whose Go type must be T. Use it if
// several resources have one Go type, as the kinds without a Go struct do: their type is [apimeta.Document]. If the API does not
// serve the resource, or serves it with another type, every call of the client returns a BadRequest error, also after a later
// [API.AddResources]: make a new client then. A client that was made while the API served the resource works again after each later
// AddResources.
func ClientOf[T any](api *API, of apimeta.GroupVersionResource) Client[T] {
	for res := range api.serving.Load().EveryVersion {
		if res.GVK.GroupVersion() != of.GroupVersion() || res.GR.Resource != of.Resource {
			continue
		}
		if _, ok := res.GoType.(*typed[T]); !ok {
			return Client[T]{err: status.BadRequest(fmt.Sprintf("rest.ClientOf: %s has the type %s, not %s", res.GR, res.GoType.ObjectType(), reflect.TypeFor[T]()))}
		}
		return Client[T]{res: res, caller: api.callerOf(res)}
	}
	return Client[T]{err: status.BadRequest(fmt.Sprintf("rest.ClientOf: the API does not serve %v", of))}
}
