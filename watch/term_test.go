package watch_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// The states in these tests are texts like "color=red,size=3": the label color, and the field number 1, size.
var (
	color = watch.Index{Label: "color"}
	size  = watch.Index{Field: 1}
)

func valueOf(state *thing, index watch.Index) (string, bool) {
	name := index.Label
	if index == size {
		name = "size"
	}
	for part := range strings.SplitSeq(state.text, ",") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

func newIndexedLog(t *testing.T) *watch.Log[thing] {
	return newLog(t, watch.LogOptions[thing]{Value: valueOf})
}

// step is a change from one state to another; "" means no object.
func step(key watch.Key, revision watch.Revision, from, to string) watch.Change[thing] {
	c := watch.Change[thing]{Key: key, Revision: revision}
	if from != "" {
		c.Previous = &thing{from}
	}
	if to != "" {
		c.Current = &thing{to}
	}
	return c
}

func cursorOn(t *testing.T, log *watch.Log[thing], scope watch.Key, term watch.Term,
	after watch.Revision) watch.Cursor[thing] {
	c, err := log.CursorOn(scope, term, after)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// A watcher of a value learns of exactly the objects of the scope that get, keep or lose it.
func TestCursorOnATerm(t *testing.T) {
	x, y, z := key("a", "x"), key("b", "y"), watch.Key{Resource: "others", Name: "z"}
	changes := []watch.Change[thing]{
		step(x, 1, "", "color=red"),
		step(y, 2, "", "color=blue,size=3"),
		step(z, 3, "", "color=red,size=3"),
		step(x, 4, "color=red", "color=red,size=1"),
		step(x, 5, "color=red,size=1", "color=blue,size=1"),
		step(y, 6, "color=blue,size=3", "color=red,size=3"),
		step(x, 7, "color=blue,size=1", "size=1"),
		step(y, 8, "color=red,size=3", ""),
		step(x, 9, "size=1", "color="),
		step(x, 10, "color=", "color=red"),
	}
	all, a := watch.Key{Resource: "things"}, watch.Key{Resource: "things", Namespace: "a"}
	for _, c := range []struct {
		name  string
		scope watch.Key
		term  watch.Term
		want  []watch.Revision
	}{
		{"a label", all, watch.Term{Index: color, Value: "red"}, []watch.Revision{1, 4, 5, 6, 8, 10}},
		{"a label in a namespace", a, watch.Term{Index: color, Value: "red"}, []watch.Revision{1, 4, 5, 10}},
		{"another value", all, watch.Term{Index: color, Value: "blue"}, []watch.Revision{2, 5, 6, 7}},
		{"the empty value", all, watch.Term{Index: color}, []watch.Revision{9, 10}},
		{"a value that nothing has", all, watch.Term{Index: color, Value: "green"}, nil},
		{"a field", all, watch.Term{Index: size, Value: "1"}, []watch.Revision{4, 5, 7, 9}},
		{"a field in a namespace", a, watch.Term{Index: size, Value: "3"}, nil},
		{"one object", y, watch.Term{Index: color, Value: "red"}, []watch.Revision{6, 8}},
		{"a cluster-scoped resource", watch.Key{Resource: "others"}, watch.Term{Index: size, Value: "3"},
			[]watch.Revision{3}},
		{"no term", a, watch.Term{}, []watch.Revision{1, 4, 5, 7, 9, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := newIndexedLog(t)
			before := cursorOn(t, log, c.scope, c.term, 0)
			for i := range changes {
				require.NoError(t, log.Append(changes[i:i+1:i+1]))
			}
			for when, cursor := range map[string]watch.Cursor[thing]{"made before": before,
				"made after": cursorOn(t, log, c.scope, c.term, 0)} {
				got, err := cursor.Poll(nil)
				require.NoError(t, err)
				assert.Equal(t, c.want, revisions(got), when)
				assert.Equal(t, watch.Revision(10), cursor.Position(), when)
			}
		})
	}
}

// Changes of other objects do not wake a cursor on a value.
func TestTermsAreWokenByTheirChangesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{Value: valueOf})
		defer log.Close()
		red := cursorOn(t, log, watch.Key{Resource: "things"}, watch.Term{Index: color, Value: "red"}, 0)
		ready := red.Ready()
		require.NoError(t, log.Append([]watch.Change[thing]{step(key("a", "x"), 1, "", "color=blue")}))
		synctest.Wait()
		assert.Empty(t, ready)
		require.NoError(t, log.Append([]watch.Change[thing]{step(key("a", "x"), 2, "color=blue", "color=red")}))
		synctest.Wait()
		assert.Len(t, ready, 1)
	})
}

func TestTermsGoWithTheirLastCursor(t *testing.T) {
	log := newIndexedLog(t)
	all := watch.Key{Resource: "things"}
	var cursors []watch.Cursor[thing]
	for _, term := range []watch.Term{{Index: color, Value: "red"}, {Index: color, Value: "red"},
		{Index: color, Value: "blue"}, {Index: size, Value: "1"}, {}} {
		cursors = append(cursors, cursorOn(t, log, all, term, 0))
	}
	assert.Equal(t, 4, log.Topics())
	assert.Equal(t, 2, log.IndexesInUse())
	for i, want := range []int{2, 2, 1, 0, 0} {
		cursors[i].Close()
		assert.Equal(t, want, log.IndexesInUse(), "after the %dth", i)
	}
	assert.Zero(t, log.Topics())
}

// pollAll polls until nothing is left, because one Poll is limited.
func pollAll(c watch.Cursor[thing]) (changes []*watch.Change[thing], err error) {
	for read := -1; read != len(changes) && err == nil; {
		read = len(changes)
		changes, err = c.Poll(changes)
	}
	return changes, err
}

// A cursor on a value shows what a filter of every change would.
func TestTermsAgainstAllChanges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	log := newIndexedLog(t)
	states := map[watch.Key]string{}
	type reader struct {
		all, on watch.Cursor[thing]
		scope   watch.Key
		term    watch.Term
	}
	var readers []reader
	for range 3000 {
		var group []watch.Change[thing]
		for i := range 1 + random.IntN(2) {
			k := key([]string{"a", "b"}[random.IntN(2)], fmt.Sprint(i, random.IntN(4)))
			next := fmt.Sprintf("color=%d,size=%d", random.IntN(3), random.IntN(3))
			if random.IntN(4) == 0 {
				next = ""
			}
			group = append(group, step(k, log.Revision()+watch.Revision(i)+1, states[k], next))
			states[k] = next
		}
		require.NoError(t, log.Append(group))
		if random.IntN(50) == 0 {
			log.Compact(log.Revision() - watch.Revision(random.IntN(30)))
		}
		if random.IntN(20) == 0 {
			after := log.Compacted() + watch.Revision(random.IntN(int(log.Revision()-log.Compacted())+1))
			scope := watch.Key{Resource: "things", Namespace: []string{"", "a", "b"}[random.IntN(3)]}
			term := watch.Term{Index: []watch.Index{color, size}[random.IntN(2)], Value: fmt.Sprint(random.IntN(3))}
			readers = append(readers, reader{cursorOn(t, log, scope, watch.Term{}, after), cursorOn(t, log, scope, term, after),
				scope, term})
		}
		for len(readers) > 0 && random.IntN(8) == 0 {
			i := random.IntN(len(readers))
			r := readers[i]
			changes, err := pollAll(r.all)
			if status.IsExpired(err) {
				r.all.Close()
				r.on.Close()
				readers = append(readers[:i], readers[i+1:]...)
				continue
			}
			require.NoError(t, err)
			has := func(state *thing) bool {
				if state == nil {
					return false
				}
				v, ok := valueOf(state, r.term.Index)
				return ok && v == r.term.Value
			}
			var want []watch.Revision
			for _, c := range changes {
				if has(c.Previous) || has(c.Current) {
					want = append(want, c.Revision)
				}
			}
			got, err := pollAll(r.on)
			require.NoError(t, err)
			require.Equal(t, want, revisions(got), "%+v", r.term)
			require.Equal(t, r.all.Position(), r.on.Position())
		}
	}
}

func TestIndexCompare(t *testing.T) {
	for name, c := range map[string]struct {
		index     watch.Index
		ascending []string
	}{
		"bytes": {watch.Index{}, []string{"", "-1", "10", "9", "B", "a", "é"}},
		"numbers": {watch.Index{Numeric: true},
			[]string{"-100000000000000000000", "-20", "-3", "-0", "0", "00", "9", "010", "10", "100000000000000000000", "", "-",
				"1.5", "1e3", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, a := range c.ascending {
				for j, b := range c.ascending {
					assert.Equal(t, cmp.Compare(i, j), c.index.Compare(a, b), "%q, %q", a, b)
				}
			}
		})
	}
}
