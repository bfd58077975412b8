package rest

import (
	"context"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
)

// GetSubresource reads a subresource of an object: one that the host declares, or scale. S is the Go type of the
// subresource.
func GetSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string) (*S, error) {
	view := new(S)
	if err := c.getView(ctx, name, subresource, view); err != nil {
		return nil, err
	}
	return view, nil
}

func (c client) getView(ctx context.Context, name, subresource string, view any) error {
	w, err := c.view(ctx, access.VerbGet, name, subresource)
	if err != nil {
		return err
	}
	json, err := c.service.Get(service.Caller{Context: ctx}, w.Address, "")
	return into(view, json, err)
}

// UpdateSubresource changes an object through a subresource, and returns the resulting subresource. It returns a
// Conflict if sub has a resourceVersion other than that of the object.
func UpdateSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string, sub *S) (*S, error) {
	return viewOf[S](c.writeView(ctx, access.VerbUpdate, name, subresource, sub, reflect.TypeFor[S]()))
}

// CreateSubresource runs an action on an object and returns the result of the action, which may be nil.
func CreateSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string, sub *S) (*S, error) {
	return viewOf[S](c.writeView(ctx, access.VerbCreate, name, subresource, sub, reflect.TypeFor[S]()))
}

// viewOf decodes the answer to a write of a subresource, which may be empty.
func viewOf[S any](answer []byte, err error) (*S, error) {
	if err != nil || answer == nil {
		return nil, err
	}
	view := new(S)
	if err := codec.Unmarshal(answer, view); err != nil {
		return nil, err
	}
	return view, nil
}

// writeView writes a subresource, whose Go type is t. It sets apiVersion and kind, so the caller need not.
func (c client) writeView(ctx context.Context, verb access.Verb, name, subresource string, sub any,
	t reflect.Type) ([]byte, error) {
	w, err := c.view(ctx, verb, name, subresource)
	if err != nil {
		return nil, err
	}
	v, err := codec.FromGo(sub)
	if err != nil {
		return nil, status.BadRequest(err.Error())
	}
	kind := c.res.KindOfView(subresource, t)
	w.Object = v.With("apiVersion", doc.Of(kind.GroupVersion().String())).With("kind", doc.Of(kind.Kind))
	return c.do(ctx, w)
}

// view returns a write of a subresource that has its own kind, and checks that the subresource supports the verb. For
// other subresources, such as status, the client has methods.
func (c client) view(ctx context.Context, verb access.Verb, name, subresource string) (*service.Wanted, error) {
	w, err := c.write(ctx, access.VerbGet, name, subresource) // every verb on a subresource requires that the resource supports get
	if err != nil {
		return nil, err
	}
	w.Verb = string(verb)
	sub := c.res.FindSubresource(subresource)
	switch {
	case sub == nil && c.res.IsOutline(): // the server decides
	case sub == nil || sub.OfItself:
		return nil, status.ResourceNotFound()
	case !sub.Has(string(verb)):
		return nil, status.MethodNotSupported(c.res.GR, string(verb))
	}
	return w, nil
}
