package resource

import (
	"context"
	"errors"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Write is one write, whatever verb and whatever client it comes from. Its parts are what it is about, what was asked for, what was
// sent, and the attempt under way. All of the work is done in the steps of an attempt (see [steps]), outside every lock and against a
// snapshot; when another write has come first, the next attempt begins anew. A host's hook may therefore call the API.
//
// A Write is used once: for Create, Update, Delete, Call or Connect.
type Write struct {
	Target
	Asked Asked
	Body  Body
	// Warnings collects what the client is warned of; nil if nobody listens.
	Warnings *Warnings

	res      *Resource
	form     form
	want     Change
	config   doc.Value              // what a client applies
	deletion *apimeta.DeleteOptions // how an object is deleted
	where    string                 // begins the causes of errors about the stored version
	attempt
}

// Target is what a write is about.
type Target struct {
	Namespace string
	Name      string // empty for a new object, which names itself
	// Through is the subresource through which the object is written; nil is the object itself.
	Through *Subresource
}

// Asked is what a client asks for besides the object. It stays the same from the beginning of a write to its end.
type Asked struct {
	DryRun bool
	// Manager is the field manager that the client names, and Agent is who writes if it names none.
	Manager, Agent string
	Validation     FieldValidation
	// Force takes over fields that other managers own, if a configuration is applied.
	Force bool
	// Trusted is a write that the library makes by itself. Admission does not see it.
	Trusted bool
}

// Body is what a client has sent, apart from the object in it.
type Body struct {
	// Size is in bytes; 0 if there is no body.
	Size int
	// UID is what the uid of the object must be; empty is any.
	UID string
	// Problems are what the decoder has found besides the content: keys that stand twice.
	Problems []string
	// Text is the body if it is JSON whose unknown and duplicate fields are named in the order of the text.
	Text []byte

	// patched tells what text a patch has made of the object; nil if there is no patch.
	patched *patchedText
	// inDocument: unknown fields are found in a document, and not by a decoder that knows the type.
	inDocument bool
	// repeated are the members that stand twice in a configuration, a line for each.
	repeated []string
}

// form is how a write says what the object shall be.
type form int

const (
	whole   form = iota // by the whole object
	patched             // by a change of the object: a missing resourceVersion or kind is as it was, and what is wrong is 422
	applied             // by a configuration, whose managedFields come with the object
)

// Change computes the object that a client wants from the one there is.
type Change func(old doc.Value) (doc.Value, error)

// Result is what a write did.
type Result struct {
	JSON    []byte // the object as it is now, or as it was when it went
	UID     string
	Created bool
	// Gone: the object is no longer there.
	Gone bool
	// Missing: the write failed because there is no object of the name. A hook may return the same error about something else.
	Missing bool
	taken   bool // there is one
}

// NewWrite begins a write.
func (res *Resource) NewWrite(t Target, a Asked) *Write { return &Write{Target: t, Asked: a, res: res} }

// Replace makes obj the object that the client wants.
func (w *Write) Replace(obj doc.Value) {
	w.Body.UID = objectmeta.Of(obj).Get(objectmeta.UID).Text()
	if w.Name == "" {
		w.Name = objectmeta.NameOf(obj)
	}
	w.Change(func(doc.Value) (doc.Value, error) { return obj, nil })
}

// Change sets how the object that the client wants is computed.
func (w *Write) Change(want Change) { w.want = want }

// part is what of the object is written.
func (t Target) part() Part {
	if t.Through == nil {
		return MainPart
	}
	return t.Through.Part
}

// throughOwnKind reports whether the object is written through a subresource that has a kind of its own.
func (t Target) throughOwnKind() bool { return t.Through != nil && !t.Through.OfItself }

// Create stores a new object. The caller has checked that it is of this kind.
func (w *Write) Create(ctx context.Context) (Result, error) {
	ctx, err := w.nest(ctx)
	if err != nil {
		return Result{}, err
	}
	return w.create(ctx)
}

// Update replaces an object, or a part of it, by what the client wants. An object that does not exist is created if the kind or a
// configuration wants it so.
func (w *Write) Update(ctx context.Context) (Result, error) {
	ctx, err := w.nest(ctx)
	if err != nil {
		return Result{}, err
	}
	out, err := w.update(ctx)
	if err == nil && w.throughOwnKind() {
		v, err := w.Through.Show(ctx, out.JSON, w.Through.Written)
		out.JSON = codec.AppendObject(nil, v)
		return out, err
	}
	if !out.Missing || w.Through != nil || !(w.form == applied || w.form == whole && w.res.Traits.CreateOnUpdate) {
		return out, err
	}
	created := *w
	created.want = func(old doc.Value) (doc.Value, error) {
		obj, err := w.want(old)
		if err != nil {
			return doc.Value{}, err
		}
		if rv := objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text(); rv != "" && !isDecimal(rv) {
			return doc.Value{}, noVersion(rv)
		}
		return obj.WithAt(doc.Value{}, "metadata", objectmeta.ResourceVersion), nil
	}
	if out, err = created.create(ctx); out.taken { // another write was faster
		return w.update(ctx)
	}
	return out, err
}

// generateAttempts bounds how many generated names a create tries.
const generateAttempts = 8

func (w *Write) create(ctx context.Context) (Result, error) {
	for range generateAttempts {
		next, err := w.run(ctx, onCreate, nil)
		if err != nil || w.res.Kind.Virtual {
			return w.result, err
		}
		record, err := w.commitNew(ctx, next)
		switch {
		case err == nil && record == nil: // a dry run has no resourceVersion
			w.result.JSON = codec.AppendObject(nil, w.out.shown)
			return w.result, nil
		case err == nil:
			return w.result, w.showResult(record)
		case !w.result.taken || !w.generated:
			return Result{taken: w.result.taken}, err
		}
	}
	return Result{taken: true}, status.GenerateNameConflict(w.res.GR, objectmeta.NameOf(w.out.shown))
}

func (w *Write) update(ctx context.Context) (Result, error) {
	record, err := w.commit(ctx, func(current *storage.Record) ([]byte, error) { return w.run(ctx, onUpdate, current) })
	if err != nil {
		return Result{Missing: w.result.Missing}, err
	}
	if w.result.Gone || record == nil {
		return w.result, nil
	}
	return w.result, w.showResult(record)
}

// showResult puts a record into what the write answers. What the version shows is known already, but for the resourceVersion, if a step
// has found it.
func (w *Write) showResult(record *storage.Record) (err error) {
	if w.shown.IsAbsent() {
		record, err = w.res.Show(record)
	} else {
		record, err = w.res.showAs(record, withRevision(w.shown, record))
	}
	if err == nil {
		w.result.JSON = record.JSON
	}
	return err
}

// withRevision returns an object with the resourceVersion of its record.
func withRevision(obj doc.Value, record *storage.Record) doc.Value {
	return obj.WithAt(doc.Of(strconv.FormatUint(uint64(record.Revision), 10)), "metadata", objectmeta.ResourceVersion)
}

// commit runs f against the stored object and stores what it returns; in a dry run it only runs f, and there is no record.
func (w *Write) commit(ctx context.Context, f storage.UpdateFunc) (*storage.Record, error) {
	key := w.res.key(w.Namespace, w.Name)
	if !w.Asked.DryRun {
		record, err := w.res.Store.Update(ctx, key, f)
		return record, w.res.StoreError(err, key.Name)
	}
	current, err := w.res.Store.Get(ctx, key, 0)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nil, w.res.StoreError(err, key.Name)
	}
	_, err = f(current)
	return nil, err
}

// commitNew stores next as a new object. Its namespace is compared together with it, so that nothing is created in one whose deletion
// begins at the same time: who empties it afterwards finds everything.
func (w *Write) commitNew(ctx context.Context, next []byte) (*storage.Record, error) {
	w.Name = objectmeta.NameOf(w.out.shown)
	namespaces := w.res.namespaces()
	if namespaces == nil || !w.res.Kind.Namespaced || w.Asked.DryRun {
		return w.commit(ctx, func(current *storage.Record) ([]byte, error) { return next, w.checkFree(current) })
	}
	keys := []storage.Key{w.res.key(w.Namespace, w.Name), namespaces.key("", w.Namespace)}
	records, err := w.res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		if current[1] == nil {
			return nil, namespaces.NotFound(w.Namespace)
		}
		if err := w.res.openTo(current[1], w.Name); err != nil {
			return nil, err
		}
		return [][]byte{next, current[1].JSON}, w.checkFree(current[0])
	})
	if err != nil {
		return nil, w.res.StoreError(err, w.Name)
	}
	return records[0], nil
}

// checkFree refuses to create an object whose name is taken.
func (w *Write) checkFree(current *storage.Record) error {
	if w.result.taken = current != nil; !w.result.taken {
		return nil
	}
	exists := status.AlreadyExists(w.res.GR, current.Key.Name)
	if current.Deleting {
		exists.Status.Message = "object is being deleted: " + exists.Status.Message
	}
	return exists
}
