package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
)

// Patch applies a patch to an object and returns the object as stored. If another client writes the object in between,
// the server applies the patch to the new state. A patch with a resourceVersion is conditional: Patch returns a
// Conflict if the object has another resourceVersion.
func (c calls[P]) Patch(ctx context.Context, name string, form apimeta.PatchType, data []byte) (P, error) {
	return as[P](c.patch(ctx, name, "", form, data))
}

// PatchStatus applies a patch to the status of an object, and changes nothing else.
func (c calls[P]) PatchStatus(ctx context.Context, name string, form apimeta.PatchType, data []byte) (P, error) {
	return as[P](c.patch(ctx, name, theStatus, form, data))
}

func (c *client) patch(ctx context.Context, name, subresource string, form apimeta.PatchType, data []byte) (any, error) {
	w, err := c.write(ctx, access.VerbPatch, name, subresource)
	if err != nil {
		return nil, err
	}
	w.Form, w.Data = string(form), data
	return c.decode(c.do(ctx, w))
}
