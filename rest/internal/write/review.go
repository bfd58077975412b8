package write

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Review is one write as one admission hook sees it. It is valid only while the hook runs.
type Review struct {
	write   *admission
	hook    *Hook
	object  doc.Value // the object in the version of the request
	mutable bool
}

// Operation returns CREATE, UPDATE, DELETE or CONNECT.
func (r *Review) Operation() string { return string(r.write.operation) }

// Kind returns the kind of the object in the stored version, or the own kind of the subresource.
func (r *Review) Kind() apimeta.GroupVersionKind { return r.write.kind }

// Where returns the resource and the subresource of the URL, in the version of the request.
func (r *Review) Where() (apimeta.GroupVersionResource, string) {
	return r.write.res.GR.WithVersion(r.write.res.GVK.Version), r.write.subresource()
}

// Named returns the namespace and the name of the object, also if the server generated the name.
func (r *Review) Named() (namespace, name string) { return r.write.namespace, r.write.name }

// Options returns the options of the request, as a pointer to a struct of package apimeta, and whether the request is a
// dry run.
func (r *Review) Options() (options any, dryRun bool) { return r.write.options, r.write.Asked.DryRun }

// Warn adds a warning to the answer.
func (r *Review) Warn(text string) { r.write.Warnings.add(text) }

// Object decodes the new object into a Go value, in the version of the value's type.
func (r *Review) Object(into any) error {
	v, err := r.write.as(r.write.versionOf(into), r.object)
	return decodeAdmitted(v, err, into)
}

// OldObject decodes the old object into a Go value, in the version of the value's type.
func (r *Review) OldObject(into any) error {
	v, err := r.write.oldAs(r.write.versionOf(into))
	return decodeAdmitted(v, err, into)
}

// decodeAdmitted decodes an object for a hook. It returns errNoObject if the operation has no such object.
func decodeAdmitted(v doc.Value, err error, into any) error {
	found, err := decodeFound(v, err, into)
	if err == nil && !found {
		return errNoObject
	}
	return err
}

// decodeFound decodes an object for a hook, and reports whether the operation has one. For the packages of this module,
// into may be a document, which needs no decoding.
func decodeFound(v doc.Value, err error, into any) (found bool, _ error) {
	if err != nil || v.IsAbsent() {
		return false, err
	}
	if document, ok := into.(*doc.Value); ok {
		*document = v
		return true, nil
	}
	return true, gotype.ToGo(v, into)
}

// documentOf returns the document of a hook's value, which may be a document itself.
func documentOf(value any) (doc.Value, error) {
	v, ok := value.(doc.Value)
	if !ok {
		var err error
		if v, err = codec.FromGo(value); err != nil {
			return doc.Value{}, err
		}
	}
	if v.Kind() != doc.Map {
		return doc.Value{}, errors.New("the value is not an object")
	}
	return v, nil
}

// SetObject changes the object to obj, in the version of obj's type. Fields that the type does not have stay as they
// are.
func (r *Review) SetObject(obj any) error {
	if err := r.checkMutable(); err != nil {
		return err
	}
	after, err := documentOf(obj)
	if err != nil {
		return fmt.Errorf("SetObject: %w", err)
	}
	in := r.write.versionOf(obj)
	before, err := r.write.as(in, r.object)
	if err != nil {
		return err
	}
	view := r.write.typeViewOf(in, obj)
	if shown, err := view.Show(before); err == nil { // an error means that the hook cannot have read the object in this type
		after = view.Merge(before, shown, after, schema.ZerosOfChanges)
	}
	return r.change(in, before, after.With("apiVersion", before.Get("apiVersion")).With("kind", before.Get("kind")))
}

// change records the object that a hook has changed in one of its versions.
func (r *Review) change(in *resource.Resource, before, after doc.Value) error {
	changed, err := r.write.changed(r.object, in, before, after)
	if err == nil {
		r.object = changed
	}
	return err
}

// Patch changes the object by a patch. The patch is one of the stored version, or of the subresource's own kind.
func (r *Review) Patch(media string, data []byte) error {
	if err := r.checkMutable(); err != nil {
		return err
	}
	in, of := r.write.res, r.write.schema
	if r.write.isOfObject() {
		in, of = in.Stored, in.Stored.Schema
	}
	patch, err := parsePatch(in, media, data, of)
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	before, err := r.write.as(in, r.object)
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
func (r *Review) checkMutable() error {
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
