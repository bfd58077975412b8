package rest

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/patch"
	"github.com/decorum-go/decorum/status"
)

// Media types of patches (API concepts, Patches).
const (
	mediaJSONPatch  = "application/json-patch+json"
	mediaMergePatch = "application/merge-patch+json"
	mediaStrategic  = "application/strategic-merge-patch+json"
	mediaApply      = "application/apply-patch+yaml"
	mediaApplyCBOR  = "application/apply-patch+cbor" // with Options.CBOR
)

// patchTypes are the media types that a PATCH of the resource takes.
func (res *resource) patchTypes() []string {
	types := []string{mediaJSONPatch, mediaMergePatch}
	if res.strategicMerge {
		types = append(types, mediaStrategic)
	}
	if res.managed != nil {
		types = append(types, mediaApply)
	}
	return types
}

// patch answers PATCH of an object.
func (q *request) patch() error { return q.patchPart(mainPart) }

func (q *request) patchPart(which part) error {
	if err := q.checkPatchType(q.res.patchTypes()); err != nil {
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
	want, err := q.readPatch(q.res.schema, &c.options)
	if err != nil {
		return err
	}
	done, err := q.res.patch(c.ctx, c.namespace, c.name, which, want, c.options)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, c.rep, done.json)
}

// patch changes an object, or its status, by a patch.
func (res *resource) patch(ctx context.Context, namespace, name string, which part, want change, o writeOptions) (result, error) {
	o.fromPatch = true
	return res.update(ctx, namespace, name, which, func(old doc.Value) (doc.Value, error) {
		obj, err := want(old)
		if err != nil {
			return doc.Value{}, err
		}
		if obj.Kind() == doc.Map && !res.kindRequired && obj.Get("kind").Text() == "" {
			obj = obj.With("kind", old.Get("kind"))
		}
		return obj, res.checkPatched(obj, old)
	}, o)
}

// checkPatchType refuses a body that is no patch, before anything else of the request counts.
func (q *request) checkPatchType(types []string) error {
	if q.api.options.CBOR != nil && slices.Contains(types, mediaApply) {
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
func (q *request) readPatch(of *schema.Schema, o *writeOptions) (change, error) {
	data, err := q.readBody()
	if err != nil {
		return nil, err
	}
	return q.res.parsePatch(q.contentType(), data, of, o)
}

// refused is a patch that cannot be read. It is refused after an object that is not there.
func refused(err error) change {
	return func(doc.Value) (doc.Value, error) { return doc.Value{}, err }
}

// parsePatch reads a patch of an object that the schema describes.
func (res *resource) parsePatch(media string, data []byte, of *schema.Schema, o *writeOptions) (change, error) {
	switch media {
	case mediaJSONPatch:
		p, err := patch.ParseJSONPatch(data)
		if err != nil {
			return refused(err), nil
		}
		o.problems = p.Warnings()
		return p.Apply, nil
	case mediaStrategic:
		if !res.strategicMerge {
			break
		}
		p, err := patch.ParseStrategicMergePatch(data)
		if err != nil {
			return refused(err), nil
		}
		o.problems = p.Warnings()
		return func(old doc.Value) (doc.Value, error) {
			obj, err := p.Apply(old, of)
			if err != nil || obj.Kind() != doc.Map {
				return obj, err
			}
			// It changes a value of the Go type, which is of its kind whatever the patch says.
			return obj.With("apiVersion", old.Get("apiVersion")).With("kind", old.Get("kind")), nil
		}, nil
	case mediaMergePatch:
		p, err := patch.ParseMergePatch(data)
		if err != nil {
			return refused(err), nil
		}
		o.problems = p.Warnings()
		return func(old doc.Value) (doc.Value, error) { return p.Apply(old), nil }, nil
	}
	return nil, status.UnsupportedMediaType(res.patchTypes())
}

// checkPatched refuses a patch that makes something else of the object, or nothing that is one.
func (res *resource) checkPatched(obj, old doc.Value) error {
	if obj.Kind() != doc.Map {
		return patchedInvalid(obj, fmt.Sprintf("json: cannot unmarshal %s into Go value of type map[string]interface {}", obj.Kind()))
	}
	if apiVersion := obj.Get("apiVersion"); !doc.Equal(apiVersion, old.Get("apiVersion")) {
		if res.kindRequired && apiVersion.Kind() == doc.String {
			return wrongVersion(res.gvk, obj)
		}
		return patchedInvalid(obj, fmt.Sprintf("the apiVersion of the object (%s) does not match that of the resource (%s)", apiVersion.Text(), old.Get("apiVersion").Text()))
	}
	if kind := obj.Get("kind"); !doc.Equal(kind, old.Get("kind")) {
		if res.kindRequired && kind.Kind() == doc.String {
			return wrongKind(res.gvk, obj)
		}
		return patchedInvalid(obj, fmt.Sprintf("the kind of the object (%s) does not match that of the resource (%s)", kind.Text(), res.gvk.Kind))
	}
	if errs := res.metadata.CheckTypes(status.Field("metadata"), metadataOf(obj)); len(errs) > 0 {
		return patchedInvalid(obj, res.metadataTypeError(metadataOf(obj), errs).Error())
	}
	before := metadataOf(old)
	if nameOf(obj) == "" {
		return nameUndeterminable(before.Get(fieldName).Text())
	}
	return res.checkIdentity(obj, before.Get(fieldNamespace).Text(), before.Get(fieldName).Text())
}

// patchedInvalid is the answer to a patch whose result is no object of the kind. Upstream leaves kind and name out.
func patchedInvalid(obj doc.Value, text string) error {
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.Field("patch"), string(codec.AppendJSON(nil, obj)), text)})
}
