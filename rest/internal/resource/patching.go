package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/patch"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// PatchTypes are the media types that a PATCH of the resource takes.
func (res *Resource) PatchTypes() []string {
	types := []string{kind.JSONPatch, kind.MergePatch}
	if res.Dialect.StrategicMerge {
		types = append(types, kind.StrategicPatch)
	}
	if res.Managed != nil {
		types = append(types, kind.ApplyPatch)
	}
	return types
}

// Patch changes an object, or its status, by a patch.
func (res *Resource) Patch(ctx context.Context, namespace, name string, which Part, want Change, o WriteOptions) (result, error) {
	o.FromPatch = true
	return res.Update(ctx, namespace, name, which, func(old doc.Value) (doc.Value, error) {
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

// refused is a patch that cannot be read. It is refused after an object that is not there.
func refused(err error) Change {
	return func(doc.Value) (doc.Value, error) { return doc.Value{}, err }
}

// ParsePatch reads a patch of an object that the schema describes.
func (res *Resource) ParsePatch(media string, data []byte, of *schema.Schema, o *WriteOptions) (Change, error) {
	switch media {
	case kind.JSONPatch:
		p, err := patch.ParseJSONPatch(data)
		if err != nil {
			return refused(err), nil
		}
		want := res.withText(p.Text, of, o, p.Apply)
		o.Problems, o.patched.asWritten = p.Warnings(), true
		return want, nil
	case kind.StrategicPatch:
		if !res.Dialect.StrategicMerge {
			break
		}
		p, err := patch.ParseStrategicMergePatch(data)
		if err != nil {
			return refused(err), nil
		}
		o.Problems, o.verbatim = p.Warnings(), true
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
		o.Problems = p.Warnings()
		return res.withText(p.Text, of, o, func(old doc.Value) (doc.Value, error) { return p.Apply(old), nil }), nil
	}
	return nil, status.UnsupportedMediaType(res.PatchTypes())
}

// withText lets it be told what text a patch has made of an object.
func (res *Resource) withText(text func([]byte) []byte, of *schema.Schema, o *WriteOptions, want Change) Change {
	made := &patchedText{text: text}
	if res.Dialect.DeclaredOrder || of != res.Schema {
		made.declared = of
	}
	o.patched = made
	return func(old doc.Value) (doc.Value, error) {
		made.of = old
		return want(old)
	}
}

// checkPatched refuses a patch that makes something else of the object, or nothing that is one.
func (res *Resource) checkPatched(obj, old doc.Value, o *WriteOptions) error {
	if err := res.checkPatchedKind(obj, old, o); err != nil {
		return err
	}
	if errs := res.metadata.CheckTypes(status.Field("metadata"), objectmeta.WithoutNulls(objectmeta.Of(obj))); len(errs) > 0 && !objectmeta.Of(obj).IsNull() {
		if !res.Dialect.MetadataAlone {
			return res.wrongType(obj, errs, o)
		}
		return res.undecodable(obj, o, res.metadataTypeError(objectmeta.Of(obj), errs, o))
	}
	before := objectmeta.Of(old)
	if objectmeta.NameOf(obj) == "" {
		return res.BodyFirst(obj, *o, NameUndeterminable(before.Get(objectmeta.Name).Text()))
	}
	if err := res.CheckIdentity(obj, before.Get(objectmeta.Namespace).Text(), before.Get(objectmeta.Name).Text()); err != nil {
		return res.BodyFirst(obj, *o, err)
	}
	return nil
}

// checkPatchedKind refuses an object that is no longer of the kind, in the words of upstream's decoder. A kind may be left out
// where the dialect fills it in.
func (res *Resource) checkPatchedKind(obj, old doc.Value, o *WriteOptions) error {
	if _, err := KindOf(obj, JSONOf(obj)); err != nil {
		return res.undecodable(obj, o, err)
	}
	apiVersion, kind := obj.Get("apiVersion").Text(), obj.Get("kind").Text()
	sameVersion, sameKind := apiVersion == old.Get("apiVersion").Text(), kind == old.Get("kind").Text()
	switch {
	case sameVersion && (sameKind || kind == "" && !res.Dialect.KindRequired):
		return nil
	case kind == "" && res.Dialect.KindRequired:
		return res.undecodable(obj, o, fmt.Errorf("Object 'Kind' is missing in '%s'", o.textOf(obj)))
	case apiVersion == "" && res.Dialect.KindRequired:
		return res.undecodable(obj, o, fmt.Errorf("Object 'apiVersion' is missing in '%s'", o.textOf(obj)))
	case apiVersion == "":
		return NameUndeterminable(objectmeta.NameOf(old)) // upstream decodes it into an object without anything
	case res.Dialect.PatchedKindInvalid:
		return res.otherKind(obj, sameVersion, sameKind)
	}
	found := gvkOf(obj)
	if kind == "" {
		found.Kind = res.GVK.Kind
	}
	return res.undecodable(obj, o, errors.New(res.OtherBuiltinKind(found, res.GVK)))
}

// checkPatchedSubresource is checkPatched for a subresource with a kind of its own, which may leave the kind out.
func (res *Resource) checkPatchedSubresource(sub *Subresource, v, old doc.Value, o *WriteOptions) error {
	found, err := KindOf(v, JSONOf(v))
	if err != nil {
		return Undecodable(sub.Kind, v, o, err)
	}
	if found.Kind == "" {
		found.Kind = sub.Kind.Kind
	}
	if found.Version == "" {
		found.Group, found.Version = sub.Kind.Group, sub.Kind.Version
	}
	if found != sub.Kind {
		return Undecodable(sub.Kind, v, o, errors.New(res.OtherBuiltinKind(found, sub.Kind)))
	}
	if sub.Schema.Property("metadata") != nil && objectmeta.NameOf(v) == "" {
		return NameUndeterminable(objectmeta.NameOf(old))
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
func patchedInvalid(obj doc.Value, o *WriteOptions, text string) error {
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.Field("patch"), o.textOf(obj), text)})
}

// textOf is the text by which an object is shown where it is refused.
func (o *WriteOptions) textOf(obj doc.Value) string {
	if o.patched != nil {
		return o.patched.String()
	}
	return shownText(obj)
}
