package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
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
	return c.patch(ctx, name, resource.MainPart, form, data)
}

// PatchStatus changes an object's status by a patch and nothing else.
func (c Client[T]) PatchStatus(ctx context.Context, name string, form PatchType, data []byte) (*T, error) {
	return c.patch(ctx, name, resource.StatusPart, form, data)
}

func (c Client[T]) patch(ctx context.Context, name string, which resource.Part, form PatchType, data []byte) (*T, error) {
	ctx, done, err := c.begin(ctx, Patch)
	if err != nil {
		return nil, err
	}
	defer done()
	if which == resource.StatusPart && !c.res.HasStatus() {
		return nil, status.ResourceNotFound()
	}
	o := c.writeOptions(ctx)
	defer c.tell(ctx, &o)
	want, err := c.res.ParsePatch(string(form), data, c.res.Schema, &o)
	if err != nil {
		return nil, err
	}
	out, err := c.res.Patch(ctx, c.namespace, name, which, want, o)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}
