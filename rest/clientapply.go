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

// ApplyOptions say how to apply.
type ApplyOptions struct {
	// Force takes over fields that other managers own. Without it such a conflict is an error for which
	// [status.IsConflict] holds, with a cause for each field.
	Force bool
}

// Apply brings an object to what a configuration says, and returns it as it is then (API concepts, Server-Side Apply). The
// client's manager (see [Client.As]) owns the fields that stand in the configuration; those that it has applied before
// and leaves out now are removed, unless others own them too. An object that does not exist is created.
//
// config is anything whose JSON is the configuration: a map, a struct with the wanted fields, or a *T, if all that T
// writes without being asked is wanted too. Kind, apiVersion, name and namespace need not be in it.
func (c Client[T]) Apply(ctx context.Context, name string, config any, options ApplyOptions) (*T, error) {
	return c.apply(ctx, name, "", config, options)
}

// ApplyStatus brings an object's status to what a configuration says and changes nothing else. The object must exist.
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
