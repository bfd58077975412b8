package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// ClientForType returns the in-process client of the resource whose Go type is T. It returns an error unless the API
// serves exactly one such resource. Two kinds of resources need [ClientForResource]: those that share a Go type, and
// those that the API does not serve yet when the program starts.
func ClientForType[T any](api *API) (Client[T], error) {
	var found *resource.Resource
	for res := range api.serving.Load().EveryVersion {
		if _, ok := res.GoType.(*typed[T]); !ok {
			continue
		}
		if found != nil {
			return Client[T]{}, fmt.Errorf("rest.ClientForType: %s is the type of more than one resource: call rest.ClientForResource", reflect.TypeFor[T]())
		}
		found = res
	}
	if found == nil {
		return Client[T]{}, fmt.Errorf("rest.ClientForType: the API serves no resource of %s", reflect.TypeFor[T]())
	}
	return Client[T]{res: found, service: api.callsOf(found)}, nil
}

// ClientForResource returns the in-process client of the resource with a group, a version and a plural, whose Go type
// must be T. All kinds without a Go struct have the type [apimeta.Document]. It returns an error if the API does not
// serve the resource, or serves it with another type; call it again after [API.AddResources] has added the resource.
//
// While the API does not serve the resource of a client, its calls return NotFound. The client works again once the API
// serves the resource again.
func ClientForResource[T any](api *API, of apimeta.GroupVersionResource) (Client[T], error) {
	for res := range api.serving.Load().EveryVersion {
		if res.GVK.GroupVersion() != of.GroupVersion() || res.GR.Resource != of.Resource {
			continue
		}
		if _, ok := res.GoType.(*typed[T]); !ok {
			return Client[T]{}, fmt.Errorf("rest.ClientForResource: %s has the type %s, not %s", res.GR, res.GoType.ObjectType(),
				reflect.TypeFor[T]())
		}
		return Client[T]{res: res, service: api.callsOf(res)}, nil
	}
	return Client[T]{}, fmt.Errorf("rest.ClientForResource: the API does not serve %v", of)
}

// ClientForHook returns the in-process client of the resource whose Go type is T, in the API that runs a hook. ctx is
// the context that the hook received, and the one to pass to the calls. With any other context, and where
// [ClientForType] returns an error, ClientForHook returns one.
func ClientForHook[T any](ctx context.Context) (Client[T], error) {
	env := write.EnvironmentOf(ctx)
	if env == nil {
		return Client[T]{}, errors.New("rest.ClientForHook: the context is not that of a hook")
	}
	return ClientForType[T](env.Owner.(*API))
}

// callsOf returns the calls of a resource for clients in the same process.
func (a *API) callsOf(res *resource.Resource) *service.Calls {
	return &service.Calls{Local: service.Local{Resource: res, Writes: a.writes}, Enter: a.flights.EnterCall,
		Leave: a.flights.LeaveCall, Calling: a.calling}
}
