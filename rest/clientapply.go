package rest

import (
	"cmp"
	"context"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// ApplyOptions say how to apply a configuration.
type ApplyOptions struct {
	// Force takes over fields that other managers own. Without it such fields are a conflict: an error for which
	// [status.IsConflict] holds, with a cause for each field.
	Force bool
}

// Apply makes an object match a configuration and returns it as stored (API concepts, Server-Side Apply). The client's manager
// (see [Client.As]) then owns the fields of the configuration. Fields that it applied earlier and now leaves out are removed,
// unless other managers own them too. If the object does not exist, Apply creates it.
//
// config is any value whose JSON is the configuration: a map, a struct with the wanted fields, or a *T if every field that T
// encodes is wanted. config need not contain kind, apiVersion, name and namespace.
func (c Client[T]) Apply(ctx context.Context, name string, config any, options ApplyOptions) (*T, error) {
	return c.apply(ctx, name, "", config, options)
}

// ApplyStatus makes the status of an object match a configuration, and changes nothing else. The object must exist.
func (c Client[T]) ApplyStatus(ctx context.Context, name string, config any, options ApplyOptions) (*T, error) {
	return c.apply(ctx, name, theStatus, config, options)
}

func (c Client[T]) apply(ctx context.Context, name string, subresource string, config any, options ApplyOptions) (*T, error) {
	ctx, done, err := c.begin(ctx, Patch)
	if err != nil {
		return nil, err
	}
	defer done()
	w, err := c.newWrite(ctx, name, subresource)
	if err != nil {
		return nil, err
	}
	if c.res.Managed == nil {
		return nil, status.UnsupportedMediaType(c.res.PatchTypes(nil))
	}
	defer c.tell(ctx, w)
	w.Asked.Force = options.Force
	if cmp.Or(w.Asked.Manager, w.Asked.Agent) == "" {
		return nil, resource.InvalidOptions("PatchOptions", status.FieldErrors{resource.ManagerRequired()})
	}
	v, err := codec.FromGo(config)
	if err != nil {
		return nil, status.BadRequest(err.Error())
	}
	v = c.res.WithKind(v)
	if objectmeta.NameOf(v) == "" {
		v = v.WithAt(doc.Of(name), "metadata", objectmeta.Name)
	}
	if err := w.Apply(v); err != nil {
		return nil, err
	}
	out, err := w.Update(ctx)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}
