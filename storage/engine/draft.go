package engine

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// The methods in this file serve transactions of the engine, and transactions of a store's host. They prepare a write
// that is committed later. If the host commits it, the engine shows the change once its [Authority] reports it.

// Receive converts what the authority has stored into a record in the form of the registered resource. The engine does
// not keep it. An object that is not committed yet has revision 0, and an empty resourceVersion in its JSON.
func (e *Engine) Receive(s Stored) (*storage.Record, error) {
	t, err := e.tableOf(s.Key)
	if err != nil {
		return nil, err
	}
	return t.received(&s, e.formOf(t), nil)
}

// Draft returns the change that replaces the current record of an object with the next JSON. A nil record means that
// the object does not exist, and nil JSON deletes it. If nothing changes, Current is Previous. The JSON has an empty
// resourceVersion. Draft returns [storage.ErrReadOnly] if a newer program has stored the object, or if this program
// cannot read it.
func (e *Engine) Draft(
	ctx context.Context, key storage.Key, current *storage.Record, next []byte,
) (storage.Entry, error) {
	t, err := e.tableOf(key)
	if err != nil {
		return storage.Entry{}, err
	}
	w := write{table: t, form: e.formOf(t), key: key, base: current}
	if err := w.prepare(ctx, next, e.log.Revision()+1); err != nil {
		return storage.Entry{}, err
	}
	entry := storage.Entry{Key: key, Previous: current, Current: current, Form: w.form.Fingerprint}
	if !w.changes {
		return entry, nil
	}
	e.mu.RLock()
	bad, refusal := t.bad[key], e.refuseNewer(&w)
	e.mu.RUnlock()
	if bad != nil {
		refusal = unreadable(bad)
	}
	if refusal != nil {
		return storage.Entry{}, refusal
	}
	if entry.Current = w.next; w.next != nil {
		entry.Key = w.next.Key // the key may point into a request
		w.next.Written = storage.MomentOf(e.opts.Now())
		erase(w.next)
	}
	return entry, nil
}

// Charge returns what [Group.Accounts] and [Group.Seen] must be for a group of changes, or an [storage.Exceeded]. It
// sets the creators of new objects.
func (e *Engine) Charge(
	ctx context.Context, group []storage.Entry,
) (accounts []string, seen watch.Revision, err error) {
	if e.ledger == nil {
		return nil, 0, nil
	}
	for i := range group {
		if c := &group[i]; c.Previous == nil && c.Current != nil && c.Current.Creator == "" {
			c.Current.Creator = e.ledger.Creator(ctx)
		}
	}
	changes := slices.DeleteFunc(slices.Clone(group), func(c storage.Entry) bool {
		t, err := e.tableOf(c.Key)
		return c.Current == c.Previous || err == nil && e.formOf(t).Auxiliary
	})
	if len(changes) == 0 {
		return nil, 0, nil
	}
	claim := e.ledger.Claim(ctx, changes)
	if claim == nil {
		return nil, 0, nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if err := claim.Check(); err != nil {
		return nil, 0, err
	}
	return claim.Accounts(), e.revision, nil
}

// erase empties the resourceVersion in the JSON of a record that no other goroutine has seen.
func erase(r *storage.Record) {
	text, room := r.InMemory(), r.Version.End-r.Version.Start
	replaceText(r, slices.Concat(text[:r.Version.Start], text[r.Version.End:]))
	r.Revision = 0
	resize(r, -room)
}
