package write

import (
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Patch makes the write a patch of the object, or of the view of a subresource with its own kind. It returns an error
// only for an unsupported media type and a patch that is not JSON. Another patch that cannot be parsed fails in the
// step ask, after the step find, so that a missing object is reported first.
func (w *Write) Patch(media string, data []byte) error {
	of := w.res.Schema
	if w.ThroughOwnKind() {
		of = w.Through.Schema
	}
	patch, err := parsePatch(w.res, media, data, of)
	if err != nil {
		return err
	}
	w.way, w.want = patched, patch.want
	w.Body.Problems, w.Body.patched, w.Body.inDocument = patch.problems, patch.text, patch.inDocument
	if w.ThroughOwnKind() {
		return nil
	}
	w.want = func(old doc.Value) (doc.Value, error) {
		obj, err := patch.want(old)
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

// parsedPatch is a patch as the server applies it.
type parsedPatch struct {
	want Change
	text *patchedText
	// problems describe the duplicate keys of the patch.
	problems []string
	// inDocument says that unknown fields are reported as for a document without a Go type.
	inDocument bool
}

// parsePatch parses a patch of an object of the resource, or of the view of one of its subresources; the schema
// describes it. It returns an error only for an unsupported media type and a patch that is not JSON. Another patch that
// cannot be parsed fails when it is applied.
func parsePatch(res *resource.Resource, media string, data []byte, of *schema.Schema) (parsed parsedPatch, err error) {
	var want Change
	text := &patchedText{}
	if res.Dialect.DeclaredOrder || of != res.Schema {
		text.declared = of
	}
	switch {
	case media == kind.JSONPatch:
		var p docpatch.JSONPatch
		if p, err = docpatch.ParseJSONPatch(data); err == nil {
			text.text, text.asWritten, parsed.problems, want = p.Text, true, p.Warnings(), p.Apply
		}
	case media == kind.StrategicPatch && res.Dialect.StrategicMerge:
		var p docpatch.StrategicMergePatch
		if p, err = docpatch.ParseStrategicMergePatch(data); err == nil {
			text.text, parsed.inDocument, parsed.problems = p.Text, true, p.Warnings()
			want = func(old doc.Value) (doc.Value, error) {
				obj, err := p.Apply(old, of)
				if err != nil || obj.Kind() != doc.Map {
					return obj, err
				}
				// Upstream patches a Go value here, whose type fixes its kind whatever the patch says.
				return obj.With("apiVersion", old.Get("apiVersion")).With("kind", old.Get("kind")), nil
			}
		}
	case media == kind.MergePatch:
		var p docpatch.MergePatch
		if p, err = docpatch.ParseMergePatch(data); err == nil {
			text.text, parsed.problems = p.Text, p.Warnings()
			want = func(old doc.Value) (doc.Value, error) { return p.Apply(old), nil }
		}
	default:
		return parsedPatch{}, status.UnsupportedMediaType(res.PatchTypes(nil))
	}
	switch {
	case errors.Is(err, docpatch.ErrNotJSON):
		return parsedPatch{}, err
	case err != nil:
		refused := err
		return parsedPatch{want: func(doc.Value) (doc.Value, error) { return doc.Value{}, refused }}, nil
	}
	parsed.text = text
	parsed.want = func(old doc.Value) (doc.Value, error) {
		text.of = old
		return want(old)
	}
	return parsed, nil
}

// checkPatchedKind refuses a patch that changed the kind, in the words of upstream's decoder. In the built-in dialect
// the patch may remove the kind.
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
		return w.undecodable(obj, missing("Kind", w.textOf(obj)))
	case apiVersion == "" && required:
		return w.undecodable(obj, missing("apiVersion", w.textOf(obj)))
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

// patchedInvalid returns the error for a patch whose result is not a valid object of the kind. Upstream leaves out the
// kind and the name.
func (w *Write) patchedInvalid(obj doc.Value, text string) error {
	return status.Invalid(apimeta.GroupKind{}, "", status.FieldErrors{
		status.InvalidField(status.NewPath("patch"), w.textOf(obj), text)})
}

// textOf returns the text of an object for an error message.
func (w *Write) textOf(obj doc.Value) string {
	if w.Body.patched != nil && !w.draft.translated {
		return w.Body.patched.String()
	}
	return shownText(obj)
}
