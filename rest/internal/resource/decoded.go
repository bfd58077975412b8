package resource

import (
	"bytes"
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/generations"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// decodedCache caches the documents of objects that were written recently, in the stored version, so that the next
// write need not decode the stored object, nor a body that equals it.
type decodedCache struct {
	entries *generations.Cache[decodedKey, decoded]
}

// decodedKey identifies an object. The cache has at most one document of each.
type decodedKey struct {
	storage.Key
	as *Resource
}

// decoded is the document of an object at a revision.
type decoded struct {
	revision watch.Revision
	obj      doc.Value
	// bytes is about how much memory the document takes, and what it took when it was last copied as a whole. Since then
	// it shares unchanged parts with the documents of former revisions, and the memory of their other parts is not free
	// yet.
	bytes, whole int
}

func newDecodedCache(budget *storage.Budget, maxBytes int64) decodedCache {
	return decodedCache{generations.New[decodedKey, decoded](budget, maxBytes)}
}

// decodedOverhead is about the memory that an entry needs besides its document.
const decodedOverhead = 300

// Decode returns the document of a stored record, from the cache or from its text.
func (res *Resource) Decode(ctx context.Context, r *storage.Record) (doc.Value, error) {
	if kept, ok := res.decodedCache.entries.Get(decodedKey{r.Key, res.Stored}); ok && kept.revision == r.Revision {
		return kept.obj, nil
	}
	text, err := r.JSON(ctx)
	if err != nil {
		return doc.Value{}, err
	}
	obj, _, err := codec.DecodeJSON(text)
	if err != nil {
		return doc.Value{}, fmt.Errorf("stored object %v: %w", r.Key, err)
	}
	return obj, nil
}

// DecodeSent returns the document of a text that a client has sent, if it is the text of the stored object and the
// cache has its document. Clients send such a text if they write an object that they have read, and have nothing to
// change. A document with a number beyond the range of float64 does not count, because the decoder of bodies refuses
// it.
func (res *Resource) DecodeSent(ctx context.Context, key storage.Key, text []byte) (obj doc.Value, ok bool) {
	kept, ok := res.decodedCache.entries.Get(decodedKey{key, res.Stored})
	if !ok {
		return doc.Value{}, false
	}
	r, err := res.Store.Get(ctx, key, storage.Any)
	if err != nil || r.Revision != kept.revision {
		return doc.Value{}, false
	}
	stored, err := r.JSON(ctx)
	if err != nil || !bytes.Equal(stored, bytes.TrimSuffix(text, []byte("\n"))) {
		return doc.Value{}, false
	}
	return kept.obj, doc.AllInRange(kept.obj)
}

// KeepDecoded caches the document of a stored record for the next write. obj is what Decode returns, or what the record
// was encoded from, with the resourceVersion of the record.
func (res *Resource) KeepDecoded(r *storage.Record, obj doc.Value) {
	if r.Revision == 0 { // an object that is not committed yet changes without a new revision
		return
	}
	k := decodedKey{r.Key, res.Stored}
	kept, ok := res.decodedCache.entries.Get(k)
	if ok && kept.revision >= r.Revision {
		return
	}
	if kept.bytes < 2*kept.whole {
		var more int
		obj, more, ok = doc.CopyBeside(obj, kept.obj)
		kept.bytes += more
	} else {
		obj, kept.bytes, ok = doc.Copy(obj)
		kept.whole = kept.bytes
	}
	if ok {
		kept.revision, kept.obj = r.Revision, obj
		res.decodedCache.entries.Put(k, kept, int64(kept.bytes)+decodedOverhead)
	}
}

// ForgetDecoded frees the document of an object that is gone.
func (res *Resource) ForgetDecoded(key storage.Key) {
	res.decodedCache.entries.Remove(decodedKey{key, res.Stored})
}
