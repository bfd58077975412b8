package write

import (
	"cmp"
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// keepsHistory reports whether the write may replace a version of the object. A write of the status never does.
func (w *Write) keepsHistory() bool {
	return w.res.History() != nil && (w.Part() != resource.StatusPart || w.res.Dialect.StatusMetadata)
}

// planHistory returns the companions with which a write keeps the version that it replaces. There are none if the kind
// has no history. atLeast says how recent the state must be on which the plan relies.
func (w *Write) planHistory(ctx context.Context, on operations, key storage.Key,
	atLeast watch.Revision) (companions, error) {
	if !w.keepsHistory() {
		return nil, nil
	}
	if on == onCreate {
		return kept{past.PlanCreate(w.res, key, w.result.UID)}, nil
	}
	plan, err := past.PlanChange(ctx, w.res, key, atLeast)
	if err != nil {
		return nil, err
	}
	return kept{plan}, nil
}

// kept is the plan of the records that keep a former version of the object.
type kept struct{ plan *past.Plan }

func (k kept) keys() []storage.Key { return k.plan.Keys }

func (k kept) fit(object *storage.Record) bool { return k.plan.Fits(object) }

func (k kept) texts(ctx context.Context, w *Write, object []byte, current []*storage.Record) ([][]byte, error) {
	if !w.replacesVersion() {
		return k.plan.Unchanged(ctx, current)
	}
	return k.plan.Texts(ctx, w.change(ctx, object), current)
}

// firstEntries returns the keys of the history of an object that has just been created.
func firstEntries(res *resource.Resource, created *storage.Record) []storage.Key {
	if res.History() == nil {
		return nil
	}
	return past.PlanCreate(res, created.Key, created.UID).Keys
}

// replacesVersion reports whether the attempt creates the object, removes it, or changes it outside of the status and
// of the metadata that belong to the server or to controllers.
func (w *Write) replacesVersion() bool {
	switch {
	case w.result.Created:
		return true
	case w.done, w.before.stored.IsAbsent(): // an object that cannot be decoded makes no version
		return false
	case w.result.Gone:
		return true
	}
	return past.Differ(w.res.Stored, w.before.stored, w.after.stored)
}

// change describes the write for the history. json is what it stores; nil removes the object.
func (w *Write) change(ctx context.Context, json []byte) history.Write {
	operations := map[way]history.Operation{whole: history.Update, patched: history.Patch, applied: history.Apply}
	operation := operations[w.way]
	switch {
	case json == nil:
		operation = history.Delete
	case w.undoes:
		operation = history.Undo
	case w.result.Created && w.way == whole:
		operation = history.Create
	}
	return history.Write{
		Time: apimeta.NewTime(w.res.Now()), User: access.UserFrom(ctx).Name, Manager: cmp.Or(w.Asked.Manager, w.Asked.Agent),
		Operation: operation,
	}
}
