package past

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// maxDropped is how many entries one write removes. There are more than one if the kind now keeps fewer versions than
// before; then the next writes remove the others.
const maxDropped = 16

// Plan is what a write commits beside the object: the entry of the state that it replaces, in place of those that are
// no longer kept.
type Plan struct {
	// Keys are the keys of the entry and of those that it displaces. They are empty if the write keeps nothing.
	Keys []storage.Key

	res      *resource.Resource
	entry    content
	creates  bool
	replaced *storage.Record // nil if the object did not exist
}

// PlanCreate returns the plan of a write that creates an object.
func PlanCreate(res *resource.Resource, key storage.Key, uid string) *Plan {
	return &Plan{res: res, creates: true, Keys: []storage.Key{keyOf(res, key, uid, 0)}}
}

// PlanChange returns the plan of a write that changes an object or deletes it. atLeast says how recent the state must
// be on which it relies.
func PlanChange(ctx context.Context, res *resource.Resource, key storage.Key, atLeast watch.Revision) (*Plan, error) {
	p := &Plan{res: res}
	current, err := res.Store.Get(ctx, key, atLeast)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return p, nil
	case err != nil:
		return nil, err
	}
	if p.replaced = current; current.Revision == 0 {
		p.Keys = []storage.Key{keyOf(res, key, current.UID, 0)}
		return p, nil
	}
	entries, err := entriesOf(ctx, res, key, atLeast)
	if err != nil {
		return nil, err
	}
	if p.entry.Object, err = current.JSON(ctx); err != nil {
		return nil, err
	}
	if last := lastOf(entries, current.UID, current.Revision); last != nil {
		before, err := last.content()
		if err != nil {
			return nil, err
		}
		p.entry.After, p.entry.Written = last.Revision, before.Replaced
	}
	p.Keys = append(p.Keys, keyOf(res, key, current.UID, current.Revision))
	for _, e := range displaced(res, entries, current.UID) {
		if e.Key != p.Keys[0] {
			p.Keys = append(p.Keys, e.Key)
		}
	}
	return p, nil
}

// lastOf returns the last entry of an object before a revision, or nil.
func lastOf(entries []*entry, uid string, before watch.Revision) (last *entry) {
	for _, e := range entries {
		if e.uid == uid && e.revision < before {
			last = e
		}
	}
	return last
}

// displaced returns the entries that go when the object with this uid gets another one.
func displaced(res *resource.Resource, entries []*entry, uid string) []*entry {
	var out, kept []*entry
	for _, e := range entries {
		switch {
		case !e.hasState() && e.uid == uid, expired(res, e.Written):
			out = append(out, e)
		case e.hasState():
			kept = append(kept, e)
		}
	}
	slices.SortFunc(kept, func(a, b *entry) int { return cmp.Compare(a.revision, b.revision) })
	if over := len(kept) + 1 - res.History().Versions; over > 0 {
		out = append(out, kept[:over]...)
	}
	return out[:min(len(out), maxDropped)]
}

// expired reports whether the history no longer keeps an entry that was committed at
// the given moment.
func expired(res *resource.Resource, at storage.Moment) bool {
	return !at.Time().Add(res.History().For).After(res.Now())
}

// Fits reports whether no other write has changed the object since the plan was made. The plan of a create fits every
// state, because the create itself refuses a name that is taken.
func (p *Plan) Fits(current *storage.Record) bool {
	switch {
	case p.creates:
		return true
	case current == nil || p.replaced == nil:
		return current == nil && p.replaced == nil
	}
	return current.Revision == p.replaced.Revision
}

// Unchanged returns the texts of the records that a write leaves as they are.
func (p *Plan) Unchanged(ctx context.Context, current []*storage.Record) (texts [][]byte, err error) {
	texts = make([][]byte, len(p.Keys))
	for i := range texts {
		if current[i] == nil {
			continue
		}
		if texts[i], err = current[i].JSON(ctx); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// Texts returns the new texts of the records with the plan's keys, for a write by this change. Nobody has
// seen a replaced state that a transaction has not committed, so it becomes no version. The entry of an object that the
// transaction has created goes with the object.
func (p *Plan) Texts(ctx context.Context, by history.Write, current []*storage.Record) ([][]byte, error) {
	uncommitted := p.replaced != nil && p.replaced.Revision == 0
	if len(p.Keys) == 0 || uncommitted && by.Operation != history.Delete {
		return p.Unchanged(ctx, current)
	}
	texts := make([][]byte, len(p.Keys))
	if uncommitted {
		return texts, nil
	}
	p.entry.Replaced = by
	var err error
	texts[0], err = p.entry.encode(p.res.Store.Revision() + 1)
	return texts, err
}
