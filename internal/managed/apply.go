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

// beforeFirstApply is the manager that owns the existing fields of an object without entries once a configuration is
// applied to it.
const beforeFirstApply = "before-first-apply"

// Apply applies a configuration to live and returns the resulting object, with its managedFields. live is absent if the
// object does not exist yet; the caller then sets what the server sets on a new object.
//
// It returns 400 BadRequest for a configuration of another kind or with managedFields; 500, as upstream, for a
// configuration that does not fit the schema; and 409 Conflict if the configuration changes fields of other managers,
// unless force takes them over.
func (k *Kind) Apply(live, config doc.Value, by Writer, force bool) (doc.Value, error) {
	if err := k.checkKind(config); err != nil {
		return doc.Value{}, err
	}
	if len(by.Unowned) == 0 {
		if obj, ok := k.applyDirectly(live, config, by, force); ok {
			return afterApply(obj, config, by), nil
		}
	}
	return k.apply(live, config, by, force)
}

// apply is the general path of Apply.
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
		return doc.Value{}, fault("failed to encode managed fields: " + err.Error())
	}
	return afterApply(obj, config, by).WithAt(list, "metadata", "managedFields"), nil
}

// afterApply does what certain clients need.
func afterApply(obj, config doc.Value, by Writer) doc.Value {
	if by.Manager == kubectl {
		return withLastApplied(obj, config)
	}
	return obj
}

// Check returns the error with which [Kind.Apply] refuses what is not a configuration of the kind.
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

// configuration returns a configuration as a typed value.
func (k *Kind) configuration(config doc.Value) (*typed.TypedValue, error) {
	patch, err := k.typeValue(config)
	if err != nil {
		return nil, untyped(status.BadRequest, "failed to create typed patch object", config, err)
	}
	return patch, nil
}

// applyOf identifies the entry of an apply.
func applyOf(by Writer) identity {
	return identity{Manager: by.name(), Operation: string(apimeta.ManagedFieldsApply), Subresource: by.Subresource}
}

// applyTyped lets structured-merge-diff apply the configuration, and updates the entries.
func (k *Kind) applyTyped(live doc.Value, patch *typed.TypedValue, e *entries, by Writer,
	force bool) (doc.Value, error) {
	before, err := k.of(live)
	if err != nil {
		return doc.Value{}, untyped(fault, "failed to create typed live object", live, err)
	}
	key := e.remember(applyOf(by))
	apply := func(force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
		return k.updater(by).Apply(before, patch, fieldpath.APIVersion(k.apiVersion), e.sets.Copy(), key, force)
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
		return doc.Value{}, fault(err.Error())
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

// untyped returns the answer to an object that does not fit the schema. A configuration is a mistake of the client, and
// a live object a fault of the server; upstream answers to both as to a fault.
func untyped(answer func(message string) *status.Error, what string, obj doc.Value, err error) error {
	if status.IsRequestEntityTooLarge(err) {
		return err
	}
	m := obj.Get("metadata")
	return answer(fmt.Sprintf("%s (%s/%s; %s): %v", what, m.Get("namespace").Text(), m.Get("name").Text(), gvkOf(obj),
		err))
}

// fault returns the answer to a fault of the server.
func fault(message string) *status.Error { return status.Generic(500, message) }
