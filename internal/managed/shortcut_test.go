package managed_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func randomGear(r *rand.Rand, depth int) doc.Value {
	word := func() doc.Value { return doc.Of(string(rune('a' + r.IntN(5)))) }
	members := []doc.Member{}
	add := func(key string, value func() doc.Value) {
		if r.IntN(3) > 0 {
			members = append(members, doc.Member{Key: key, Value: value()})
		}
	}
	list := func(element func(int) doc.Value) func() doc.Value {
		return func() doc.Value {
			var values []doc.Value
			for i := range r.IntN(4) {
				values = append(values, element(i))
			}
			return doc.ListOf(values...)
		}
	}
	words := func() doc.Value {
		var m []doc.Member
		for i := range r.IntN(3) {
			m = append(m, doc.Member{Key: fmt.Sprint("k", i), Value: word()})
		}
		return doc.MapOf(m...)
	}
	add("size", func() doc.Value { return doc.OfInt(int64(r.IntN(4))) })
	add("teeth", list(func(i int) doc.Value {
		name := fmt.Sprint("t", i)
		if r.IntN(20) == 0 {
			name = `"quoted" & <odd>`
		}
		return doc.MapOf(doc.Member{Key: "name", Value: doc.Of(name)},
			doc.Member{Key: "length", Value: doc.OfInt(int64(r.IntN(3)))}, doc.Member{Key: "note", Value: word()})
	}))
	add("tags", list(func(i int) doc.Value {
		if r.IntN(30) == 0 {
			return word() // may repeat
		}
		return doc.Of(fmt.Sprint("tag", i, r.IntN(2)))
	}))
	add("steps", list(func(int) doc.Value { return word() }))
	add("settings", words)
	add("limits", words)
	add("extra", func() doc.Value {
		return [...]doc.Value{word(), words(), doc.ListOf(word(), words()),
			doc.MapOf(doc.Member{Key: "deep", Value: words()})}[r.IntN(4)]
	})
	if depth > 0 {
		add("inner", func() doc.Value { return randomGear(r, depth-1) })
	}
	return doc.MapOf(members...)
}

func randomObject(r *rand.Rand) doc.Value {
	return doc.MapOf(
		doc.Member{Key: "apiVersion", Value: doc.Of("example.com/v1")}, doc.Member{Key: "kind", Value: doc.Of("Gear")},
		doc.Member{Key: "metadata", Value: doc.MapOf(doc.Member{Key: "name", Value: doc.Of("a")},
			doc.Member{Key: "uid", Value: doc.Of("u")},
			doc.Member{Key: "labels", Value: doc.MapOf(doc.Member{Key: "l", Value: doc.Of(string(rune('a' + r.IntN(3))))})})},
		doc.Member{Key: "spec", Value: randomGear(r, 1)},
		doc.Member{Key: "status", Value: doc.MapOf(doc.Member{Key: "count", Value: doc.OfInt(int64(r.IntN(3)))})},
	)
}

// changed returns v with some scalars changed.
func changed(r *rand.Rand, v doc.Value) doc.Value {
	return v.Rewrite(func(_ int, key string, value doc.Value) doc.Value {
		switch {
		case value.Kind() == doc.Map || value.Kind() == doc.List:
			return changed(r, value)
		case key == "name" || key == "uid" || key == "kind" || key == "apiVersion" || r.IntN(6) > 0:
			return value
		case value.Kind() == doc.Number:
			return doc.OfInt(int64(r.IntN(9)))
		}
		return doc.Of(string(rune('a' + r.IntN(9))))
	})
}

// The shortcuts that use no sets must give the result of the general path, on objects of all shapes.
func TestShortcutsAgainstTheGeneralWay(t *testing.T) {
	k := gears(t)
	m := managed.Writer{Manager: "m", Part: managed.Main, Time: "2026-01-02T03:04:05Z"}
	n := managed.Writer{Manager: "n", Part: managed.Main, Time: "2026-01-02T03:04:06Z"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		obj := randomObject(r)
		got := k.Update(doc.Value{}, obj, doc.Value{}, m)
		want, err := k.General(doc.Value{}, obj, doc.Value{}, m)
		require.NoError(t, err)
		require.Equal(t, show(want), show(got), "a new object, seed %d: %s", seed, show(obj))

		live := obj.WithAt(got, "metadata", "managedFields")
		for _, by := range []managed.Writer{m, n, n, m} {
			by.Time = fmt.Sprintf("2026-01-02T03:05:%02dZ", r.IntN(60))
			next := changed(r, obj)
			before := live.Lookup("metadata", "managedFields")
			got, want = k.Update(live, next, doc.Value{}, by), doc.Value{}
			want, err = k.General(live, next, before, by)
			require.NoError(t, err)
			require.Equal(t, show(want), show(got), "a change by %s, seed %d: %s to %s", by.Manager, seed, show(live),
				show(next))
			obj, live = next, next.WithAt(got, "metadata", "managedFields")
		}
	}
}

// The shortcut of Apply must give the object and the owners of the general path.
func TestApplyDirectlyAgainstTheGeneralWay(t *testing.T) {
	k := gears(t)
	taken, given, refused := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		live, config := doc.Value{}, map[string]doc.Value{}
		for range 12 {
			by := managed.Writer{Manager: string(rune('m' + r.IntN(3))), Part: managed.Part(r.IntN(3)),
				Time: fmt.Sprintf("2026-01-02T03:05:%02dZ", r.IntN(60))}
			if by.Part == managed.Status {
				by.Subresource = "status"
			}
			next, before := randomObject(r), config[by.Manager]
			if !before.IsAbsent() && r.IntN(4) > 0 {
				next = edited(r, before, next)
			}
			if r.IntN(3) == 0 {
				next = next.WithAt(doc.Value{}, "metadata", "labels")
			}
			if !live.IsAbsent() && r.IntN(3) == 0 { // an update in between
				bare := live.With("metadata", live.Get("metadata").Without("managedFields"))
				bare = edited(r, bare, next)
				live = bare.WithAt(k.Update(live, bare, doc.Value{}, by), "metadata", "managedFields")
			}
			force := r.IntN(2) == 0
			got, ok := k.ApplyDirectly(live, next, by, force)
			want, err := k.GeneralApply(live, next, by, force)
			if err != nil {
				require.False(t, ok, "seed %d: %v", seed, err)
				refused++
				continue
			}
			if ok {
				taken++
				require.Equal(t, show(want), show(got), "seed %d, part %d: %s to %s", seed, by.Part, show(next), show(live))
			} else {
				given++
			}
			live, config[by.Manager] = want, next
		}
	}
	assert.Greater(t, taken, 2*given, "%d of %d", taken, taken+given)
	assert.NotZero(t, refused)
}

// The most frequent change of a controller, to a value of its own, must allocate almost nothing.
func TestKeptOwnersAllocateLittle(t *testing.T) {
	k, obj := gears(t), benchObject(t)
	by := managed.Writer{Manager: "m", Part: managed.Whole, Time: "2026-01-02T03:04:05Z"}
	live := obj.WithAt(k.Update(doc.Value{}, obj, doc.Value{}, by), "metadata", "managedFields")
	next := obj.WithAt(doc.OfInt(7), "status", "count")
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { k.Update(live, next, doc.Value{}, by) }), 20.0)
}

// For any managedFields that a client sends, the server can read the resulting entries and writes them back unchanged.
func FuzzClaimedEntries(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{}]`, `null`, `[null]`, `{}`,
		`[{"manager":"m","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}]`,
		`[{"manager":"m","operation":"Update","apiVersion":"v0","time":"x","fieldsType":"FieldsV1","fieldsV1":{"k:{\"a\":1}":{".":{},"v:1":{}},"i:3":{},"x:":{},"f:":null}}]`,
		`[{"operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"k:{":{},"v:":{}}}]`,
		`[{"operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":[1]}]`,
	} {
		f.Add(seed)
	}
	k := gears(f)
	by := managed.Writer{Manager: "w", Part: managed.Whole, Time: "2026-01-02T03:04:05Z"}
	old := parse(f, `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"size":1}}`)
	next := old.WithAt(doc.OfInt(2), "spec", "size")
	f.Fuzz(func(t *testing.T, text string) {
		claimed, err := tryParse(text)
		if err != nil {
			return
		}
		list := k.Update(old, next, claimed, by)
		if list.IsAbsent() {
			return
		}
		require.Equal(t, show(list), show(k.Update(next.WithAt(list, "metadata", "managedFields"), next, list, by)))
		_, err = k.Apply(next.WithAt(list, "metadata", "managedFields"), old, by, true)
		require.NoError(t, err)
	})
}

// The general path rejects long lists. A new object must not need it.
func TestLongLists(t *testing.T) {
	k := gears(t)
	var tags []doc.Value
	for i := range 10_001 {
		tags = append(tags, doc.OfInt(int64(i)))
	}
	obj := parse(t, `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"size":1}}`)
	long := obj.WithAt(doc.ListOf(tags...), "spec", "tags")
	m := managed.Writer{Manager: "m", Part: managed.Whole, Time: "2026-01-02T03:04:05Z"}
	entries := k.Update(doc.Value{}, long, doc.Value{}, m)
	assert.Equal(t, 10_002, entries.At(0).Lookup("fieldsV1", "f:spec", "f:tags").Len(), "each element, and the list")
	n := m
	n.Manager = "n"
	assert.Equal(t, show(entries), show(k.Update(long.WithAt(entries, "metadata", "managedFields"), obj, doc.Value{}, n)),
		"the owners do not change")
	_, err := k.Apply(obj, long, m, false)
	assert.True(t, status.IsRequestEntityTooLarge(err), "%v", err)
}

// edited returns v with values changed, dropped or added from another object, and with list elements reordered or
// duplicated.
func edited(r *rand.Rand, v, other doc.Value) doc.Value {
	switch {
	case v.Kind() != other.Kind() || r.IntN(12) == 0:
		return other
	case v.Kind() == doc.Map:
		for key, value := range other.Members() {
			if !v.Has(key) && r.IntN(4) == 0 {
				v = v.With(key, value)
			}
		}
		return v.Rewrite(func(_ int, key string, value doc.Value) doc.Value {
			if key == "name" || key == "uid" || key == "kind" || key == "apiVersion" || key == "metadata" {
				return value
			}
			if r.IntN(12) == 0 {
				return doc.Value{}
			}
			return edited(r, value, other.Get(key))
		})
	case v.Kind() == doc.List && v.Len() > 0:
		i, n := r.IntN(v.Len()), v.Len()
		var elements []doc.Value
		for _, e := range v.Elements() {
			elements = append(elements, e)
		}
		switch r.IntN(5) {
		case 0:
			elements = slices.Delete(elements, i, i+1)
		case 1:
			elements = slices.Insert(elements, i, v.At(r.IntN(n)))
		case 2:
			elements = slices.Insert(slices.Delete(elements, i, i+1), r.IntN(n), v.At(i))
		}
		v = doc.ListOf(elements...)
		return v.Rewrite(func(i int, _ string, value doc.Value) doc.Value {
			if i < other.Len() {
				return edited(r, value, other.At(i))
			}
			return value
		})
	}
	return v
}

// The shortcut for writes that move owners must give the entries of the general path.
func TestMovedOwnersAgainstTheGeneralWay(t *testing.T) {
	k := gears(t)
	taken, given := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		obj, entries := doc.Value{}, doc.Value{}
		for i := range 12 {
			next := randomObject(r)
			if i > 0 {
				next = edited(r, obj, next)
			}
			by := managed.Writer{Manager: string(rune('m' + r.IntN(12))), Part: managed.Part(r.IntN(4)),
				Time: fmt.Sprintf("2026-01-02T03:05:%02dZ", r.IntN(60))}
			if by.Part == managed.Status {
				by.Subresource = "status"
			}
			want, err := k.General(obj, next, entries, by)
			if err != nil {
				_, ok := k.MovedOwners(obj, next, entries, by)
				require.False(t, ok, "seed %d: %v", seed, err)
				continue
			}
			got, ok := k.MovedOwners(obj, next, entries, by)
			if ok {
				taken++
				require.Equal(t, show(want), show(got), "seed %d, entries %s: %s to %s", seed, show(entries), show(obj), show(next))
			} else {
				given++
			}
			obj, entries = next, want
		}
	}
	assert.Greater(t, taken, 2*given, "%d of %d", taken, taken+given)
}

// The shortcuts must leave unusual entries to the general path, whatever else a write changes.
func TestIrregularEntriesGoTheGeneralWay(t *testing.T) {
	k := gears(t)
	by := managed.Writer{Manager: "m", Part: managed.Whole, Time: "2026-01-02T03:04:05Z"}
	const ordinary = `{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}},"manager":"n","operation":"Update","time":"2026-01-02T03:04:00Z"}`
	const spec = `{"size":1,"limits":{"a":"b"},"teeth":[{"name":"a"}]}`
	for _, c := range []struct{ name, entries, spec string }{
		{"an atomic map in parts",
			`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:limits":{".":{},"f:a":{}}}},"manager":"n","operation":"Update"}]`, spec},
		{"an atomic list in parts",
			`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:steps":{"v:\"a\"":{}}}},"manager":"n","operation":"Apply"}]`, spec},
		{"another version", `[{"apiVersion":"example.com/v0","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}},"manager":"n","operation":"Update"}]`, spec},
		{"a time in another zone",
			`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:limits":{}}},"manager":"n","operation":"Update","time":"2026-01-02T03:04:05+02:00"}]`, spec},
		{"a member of a later version",
			`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:limits":{}}},"manager":"n","operation":"Update","reason":"r"}]`, spec},
		{"a duplicate manager", `[` + ordinary + `,` + ordinary + `]`, spec},
		{"a value that does not fit", `[` + ordinary + `]`, `{"size":"1"}`},
		{"an unknown member", `[` + ordinary + `]`, `{"size":1,"weight":1}`},
		{"elements without names", `[` + ordinary + `]`, `{"size":1,"tags":[null]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := parse(t, `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":`+c.spec+`}`)
			entries := parse(t, c.entries)
			live := old.WithAt(entries, "metadata", "managedFields")
			next := old.WithAt(doc.OfInt(2), "spec", "size")
			_, ok := k.MovedOwners(live, next, entries, by)
			assert.False(t, ok)
			_, ok = k.ApplyDirectly(live, next, by, true)
			assert.False(t, ok)
		})
	}
}
