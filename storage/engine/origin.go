package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// keptInOrder is how many of the texts that a list reads stay in memory for others.
const keptInOrder = 1000

// origin reads the texts of the records of a table in one form. Its records stay valid after an upgrade of the table,
// as long as the backend has texts of the form.
type origin struct {
	texts       *texts
	fingerprint string
	form        atomic.Pointer[storage.Resource] // converts texts of other forms; nil if the table has left the form
}

func (t *texts) newOrigin(form *storage.Resource) *origin {
	o := &origin{texts: t, fingerprint: form.Fingerprint}
	o.form.Store(form)
	return o
}

// follow implements [unloader].
func (o *origin) follow(form *storage.Resource) { o.form.Store(form) }

// unload implements [unloader].
func (o *origin) unload(r *storage.Record, fill bool) {
	if fill {
		o.texts.of(r.Revision).fill(r.Revision, o, r.InMemory())
	}
	*r = *r.Unloaded(o)
}

// Text implements [storage.TextSource]. It holds no lock while it reads from the backend.
func (o *origin) Text(ctx context.Context, r *storage.Record) ([]byte, error) {
	shard := o.texts.of(r.Revision)
	if text := shard.get(r.Revision, o); text != nil {
		return text, nil
	}
	place := storage.PlaceIn(ctx)
	text, err := o.read(ctx, place, r)
	switch {
	case err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed):
		return nil, unreadableText(r.Key, err)
	case err != nil:
		return nil, err
	case text != nil && place == nil:
		shard.keep(r.Revision, o, text)
		return text, nil
	case text != nil:
		if place.Texts++; place.Texts <= keptInOrder { // a page that clients ask for again and again
			shard.keep(r.Revision, o, bytes.Clone(text))
		}
		return text, nil
	}
	// The backend has another revision. A change that has begun keeps the text that it supersedes.
	if text := shard.get(r.Revision, o); text != nil {
		return text, nil
	}
	if o.texts.latest(r) {
		return nil, unreadableText(r.Key, errMissing)
	}
	return nil, status.Expired(fmt.Sprintf("The object %q has changed, and the store no longer has its state at resourceVersion %d.",
		r.Key.Name, r.Revision))
}

var errMissing = errors.New("the backend does not have the object")

// unreadableText is the error of a read that the backend could not answer.
func unreadableText(key storage.Key, err error) error {
	return fmt.Errorf("%w: %w", status.InternalError(
		fmt.Errorf("the store cannot read the text of %s %s/%s", key.Resource, key.Namespace, key.Name)), err)
}

// read reads the text of a record from the backend. It returns nil if the backend has another revision or form.
func (o *origin) read(ctx context.Context, place *storage.Place, r *storage.Record) (text []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.texts.reads.Add(1)
	var s Stored
	if place != nil {
		s, err = o.texts.backend.TextNear(ctx, place, r.Key, r.Revision)
	} else {
		s, err = o.texts.backend.Text(ctx, r.Key, r.Revision)
	}
	if err != nil || s.JSON == nil {
		return nil, err
	}
	text = s.JSON
	if s.Form != o.fingerprint {
		form := o.form.Load()
		if form == nil {
			return nil, nil
		}
		if form.Upgrade != nil {
			if text, err = form.Upgrade(text); err != nil {
				return nil, err
			}
		}
	}
	if len(text) != r.Len() {
		return nil, fmt.Errorf("%w: the text has %d bytes instead of %d", storage.ErrJSON, len(text), r.Len())
	}
	return text, nil
}
