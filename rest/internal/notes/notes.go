// Package notes keeps records that the server needs for itself in the store of an API, for all replicas and across
// restarts. Notes are not objects: no request reaches them, no right covers them, no admission sees them, and no
// controller follows them.
package notes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Group is the group of the resources of notes. No kind of an API may have it.
const Group = "decorum"

// IsResource reports whether the records of a resource of the store are notes.
func IsResource(name string) bool { return strings.HasSuffix(name, "."+Group) }

// place is where an API keeps its notes.
type place struct {
	store storage.Store
	life  Life
}

type placeKey struct{}

// With returns the context of a plug-in that may keep notes in the store of its API. The context carries the place,
// because the exported type of an API cannot show notes.
func With(ctx context.Context, store storage.Store, life Life) context.Context {
	return context.WithValue(ctx, placeKey{}, place{store, life})
}

// Of returns the notes with a name of the API that has started a plug-in with ctx, or with a context that is derived
// from it.
func Of(ctx context.Context, name string) (*Notes, error) {
	at, ok := ctx.Value(placeKey{}).(place)
	if !ok {
		return nil, errors.New("the context does not belong to a plug-in of an API")
	}
	return Open(ctx, at.store, at.life, name)
}

// Life is the life of the API that keeps notes. It is a context that ends with the API.
type Life interface {
	context.Context
	storage.Holder
}

// Notes are the notes of one kind. Each has a name. Their methods return an error that wraps [watch.ErrClosed] after
// the end of the API.
type Notes struct {
	store    storage.Store
	life     Life
	resource string
}

// Open makes a store hold the notes of a kind.
func Open(ctx context.Context, store storage.Store, life Life, name string) (*Notes, error) {
	n := &Notes{store: store, life: life, resource: name + "." + Group}
	err := store.Register(ctx, storage.Resource{
		Name: n.resource, Extract: storage.NewExtractor(), Fingerprint: "1", Declaration: n.resource, Holder: life,
	})
	return n, err
}

// Note is one note.
type Note struct {
	Name string
	// Revision is the revision of the last change.
	Revision watch.Revision
	// Content is nil for a mark, which only exists, and for a note that is gone.
	Content json.RawMessage
}

// stored is the form of a note in the store. The store writes its revision into the metadata.
type stored struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Content json.RawMessage `json:"content,omitempty"`
}

func read(ctx context.Context, r *storage.Record) (Note, error) {
	text, err := r.JSON(ctx)
	if err != nil {
		return Note{}, err
	}
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return Note{}, fmt.Errorf("note %v: %w", r.Key, err)
	}
	return Note{Name: r.Key.Name, Revision: r.Revision, Content: s.Content}, nil
}

func (n *Notes) key(name string) storage.Key { return storage.Key{Resource: n.resource, Name: name} }

// ended returns an error if the API has ended.
func (n *Notes) ended() error {
	if n.life.Ended() {
		return context.Cause(n.life)
	}
	return nil
}

// Get returns a note, from a state at least as recent as a revision, or [storage.ErrNotFound].
func (n *Notes) Get(ctx context.Context, name string, atLeast watch.Revision) (Note, error) {
	if err := n.ended(); err != nil {
		return Note{}, err
	}
	record, err := n.store.Get(ctx, n.key(name), atLeast)
	if err != nil {
		return Note{}, err
	}
	return read(ctx, record)
}

// Put writes a note. content is encoded as JSON; nil makes a mark. If an older note exists for which keeps returns
// true, it stays.
func (n *Notes) Put(ctx context.Context, name string, content any, keeps func(old Note) bool) error {
	if err := n.ended(); err != nil {
		return err
	}
	next := stored{}
	next.Metadata.ResourceVersion = "0"
	if content != nil {
		text, err := json.Marshal(content)
		if err != nil {
			return err
		}
		next.Content = text
	}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	_, err = n.store.Update(ctx, n.key(name), func(current *storage.Record) ([]byte, error) {
		if current != nil && keeps != nil {
			if old, err := read(ctx, current); err == nil && keeps(old) {
				return current.JSON(ctx)
			}
		}
		return bytes.Clone(text), nil // the store owns what it receives
	})
	return err
}

// Delete deletes a note if it exists.
func (n *Notes) Delete(ctx context.Context, name string) error {
	if err := n.ended(); err != nil {
		return err
	}
	_, err := n.store.Update(ctx, n.key(name), func(*storage.Record) ([]byte, error) { return nil, nil })
	return ignoreNotFound(err)
}

// List returns all notes in order of their names, and the revision from which to watch them.
func (n *Notes) List(ctx context.Context) (all []Note, from watch.Revision, err error) {
	if err := n.ended(); err != nil {
		return nil, 0, err
	}
	page, err := n.store.List(ctx, storage.Query{Within: watch.Key{Resource: n.resource}, Revision: storage.MostRecent},
		nil)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range page.Records {
		note, err := read(ctx, r)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, note)
	}
	return all, page.Revision, nil
}

// Watch reports the changes after a revision, until the context ends, the API ends, or the store drops changes. gone
// means that the note was deleted.
func (n *Notes) Watch(ctx context.Context, after watch.Revision, tell func(note Note, gone bool)) error {
	if err := n.ended(); err != nil {
		return err
	}
	cursor, err := n.store.Watch(ctx, watch.Key{Resource: n.resource}, after)
	if err != nil {
		return err
	}
	defer cursor.Close()
	defer context.AfterFunc(n.life, cursor.Close)()
	for {
		changes, err := cursor.Next(ctx, nil)
		if err != nil {
			return err
		}
		for _, c := range changes {
			note := Note{Name: c.Key.Name, Revision: c.Revision}
			if c.Current != nil {
				if note, err = read(ctx, c.Current); err != nil {
					return err
				}
			}
			tell(note, c.Current == nil)
		}
	}
}

func ignoreNotFound(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
