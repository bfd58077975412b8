package write

import (
	"cmp"
	"context"
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	kinds "github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/history"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
)

// keepsHistory reports whether the write may replace a version of the object. A write of the status never does.
func (w *Write) keepsHistory() bool {
	return w.res.History() != nil && (w.Part() != resource.StatusPart || w.res.Dialect.StatusMetadata)
}

// commitKept commits a write together with the version that it replaces, and with what a new object needs. If another
// write has changed the object meanwhile, it starts again with that version.
func (w *Write) commitKept(
	ctx context.Context, on operations, key storage.Key, needs []need, compute storage.UpdateFunc,
) (*storage.Record, error) {
	atLeast := storage.Any
	for range storage.MaxAttempts {
		plan := history.PlanCreate(w.res, key, w.result.UID)
		if on != onCreate {
			var err error
			if plan, err = history.PlanChange(ctx, w.res, key, atLeast); err != nil {
				return nil, err
			}
		}
		record, err := w.commitPlan(ctx, key, needs, plan, compute)
		if !errors.Is(err, history.ErrMoved) {
			return record, err
		}
		atLeast = storage.MostRecent
	}
	return nil, storage.ErrContended
}

// commitPlan is an attempt of commitKept. The entry of the history comes before the object, so its revision is the
// smaller one.
func (w *Write) commitPlan(
	ctx context.Context, key storage.Key, needs []need, plan *history.Plan, compute storage.UpdateFunc,
) (*storage.Record, error) {
	entries := len(plan.Keys)
	keys := append(append([]storage.Key{}, plan.Keys...), key)
	for _, need := range needs {
		keys = append(keys, need.key)
	}
	records, err := w.res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		object := current[entries]
		if err := plan.Check(object); err != nil {
			return nil, err
		}
		next := make([][]byte, len(keys))
		for i, need := range needs {
			at := entries + 1 + i
			if err := need.check(current[at], w.Name); err != nil {
				return nil, err
			}
			var err error
			if next[at], err = current[at].JSON(ctx); err != nil {
				return nil, err
			}
		}
		var err error
		if next[entries], err = compute(object); err != nil {
			return nil, err
		}
		var texts [][]byte
		if w.replacesVersion() {
			texts, err = plan.Texts(ctx, w.change(ctx, next[entries]), current)
		} else {
			texts, err = plan.Unchanged(ctx, current)
		}
		copy(next, texts)
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return records[entries], nil
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
	return history.Differ(w.res.Stored, w.before.stored, w.after.stored)
}

// change describes the write for the history. json is what it stores; nil removes the object.
func (w *Write) change(ctx context.Context, json []byte) kinds.Write {
	operations := map[way]kinds.Operation{whole: kinds.Update, patched: kinds.Patch, applied: kinds.Apply}
	operation := operations[w.way]
	switch {
	case json == nil:
		operation = kinds.Delete
	case w.undoes:
		operation = kinds.Undo
	case w.result.Created && w.way == whole:
		operation = kinds.Create
	}
	return kinds.Write{
		Time: apimeta.NewTime(w.res.Now()), User: access.UserFrom(ctx).Name, Manager: cmp.Or(w.Asked.Manager, w.Asked.Agent),
		Operation: operation,
	}
}
