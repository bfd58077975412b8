package managed

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// movedOwners returns the entries after a write. It computes as the general path does, but only with the fields that
// differ. It gives up, and returns false, if other fields matter too.
func (k *Kind) movedOwners(old, obj, entries doc.Value, by Writer) (doc.Value, bool) {
	if old.IsAbsent() {
		old = k.empty
	}
	ids := identitiesOf(entries)
	mine := slices.Index(ids, k.updateOf(by))
	most := maxUpdateManagers
	if mine < 0 {
		most--
	}
	if updates(ids) > most || !k.regular(entries, ids) || !k.fits(old, false) || !k.fits(obj, false) {
		return doc.Value{}, false
	}
	c, ok := k.changeOf(old, obj, by.Part)
	if !ok {
		return doc.Value{}, false
	}
	list := make([]doc.Value, 0, entries.Len()+1)
	own := doc.Value{}
	for i, e := range entries.Elements() {
		e = c.taken(e)
		if i == mine {
			own = e
		} else if !e.IsAbsent() {
			list = append(list, e)
		}
	}
	if given := c.given.Difference(unowned()); !given.Empty() {
		tree := own.Get(memberFieldsV1)
		own = entry(k.updateOf(by), k.apiVersion, by.Time, c.within.write(tree, c.within.read(tree).Union(given)))
	}
	if !own.IsAbsent() {
		list = append(list, own)
	}
	return sorted(list), true
}

// regular reports whether the entries, which have the identities ids, are as the server writes them, in the kind's
// version and in agreement with its schema. The general path leaves such entries unchanged unless a write changes their
// fields.
func (k *Kind) regular(entries doc.Value, ids []identity) bool {
	if len(ids) > maxClaimed { // the loop compares each entry with all others
		return false
	}
	for i, e := range entries.Elements() {
		for name := range e.Members() {
			if !slices.Contains(entryMembers[:], name) {
				return false
			}
		}
		at, tree := e.Get(memberTime).Text(), e.Get(memberFieldsV1)
		switch {
		case ids[i].Operation != string(apimeta.ManagedFieldsApply) && !ids[i].isUpdate(), slices.Contains(ids[:i], ids[i]):
			return false
		case e.Get(memberAPIVersion).Text() != k.apiVersion, e.Get(memberFieldsType).Text() != fieldsV1:
			return false
		case at != "" && (len(at) != len("2006-01-02T15:04:05Z") || at[len(at)-1] != 'Z'):
			return false
		case tree.Len() == 0 || !settled(k.schema, tree):
			return false
		}
	}
	return true
}

// settled reports whether every value that a fieldsV1 splits into parts is still split by the schema. If a value has
// become atomic since, the general path must adapt the entry.
func settled(s *schema.Schema, tree doc.Value) bool {
	for i := range tree.Len() {
		key, below := tree.KeyAt(i), tree.At(i)
		switch {
		case below.Kind() != doc.Map:
			return false
		case below.Len() == 0:
			continue
		}
		var part *schema.Schema
		switch isList := s.Type == schema.ArrayType; {
		case strings.HasPrefix(key, "f:") && !isList:
			part = memberOf(s, key[2:])
		case strings.HasPrefix(key, "k:") && isList:
			part = s.Items
		default:
			return false
		}
		if part != nil && !settledBelow(part, below) {
			return false
		}
	}
	return true
}

func settledBelow(s *schema.Schema, tree doc.Value) bool {
	switch {
	case s.MapType == schema.AtomicMap:
		return false
	case s.Type == schema.ObjectType:
		return settled(s, tree)
	case s.Type == schema.ArrayType:
		return (s.ListType == schema.SetList || s.ListType == schema.MapList) && settled(s, tree)
	}
	return true
}
