package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/patch"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// mediaApplyCBOR is a configuration to apply in CBOR. It is served with Options.CBOR.
const mediaApplyCBOR = "application/apply-patch+cbor"

// patchTypes are the media types that a PATCH of the resource takes.
func (res *resource) patchTypes() []string {
	types := []string{kind.JSONPatch, kind.MergePatch}
	if res.dialect.StrategicMerge {
		types = append(types, kind.StrategicPatch)
	}
	if res.managed != nil {
		types = append(types, kind.ApplyPatch)
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
		if err := res.checkPatched(obj, old, &o); err != nil {
			return doc.Value{}, err
		}
		return obj.With("kind", old.Get("kind")), nil
	}, o)
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
	case kind.JSONPatch:
		p, err := patch.ParseJSONPatch(data)
		if err != nil {
			return refused(err), nil
		}
		want := res.withText(p.Text, of, o, p.Apply)
		o.problems, o.patched.asWritten = p.Warnings(), true
		return want, nil
	case kind.StrategicPatch:
		if !res.dialect.StrategicMerge {
			break
		}
		p, err := patch.ParseStrategicMergePatch(data)
		if err != nil {
			return refused(err), nil
		}
		o.problems, o.verbatim = p.Warnings(), true
		return res.withText(p.Text, of, o, func(old doc.Value) (doc.Value, error) {
			obj, err := p.Apply(old, of)
			if err != nil || obj.Kind() != doc.Map {
				return obj, err
			}
			// It changes a value of the Go type, which is of its kind whatever the patch says.
			return obj.With("apiVersion", old.Get("apiVersion")).With("kind", old.Get("kind")), nil
		}), nil
	case kind.MergePatch:
		p, err := patch.ParseMergePatch(data)
		if err != nil {
			return refused(err), nil
		}
		o.problems = p.Warnings()
		return res.withText(p.Text, of, o, func(old doc.Value) (doc.Value, error) { return p.Apply(old), nil }), nil
	}
	return nil, status.UnsupportedMediaType(res.patchTypes())
}

// withText lets it be told what text a patch has made of an object.
func (res *resource) withText(text func([]byte) []byte, of *schema.Schema, o *writeOptions, want change) change {
	made := &patchedText{text: text}
	if res.dialect.DeclaredOrder || of != res.schema {
		made.declared = of
	}
	o.patched = made
	return func(old doc.Value) (doc.Value, error) {
		made.of = old
		return want(old)
	}
}

// checkPatched refuses a patch that makes something else of the object, or nothing that is one.
func (res *resource) checkPatched(obj, old doc.Value, o *writeOptions) error {
	if err := res.checkPatchedKind(obj, old, o); err != nil {
		return err
	}
	if errs := res.metadata.CheckTypes(status.Field("metadata"), objectmeta.WithoutNulls(objectmeta.Of(obj))); len(errs) > 0 && !objectmeta.Of(obj).IsNull() {
		if !res.dialect.MetadataAlone {
			return res.wrongType(obj, errs, o)
		}
		return res.undecodable(obj, o, res.metadataTypeError(objectmeta.Of(obj), errs, o))
	}
	before := objectmeta.Of(old)
	if objectmeta.NameOf(obj) == "" {
		return res.bodyFirst(obj, *o, nameUndeterminable(before.Get(objectmeta.Name).Text()))
	}
	if err := res.checkIdentity(obj, before.Get(objectmeta.Namespace).Text(), before.Get(objectmeta.Name).Text()); err != nil {
		return res.bodyFirst(obj, *o, err)
	}
	return nil
}

// checkPatchedKind refuses an object that is no longer of the kind, in the words of upstream's decoder. A kind may be left out
// where the dialect fills it in.
func (res *resource) checkPatchedKind(obj, old doc.Value, o *writeOptions) error {
	if _, err := kindOf(obj, jsonOf(obj)); err != nil {
		return res.undecodable(obj, o, err)
	}
	apiVersion, kind := obj.Get("apiVersion").Text(), obj.Get("kind").Text()
	sameVersion, sameKind := apiVersion == old.Get("apiVersion").Text(), kind == old.Get("kind").Text()
	switch {
	case sameVersion && (sameKind || kind == "" && !res.dialect.KindRequired):
		return nil
	case kind == "" && res.dialect.KindRequired:
		return res.undecodable(obj, o, fmt.Errorf("Object 'Kind' is missing in '%s'", o.textOf(obj)))
	case apiVersion == "" && res.dialect.KindRequired:
		return res.undecodable(obj, o, fmt.Errorf("Object 'apiVersion' is missing in '%s'", o.textOf(obj)))
	case apiVersion == "":
		return nameUndeterminable(objectmeta.NameOf(old)) // upstream decodes it into an object without anything
	case res.dialect.PatchedKindInvalid:
		return res.otherKind(obj, sameVersion, sameKind)
	}
	found := gvkOf(obj)
	if kind == "" {
		found.Kind = res.gvk.Kind
	}
	return res.undecodable(obj, o, errors.New(res.otherBuiltinKind(found, res.gvk)))
}

// checkPatchedSubresource is checkPatched for a subresource with a kind of its own, which may leave the kind out.
func (res *resource) checkPatchedSubresource(sub *subresource, v, old doc.Value, o *writeOptions) error {
	found, err := kindOf(v, jsonOf(v))
	if err != nil {
		return undecodable(sub.kind, v, o, err)
	}
	if found.Kind == "" {
		found.Kind = sub.kind.Kind
	}
	if found.Version == "" {
		found.Group, found.Version = sub.kind.Group, sub.kind.Version
	}
	if found != sub.kind {
		return undecodable(sub.kind, v, o, errors.New(res.otherBuiltinKind(found, sub.kind)))
	}
	if sub.schema.Property("metadata") != nil && objectmeta.NameOf(v) == "" {
		return nameUndeterminable(objectmeta.NameOf(old))
	}
	return nil
}

// gvkOf is the kind that an object says it is of.
func gvkOf(obj doc.Value) apimeta.GroupVersionKind {
	gv, err := apimeta.ParseGroupVersion(obj.Get("apiVersion").Text())
	if err != nil {
		return apimeta.GroupVersionKind{}
	}
	return gv.WithKind(obj.Get("kind").Text())
}

// patchedInvalid is the answer to a patch whose result is no object of the kind. Upstream leaves kind and name out.
func patchedInvalid(obj doc.Value, o *writeOptions, text string) error {
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.Field("patch"), o.textOf(obj), text)})
}

// textOf is the text by which an object is shown where it is refused.
func (o *writeOptions) textOf(obj doc.Value) string {
	if o.patched != nil {
		return o.patched.String()
	}
	return shownText(obj)
}
