package schema

import "github.com/decorum-go/decorum/internal/doc"

// Reconcile completes an update with values of the old object. An immutable field with a default keeps its old value if
// the update leaves it out, because leaving it out does not mean changing it. If the discriminator of a union changes,
// Reconcile drops the members that the update left unchanged (API conventions, Unions). It matches the elements of
// keyed lists by their keys. Elements of other lists have no identity. In a list that keeps its length, Reconcile
// matches them by their places, but only for unions: what it drops there could not stay anyway.
func (s *Schema) Reconcile(next, old doc.Value) doc.Value {
	return reconciliation{}.value(s, next, old)
}

// reconciliation completes an update. byPlace says that the value was matched by its place in a list.
type reconciliation struct{ byPlace bool }

func (r reconciliation) value(s *Schema, next, old doc.Value) doc.Value {
	if !s.settles || next == old || next.Kind() != old.Kind() {
		return next
	}
	switch {
	case next.Kind() == doc.List && s.ListType == MapList:
		return r.keyed(s, next, old)
	case next.Kind() == doc.List && s.Items != nil && next.Len() == old.Len():
		return next.Rewrite(func(i int, _ string, child doc.Value) doc.Value {
			return reconciliation{byPlace: true}.value(s.Items, child, old.At(i))
		})
	case next.Kind() != doc.Map:
		return next
	}
	if s.Object != nil {
		next = r.members(s.Object, next, old)
	}
	if s.Additional == nil {
		return next
	}
	return next.Rewrite(func(_ int, key string, child doc.Value) doc.Value {
		if s.Property(key) != nil {
			return child
		}
		return r.value(s.Additional, child, old.Get(key))
	})
}

func (r reconciliation) members(o *Object, next, old doc.Value) doc.Value {
	for i := range o.Properties {
		p := &o.Properties[i]
		if !p.Schema.settles {
			continue
		}
		child, before := next.Get(p.Name), old.Get(p.Name)
		if !r.byPlace && p.Schema.carried() && (child.IsAbsent() || p.Schema.dropsNull(child)) {
			next = next.With(p.Name, before)
		} else if after := r.value(p.Schema, child, before); after != child {
			next = next.With(p.Name, after)
		}
	}
	for i := range o.unions {
		next = o.unions[i].clear(next, old)
	}
	return next
}

func (r reconciliation) keyed(s *Schema, next, old doc.Value) doc.Value {
	before := s.index(old)
	var key []byte
	return next.Rewrite(func(_ int, _ string, child doc.Value) doc.Value {
		key = s.appendIdentity(key[:0], child)
		if j, found := before[string(key)]; found {
			return r.value(s.Items, child, old.At(j))
		}
		return child
	})
}

// carried reports whether an update that leaves the field out keeps its value.
func (s *Schema) carried() bool { return s.Immutable && !s.DefaultValue.IsAbsent() }

// reconciles reports whether Reconcile may change a value in this place itself, not counting the values below it.
func (s *Schema) reconciles() bool { return s.carried() || s.Object != nil && len(s.Object.unions) > 0 }
