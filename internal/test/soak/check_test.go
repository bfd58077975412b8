package soak

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

// The following tests give the checks a history that contains an object, which is created, changes sides, is deleted
// and is created again, between changes of another object. The watcher watches the left side. The checks must find
// every fault.

func at(name string, revision uint64, uid, side string) item {
	return item{keyOf("a", name), value{uid: uid, revision: revision, side: side}}
}

func became(i item) entry { return entry{item: i, revision: i.value.revision, last: i.value.revision} }

func went(i item, revision uint64) entry {
	i.value = i.value.at(revision)
	return entry{item: i, revision: revision, gone: true, last: revision}
}

func sample(t *testing.T) *history { return sampleUntil(t, 17) }

func sampleUntil(t *testing.T, end uint64) *history {
	h, err := newHistory(state{namespaceKey("a"): value{}, keyOf("a", "z"): value{uid: "z", revision: 9, side: "left"}},
		10, []entry{
			became(at("x", 11, "1", "left")),
			became(at("y", 12, "2", "right")),
			became(at("x", 13, "1", "left")),
			became(at("x", 14, "1", "right")),
			became(at("x", 15, "1", "left")),
			went(at("x", 15, "1", "left"), 16),
			became(at("x", 17, "3", "left")),
		}[:end-10])
	require.NoError(t, err)
	return h
}

func left() selector {
	return selector{labels: "side=left", holds: func(_ storage.Key, v value) bool { return v.side == "left" }}
}

func event(e apimeta.EventType, i item) note {
	return note{kind: changed, event: e, revision: i.value.revision, item: i}
}

var (
	z     = item{keyOf("a", "z"), value{uid: "z", revision: 9, side: "left"}}
	start = note{kind: listed, revision: 10, items: []item{z}}
)

// all returns the events that a watcher of the left side sees after start.
func all() []note {
	return []note{
		event(apimeta.EventAdded, at("x", 11, "1", "left")),
		event(apimeta.EventModified, at("x", 13, "1", "left")),
		event(apimeta.EventDeleted, at("x", 14, "1", "left")),
		event(apimeta.EventAdded, at("x", 15, "1", "left")),
		event(apimeta.EventDeleted, at("x", 16, "1", "left")),
		event(apimeta.EventAdded, at("x", 17, "3", "left")),
	}
}

func notes(first note, rest ...note) []note { return append([]note{first}, rest...) }

func TestReplay(t *testing.T) {
	freshZ, over := event(apimeta.EventAdded, z), note{kind: expired}
	start11 := note{kind: listed, revision: 11, items: []item{at("x", 11, "1", "left"), z}}
	start13 := note{kind: listed, revision: 13, items: []item{at("x", 13, "1", "left"), z}}
	again := func(revision uint64) note { return note{kind: relisted, revision: revision} }
	difference := func(e apimeta.EventType, revision uint64, i item) note {
		if e == apimeta.EventDeleted {
			i.value = i.value.at(revision)
		}
		return note{kind: changed, event: e, revision: revision, item: i}
	}
	for _, c := range []struct {
		name  string
		end   uint64 // last revision of the history; 0 means all of it
		notes []note
		want  string // part of the error; "" if nothing is wrong
	}{
		{name: "everything", notes: notes(start, all()...)},
		{name: "a list later on", notes: append(notes(start, all()[:2]...),
			note{kind: listed, revision: 15, floor: 15, items: []item{at("x", 15, "1", "left"), z}}, all()[4], all()[5])},
		{name: "bookmarks", notes: append(notes(start, all()[0], note{kind: bookmarked, revision: 12}), all()[1:]...)},
		{name: "from nowhere", notes: append([]note{{kind: fresh, floor: 10}, freshZ}, all()...)},
		{name: "from nowhere, in the middle",
			notes: append([]note{{kind: fresh, floor: 12}, event(apimeta.EventAdded, at("x", 13, "1", "left")), freshZ},
				all()[2:]...)},
		{name: "from nowhere, at the end",
			notes: []note{{kind: fresh, floor: 12}, event(apimeta.EventAdded, at("x", 17, "3", "left")), freshZ}},
		{name: "from nowhere, passed before an object",
			notes: append([]note{{kind: fresh, floor: 10}, over, {kind: fresh, floor: 11}, over, start11}, all()[1:]...)},
		{name: "from nowhere, passed before the last object",
			notes: append([]note{{kind: fresh, floor: 10}, all()[0], over, start11}, all()[1:]...)},
		{name: "from nowhere, passed after all objects",
			notes: append([]note{{kind: fresh, floor: 10}, freshZ, over, start11}, all()[1:]...)},
		{name: "from nowhere, passed after a change",
			notes: append([]note{{kind: fresh, floor: 10}, freshZ, all()[0], all()[1], over, start13}, all()[2:]...)},
		{name: "passed, and a list", notes: append(notes(start, all()[0], over, start13), all()[2:]...)},
		{name: "a difference", notes: append(notes(start, all()[:2]...), again(17),
			difference(apimeta.EventDeleted, 17, at("x", 13, "1", "left")),
			event(apimeta.EventAdded, at("x", 17, "3", "left")))},
		{name: "a difference between events",
			notes: append(notes(start, all()[0], again(15), difference(apimeta.EventModified, 15, at("x", 15, "1", "left"))),
				all()[4:]...)},
		{name: "an empty difference", notes: append(notes(start, again(14)), all()[3:]...)},
		{name: "an empty difference, at the end", end: 14, notes: notes(start, again(14))},
		{name: "two differences", notes: append(notes(start, again(12),
			difference(apimeta.EventAdded, 12, at("x", 11, "1", "left")), again(16),
			difference(apimeta.EventDeleted, 16, at("x", 11, "1", "left"))), all()[5])},
		{name: "a difference that was broken off", notes: []note{start, again(17), {kind: fresh, floor: 17},
			event(apimeta.EventAdded, at("x", 17, "3", "left")), event(apimeta.EventAdded, z)}},

		{name: "an event is lost", notes: append(notes(start, all()[0]), all()[2:]...), want: "no event may be lost"},
		{name: "an event is lost before another of the object", notes: append(notes(start, all()[:3]...), all()[5]),
			want: "no event may be lost"},
		{name: "the last event is lost", notes: notes(start, all()[:5]...), want: errMissing.Error()},
		{name: "an event comes twice", notes: append(notes(start, all()[0]), all()...), want: "must ascend"},
		{name: "events change places", notes: append(notes(start, all()[1], all()[0]), all()[2:]...),
			want: "no event may be lost"},
		{name: "the wrong type", notes: append(notes(start, event(apimeta.EventModified, at("x", 11, "1", "left"))),
			all()[1:]...), want: "must match its commit"},
		{name: "the wrong object", notes: append(notes(start, event(apimeta.EventAdded, at("x", 11, "9", "left"))),
			all()[1:]...), want: "must match its commit"},
		{name: "the wrong last state of a deleted object",
			notes: append(notes(start, all()[:2]...), event(apimeta.EventDeleted, at("x", 14, "1", "right"))),
			want:  "must match its commit"},
		{name: "an event that the selector hides",
			notes: append(notes(start, all()[0], event(apimeta.EventAdded, at("y", 12, "2", "right"))), all()[1:]...),
			want:  "must match its commit"},
		{name: "an event from the future",
			notes: append(notes(start, all()...), event(apimeta.EventModified, at("x", 18, "3", "left"))),
			want:  "come from the store"},
		{name: "a bookmark too early",
			notes: append(notes(start, all()[0], note{kind: bookmarked, revision: 13}), all()[1:]...),
			want:  "a bookmark must follow"},
		{name: "a bookmark that goes back",
			notes: append(notes(start, all()[0], note{kind: bookmarked, revision: 10}), all()[1:]...), want: "must not go back"},
		{name: "a list that lacks a write", notes: []note{{kind: listed, revision: 10, floor: 11, items: []item{z}}},
			want: "every acknowledged write"},
		{name: "a list that goes back", notes: notes(start, append(all(), start)...), want: "a list must not go back"},
		{name: "a torn list", notes: []note{{kind: listed, revision: 11, items: []item{z}}}, want: "one snapshot"},
		{name: "a list with a double", notes: []note{{kind: listed, revision: 10, items: []item{z, z}}},
			want: "listed twice"},
		{name: "from nowhere without an object", notes: append([]note{{kind: fresh, floor: 12}}, all()[2:]...),
			want: "the existing objects"},
		{name: "from nowhere, lacking a write", notes: append([]note{{kind: fresh, floor: 12}, freshZ}, all()...),
			want: "the existing objects"},
		{name: "from nowhere, behind the events before",
			notes: append(append(notes(start, all()[:3]...), note{kind: fresh, floor: 11}, all()[0], freshZ), all()[1:]...),
			want:  "the existing objects"},
		{name: "from nowhere, passed, lacking a write",
			notes: append([]note{{kind: fresh, floor: 13}, all()[0], over, start13}, all()[2:]...),
			want:  "the existing objects"},
		{name: "from nowhere, passed after a wrong object",
			notes: append([]note{{kind: fresh, floor: 10}, event(apimeta.EventAdded, at("x", 11, "9", "left")), over, start13},
				all()[2:]...),
			want: "the existing objects"},
		{name: "from nowhere, passed, with an object left out", end: 13,
			notes: []note{{kind: fresh, floor: 11}, freshZ, over, start13}, want: "the existing objects"},
		{name: "from nowhere, broken off before an object",
			notes: append([]note{{kind: fresh, floor: 10}, start13}, all()[2:]...), want: "the existing objects"},
		{name: "a difference from nowhere",
			notes: append([]note{{kind: fresh, floor: 10}, again(15),
				difference(apimeta.EventAdded, 15, at("x", 15, "1", "left")), difference(apimeta.EventAdded, 15, z)}, all()[4:]...),
			want: "the existing objects"},
		{name: "from nowhere, passed at the end", notes: []note{{kind: fresh, floor: 10}, over}, want: errMissing.Error()},
		{name: "passed at the end", notes: append(notes(start, all()...), over), want: errMissing.Error()},
		{name: "an event after 410", notes: append(notes(start, all()[0], over), all()[1:]...),
			want: "a watch must begin with a list"},
		{name: "an event that is not part of a difference",
			notes: append(notes(start, all()[:2]...), event(apimeta.EventModified, at("x", 17, "3", "left"))),
			want:  "no event may be lost"},
		{name: "a difference without a list", notes: append(notes(start, all()[:2]...),
			difference(apimeta.EventDeleted, 17, at("x", 13, "1", "left")), event(apimeta.EventAdded, at("x", 17, "3", "left"))),
			want: "no event may be lost"},
		{name: "an object of a short life is lost without a list", end: 14, notes: notes(start), want: errMissing.Error()},
		{name: "a difference that lacks something", notes: append(notes(start, all()[:2]...), again(17),
			difference(apimeta.EventDeleted, 17, at("x", 13, "1", "left"))), want: errMissing.Error()},
		{name: "a difference that lacks everything", notes: append(notes(start, again(15)), all()[4:]...),
			want: "must lead to the state at its revision"},
		{name: "a difference that lacks something before the next",
			notes: append(notes(start, again(15), again(17)), all()[5]), want: "must lead to the state at its revision"},
		{name: "a difference that deletes an unseen object",
			notes: notes(start, again(17), event(apimeta.EventDeleted, at("x", 17, "3", "left"))),
			want:  "objects that were seen"},
		{name: "a difference that adds a known object", notes: append(notes(start, all()[:2]...), again(15),
			difference(apimeta.EventAdded, 15, at("x", 15, "1", "left"))), want: "objects that were seen"},
		{name: "a difference that deletes another state", notes: append(notes(start, all()[:2]...), again(17),
			difference(apimeta.EventDeleted, 17, at("x", 15, "2", "left"))), want: "last state that was seen"},
		{name: "a difference that modifies one into another", notes: append(notes(start, all()[:2]...), again(17),
			difference(apimeta.EventModified, 17, at("x", 17, "3", "left"))), want: "kept its uid"},
		{name: "a difference that modifies nothing", notes: append(notes(start, all()[:2]...), again(13),
			difference(apimeta.EventModified, 13, at("x", 13, "1", "left"))), want: "must modify an object that has changed"},
		{name: "a difference that shows too old an object",
			notes: append(notes(start, again(15), difference(apimeta.EventAdded, 15, at("x", 13, "1", "left"))), all()[4:]...),
			want:  "must lead to the state at its revision"},
		{name: "a difference that does not lead to its revision", notes: append(notes(start, all()[:2]...), again(15),
			difference(apimeta.EventDeleted, 15, at("x", 13, "1", "left")), all()[4]),
			want: "must lead to the state at its revision"},
		{name: "a second list that lacks a write", notes: notes(start, note{kind: relisted, revision: 14, floor: 15}),
			want: "every acknowledged write"},
		{name: "a second list that goes back", notes: append(notes(start, all()[:3]...), again(13)), want: "missed events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newReplay(sampleUntil(t, cmp.Or(c.end, 17)), newTape("", left())).run(c.notes)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	first := became(at("x", 11, "1", "left"))
	counted := at("x", 12, "1", "left")
	counted.value.count = 1
	counted.value.generation = 1
	lost := at("x", 13, "1", "left")
	lost.value.generation = 2
	still := counted
	still.value.generation = 0
	for _, c := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"a gap", []entry{first, became(at("x", 13, "1", "left"))}, "revisions must be consecutive"},
		{"a double", []entry{first, became(at("y", 11, "1", "left"))}, "revisions must be consecutive"},
		{"another revision in the object", []entry{{item: at("x", 10, "1", "left"), revision: 11, last: 11}},
			"revision of its commit"},
		{"another uid", []entry{first, became(at("x", 12, "2", "left"))}, "keep its uid"},
		{"the deletion of a missing object", []entry{went(at("x", 0, "1", "left"), 11)}, "last state"},
		{"a lost update", []entry{first, became(counted), became(lost)}, "no update may be lost"},
		{"a generation that stands still", []entry{first, became(still)}, "generation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newHistory(state{namespaceKey("a"): value{}}, 10, c.entries)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func at11(key storage.Key, v value) entry {
	v.revision = 11
	return became(item{key, v})
}

func gone11(key storage.Key, v value) entry { return went(item{key, v}, 11) }

// The test covers namespaces, owners, and objects that are written together.
func TestHistoryOfSeveral(t *testing.T) {
	part := storage.Key{Resource: parts, Namespace: "a", Name: "part"}
	gadget, owned := value{uid: "g", revision: 5}, value{uid: "p", revision: 6, owners: "gadget g"}
	ending := value{revision: 7, deleting: true}
	started := func(k storage.Key, v value) value {
		v.revision, v.deleting = 11, true
		return v
	}
	group := func(last uint64, e entry) entry {
		e.last = last
		return e
	}
	for _, c := range []struct {
		name    string
		start   state
		entries []entry
		want    string
	}{
		{"in a namespace", state{namespaceKey("a"): {}}, []entry{at11(part, owned)}, ""},
		{"in no namespace", state{namespaceKey("b"): {}}, []entry{at11(part, owned)}, "no object may be created"},
		{"in a namespace that ends", state{namespaceKey("a"): ending}, []entry{at11(part, owned)},
			"no object may be created"},
		{"a change in a namespace that ends", state{namespaceKey("a"): ending, part: owned}, []entry{at11(part, owned)}, ""},
		{"an empty namespace", state{namespaceKey("a"): ending, keyOf("b", "x"): gadget},
			[]entry{gone11(namespaceKey("a"), ending)}, ""},
		{"a namespace that is not empty", state{namespaceKey("a"): ending, keyOf("a", "x"): gadget},
			[]entry{gone11(namespaceKey("a"), ending)}, "only when it is empty"},
		{"without its owner", state{namespaceKey("a"): {}, part: owned}, []entry{gone11(part, owned)}, ""},
		{"with another of that name", state{namespaceKey("a"): {}, part: owned, keyOf("a", "gadget"): {uid: "h"}},
			[]entry{gone11(part, owned)}, ""},
		{"before its owner", state{namespaceKey("a"): {}, part: owned, keyOf("a", "gadget"): gadget},
			[]entry{gone11(part, owned)}, "only after its owners"},
		{"begun before its owner", state{namespaceKey("a"): {}, part: owned, keyOf("a", "gadget"): gadget},
			[]entry{at11(part, started(part, owned))}, "only after its owners"},
		{"before one of its owners",
			state{namespaceKey("a"): {}, part: {owners: "gadget g,other o"}, keyOf("a", "gadget"): gadget},
			[]entry{gone11(part, value{owners: "gadget g,other o"})}, "only after its owners"},
		{"with its owner", state{namespaceKey("a"): {}, part: owned, keyOf("a", "gadget"): {uid: "g", deleting: true}},
			[]entry{gone11(part, owned)}, ""},
		{"with its namespace", state{namespaceKey("a"): ending, part: owned, keyOf("a", "gadget"): gadget},
			[]entry{gone11(part, owned)}, ""},
		{"without any owner", state{namespaceKey("a"): {}, part: {}}, []entry{gone11(part, value{})},
			"only after its owners"},
		{"a group", state{namespaceKey("a"): {}},
			[]entry{group(13, became(at("x", 11, "1", ""))), group(13, became(at("y", 12, "2", ""))),
				group(13, became(at("z", 13, "3", ""))), became(at("x", 14, "1", ""))}, ""},
		{"another commit in a group", state{namespaceKey("a"): {}},
			[]entry{group(13, became(at("x", 11, "1", ""))), became(at("y", 12, "2", "")),
				group(13, became(at("z", 13, "3", "")))}, "must be consecutive"},
		{"a group that does not end", state{namespaceKey("a"): {}},
			[]entry{group(13, became(at("x", 11, "1", ""))), group(13, became(at("y", 12, "2", "")))}, "must be consecutive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newHistory(c.start, 10, c.entries)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// grouped returns a history in which the second and the third commit are a group.
func grouped(t *testing.T) *history {
	first, second, third, fourth := became(at("x", 11, "1", "left")), became(at("y", 12, "2", "left")),
		became(at("w", 13, "3", "left")), went(at("x", 11, "1", "left"), 14)
	second.last, third.last = 13, 13
	h, err := newHistory(state{namespaceKey("a"): value{revision: 8},
		keyOf("a", "z"): value{uid: "z", revision: 9, side: "left"}}, 10, []entry{first, second, third, fourth})
	require.NoError(t, err)
	return h
}

func TestNobodySeesAPartOfAGroup(t *testing.T) {
	x, y := at("x", 11, "1", "left"), at("y", 12, "2", "left")
	for name, inside := range map[string][]note{
		"a list":       {{kind: listed, revision: 12, items: []item{x, y, z}}},
		"a bookmark":   {start, event(apimeta.EventAdded, x), event(apimeta.EventAdded, y), {kind: bookmarked, revision: 12}},
		"a difference": {start, {kind: relisted, revision: 12}, event(apimeta.EventAdded, x), event(apimeta.EventAdded, y)},
		"from nowhere": {{kind: fresh, floor: 10}, event(apimeta.EventAdded, x), event(apimeta.EventAdded, y),
			event(apimeta.EventAdded, z), event(apimeta.EventDeleted, at("x", 14, "1", "left"))},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newReplay(grouped(t), newTape("", left())).run(inside)
			require.Error(t, err)
			require.NotErrorIs(t, err, errMissing)
		})
	}
	for _, l := range []listRead{{revision: 12, floor: 12, ceiling: 14, items: []item{x, y, z}},
		{revision: 12, floor: 12, ceiling: 14, exact: true, items: []item{x, y, z}}} {
		l.sel = left()
		r := reads{lists: []listRead{l}}
		require.NotEmpty(t, r.check(grouped(t)))
	}
	r := reads{lists: []listRead{{revision: 13, floor: 12, ceiling: 14, exact: true, sel: left(),
		items: []item{at("w", 13, "3", "left"), x, y, z}}}}
	require.Empty(t, r.check(grouped(t)), "a list at a revision inside a group is one at its end")
}

// If a watcher sees only the first change of a group, and begins after the group, the group is complete when it begins.
func TestFreshAfterAGroup(t *testing.T) {
	sel := selector{fields: "metadata.name=y", holds: func(k storage.Key, _ value) bool { return k.Name == "y" }}
	_, err := newReplay(grouped(t),
		newTape("", sel)).run([]note{{kind: fresh, floor: 11}, event(apimeta.EventAdded, at("y", 12, "2", "left"))})
	require.NoError(t, err)
}

func TestChronicle(t *testing.T) {
	in := func(name string, revision uint64) step { return step{keyOf("a", name), revision, false} }
	space, gone := step{namespaceKey("a"), 8, false}, step{keyOf("a", "x"), 14, true}
	whole := []batch{{begins: true, changes: []step{in("z", 9), in("x", 11)}}, {changes: []step{space}}, {through: 11}}
	rest := []batch{{changes: []step{in("y", 12), in("w", 13)}, through: 13}, {changes: []step{gone}, through: 14}}
	from := func(first []batch, rest ...batch) []batch { return append(slices.Clone(first), rest...) }
	for _, c := range []struct {
		name    string
		batches []batch
		want    string
	}{
		{"everything", from(whole, rest...), ""},
		{"in one", []batch{{begins: true, changes: []step{in("z", 9), space}, through: 10},
			{changes: []step{in("x", 11), in("y", 12), in("w", 13), gone}, through: 14}}, ""},
		{"with changes while it lists", []batch{{begins: true, changes: []step{in("x", 11), in("z", 9), space}},
			{changes: []step{gone, in("w", 13), in("y", 12)}, through: 14}}, ""},
		{"anew", from(from(whole[:2], whole...), rest...), ""},
		{"anew, lacking a write", []batch{{begins: true, floor: 12, changes: []step{in("z", 9), space, in("x", 11)},
			through: 11}}, "every acknowledged write"},
		{"without an object", []batch{{begins: true, changes: []step{in("z", 9), in("x", 11)}, through: 11}},
			"must show every object"},
		{"with an object too old", []batch{{begins: true, changes: []step{in("z", 9), space, in("x", 10)}, through: 11}},
			"must show every object"},
		{"with a deleted object", []batch{{begins: true,
			changes: []step{in("z", 9), space, in("x", 11), in("y", 12), in("w", 13)}, through: 14}}, "only existing objects"},
		{"with an object that goes back", []batch{{begins: true, changes: []step{in("x", 11), in("x", 10)}}}, "in order"},
		{"a part of a group", from(whole, batch{changes: []step{in("y", 12)}, through: 12}), "a part of a group"},
		{"a change is lost", from(whole, batch{changes: []step{in("w", 13)}, through: 13}), "every change"},
		{"the last change of a batch is lost", from(whole, batch{changes: []step{in("y", 12)}, through: 13}), "every change"},
		{"a change comes twice", from(whole, batch{changes: []step{in("x", 11), in("y", 12), in("w", 13)}, through: 13}),
			"once and in order"},
		{"changes change places", from(whole, batch{changes: []step{in("w", 13), in("y", 12)}, through: 13}),
			"once and in order"},
		{"a deletion is a change", from(from(whole, rest[0]), batch{changes: []step{in("x", 14)}, through: 14}),
			"once and in order"},
		{"from the future", from(whole, batch{through: 15}), "come from the store"},
		{"the beginning again", from(whole, batch{changes: []step{space}}), "must not return to it"},
		{"the last change is withheld", from(whole, rest[0]), errMissing.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := newChronicle(c.name)
			for _, b := range c.batches {
				ch.add(b, nil)
			}
			err := ch.check(grouped(t), time.Now())
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

func TestReads(t *testing.T) {
	x13, x17 := at("x", 13, "1", "left"), at("x", 17, "3", "left")
	missing := item{key: keyOf("a", "x")}
	number := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		list   *listRead
		object *objectRead
		answer *answer
		want   string
	}{
		{name: "a list", list: &listRead{revision: 13, floor: 12, ceiling: 14, items: []item{x13, z}}},
		{name: "a page", list: &listRead{revision: 13, ceiling: 13, limit: 1, more: true, remaining: number(1),
			items: []item{x13}}},
		{name: "the next page", list: &listRead{revision: 13, ceiling: 13, limit: 1, after: x13.key, items: []item{z}}},
		{name: "a list that lacks a write", list: &listRead{revision: 13, floor: 14, ceiling: 14, items: []item{x13, z}},
			want: "every acknowledged write"},
		{name: "a page of another revision", list: &listRead{revision: 14, floor: 13, ceiling: 13, items: []item{z}},
			want: "stay at its revision"},
		{name: "a list of another round", list: &listRead{revision: 9}, want: "outside the round"},
		{name: "a list that lacks an object", list: &listRead{revision: 13, ceiling: 13, items: []item{z}},
			want: "one snapshot"},
		{name: "a list of an older object",
			list: &listRead{revision: 13, ceiling: 13, items: []item{at("x", 11, "1", "left"), z}}, want: "one snapshot"},
		{name: "a list out of order", list: &listRead{revision: 13, ceiling: 13, items: []item{z, x13}},
			want: "one snapshot"},
		{name: "More without more objects", list: &listRead{revision: 13, ceiling: 13, more: true, items: []item{x13, z}},
			want: "no object follows"},
		{name: "a page that is not full",
			list: &listRead{revision: 13, ceiling: 13, limit: 2, more: true, items: []item{x13}}, want: "full"},
		{name: "a wrong remaining count",
			list: &listRead{revision: 13, ceiling: 13, limit: 1, more: true, remaining: number(2), items: []item{x13}},
			want: "remainingItemCount"},

		{name: "an object", object: &objectRead{item: x13, found: true, floor: 13, ceiling: 15}},
		{name: "an unchanged object", object: &objectRead{item: z, found: true, floor: 13, ceiling: 15}},
		{name: "no object", object: &objectRead{item: missing, floor: 15, ceiling: 16}},
		{name: "no object yet", object: &objectRead{item: missing, floor: 10, ceiling: 16}},
		{name: "an object that a write has changed", object: &objectRead{item: x13, found: true, floor: 14, ceiling: 15},
			want: "every acknowledged write"},
		{name: "an object of the future", object: &objectRead{item: x17, found: true, floor: 15, ceiling: 16},
			want: "every acknowledged write"},
		{name: "no object although it exists", object: &objectRead{item: missing, floor: 17, ceiling: 17},
			want: "every acknowledged write"},
		{name: "a state that never existed",
			object: &objectRead{item: at("x", 13, "1", "right"), found: true, floor: 12, ceiling: 15},
			want:   "every acknowledged write"},

		{name: "an answer", answer: &answer{item: x13}},
		{name: "an answer that changed nothing", answer: &answer{item: z}},
		{name: "an answer that is not stored", answer: &answer{item: at("x", 13, "1", "right")}, want: "stored as answered"},
		{name: "an answer from the future", answer: &answer{item: at("x", 18, "3", "left")}, want: "stored as answered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r reads
			if c.list != nil {
				c.list.sel = left()
				r.lists = append(r.lists, *c.list)
			}
			if c.object != nil {
				r.objects = append(r.objects, *c.object)
			}
			if c.answer != nil {
				r.answers = append(r.answers, *c.answer)
			}
			problems := r.check(sample(t))
			if c.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			assert.ErrorContains(t, problems[0], c.want)
		})
	}
}

func TestLedger(t *testing.T) {
	s := &soak{ledger: ledger{count: map[string]int64{}}}
	require.Empty(t, s.checkLedger(state{}))
	s.ledger.add("a/"+counterName(0), 2)
	k := keyOf("a", counterName(0))
	assert.Len(t, s.checkLedger(state{k: value{count: 1}}), 1)
	assert.Empty(t, s.checkLedger(state{k: value{count: 2}}))
}

func TestEveryWatcherSeesABeacon(t *testing.T) {
	for _, sel := range selectors() {
		assert.True(t, slices.ContainsFunc(beacons(), func(b item) bool { return sel.matches(b.key, b.value) }),
			"the watcher %s", sel)
	}
}
