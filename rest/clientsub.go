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
	return as[*S](c.getView(ctx, name, subresource, reflect.TypeFor[*S]()))
}

// getView returns a subresource as a value of the type pointer.
func (c *client) getView(ctx context.Context, name, subresource string, pointer reflect.Type) (any, error) {
	w, err := c.view(ctx, access.VerbGet, name, subresource)
	if err != nil {
		return nil, err
	}
	view := reflect.New(pointer.Elem()).Interface()
	json, err := c.service.Get(service.Caller{Context: ctx}, w.Address, "")
	if err := decodeInto(view, json, err); err != nil {
		return nil, err
	}
	return view, nil
}

// UpdateSubresource changes an object through a subresource, and returns the resulting subresource. It returns a
// Conflict if sub has a resourceVersion other than that of the object.
func UpdateSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string, sub *S) (*S, error) {
	return as[*S](c.writeView(ctx, access.VerbUpdate, name, subresource, sub))
}

// CreateSubresource runs an action on an object and returns the result of the action, which may be nil.
func CreateSubresource[S, T any](ctx context.Context, c Client[T], name, subresource string, sub *S) (*S, error) {
	return as[*S](c.writeView(ctx, access.VerbCreate, name, subresource, sub))
}

// writeView writes a subresource. sub and the result are pointers to its Go type; the result is nil if an action has
// none. writeView sets apiVersion and kind, so the caller need not.
func (c *client) writeView(ctx context.Context, verb access.Verb, name, subresource string, sub any) (any, error) {
	w, err := c.view(ctx, verb, name, subresource)
	if err != nil {
		return nil, err
	}
	v, err := codec.FromGo(sub)
	if err != nil {
		return nil, status.BadRequest(err.Error())
	}
	t := reflect.TypeOf(sub).Elem()
	kind := c.res.KindOfView(subresource, t)
	w.Object = v.With("apiVersion", doc.Of(kind.GroupVersion().String())).With("kind", doc.Of(kind.Kind))
	answer, err := c.do(ctx, w)
	if err != nil || answer == nil {
		return nil, err
	}
	result := reflect.New(t).Interface()
	if err := codec.Unmarshal(answer, result); err != nil {
		return nil, err
	}
	return result, nil
}

// view returns a write of a subresource that has its own kind, and checks that the subresource supports the verb. For
// other subresources, such as status, the client has methods.
func (c *client) view(ctx context.Context, verb access.Verb, name, subresource string) (*service.Wanted, error) {
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
