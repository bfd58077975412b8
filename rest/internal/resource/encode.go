package resource

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/storage"
)

// encodeStored returns what is to be stored of an object that a write has finished, and in another version than the stored
// one the object as it will be shown. current is what it replaces; it is missing on create. Where an object is too large with
// its managedFields, it is stored without: to lose who wrote it is better than to lose what was written, unless that is what
// the client asks for.
func (res *Resource) encodeStored(obj forms, o *WriteOptions, current *storage.Record) (next []byte, shown doc.Value, err error) {
	before := 0
	if current != nil {
		before = len(current.JSON)
	}
	next = codec.AppendObject(make([]byte, 0, max(before, o.Size)+roomForMetadata), obj.stored)
	err = res.checkSize(next, before)
	if err != nil && !o.applied && objectmeta.Of(obj.stored).Has(objectmeta.ManagedFields) {
		obj = obj.withMetadata(doc.Member{Key: objectmeta.ManagedFields})
		next = codec.AppendObject(nil, obj.stored)
		err = res.checkSize(next, before)
	}
	if res.fromStored != nil {
		shown = obj.shown
	}
	return next, shown, err
}

// roomForMetadata is about how many bytes a write adds to what a client sends or what there was.
const roomForMetadata = 512
