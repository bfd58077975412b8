package media

import (
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// objects are what a watch shows of its objects, as JSON.
type objects interface {
	// object appends a record as it shall look at a revision.
	object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error)
	bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error)
	// whole is nil if they show only a part of an object.
	whole() surroundings
	// forget drops what is only kept to be used again.
	forget()
}

// surroundings are what a watch shows besides a whole object.
type surroundings interface {
	// around appends what precedes the JSON of the object, and returns what follows it.
	around(dst, object []byte, at watch.Revision) (head []byte, tail string, err error)
}

// objectsOf returns what a watch in a representation shows of the objects of a kind.
func objectsOf(k *Kind, rep Representation) (objects, error) {
	switch rep.Form {
	case AsTable:
		t, err := newTableWriter(k, rep)
		return &tableObjects{tableWriter: t}, err
	case AsPartial:
		return &partialObjects{metaVersion: rep.MetaVersion}, nil
	}
	return wholeObjects{k}, nil
}

// wholeObjects shows whole objects: the stored bytes.
type wholeObjects struct{ kind *Kind }

func (v wholeObjects) whole() surroundings { return v }

func (v wholeObjects) around(dst, _ []byte, _ watch.Revision) ([]byte, string, error) {
	return dst, "", nil
}

func (v wholeObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		return append(dst, r.JSON...), nil
	}
	return r.AppendAt(dst, at), nil
}

func (v wholeObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return v.kind.appendBookmark(dst, at, initialEventsEnd), nil
}

func (v wholeObjects) forget() {}

// partialObjects shows PartialObjectMetadata.
type partialObjects struct {
	metaVersion string
	spliced     []byte
}

func (v *partialObjects) whole() surroundings { return nil }

func (v *partialObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	if at == r.Revision {
		return appendPartialRecord(dst, v.metaVersion, r), nil
	}
	v.spliced = r.AppendAt(v.spliced[:0], at)
	return appendPartial(dst, v.metaVersion, v.spliced)
}

func (v *partialObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	return appendPartialBookmark(dst, v.metaVersion, at, initialEventsEnd), nil
}

func (v *partialObjects) forget() { v.spliced = nil }
