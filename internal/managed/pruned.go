package managed

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// covers reports whether a fieldsV1 has all the fields of another.
func covers(tree, other doc.Value) bool {
	for key, below := range other.Members() {
		if key == "." {
			continue
		}
		same := tree.Get(key)
		if same.IsAbsent() || isMember(below) && !isMember(same) || !covers(same, below) {
			return false
		}
	}
	return true
}

// isMember reports whether the value under a key of a fieldsV1 is a field itself, rather than only the path to other
// fields.
func isMember(below doc.Value) bool { return below.Len() == 0 || below.Has(".") }

// pruned returns a value without the fields that the writer applied before and that no longer have an owner. last is
// what it applied, and owned is what each manager owns now. It gives up, and returns false, if nothing would be left.
func pruned(s *schema.Schema, v, last doc.Value, owned []doc.Value) (doc.Value, bool) {
	how := relation(s, v)
	if how == whole {
		return v, last.Len() == 0
	}
	var keys []string
	if how != byMember {
		keys = make([]string, v.Len())
		for i := range keys {
			var ok bool
			if keys[i], ok = elementKey(s, how, v.At(i)); !ok {
				return doc.Value{}, false
			}
		}
		if repeats(keys) {
			return doc.Value{}, false
		}
	}
	ok := true
	left := v.Rewrite(func(i int, name string, value doc.Value) doc.Value {
		key, part, named := "f:"+name, memberOf(s, name), s.Property(name) != nil
		if how != byMember {
			key, part, named = keys[i], s.Items, false
		}
		before := last.Get(key)
		if before.IsAbsent() || !ok {
			return value
		}
		owners := below(owned, key)
		switch {
		case !named && !isMember(before):
			ok = false
		case len(owners) == 0, !named && !slices.ContainsFunc(owners, isMember):
			ok = !hasEmptyList(part, value)
			value = doc.Value{}
		case named && !survives(part, value, owners):
			ok = false
		case before.Len() > 0:
			value, ok = pruned(part, value, before, owners)
		}
		return value
	})
	return left, ok && left.Len() > 0
}

// survives reports whether a manager owns a field at or in a value, so that the value stays. It looks at the value,
// because entries can name fields that no longer exist.
func survives(s *schema.Schema, v doc.Value, owned []doc.Value) bool {
	return slices.ContainsFunc(owned, isMember) && !hasEmptyList(s, v) || survivesIn(s, v, owned)
}

// survivesIn reports whether a manager owns a field in a value.
func survivesIn(s *schema.Schema, v doc.Value, owned []doc.Value) bool {
	switch how := relation(s, v); how {
	case whole:
		return false
	case byMember:
		for key, value := range v.Members() {
			owners := below(owned, "f:"+key)
			if p := s.Property(key); p == nil && slices.ContainsFunc(owners, isMember) ||
				p != nil && len(owners) > 0 && survives(p.Schema, value, owners) {
				return true
			}
		}
	default:
		for _, element := range v.Elements() {
			key, ok := elementKey(s, how, element)
			owners := below(owned, key)
			if ok && slices.ContainsFunc(owners, isMember) && (how == byValue || survivesIn(s.Items, element, owners)) {
				return true
			}
		}
	}
	return false
}

// hasEmptyList reports whether a value is or contains an empty list whose elements would have owners. Such a list is
// not a field, and neither is a struct that holds nothing else.
func hasEmptyList(s *schema.Schema, v doc.Value) bool {
	switch relation(s, v) {
	case whole:
		return false
	case byMember:
		for key, value := range v.Members() {
			if hasEmptyList(memberOf(s, key), value) {
				return true
			}
		}
		return false
	}
	return v.Len() == 0
}

// below returns the parts of trees under a key.
func below(trees []doc.Value, key string) []doc.Value {
	var out []doc.Value
	for _, tree := range trees {
		if v := tree.Get(key); !v.IsAbsent() {
			out = append(out, v)
		}
	}
	return out
}
