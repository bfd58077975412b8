package write

import (
	"context"
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// confine refuses a write whose result the client would not see.
func (w *Write) confine(context.Context) error {
	if w.Only == nil {
		return nil
	}
	name := objectmeta.NameOf(w.after.shown)
	admitted, err := w.res.AdmitsForms(w.Only, w.res.Key(w.Namespace, name), w.after.shown, w.after.stored)
	if err != nil || admitted {
		return err
	}
	return status.Forbidden(w.res.GR, name,
		"the object would be outside of the objects to which the rights of the user are restricted")
}

// answer runs the Call hook of a virtual kind, which has no stored objects.
func (w *Write) answer(ctx context.Context) error {
	if !w.res.Kind.Virtual {
		return nil
	}
	answer, err := w.res.ChangeTyped(w.after.shown, w.draft.typed,
		func() error { return w.res.GoType.RunCall(ctx, w.draft.typed, w.Asked.DryRun) })
	if err == nil {
		w.result.JSON, w.done = codec.AppendObject(nil, answer), true
	}
	return err
}

// encode encodes the object for the store. If the object is being deleted and nothing holds it any more, after.json
// stays nil, and the store removes the object. The deletion of an object that can have a grace period is an exception:
// it stores the marked object first, and removeMarked removes it.
func (w *Write) encode(context.Context) error {
	switch {
	case w.deletion != nil:
		switch w.result.Gone = !held(w.res, w.after.stored); {
		case !w.result.Gone || w.beginsGrace():
			w.after.json = codec.EncodeObject(w.after.stored)
		case !w.res.Strategy.GoesMarked:
			w.after.stored = w.before.stored // a client never saw the object marked, so the answer shows it unmarked
		}
		return nil
	case w.before.record == nil && w.draft.versioned && !w.Asked.DryRun:
		return status.BadRequest("resourceVersion should not be set on objects to be created")
	case w.before.record == nil:
		// The store writes the real revision over this guess, in place if it has the same number of digits.
		placeholder := doc.Of(strconv.FormatUint(uint64(w.res.Store.Revision())+1, 10))
		return w.encodeStored(w.after.forms.withMetadata(doc.Member{Key: objectmeta.ResourceVersion, Value: placeholder}))
	}
	w.result.Gone = w.before.record.Deleting && !held(w.res, w.after.shown)
	if w.result.Gone || w.Asked.DryRun {
		w.result.JSON = codec.EncodeObject(w.after.shown)
	}
	if w.result.Gone {
		return nil
	}
	return w.encodeStored(w.after.forms)
}

// encodeStored encodes the object for the store. If the object is too large only with its managedFields, it is stored
// without them: losing the owners is better than refusing the write. An apply is refused, because ownership is what its
// client asks for.
func (w *Write) encodeStored(obj forms) error {
	before := 0
	if w.before.record != nil {
		before = w.before.record.Len()
	}
	w.after.json = codec.EncodeObject(obj.stored)
	err := checkSize(w.res, w.after.json, before)
	if err != nil && w.way != applied && objectmeta.Of(obj.stored).Has(objectmeta.ManagedFields) {
		obj = obj.withMetadata(doc.Member{Key: objectmeta.ManagedFields})
		w.after.json = codec.EncodeObject(obj.stored)
		err = checkSize(w.res, w.after.json, before)
	}
	w.after.stored = obj.stored
	if w.res.FromStored != nil {
		w.after.response = obj.shown
	}
	return err
}

// checkSize refuses a write that makes an object too large. An object that is already too large may shrink.
func checkSize(res *resource.Resource, json []byte, before int) error {
	if int64(len(json)) <= res.MaxObjectBytes || len(json) <= before {
		return nil
	}
	return tooLarge(res)
}

// tooLarge returns the error for an object above the limit.
func tooLarge(res *resource.Resource) error {
	return status.RequestEntityTooLarge(fmt.Sprintf("limit of an object is %d", res.MaxObjectBytes))
}
