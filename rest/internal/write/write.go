package write

import (
	"context"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Write is one write with any verb and by any client. It consists of what it writes (Target), the options of the
// request (Asked), the data that the client sent (Body), and the current attempt.
//
// All work happens in the steps of an attempt (see [order]). They run outside every lock and against a snapshot, so a
// host's hook may call the API. If another write commits first, the next attempt repeats the steps against the object.
//
// A caller gets a Write from [Writes.New]. Before Create or Update it says what the client wants, with Replace,
// Compute, Patch, Apply or ApplyText. A Write is used once, by one goroutine: for Create, Update, Delete, Call or
// Connect.
type Write struct {
	resource.Target
	Asked Asked
	Body  Body
	// Warnings collects the warnings for the client. It is nil if the caller does
	// not read them.
	Warnings *Warnings
	// MayCreate returns an error unless the client may create the object, and otherwise a restriction that holds
	// besides Only. An update that finds no object calls it first. Nil permits.
	MayCreate func(context.Context) (*rights.Restriction, error)

	writes    *Writes
	res       *resource.Resource
	way       way
	want      Change
	named     bool      // the URL, or the caller in the process, names the object
	undoes    bool      // the write gives the object the content of a former version
	instead   bool      // the write creates the object that an update has not found
	body      doc.Value // the whole object that the client sent; absent if it must be computed from the old one
	decoded   decoded
	config    doc.Value              // the configuration that a client applies
	deletion  *apimeta.DeleteOptions // the options of a deletion; nil for every other write
	requested *resource.Resource     // the version of the request, while the steps of the stored version run
	observer  steps.Observer         // nil if nobody observes the write
	times     *steps.Times           // nil if nobody wants the times of the steps
	reports   bool                   // each step is reported to the observer
	in        *Transaction           // the transaction that the write belongs to; nil if it commits alone
	committing
	attempt
}

// Asked holds the options of a write. They stay the same from its beginning to its end.
type Asked struct {
	DryRun bool
	// Manager is the field manager that the client names. If it names none, managedFields record Agent.
	Manager, Agent string
	Validation     apimeta.FieldValidation
	// Force lets an apply take over fields that other managers own.
	Force bool
	// Trusted marks a write that the library makes on its own behalf. Admission hooks and ValidateDelete do not see it.
	Trusted bool
}

// Body describes what the client sent, apart from the object itself.
type Body struct {
	// UID is the uid that the stored object must have. Empty accepts any.
	UID string
	// Problems are what the decoder reported besides the content, such as duplicate keys.
	Problems []string
	// Text is the body, if it is JSON whose unknown and duplicate fields are reported in the order of the text.
	// Otherwise it is nil.
	Text []byte

	// patched writes the text of the patched object for error messages. It is nil if the write is not a patch.
	patched *patchedText
	// inDocument: unknown fields are reported as for a document without a Go type, each by its plain path.
	inDocument bool
	// repeated describes the duplicate keys of an applied configuration, one line for each.
	repeated []string
}

// way is the way in which a client says what it wants.
type way int

const (
	whole   way = iota // the whole object
	patched            // a change of the object: a missing resourceVersion or kind is kept, and a bad result is a 422
	applied            // an applied configuration, from which the managedFields are computed together with the object
)

// Change computes the object that the client wants from the current one, which is absent on create.
type Change func(old doc.Value) (doc.Value, error)

// Result is what a write did.
type Result struct {
	JSON    []byte // the object after the write, or the last state of a removed one
	UID     string
	Created bool
	// Gone: the write removed the object.
	Gone bool
	// Missing: the write failed because no object has this name. The error alone does not tell, because a hook may
	// return a NotFound error about another object.
	Missing bool
	Taken   bool // a create failed because the name is taken
}

// Replace makes obj the object that the client wants. It takes the uid, and the name if the target has none, from obj.
func (w *Write) Replace(obj doc.Value) {
	w.Body.UID = objectmeta.Of(obj).Get(objectmeta.UID).Text()
	if w.Name == "" {
		w.Name = objectmeta.NameOf(obj)
	}
	if w.ThroughOwnKind() {
		w.Compute(func(doc.Value) (doc.Value, error) { return obj, nil })
		return
	}
	w.body = obj
	w.want = func(doc.Value) (doc.Value, error) { return w.decoded.now, nil }
}

// Compute sets the function that computes the object that the client wants.
func (w *Write) Compute(want Change) { w.body, w.want = doc.Value{}, want }

// Create stores a new object. The caller must have checked its kind, see CheckKind.
func (w *Write) Create(ctx context.Context) (out Result, err error) {
	if ctx, err = w.nest(ctx); err != nil {
		return Result{}, err
	}
	err = w.onServed(ctx, func() (err error) {
		if err = w.decodeFirst(ctx); err == nil {
			out, err = w.create(ctx)
		}
		return err
	})
	return out, err
}

// Update replaces an object, or a part of it, by what the client wants. If the object does not exist, an apply creates
// it, and so does a PUT if the kind allows that.
func (w *Write) Update(ctx context.Context) (out Result, err error) {
	if ctx, err = w.nest(ctx); err != nil {
		return Result{}, err
	}
	err = w.onServed(ctx, func() (err error) {
		if err = w.decodeFirst(ctx); err == nil {
			out, err = w.updateOrCreate(ctx)
		}
		return err
	})
	if err == nil && w.ThroughOwnKind() {
		var v doc.Value
		v, err = w.Through.Show(ctx, out.JSON, w.Through.Written)
		out.JSON = codec.AppendObject(nil, v)
	}
	return out, err
}

// updateOrCreate updates the object, or creates it if it does not exist and the write may do so. If the name is then
// taken, another client has created the object meanwhile, and the write updates that object. Or the object is hidden
// from the client: then the update misses it again, and the client learns that the name is taken.
func (w *Write) updateOrCreate(ctx context.Context) (Result, error) {
	out, err := w.update(ctx)
	if !out.Missing || !w.createsIfMissing() {
		return out, err
	}
	out, taken := w.createMissing(ctx)
	if !out.Taken {
		return out, taken
	}
	if out, err = w.update(ctx); out.Missing && w.Only != nil {
		return out, taken
	}
	return out, err
}

// createMissing creates the object that an update has not found, if the user may create it. The creation is a Write of
// its own, because the right to create may restrict the user more than the right to update.
func (w *Write) createMissing(ctx context.Context) (Result, error) {
	creation := *w
	creation.instead = true
	if w.MayCreate != nil {
		only, err := w.MayCreate(ctx)
		if err != nil {
			return Result{}, err
		}
		creation.Only = w.Only.And(only)
	}
	return creation.create(ctx)
}

// createsIfMissing reports whether the write may create the object if it does not exist.
func (w *Write) createsIfMissing() bool {
	return w.Through == nil && w.res.Possible(kind.Create) &&
		(w.way == applied || w.way == whole && w.res.Traits.CreateOnUpdate)
}

// generateAttempts bounds how many generated names a create tries.
const generateAttempts = 8

// create tries to store a new object. It takes the steps once, before it asks the store, because there is no object
// that another write could change meanwhile. If the server generated the name and it is taken, create starts again with
// another name.
func (w *Write) create(ctx context.Context) (Result, error) {
	for range generateAttempts {
		_, err := w.run(ctx, onCreate, nil)
		if err != nil || w.res.Kind.Virtual {
			return w.result, err
		}
		record, err := w.commitNew(ctx)
		switch {
		case err == nil && record == nil: // a dry run has no resourceVersion
			w.result.JSON = codec.AppendObject(nil, w.after.shown)
			return w.result, nil
		case err == nil:
			return w.result, w.showResult(ctx, record)
		case !w.result.Taken || !w.draft.nameGenerated:
			return Result{Taken: w.result.Taken}, err
		}
	}
	return Result{Taken: true}, status.GenerateNameConflict(w.res.Stored.GR, objectmeta.NameOf(w.after.shown))
}

// update runs the steps against the stored object and commits the result.
func (w *Write) update(ctx context.Context) (Result, error) {
	record, err := w.commit(ctx, onUpdate, nil, func(current *storage.Record) ([]byte, error) {
		return w.run(ctx, onUpdate, current)
	})
	if err != nil {
		return Result{Missing: w.result.Missing}, err
	}
	if w.result.Gone || record == nil {
		return w.result, nil
	}
	w.keep(ctx, record)
	return w.result, w.showResult(ctx, record)
}

// keep keeps the document of the committed object for the next write, unless the store has made another object of it.
func (w *Write) keep(ctx context.Context, record *storage.Record) {
	kept, err := record.Holds(ctx, w.after.json)
	switch {
	case err != nil || !kept:
		w.res.ForgetDecoded(record.Key)
	case w.after.stored.IsAbsent(): // the write has changed nothing
		w.res.KeepDecoded(record, w.before.stored)
	default:
		w.res.KeepDecoded(record, withRevision(w.after.stored, record))
	}
}

// committedObject returns the document of a committed object, in the stored version.
func (w *Write) committedObject(ctx context.Context, record *storage.Record) (doc.Value, error) {
	kept, err := record.Holds(ctx, w.after.json)
	if err != nil {
		return doc.Value{}, err
	}
	if kept {
		return withRevision(w.after.stored, record), nil
	}
	return w.res.Decode(ctx, record)
}

// showResult puts the committed object into the result. If a step has already computed the object in the version of the
// request, and the store has kept it, only its resourceVersion is missing, and nothing is converted again.
func (w *Write) showResult(ctx context.Context, record *storage.Record) (err error) {
	computed := !w.after.response.IsAbsent()
	if computed {
		computed, err = record.Holds(ctx, w.after.json)
	}
	switch {
	case err != nil:
	case computed:
		record, err = w.res.ShowAs(record, withRevision(w.after.response, record))
	default:
		record, err = w.res.Show(ctx, record)
	}
	if err == nil {
		w.result.JSON, err = record.JSON(ctx)
	}
	return err
}

// withRevision returns an object with the resourceVersion of its record, which is empty if a transaction of the host
// has not committed it yet.
func withRevision(obj doc.Value, record *storage.Record) doc.Value {
	if record.Revision == 0 {
		return obj.WithAt(doc.Of(""), "metadata", objectmeta.ResourceVersion)
	}
	return obj.WithAt(doc.Of(strconv.FormatUint(uint64(record.Revision), 10)), "metadata", objectmeta.ResourceVersion)
}
