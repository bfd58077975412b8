package managed

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// applyDirectly is the shortcut of Apply: it merges and compares documents, and passes to structured-merge-diff only
// the sets of the fields that change. It gives up, and returns false, in unusual cases and for conflicts.
func (k *Kind) applyDirectly(live, config doc.Value, by Writer, force bool) (doc.Value, bool) {
	entries, before := live.Lookup("metadata", "managedFields"), withoutEntries(live)
	if live.IsAbsent() {
		before = k.empty
	} else if entries.Len() == 0 {
		return doc.Value{}, false
	}
	fields, ok := k.fieldsOfConfiguration(config, by.Part)
	if !ok {
		return doc.Value{}, false
	}
	after, ok := merged(k.schema, before, config)
	if !ok {
		return doc.Value{}, false
	}
	id := applyOf(by)
	ids := identitiesOf(entries)
	mine := slices.Index(ids, id)
	var own, last doc.Value
	if mine >= 0 {
		own = entries.At(mine)
		last = own.Get(memberFieldsV1)
		if after == before && own.Get(memberAPIVersion).Text() == k.apiVersion && doc.Equal(last, fields) {
			return live, true // the usual case: the writer applies the same configuration again
		}
	}
	if !k.regular(entries, ids) || !k.fits(config, true) || !k.fits(before, false) {
		return doc.Value{}, false
	}
	if !covers(fields, last) {
		if entries.Len() > mostCompared {
			return doc.Value{}, false
		}
		owned := []doc.Value{fields, anonymous(config)}
		for i, e := range entries.Elements() {
			if i != mine {
				owned = append(owned, e.Get(memberFieldsV1))
			}
		}
		if after, ok = pruned(k.schema, after, last, owned); !ok {
			return doc.Value{}, false
		}
		if doc.Equal(after, before) { // the prune undid the merge
			after = before
		}
	}
	c, ok := k.changeOf(before, after, by.Part)
	if !ok {
		return doc.Value{}, false
	}
	list := make([]doc.Value, 0, entries.Len()+1)
	for i, e := range entries.Elements() {
		switch {
		case i == mine:
			continue
		case !force && c.conflicts(e):
			return doc.Value{}, false
		}
		if e = c.taken(e); !e.IsAbsent() {
			list = append(list, e)
		}
	}
	at := own.Get(memberTime).Text()
	if after != before {
		at = by.Time
	}
	if fields.Len() > 0 {
		list = append(list, entry(id, k.apiVersion, at, fields))
	}
	return after.WithAt(sorted(list), "metadata", "managedFields"), true
}

// anonymous returns the fieldsV1 of the fields that have no owner but must not be pruned, because the configuration has
// them.
func anonymous(config doc.Value) doc.Value {
	var members []doc.Member
	for key := range config.Get("metadata").Members() {
		if Unowned(key) {
			members = append(members, doc.Member{Key: "f:" + key, Value: doc.MapOf()})
		}
	}
	if len(members) == 0 {
		return doc.MapOf()
	}
	return doc.MapOf(doc.Member{Key: "f:metadata", Value: doc.MapOf(members...)})
}
