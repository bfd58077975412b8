package managed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Update returns the managedFields of an object after a write that made it of old; absent for none. Old is absent where
// the object is new. Claimed are the managedFields that the client sent: valid ones count instead of those there were,
// an empty list or a list of one empty entry begins anew.
//
// An object that has no entries stays without them until something is applied to it. Neither old nor obj need have
// managedFields but old, and what is wrong with the object or the entries leaves the entries as they were.
func (k *Kind) Update(old, obj, claimed doc.Value, by Writer) doc.Value {
	before := old.Lookup("metadata", "managedFields")
	old, obj = withoutEntries(old), withoutEntries(obj)
	start := before
	switch {
	case by.Part == Status || by.Subresource != "" || claimed.IsAbsent() || claimed.IsNull():
	case isReset(claimed):
		start = doc.Value{}
	case claimed.Len() > maxClaimed: // no server has written them
	case !SameButTimes(claimed, before):
		if e, err := decode(claimed); err == nil {
			e.trees = nil // a client may have written them in another form
			if list, err := e.encode(); err == nil && list.Len() > 0 {
				start = list
			}
		}
	}
	if start.Len() == 0 {
		if !old.IsAbsent() {
			return doc.Value{}
		}
		if tree, ok := k.fieldsOfNew(obj, by.Part); ok {
			return first(tree, k.apiVersion, by)
		}
	} else if list, ok := k.keptOwners(old, obj, start, by); ok {
		return list
	} else if list, ok := k.movedOwners(old, obj, start, by); ok {
		return list
	}
	list, err := k.update(old, obj, start, by)
	if err != nil {
		return before
	}
	return list
}

// maxClaimed is how many entries a client may send. Those of updates beyond what an object keeps are put together one by one.
const maxClaimed = 1000

// isReset reports whether a list of entries asks to begin anew.
func isReset(claimed doc.Value) bool {
	return claimed.Kind() == doc.List && (claimed.Len() == 0 || claimed.Len() == 1 && claimed.At(0).Len() == 0)
}

// update is the general way.
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

// self is the key under which a write's own changes are collected, so that those of its manager's that it overwrites
// count as taken.
const self = "self"

// own moves what differs between old and obj to the entry of the writer.
func (k *Kind) own(e *entries, old, obj doc.Value, by Writer) error {
	before, err := k.of(old)
	if err != nil {
		return fmt.Errorf("the object as it was: %w", err)
	}
	after, err := k.of(obj)
	if err != nil {
		return fmt.Errorf("the object: %w", err)
	}
	_, sets, err := k.updater(by.Part).Update(before, after, fieldpath.APIVersion(k.apiVersion), e.sets, self)
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
	return identity{Manager: by.name(), Operation: string(apimeta.ManagedFieldsUpdate), APIVersion: k.apiVersion, Subresource: by.Subresource}
}

const (
	// maxUpdateManagers is how many entries of updates an object keeps apart.
	maxUpdateManagers = 10
	// ancientManager has what the oldest of more updates than that owned.
	ancientManager = "ancient-changes"
)

// merge puts the oldest entries of updates together until there are no more than an object keeps, those of one version
// into one entry.
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
		bucket := e.remember(identity{Manager: ancientManager, Operation: string(apimeta.ManagedFieldsUpdate), APIVersion: string(version)})
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
