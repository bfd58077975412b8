package past

import (
	"bytes"
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

// entry is a record of a state that a write has replaced, or of the beginning of an object.
type entry struct {
	*storage.Record
	text []byte
	// uid is the uid of the object.
	uid string
	// revision is the last resourceVersion of the state. It is 0 for a beginning.
	revision watch.Revision
}

// content is the stored form of an entry. The store writes the revision into the metadata.
type content struct {
	// After is the revision after which the state began, or 0 if that is unknown.
	After watch.Revision `json:"after,omitempty"`
	// Written says who wrote the state, and Replaced who wrote the next one.
	Written  history.Write `json:"written,omitzero"`
	Replaced history.Write `json:"replaced,omitzero"`
	// Object is the object as it was stored. It is nil for a beginning.
	Object json.RawMessage `json:"object,omitempty"`
}

// beforeObject is the text between the metadata of an entry and its object.
const beforeObject = `,"object":`

// encode returns the stored form of an entry. revision is a guess of its revision, of the right number of digits.
func (c *content) encode(revision watch.Revision) ([]byte, error) {
	rest, err := json.Marshal(content{After: c.After, Written: c.Written, Replaced: c.Replaced})
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(rest)+len(c.Object)+80)
	out = append(out, `{"metadata":{"resourceVersion":"`...)
	out = append(strconv.AppendUint(out, uint64(revision), 10), `"}`...)
	if c.Object != nil {
		out = append(append(out, beforeObject...), c.Object...)
	}
	if len(rest) > len(`{}`) {
		out = append(append(out, ','), rest[1:len(rest)-1]...)
	}
	return append(out, '}'), nil
}

// entryOf returns the entry of a record.
func entryOf(ctx context.Context, r *storage.Record) (*entry, error) {
	parts := strings.Split(r.Key.Name, "/")
	if len(parts) != 3 {
		return nil, fmt.Errorf("former version %v: bad key", r.Key)
	}
	revision, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("former version %v: %w", r.Key, err)
	}
	text, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	return &entry{Record: r, text: text, uid: parts[1], revision: watch.Revision(revision)}, nil
}

// hasState reports whether the entry holds a state. A beginning does not, and neither does an entry whose state has
// expired.
func (e *entry) hasState() bool {
	return bytes.HasPrefix(e.text[e.Metadata.End:], []byte(beforeObject))
}

// content decodes the entry. The object is a part of the record.
func (e *entry) content() (*content, error) {
	var c content
	text := e.text
	if begin := int(e.Metadata.End); e.hasState() {
		object := text[begin+len(beforeObject):]
		c.Object = object[:codec.EndOfValue(object)]
		text = append(bytes.Clone(text[:begin]), object[len(c.Object):]...)
	}
	if err := codec.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("former version %v: %w", e.Key, err)
	}
	return &c, nil
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
// It does not see entries of a transaction that has not committed.
func entriesOf(ctx context.Context, res *resource.Resource, of storage.Key,
	atLeast watch.Revision) (all []*entry, err error) {
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
			e, err := entryOf(ctx, r)
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
