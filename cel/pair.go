package cel

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// pair is the nearest place at or above a node that has an older value. A place below it without an older value counts
// as unchanged if the pair is unchanged.
type pair struct {
	schema          *schema.Schema
	now, old        doc.Value
	compared, equal bool
}

// below returns the pair of a place below: a new one if that place has an older value, else p.
func (p *pair) below(s *schema.Schema, now, old doc.Value) *pair {
	if old.IsAbsent() {
		return p
	}
	return &pair{schema: s, now: now, old: old}
}

// unchanged reports whether the place has its old value. It is false for nil, the object itself.
func (p *pair) unchanged() bool {
	if p == nil {
		return false
	}
	if !p.compared {
		p.compared, p.equal = true, sameValue(p.schema, p.now, p.old)
	}
	return p.equal
}

// sameValue compares values of a schema. The order of the elements of a list with keys does not count.
func sameValue(s *schema.Schema, now, old doc.Value) bool {
	if doc.Equal(now, old) {
		return true
	}
	if s == nil || now.Kind() != old.Kind() || now.Len() != old.Len() {
		return false
	}
	switch {
	case now.Kind() == doc.Map:
		for key, member := range now.Members() {
			if was := old.Get(key); was.IsAbsent() || !sameValue(s.Member(key), member, was) {
				return false
			}
		}
		return true
	case now.Kind() == doc.List && s.ListType == schema.MapList:
		older := olderItems(s, old)
		for _, item := range now.Elements() {
			if was := older[itemKey(s, item)]; was.IsAbsent() || !sameValue(s.Items, item, was) {
				return false
			}
		}
		return true
	}
	return false
}

// olderItems returns the elements of a list by their keys. Of several elements with the same keys it returns the first.
// The result is empty for a list without keys.
func olderItems(s *schema.Schema, old doc.Value) map[string]doc.Value {
	if s.ListType != schema.MapList || old.Kind() != doc.List {
		return nil
	}
	items := make(map[string]doc.Value, old.Len())
	for _, item := range old.Elements() {
		key := itemKey(s, item)
		if _, known := items[key]; !known {
			items[key] = item
		}
	}
	return items
}

func itemKey(s *schema.Schema, item doc.Value) string {
	var key []byte
	for _, name := range s.ListMapKeys {
		if v := item.Get(name); !v.IsAbsent() {
			key = codec.AppendJSON(key, v)
		}
		key = append(key, ',')
	}
	return string(key)
}
