package rest

import (
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// mediaApplyCBOR is a configuration to apply in CBOR. It is served with Options.CBOR.
const mediaApplyCBOR = "application/apply-patch+cbor"

// patch answers PATCH of an object.
func (q *request) patch() error { return q.patchPart(resource.MainPart) }

func (q *request) patchPart(which resource.Part) error {
	if err := q.checkPatchType(q.res.PatchTypes()); err != nil {
		return err
	}
	c, err := q.beginWrite("PatchOptions", true)
	if err != nil {
		return err
	}
	defer c.cancel()
	if q.applies() {
		return q.applyPart(which, c)
	}
	want, err := q.readPatch(q.res.Schema, &c.options)
	if err != nil {
		return err
	}
	done, err := q.res.Patch(c.ctx, c.namespace, c.name, which, want, c.options)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, c.rep, done.JSON)
}

// checkPatchType refuses a body that is no patch, before anything else of the request counts.
func (q *request) checkPatchType(types []string) error {
	if q.api.options.CBOR != nil && slices.Contains(types, kind.ApplyPatch) {
		types = append(types, mediaApplyCBOR)
	}
	switch {
	case q.r.Header.Get("Content-Type") != "" && slices.Contains(types, q.contentType()):
		return nil
	case q.checkedByRoute():
		err := status.UnsupportedMediaType(types)
		err.Status.Message = "415: Unsupported Media Type"
		return err
	}
	return status.UnsupportedMediaType(types)
}

// readPatch reads the body as the patch that its media type says it is, of an object that the schema describes.
func (q *request) readPatch(of *schema.Schema, o *resource.WriteOptions) (resource.Change, error) {
	data, err := q.readBody()
	if err != nil {
		return nil, err
	}
	return q.res.ParsePatch(q.contentType(), data, of, o)
}
