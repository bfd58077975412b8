package write

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Patch makes the write a patch of the object, or of the view of a subresource with its own kind. It returns an error only for an
// unsupported media type and a patch that is not JSON. Another patch that cannot be parsed fails in the step ask, after the step find, so
// that a missing object is reported first.
func (w *Write) Patch(media string, data []byte) error {
	of := w.res.Schema
	if w.ThroughOwnKind() {
		of = w.Through.Schema
	}
	want, err := w.parsePatch(media, data, of)
	if err != nil {
		return err
	}
	w.form, w.want = patched, want
	if w.ThroughOwnKind() {
		return nil
	}
	w.want = func(old doc.Value) (doc.Value, error) {
		obj, err := want(old)
		if err != nil {
			return doc.Value{}, err
		}
		if err := w.checkPatchedKind(obj, old); err != nil {
			return doc.Value{}, err
		}
		return obj.With("kind", old.Get("kind")), nil
	}
	return nil
}

// refusedPatch returns the error of a patch that is not JSON. Any other patch that cannot be parsed becomes a Change that fails.
func refusedPatch(err error) (Change, error) {
	if errors.Is(err, docpatch.ErrNotJSON) {
		return nil, err
	}
	return func(doc.Value) (doc.Value, error) { return doc.Value{}, err }, nil
}

// parsePatch parses a patch of an object that the schema describes.
func (w *Write) parsePatch(media string, data []byte, of *schema.Schema) (Change, error) {
	switch media {
	case kind.JSONPatch:
		p, err := docpatch.ParseJSONPatch(data)
		if err != nil {
			return refusedPatch(err)
		}
		want := w.withText(p.Text, of, p.Apply)
		w.Body.Problems, w.Body.patched.asWritten = p.Warnings(), true
		return want, nil
	case kind.StrategicPatch:
		if !w.res.Dialect.StrategicMerge {
			break
		}
		p, err := docpatch.ParseStrategicMergePatch(data)
		if err != nil {
			return refusedPatch(err)
		}
		w.Body.Problems, w.Body.inDocument = p.Warnings(), true
		return w.withText(p.Text, of, func(old doc.Value) (doc.Value, error) {
			obj, err := p.Apply(old, of)
			if err != nil || obj.Kind() != doc.Map {
				return obj, err
			}
			// Upstream patches a Go value here, whose type fixes its kind whatever the patch says.
			return obj.With("apiVersion", old.Get("apiVersion")).With("kind", old.Get("kind")), nil
		}), nil
	case kind.MergePatch:
		p, err := docpatch.ParseMergePatch(data)
		if err != nil {
			return refusedPatch(err)
		}
		w.Body.Problems = p.Warnings()
		return w.withText(p.Text, of, func(old doc.Value) (doc.Value, error) { return p.Apply(old), nil }), nil
	}
	return nil, status.UnsupportedMediaType(w.res.PatchTypes(nil))
}

// withText records how to write the text of the patched object, which error messages show.
func (w *Write) withText(text func([]byte) []byte, of *schema.Schema, want Change) Change {
	made := &patchedText{text: text}
	if w.res.Dialect.DeclaredOrder || of != w.res.Schema {
		made.declared = of
	}
	w.Body.patched = made
	return func(old doc.Value) (doc.Value, error) {
		made.of = old
		return want(old)
	}
}

// checkPatchedKind refuses a patch that changed the kind, in the words of upstream's decoder. In the built-in dialect the patch may
// remove the kind.
func (w *Write) checkPatchedKind(obj, old doc.Value) error {
	if _, err := KindOf(obj, JSONOf(obj)); err != nil {
		return w.undecodable(obj, err)
	}
	apiVersion, kind, required := obj.Get("apiVersion").Text(), obj.Get("kind").Text(), w.res.Dialect.KindRequired
	sameVersion, sameKind := apiVersion == old.Get("apiVersion").Text(), kind == old.Get("kind").Text()
	switch {
	case sameVersion && (sameKind || kind == "" && !required):
		return nil
	case kind == "" && required:
		return w.undecodable(obj, fmt.Errorf("Object 'Kind' is missing in '%s'", w.textOf(obj)))
	case apiVersion == "" && required:
		return w.undecodable(obj, fmt.Errorf("Object 'apiVersion' is missing in '%s'", w.textOf(obj)))
	case apiVersion == "":
		return NameUndeterminable(objectmeta.NameOf(old)) // upstream decodes it into an empty object
	case w.res.Dialect.PatchedKindInvalid:
		return otherKind(w.res, obj, sameVersion, sameKind)
	}
	found := gvkOf(obj)
	if kind == "" {
		found.Kind = w.res.GVK.Kind
	}
	return w.undecodable(obj, errors.New(otherBuiltinKind(w.res, found, w.res.GVK)))
}

// checkPatchedSubresource is checkPatchedKind for a subresource with its own kind. The patched view may lack the kind.
func (w *Write) checkPatchedSubresource(v doc.Value) error {
	sub := w.Through
	found, err := KindOf(v, JSONOf(v))
	if err != nil {
		return w.undecodableAs(sub.Kind, v, err)
	}
	if found.Kind == "" {
		found.Kind = sub.Kind.Kind
	}
	if found.Version == "" {
		found.Group, found.Version = sub.Kind.Group, sub.Kind.Version
	}
	if found != sub.Kind {
		return w.undecodableAs(sub.Kind, v, errors.New(otherBuiltinKind(w.res, found, sub.Kind)))
	}
	if sub.Schema.Property("metadata") != nil && objectmeta.NameOf(v) == "" {
		return NameUndeterminable(w.Name)
	}
	return nil
}

// gvkOf returns the kind that an object states, or the zero value if its apiVersion is malformed.
func gvkOf(obj doc.Value) apimeta.GroupVersionKind {
	gv, err := apimeta.ParseGroupVersion(obj.Get("apiVersion").Text())
	if err != nil {
		return apimeta.GroupVersionKind{}
	}
	return gv.WithKind(obj.Get("kind").Text())
}

// patchedInvalid returns the error for a patch whose result is not a valid object of the kind. Upstream leaves out the kind and the name.
func (w *Write) patchedInvalid(obj doc.Value, text string) error {
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.Field("patch"), w.textOf(obj), text)})
}

// textOf returns the text of an object for an error message.
func (w *Write) textOf(obj doc.Value) string {
	if w.Body.patched != nil && !w.draft.translated {
		return w.Body.patched.String()
	}
	return shownText(obj)
}
