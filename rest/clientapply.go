package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
)

// Apply makes an object match a configuration and returns it as stored (API concepts, Server-Side Apply). The client's
// manager (see [Client.FieldManager]) then owns the fields of the configuration. Fields that it applied earlier and now leaves
// out are removed, unless other managers own them too. If the object does not exist, Apply creates it.
//
// config is any value whose JSON is the configuration: a map, a struct with the wanted fields, or a *T if every field
// that T encodes is wanted. config need not contain kind, apiVersion, name and namespace.
func (c calls[P]) Apply(ctx context.Context, name string, config any, options apimeta.ApplyOptions) (P, error) {
	return as[P](c.apply(ctx, name, "", config, options))
}

// ApplyStatus makes the status of an object match a configuration, and changes nothing else. The object must exist.
func (c calls[P]) ApplyStatus(ctx context.Context, name string, config any, options apimeta.ApplyOptions) (P, error) {
	return as[P](c.apply(ctx, name, theStatus, config, options))
}

func (c *client) apply(ctx context.Context, name, subresource string, config any,
	options apimeta.ApplyOptions) (any, error) {
	w, err := c.write(ctx, access.VerbPatch, name, subresource)
	if err != nil {
		return nil, err
	}
	w.Verb, w.Asked.Force = service.Apply, options.Force
	v, err := codec.FromGo(config)
	if err != nil {
		return nil, status.BadRequest(err.Error())
	}
	if w.Object = c.res.WithKind(v); objectmeta.NameOf(v) == "" {
		w.Object = w.Object.WithAt(doc.Of(name), "metadata", objectmeta.Name)
	}
	return c.decode(c.do(ctx, w))
}
