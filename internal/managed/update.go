package managed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Update returns the managedFields of obj after a write that replaced old, or an absent value if it has none. old is
// absent if the object is new. claimed is the managedFields that the client sent: valid entries replace the old ones,
// and an empty list, or a list of one empty entry, resets them.
//
// An object without entries stays without them until a configuration is applied to it. Update reads the old entries
// from old and ignores those in obj. If it cannot read the object or the entries, it returns the old entries.
func (k *Kind) Update(old, obj, claimed doc.Value, by Writer) doc.Value {
	before := old.Lookup("metadata", "managedFields")
	old, obj = withoutEntries(old), withoutEntries(obj)
	start := before
	switch {
	case by.Part == Status || by.Subresource != "" || claimed.IsAbsent() || claimed.IsNull():
	case isReset(claimed):
		start = doc.Value{}
	case claimed.Len() > maxClaimed: // no server writes that many
	case !SameButTimes(claimed, before):
		if e, err := decode(claimed); err == nil {
			e.trees = nil // a client may write them in another form
			if list, err := e.encode(); err == nil && list.Len() > 0 {
				start = list
			}
		}
	}
	if start.Len() == 0 && !old.IsAbsent() {
		return doc.Value{}
	}
	if list, ok := k.updateDirectly(old, obj, start, by); ok {
		return list
	}
	list, err := k.update(old, obj, start, by)
	if err != nil {
		return before
	}
	return list
}

// updateDirectly is the shortcut of Update. It gives up, and returns false, in unusual cases.
func (k *Kind) updateDirectly(old, obj, start doc.Value, by Writer) (doc.Value, bool) {
	switch {
	case len(by.Unowned) > 0: // the shortcuts know only parts
		return doc.Value{}, false
	case start.Len() == 0:
		tree, ok := k.fieldsOfNew(obj, by.Part)
		if !ok {
			return doc.Value{}, false
		}
		return first(tree, k.apiVersion, by), true
	}
	if list, ok := k.keptOwners(old, obj, start, by); ok {
		return list, true
	}
	return k.movedOwners(old, obj, start, by)
}

// maxClaimed is how many entries a client may send. It bounds the work of [entries.merge], which merges surplus entries
// one by one.
const maxClaimed = 1000

// isReset reports whether a list of entries asks for a reset.
func isReset(claimed doc.Value) bool {
	return claimed.Kind() == doc.List && (claimed.Len() == 0 || claimed.Len() == 1 && claimed.At(0).Len() == 0)
}

// update is the general path of Update.
func (k *Kind) update(old, obj, start doc.Value, by Writer) (doc.Value, error) {
	e, err := decode(start)
	if err != nil {
		e = noEntries()
	}
	if old.IsAbsent() {
		old = k.empty
	}
	if err := k.own(e, old, obj, by); err != nil {
		return doc.Value{}, err
	}
	e.merge()
	return e.encode()
}

// self is the key that collects the changes of the present write. A key of its own makes fields that the same manager
// owned before count as taken.
const self = "self"

// own moves the fields that differ between old and obj to the entry of the writer.
func (k *Kind) own(e *entries, old, obj doc.Value, by Writer) error {
	before, err := k.of(old)
	if err != nil {
		return fmt.Errorf("the old object: %w", err)
	}
	after, err := k.of(obj)
	if err != nil {
		return fmt.Errorf("the new object: %w", err)
	}
	_, sets, err := k.updater(by).Update(before, after, fieldpath.APIVersion(k.apiVersion), e.sets, self)
	if err != nil {
		return err
	}
	e.sets = sets
	changed, ok := sets[self]
	if !ok {
		return nil
	}
	delete(sets, self)
	set := changed.Set().Difference(unowned())
	if set.Empty() {
		return nil
	}
	key := e.remember(k.updateOf(by))
	if previous, ok := sets[key]; ok {
		set = set.Union(previous.Set())
	}
	sets[key] = fieldpath.NewVersionedSet(set, changed.APIVersion(), false)
	e.times[key] = by.Time
	return nil
}

func (k *Kind) updateOf(by Writer) identity {
	return identity{Manager: by.name(), Operation: string(apimeta.ManagedFieldsUpdate), APIVersion: k.apiVersion,
		Subresource: by.Subresource}
}

const (
	// maxUpdateManagers is how many separate entries with the operation Update an object keeps.
	maxUpdateManagers = 10
	// ancientManager owns the fields of the oldest entries beyond that number.
	ancientManager = "ancient-changes"
)

// merge merges the oldest entries with the operation Update, one entry for each version, until no more than
// maxUpdateManagers are left.
func (e *entries) merge() {
	var updates []string
	for key, set := range e.sets {
		if !set.Applied() {
			updates = append(updates, key)
		}
	}
	left := len(updates)
	if left <= maxUpdateManagers {
		return
	}
	slices.SortFunc(updates, func(a, b string) int {
		if e.times[a] != e.times[b] {
			return strings.Compare(e.times[a], e.times[b])
		}
		return strings.Compare(a, b)
	})
	first := map[fieldpath.APIVersion]string{}
	for _, key := range updates {
		if left <= maxUpdateManagers {
			return
		}
		set := e.sets[key]
		version := set.APIVersion()
		oldest, seen := first[version]
		if !seen {
			first[version] = key
			continue
		}
		bucket := e.remember(identity{Manager: ancientManager, Operation: string(apimeta.ManagedFieldsUpdate),
			APIVersion: string(version)})
		if _, ok := e.sets[bucket]; !ok {
			e.sets[bucket] = e.sets[oldest]
			delete(e.sets, oldest)
		}
		e.sets[bucket] = fieldpath.NewVersionedSet(set.Set().Union(e.sets[bucket].Set()), version, false)
		delete(e.sets, key)
		e.times[bucket] = e.times[key]
		left--
	}
}
