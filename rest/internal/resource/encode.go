package resource

import (
	"context"
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// encode makes the bytes that are stored. An object that was being deleted and that nothing holds any more has none.
func (w *Write) encode(context.Context) error {
	switch {
	case w.deletion != nil:
		switch w.result.Gone = !w.res.held(w.obj); {
		case !w.result.Gone:
			w.next = codec.AppendObject(nil, w.obj)
		case !w.res.life.goesMarked:
			w.obj = w.old.stored // nobody has seen it on its way out
		}
		return nil
	case w.current == nil && w.claims:
		return status.BadRequest("resourceVersion should not be set on objects to be created")
	case w.current == nil:
		// The digits are a guess at the revision that leaves the store room to write the real one in place.
		placeholder := doc.Of(strconv.FormatUint(uint64(w.res.Store.Revision())+1, 10))
		return w.encodeStored(w.out.withMetadata(doc.Member{Key: objectmeta.ResourceVersion, Value: placeholder}))
	}
	w.result.Gone = w.current.Deleting && !w.res.held(w.out.shown)
	if w.result.Gone || w.Asked.DryRun {
		w.result.JSON = codec.AppendObject(nil, w.out.shown)
	}
	if w.result.Gone {
		return nil
	}
	return w.encodeStored(w.out)
}

// encodeStored encodes an object as it is stored. One that is too large with its managedFields is stored without: to lose who wrote it
// is better than to lose what was written, unless that is what the client asks for.
func (w *Write) encodeStored(obj forms) error {
	before := 0
	if w.current != nil {
		before = len(w.current.JSON)
	}
	w.next = codec.AppendObject(make([]byte, 0, max(before, w.Body.Size)+roomForMetadata), obj.stored)
	err := w.res.checkSize(w.next, before)
	if err != nil && w.form != applied && objectmeta.Of(obj.stored).Has(objectmeta.ManagedFields) {
		obj = obj.withMetadata(doc.Member{Key: objectmeta.ManagedFields})
		w.next = codec.AppendObject(nil, obj.stored)
		err = w.res.checkSize(w.next, before)
	}
	if w.res.fromStored != nil {
		w.shown = obj.shown
	}
	return err
}

// roomForMetadata is about how many bytes a write adds to what a client sends or what there was.
const roomForMetadata = 512

// checkSize refuses a write by which an object grows too large. One that is too large already may shrink.
func (res *Resource) checkSize(json []byte, before int) error {
	if int64(len(json)) <= res.MaxObjectBytes || len(json) <= before {
		return nil
	}
	return status.RequestEntityTooLarge(fmt.Sprintf("limit of an object is %d", res.MaxObjectBytes))
}
