package oracle

import (
	"maps"
	"math/rand"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

func pick(r *rand.Rand, choices ...doc.Value) doc.Value { return choices[r.Intn(len(choices))] }

// patchWriter generates patches of an object, with values from another object of its kind.
type patchWriter struct {
	r        *rand.Rand
	nonsense bool // directives in places where they have no meaning, values of wrong types
}

func (w *patchWriter) chance(n int) bool { return w.r.Intn(n) == 0 }

func (w *patchWriter) object(old, donor doc.Value) doc.Value {
	members := map[string]doc.Value{}
	names := map[string]bool{}
	for name := range old.Members() {
		names[name] = true
	}
	for name := range donor.Members() {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if w.chance(3) {
			continue
		}
		members[name] = w.value(old.Get(name), donor.Get(name))
		if members[name].Kind() == doc.List || old.Get(name).Kind() == doc.List {
			w.listDirectives(members, name, old.Get(name))
		}
	}
	if w.chance(25) {
		members["$patch"] = pick(w.r, doc.Of("replace"), doc.Of("delete"))
		if w.nonsense {
			members["$patch"] = pick(w.r, doc.Of("merge"), doc.NullValue(), doc.Of("x"), doc.OfInt(1))
		}
	}
	if w.chance(20) {
		var keep []doc.Value
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !w.chance(4) {
				keep = append(keep, doc.Of(name))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !w.nonsense {
				keep = append(keep, doc.Of(name))
			}
		}
		members["$retainKeys"] = doc.ListOf(keep...)
		if w.nonsense && w.chance(4) {
			members["$retainKeys"] = pick(w.r, doc.Of("x"), doc.NullValue(), doc.ListOf(doc.MapOf()),
				doc.ListOf(doc.NullValue()))
		}
	}
	var list []doc.Member
	for name, value := range members {
		list = append(list, doc.Member{Key: name, Value: value})
	}
	return doc.MapOf(list...)
}

func (w *patchWriter) value(old, donor doc.Value) doc.Value {
	switch {
	case w.chance(8):
		return doc.NullValue()
	case w.nonsense && w.chance(8):
		return pick(w.r, doc.Of("a"), doc.OfInt(1), doc.OfBool(true), doc.MapOf(), doc.ListOf(),
			doc.ListOf(doc.ListOf()), doc.ListOf(doc.NullValue()), doc.ListOf(doc.Of("a"), doc.OfInt(1)),
			doc.MapOf(doc.Member{Key: "$patch", Value: doc.Of("delete")}), doc.MapOf(doc.Member{Key: "x", Value: doc.MapOf()}))
	case old.Kind() == doc.Map || donor.Kind() == doc.Map:
		return w.object(old, donor)
	case old.Kind() == doc.List || donor.Kind() == doc.List:
		return w.list(old, donor)
	case donor.IsAbsent():
		return old
	}
	return donor
}

// mergeKeys are the members by which k8s.io/api merges lists.
var mergeKeys = []string{"name", "containerPort", "devicePath", "ip", "mountPath", "port", "resourceClaimName",
	"status", "topologyKey", "type", "uid"}

func (w *patchWriter) list(old, donor doc.Value) doc.Value {
	var list []doc.Value
	for i, v := range old.Elements() {
		switch {
		case v.Kind() != doc.Map:
			if w.chance(2) {
				list = append(list, v)
			}
		case w.chance(4):
			gone := doc.MapOf(doc.Member{Key: "$patch", Value: doc.Of("delete")})
			for _, key := range mergeKeys {
				gone = gone.With(key, v.Get(key))
			}
			list = append(list, gone)
			if w.chance(4) {
				list = append(list, v)
			}
		case w.chance(2):
			var from doc.Value
			if i < donor.Len() {
				from = donor.At(i)
			}
			change := w.object(v, from)
			for _, key := range mergeKeys {
				if value := v.Get(key); !value.IsAbsent() && !(w.nonsense && w.chance(10)) {
					change = change.With(key, value)
				}
			}
			list = append(list, change)
		}
	}
	for _, v := range donor.Elements() {
		if w.chance(2) {
			list = append(list, v)
		}
	}
	if w.chance(20) {
		list = append(list, doc.MapOf(doc.Member{Key: "$patch", Value: doc.Of("replace")}))
	}
	if w.nonsense && w.chance(10) {
		list = append(list, pick(w.r, doc.NullValue(), doc.Of("a"), doc.MapOf(), doc.ListOf(),
			doc.MapOf(doc.Member{Key: "$patch", Value: doc.Of("merge")}),
			doc.MapOf(doc.Member{Key: "$patch", Value: doc.NullValue()})))
	}
	w.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return doc.ListOf(list...)
}

// listDirectives adds the directives that may accompany a list.
func (w *patchWriter) listDirectives(members map[string]doc.Value, name string, old doc.Value) {
	patched := members[name]
	if w.chance(4) {
		if w.chance(4) {
			delete(members, name)
			patched = doc.Value{}
		}
		order := w.order(patched, old)
		if w.nonsense && w.chance(3) {
			order = pick(w.r, doc.NullValue(), doc.ListOf(), doc.Of("x"), doc.ListOf(doc.MapOf()), patched, old)
		}
		if !order.IsAbsent() {
			members["$setElementOrder/"+name] = order
		}
	}
	if w.chance(6) && (old.Len() > 0 && old.At(0).Kind() == doc.String || w.nonsense) {
		var gone []doc.Value
		for _, v := range old.Elements() {
			if w.chance(2) {
				gone = append(gone, v)
			}
		}
		members["$deleteFromPrimitiveList/"+name] = doc.ListOf(gone...)
		if w.nonsense && w.chance(3) {
			members["$deleteFromPrimitiveList/"+name] = pick(w.r, doc.NullValue(), doc.ListOf(), doc.Of("x"),
				doc.ListOf(doc.NullValue()))
		}
	}
	if w.nonsense && w.chance(40) {
		members[pickText(w.r, "$setElementOrder", "$setElementOrder/unknown", "$deleteFromPrimitiveList",
			"$deleteFromPrimitiveList/")] = doc.ListOf(doc.Of("a"))
	}
}

func pickText(r *rand.Rand, choices ...string) string { return choices[r.Intn(len(choices))] }

// order returns an order for a merged list: the elements of the patch in their order, with old ones in
// between.
func (w *patchWriter) order(patched, old doc.Value) doc.Value {
	var order []doc.Value
	element := func(v doc.Value) {
		if v.Kind() != doc.Map {
			order = append(order, v)
			return
		}
		if v.Has("$patch") {
			return
		}
		name := doc.MapOf()
		for _, key := range mergeKeys {
			name = name.With(key, v.Get(key))
		}
		order = append(order, name)
	}
	for _, v := range patched.Elements() {
		element(v)
	}
	for _, v := range old.Elements() {
		if w.chance(2) {
			n := len(order)
			element(v)
			if len(order) > n && !w.chance(3) {
				at := w.r.Intn(n + 1)
				order = slices.Insert(order[:n], at, order[n])
			}
		}
	}
	return doc.ListOf(order...)
}
