package history

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Entry is a state that a write has replaced, or the beginning of an object.
type Entry struct {
	Key storage.Key
	// UID is that of the object.
	UID string
	// Revision is the last resourceVersion of the state. It is 0 for a beginning.
	Revision watch.Revision
	// After is the revision after which the state began, or 0 if that is unknown.
	After watch.Revision
	// Written says who wrote the state, and Replaced who wrote the next one.
	Written, Replaced history.Change
	// Object is the object as it was stored. It is nil for a beginning.
	Object []byte
	// committed is the revision of the entry itself. at is when it was committed, in microseconds since 1970.
	committed watch.Revision
	at        int64
}

// content is the stored form of an entry. The store writes the revision into the metadata.
type content struct {
	After    watch.Revision  `json:"after,omitempty"`
	Written  history.Change  `json:"written,omitzero"`
	Replaced history.Change  `json:"replaced,omitzero"`
	Object   json.RawMessage `json:"object,omitempty"`
}

// encode returns the stored form of an entry. revision is a guess of its revision, of the right number of digits.
func (e *Entry) encode(revision watch.Revision) ([]byte, error) {
	rest, err := json.Marshal(content{After: e.After, Written: e.Written, Replaced: e.Replaced})
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(rest)+len(e.Object)+80)
	out = append(out, `{"metadata":{"resourceVersion":"`...)
	out = append(strconv.AppendUint(out, uint64(revision), 10), `"}`...)
	if e.Object != nil {
		out = append(append(out, `,"object":`...), e.Object...)
	}
	if len(rest) > len(`{}`) {
		out = append(append(out, ','), rest[1:len(rest)-1]...)
	}
	return append(out, '}'), nil
}

// read decodes a record of the store.
func read(r *storage.Record) (*Entry, error) {
	e := &Entry{Key: r.Key, committed: r.Revision, at: r.Written}
	parts := strings.Split(r.Key.Name, "/")
	if len(parts) != 3 {
		return nil, fmt.Errorf("former version %v: bad key", r.Key)
	}
	revision, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("former version %v: %w", r.Key, err)
	}
	var c content
	if err := codec.Unmarshal(r.JSON, &c); err != nil {
		return nil, fmt.Errorf("former version %v: %w", r.Key, err)
	}
	e.UID, e.Revision = parts[1], watch.Revision(revision)
	e.After, e.Written, e.Replaced, e.Object = c.After, c.Written, c.Replaced, c.Object
	return e, nil
}

// keyOf returns the key of an entry. No name of an object contains a slash. The entries of one object are in the order
// of their revisions.
func keyOf(res *resource.Resource, of storage.Key, uid string, revision watch.Revision) storage.Key {
	return storage.Key{
		Resource: res.HistoryName(), Namespace: of.Namespace, Name: fmt.Sprintf("%s/%s/%016d", of.Name, uid, revision),
	}
}

// batch is how many entries a list or a deletion takes at a time.
const batch = 64

// outside is a context outside of every transaction. A transaction that listed entries would depend on the histories of
// all objects of the kind, and replicas refuse lists in transactions.
type outside struct{ context.Context }

// Value implements [context.Context].
func (outside) Value(any) any { return nil }

// entriesOf returns the entries of all objects that have or had a name, from a state at least as recent as a revision.
// It does not see those of a transaction that has not committed.
func entriesOf(ctx context.Context, res *resource.Resource, of storage.Key,
	atLeast watch.Revision) (all []*Entry, err error) {
	ctx = outside{ctx}
	prefix := of.Name + "/"
	after := storage.Key{Namespace: of.Namespace, Name: prefix}
	for {
		page, err := res.Store.List(ctx, storage.Query{
			Within: watch.Key{Resource: res.HistoryName(), Namespace: of.Namespace}, After: after, Limit: batch,
			Revision: atLeast,
		}, nil)
		if err != nil {
			return nil, res.StoreError(err, of.Name)
		}
		for _, r := range page.Records {
			if !strings.HasPrefix(r.Key.Name, prefix) {
				return all, nil
			}
			e, err := read(r)
			if err != nil {
				return nil, err
			}
			all = append(all, e)
			after = r.Key
		}
		if !page.More {
			return all, nil
		}
	}
}
