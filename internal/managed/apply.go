package managed

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// beforeFirstApply owns what an object without entries has when something is applied to it for the first time.
const beforeFirstApply = "before-first-apply"

// Apply returns the object that comes of applying a configuration to live, with its managedFields. Live is absent where
// there is no object yet; what the server sets on a new one is left to the caller.
//
// It fails with 400 BadRequest for a configuration of another kind or with managedFields; with 500, as upstream, for one
// that does not fit the schema; and with 409 Conflict where other managers own fields to which it gives other values,
// unless force takes them over.
func (k *Kind) Apply(live, config doc.Value, by Writer, force bool) (doc.Value, error) {
	if err := k.checkKind(config); err != nil {
		return doc.Value{}, err
	}
	if obj, ok := k.applyDirectly(live, config, by, force); ok {
		return afterApply(obj, config, by), nil
	}
	return k.apply(live, config, by, force)
}

// apply is the general way.
func (k *Kind) apply(live, config doc.Value, by Writer, force bool) (doc.Value, error) {
	patch, err := k.configuration(config)
	if err != nil {
		return doc.Value{}, err
	}
	e, err := decode(live.Lookup("metadata", "managedFields"))
	if err != nil {
		return doc.Value{}, status.Generic(500, "failed to decode managed fields: "+err.Error())
	}
	live = withoutEntries(live)
	if live.IsAbsent() {
		live = k.empty
	} else if len(e.sets) == 0 {
		former := by
		former.Manager = beforeFirstApply
		if err := k.own(e, k.empty, live, former); status.IsRequestEntityTooLarge(err) {
			return doc.Value{}, err
		} else if err != nil {
			return doc.Value{}, status.Generic(500, "failed to create manager for existing fields: "+err.Error())
		}
	}
	obj, err := k.applyTyped(live, patch, e, by, force)
	if err != nil {
		return doc.Value{}, err
	}
	list, err := e.encode()
	if err != nil {
		return doc.Value{}, status.Generic(500, "failed to encode managed fields: "+err.Error())
	}
	return afterApply(obj, config, by).WithAt(list, "metadata", "managedFields"), nil
}

// afterApply does what is done for certain clients.
func afterApply(obj, config doc.Value, by Writer) doc.Value {
	if by.Manager == kubectl {
		return withLastApplied(obj, config)
	}
	return obj
}

// Check refuses what is no configuration of the kind, as [Kind.Apply] does.
func (k *Kind) Check(config doc.Value) error {
	if err := k.checkKind(config); err != nil {
		return err
	}
	_, err := k.configuration(config)
	return err
}

func (k *Kind) checkKind(config doc.Value) error {
	if gvk := gvkOf(config); gvk != k.gvk {
		return status.BadRequest("invalid object type: " + gvk.String())
	}
	if config.Lookup("metadata", "managedFields").Kind() == doc.List {
		return status.BadRequest("metadata.managedFields must be nil")
	}
	return nil
}

// configuration types a configuration.
func (k *Kind) configuration(config doc.Value) (*typed.TypedValue, error) {
	patch, err := k.typeValue(config)
	if err != nil {
		return nil, untyped("failed to create typed patch object", config, err)
	}
	return patch, nil
}

// applyTyped does the arithmetic, and changes the entries.
func (k *Kind) applyTyped(live doc.Value, patch *typed.TypedValue, e *entries, by Writer, force bool) (doc.Value, error) {
	before, err := k.of(live)
	if err != nil {
		return doc.Value{}, untyped("failed to create typed live object", live, err)
	}
	key := e.remember(applyOf(by))
	apply := func(force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
		return k.updater(by.Part).Apply(before, patch, fieldpath.APIVersion(k.apiVersion), e.sets.Copy(), key, force)
	}
	after, sets, err := apply(force)
	if conflicts := merge.Conflicts(nil); errors.As(err, &conflicts) {
		if by.Manager == kubectl {
			conflicts = k.notLastApplied(conflicts, live, before)
		}
		if len(conflicts) > 0 {
			return doc.Value{}, conflict(conflicts, e, by.Through)
		}
		after, sets, err = apply(true)
	}
	if err != nil {
		return doc.Value{}, status.Generic(500, err.Error())
	}
	e.sets = sets
	if set, ok := sets[key]; ok {
		if mine := set.Set().Difference(unowned()); mine.Empty() {
			delete(sets, key)
		} else {
			sets[key] = fieldpath.NewVersionedSet(mine, set.APIVersion(), true)
		}
	}
	if after == nil { // nothing has changed
		return live, nil
	}
	e.times[key] = by.Time
	return documentOf(after), nil
}

// documentOf returns the document of a typed value.
func documentOf(v *typed.TypedValue) doc.Value {
	if d, ok := v.AsValue().(*docValue); ok {
		return d.doc()
	}
	if v.AsValue() == nil {
		return doc.MapOf()
	}
	return doc.FromPlain(v.AsValue().Unstructured())
}

func gvkOf(obj doc.Value) apimeta.GroupVersionKind {
	gv, err := apimeta.ParseGroupVersion(obj.Get("apiVersion").Text())
	if err != nil {
		return apimeta.GroupVersionKind{}
	}
	return apimeta.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: obj.Get("kind").Text()}
}

// untyped is the answer to an object that does not fit the schema. Upstream takes that for a fault of its own.
func untyped(what string, obj doc.Value, err error) error {
	if status.IsRequestEntityTooLarge(err) {
		return err
	}
	m := obj.Get("metadata")
	return status.Generic(500, fmt.Sprintf("%s (%s/%s; %s): %v", what, m.Get("namespace").Text(), m.Get("name").Text(), gvkOf(obj), err))
}
