package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// PatchType is a form of patch, by its media type.
type PatchType string

// The forms of patch (API concepts, Patches). Strategic is for resources of the built-in dialect.
const (
	JSONPatch      PatchType = kind.JSONPatch
	MergePatch     PatchType = kind.MergePatch
	StrategicPatch PatchType = kind.StrategicPatch
)

// Patch changes an object by a patch and returns it as it is then. The patch is applied again when the object changes
// meanwhile; a resourceVersion inside the patch makes it conditional.
func (c Client[T]) Patch(ctx context.Context, name string, form PatchType, data []byte) (*T, error) {
	return c.patch(ctx, name, "", form, data)
}

// PatchStatus changes an object's status by a patch and nothing else.
func (c Client[T]) PatchStatus(ctx context.Context, name string, form PatchType, data []byte) (*T, error) {
	return c.patch(ctx, name, theStatus, form, data)
}

func (c Client[T]) patch(ctx context.Context, name string, subresource string, form PatchType, data []byte) (*T, error) {
	ctx, done, err := c.begin(ctx, Patch)
	if err != nil {
		return nil, err
	}
	defer done()
	w, err := c.newWrite(ctx, name, subresource)
	if err != nil {
		return nil, err
	}
	defer c.tell(ctx, w)
	if err := w.Patch(string(form), data); err != nil {
		return nil, err
	}
	out, err := w.Update(ctx)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}
