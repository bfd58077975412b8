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
	c, err := api.clientForType(reflect.TypeFor[*T]().Elem())
	return Client[T]{calls[*T]{c}}, err
}

func (a *API) clientForType(t reflect.Type) (*client, error) {
	var found *resource.Resource
	for res := range a.front.Serving().EveryVersion {
		if res.GoType.ObjectType() != t {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("rest.ClientForType: %s is the type of more than one resource: call rest.ClientForResource", t)
		}
		found = res
	}
	if found == nil {
		return nil, fmt.Errorf("rest.ClientForType: the API serves no resource of %s", t)
	}
	return &client{res: found, service: a.callsOf(found), door: newDoor()}, nil
}

// ClientForResource returns the in-process client of the resource with a group, a version and a plural, whose Go type
// must be T. All kinds without a Go struct have the type [apimeta.Document]. It returns an error if the API does not
// serve the resource, or serves it with another type; call it again after [API.AddResources] has added the resource.
//
// While the API does not serve the resource of a client, its calls return NotFound. The client works again once the API
// serves the resource again.
func ClientForResource[T any](api *API, of apimeta.GroupVersionResource) (Client[T], error) {
	c, err := api.clientForResource(reflect.TypeFor[*T]().Elem(), of)
	return Client[T]{calls[*T]{c}}, err
}

func (a *API) clientForResource(t reflect.Type, of apimeta.GroupVersionResource) (*client, error) {
	for res := range a.front.Serving().EveryVersion {
		if res.GVK.GroupVersion() != of.GroupVersion() || res.GR.Resource != of.Resource {
			continue
		}
		if of := res.GoType.ObjectType(); of != t {
			return nil, fmt.Errorf("rest.ClientForResource: %s has the type %s, not %s", res.GR, of, t)
		}
		return &client{res: res, service: a.callsOf(res), door: newDoor()}, nil
	}
	return nil, fmt.Errorf("rest.ClientForResource: the API does not serve %v", of)
}

// ClientForHook returns the in-process client of the resource whose Go type is T, in the API that runs a hook. ctx is
// the context that the hook received, and the one to pass to the calls. With any other context, and where
// [ClientForType] returns an error, ClientForHook returns one.
func ClientForHook[T any](ctx context.Context) (Client[T], error) {
	c, err := clientForHook(ctx, reflect.TypeFor[*T]().Elem())
	return Client[T]{calls[*T]{c}}, err
}

func clientForHook(ctx context.Context, t reflect.Type) (*client, error) {
	env := write.EnvironmentOf(ctx)
	if env == nil {
		return nil, errors.New("rest.ClientForHook: the context does not belong to a hook")
	}
	return env.Owner.(*API).clientForType(t)
}

// callsOf returns the calls of a resource for clients in the same process.
func (a *API) callsOf(res *resource.Resource) *service.Calls {
	return &service.Calls{Local: service.Local{Resource: res, Writes: a.writes}, Enter: a.flights.EnterCall,
		Leave: a.flights.LeaveCall, Calling: a.calling}
}
