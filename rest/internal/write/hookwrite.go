package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// hookWrite is a write under review as one hook sees it. The request of the hook has its exported methods, and their documentation.
// It is valid only while the hook runs.
type hookWrite struct {
	*underReview
	hook    *admission.Hook
	object  doc.Value // the object in the version of the request
	mutable bool
}

// request returns what the hook gets.
func (r *hookWrite) request(ctx context.Context) *admission.Request {
	return &admission.Request{
		User: access.UserFrom(ctx), Operation: r.operation, Kind: r.kind,
		Resource: r.res.GR.WithVersion(r.res.GVK.Version), Subresource: r.subresource(),
		Namespace: r.namespace, Name: r.name, Options: r.options, DryRun: r.Asked.DryRun, Write: r,
	}
}

func (r *hookWrite) Warn(text string) { r.Warnings.add(text) }

func (r *hookWrite) Object(into any) error {
	v, err := r.as(r.versionOf(into), r.object)
	return r.decodeAdmitted(v, err, into)
}

func (r *hookWrite) OldObject(into any) error {
	v, err := r.oldAs(r.versionOf(into))
	return r.decodeAdmitted(v, err, into)
}

// decodeAdmitted decodes an object for a hook. It returns errNoObject if the operation has no such object.
func (r *hookWrite) decodeAdmitted(v doc.Value, err error, into any) error {
	found, err := r.decodeFound(v, err, into)
	if err == nil && !found {
		return errNoObject
	}
	return err
}

// decodeFound decodes an object for a hook, and reports whether the operation has one. For the packages of this module,
// into may be a document, which needs no decoding.
func (r *hookWrite) decodeFound(v doc.Value, err error, into any) (found bool, _ error) {
	if err != nil || v.IsAbsent() {
		return false, err
	}
	if document, ok := into.(*doc.Value); ok {
		*document = v
		return true, nil
	}
	return true, r.res.KnownTypes().ToGo(v, into)
}

// documentOf returns the document of a hook's value, which may be a document itself.
func (r *hookWrite) documentOf(value any) (doc.Value, error) {
	v, ok := value.(doc.Value)
	if !ok {
		var err error
		if v, err = r.res.KnownTypes().FromGo(value, r.object); err != nil {
			return doc.Value{}, err
		}
	}
	if v.Kind() != doc.Map {
		return doc.Value{}, errors.New("the value is not an object")
	}
	return v, nil
}

func (r *hookWrite) SetObject(obj any) error {
	if err := r.checkMutable(); err != nil {
		return err
	}
	after, err := r.documentOf(obj)
	if err != nil {
		return fmt.Errorf("SetObject: %w", err)
	}
	in := r.versionOf(obj)
	before, err := r.as(in, r.object)
	if err != nil {
		return err
	}
	view := r.typeViewOf(in, obj)
	if shown, err := view.Show(before); err == nil { // an error means that the hook cannot have read the object in this type
		after = view.Merge(before, shown, after, schema.ZerosOfChanges)
	}
	return r.change(in, before, after.With("apiVersion", before.Get("apiVersion")).With("kind", before.Get("kind")))
}

// change records the object that a hook has changed in one of its versions.
func (r *hookWrite) change(in *resource.Resource, before, after doc.Value) error {
	changed, err := r.changed(r.object, in, before, after)
	if err == nil {
		r.object = changed
	}
	return err
}

// Patch applies a patch to the stored version, or to the own kind of the subresource.
func (r *hookWrite) Patch(form apimeta.PatchType, data []byte) error {
	if err := r.checkMutable(); err != nil {
		return err
	}
	in, of := r.res, r.schema
	if r.isOfObject() {
		in, of = in.Stored, in.Stored.Schema
	}
	patch, err := parsePatch(in, string(form), data, of)
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	before, err := r.as(in, r.object)
	if err != nil {
		return err
	}
	after, err := patch.want(before)
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	if after.Kind() != doc.Map {
		return errors.New("patch: the result is not an object")
	}
	return r.change(in, before, after)
}

// checkMutable returns an error if the hook may not change the object.
func (r *hookWrite) checkMutable() error {
	switch {
	case r.object.IsAbsent():
		return errNoObject
	case !r.mutable:
		return errNotMutating
	}
	return nil
}

// These errors report mistakes of a hook. Clients get a 500; the text goes to the log.
var (
	errNoObject    = status.InternalError(errors.New("an admission hook asked for an object that this operation does not have"))
	errNotMutating = status.InternalError(errors.New("an admission hook changed an object outside of Mutate"))
)
