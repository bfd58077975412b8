package watch_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// thing is the object of the tests' logs.
type thing struct{ text string }

func key(namespace, name string) watch.Key {
	return watch.Key{Resource: "things", Namespace: namespace, Name: name}
}

// group returns changes of the keys with consecutive revisions from first on.
func group(first watch.Revision, keys ...watch.Key) []watch.Change[thing] {
	var changes []watch.Change[thing]
	for i, k := range keys {
		changes = append(changes, watch.Change[thing]{Key: k, Revision: first + watch.Revision(i), Current: &thing{k.Name}})
	}
	return changes
}

func revisions(changes []*watch.Change[thing]) []watch.Revision {
	var all []watch.Revision
	for _, c := range changes {
		all = append(all, c.Revision)
	}
	return all
}

func newLog(t *testing.T, opts watch.LogOptions[thing]) *watch.Log[thing] {
	log := watch.NewLog(opts)
	t.Cleanup(log.Close)
	return log
}

func TestAppendRefusesRevisionsThatDoNotAscend(t *testing.T) {
	for name, changes := range map[string][]watch.Change[thing]{
		"at the start":    group(10, key("a", "x")),
		"below the start": group(3, key("a", "x")),
		"within a group":  append(group(12, key("a", "x")), group(12, key("a", "y"))...),
	} {
		t.Run(name, func(t *testing.T) {
			log := newLog(t, watch.LogOptions[thing]{Start: 10})
			require.Error(t, log.Append(changes))
			assert.Equal(t, watch.Revision(10), log.Revision())
			changes, err := log.Since(watch.Key{Resource: "things"}, 10)
			require.NoError(t, err)
			assert.Empty(t, changes, "a rejected group leaves no change behind")
		})
	}
}

func TestLogForgetsByAge(t *testing.T) {
	now := time.Unix(0, 0)
	log := newLog(t, watch.LogOptions[thing]{MaxAge: time.Minute, Now: func() time.Time { return now }})
	require.NoError(t, log.Append(group(1, key("a", "x"), key("a", "y"))))
	now = now.Add(time.Minute)
	require.NoError(t, log.Append(group(3, key("a", "x"))))
	assert.Equal(t, watch.Revision(0), log.Compacted(), "exactly as old as allowed")
	now = now.Add(1)
	require.NoError(t, log.Append(group(4, key("a", "x"))))
	assert.Equal(t, watch.Revision(2), log.Compacted())
	now = now.Add(time.Hour)
	require.NoError(t, log.Append(group(5, key("a", "x"))))
	assert.Equal(t, watch.Revision(4), log.Compacted(), "the youngest stays")
}

func TestLogForgetsByBytes(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{
		MaxBytes: func() int64 { return 10_000 },
		Size:     func(c *watch.Change[thing]) int64 { return int64(len(c.Current.text)) * 1000 },
	})
	require.NoError(t, log.Append(group(1, key("a", "four"))))
	require.NoError(t, log.Append(group(2, key("a", "four"))))
	assert.Equal(t, watch.Revision(0), log.Compacted())
	require.NoError(t, log.Append(group(3, key("a", "four"))))
	assert.Equal(t, watch.Revision(1), log.Compacted())
	require.NoError(t, log.Append(group(4, key("a", "longer than everything"))))
	assert.Equal(t, watch.Revision(3), log.Compacted(), "the youngest stays, however large")
}

func TestCompactDropsWholeGroups(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	require.NoError(t, log.Append(group(1, key("a", "x"))))
	require.NoError(t, log.Append(group(2, key("a", "x"), key("a", "y"), key("b", "z"))))
	require.NoError(t, log.Append(group(5, key("a", "x"))))
	log.Compact(3)
	assert.Equal(t, watch.Revision(1), log.Compacted())
	log.Compact(4)
	assert.Equal(t, watch.Revision(4), log.Compacted())
	log.Compact(2)
	assert.Equal(t, watch.Revision(4), log.Compacted(), "compaction never goes back")
	log.Compact(99)
	assert.Equal(t, watch.Revision(5), log.Compacted(), "compaction does not run ahead of the log")
}

// Whoever drops a long history gives others a turn between.
func TestALongHistoryIsDroppedInParts(t *testing.T) {
	const changes = 5000
	now := time.Unix(0, 0)
	fill := func() *watch.Log[thing] {
		log := newLog(t, watch.LogOptions[thing]{MaxAge: time.Minute, Now: func() time.Time { return now }})
		for r := range watch.Revision(changes) {
			require.NoError(t, log.Append(group(r+1, key("a", "x"))))
		}
		return log
	}
	t.Run("compacted", func(t *testing.T) {
		log, before := fill(), watch.Revision(0)
		for log.CompactSome(changes - 1) {
			require.Less(t, before, log.Compacted())
			require.LessOrEqual(t, log.Compacted()-before, watch.Revision(2000))
			before = log.Compacted()
		}
		assert.Greater(t, before, watch.Revision(0), "in several parts")
		assert.EqualValues(t, changes-1, log.Compacted())
		assert.False(t, log.CompactSome(changes-1))
	})
	t.Run("too old", func(t *testing.T) {
		log := fill()
		now = now.Add(time.Hour)
		for r := watch.Revision(changes + 1); log.Compacted() < changes; r++ {
			before := log.Compacted()
			require.NoError(t, log.Append(group(r, key("a", "x"))))
			require.Less(t, before, log.Compacted())
			require.LessOrEqual(t, log.Compacted()-before, watch.Revision(2000))
		}
	})
}

func TestCompactResource(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	other := watch.Key{Resource: "others", Name: "o"}
	things, others, everything := watch.Key{Resource: "things"}, watch.Key{Resource: "others"}, watch.Key{}
	elsewhere := watch.Key{Resource: "things", Namespace: "b"}
	require.NoError(t, log.Append(group(1, key("a", "x"), other)))
	require.NoError(t, log.Append(group(3, key("a", "y"))))
	require.NoError(t, log.Append(group(4, other)))
	cursors := map[string]watch.Cursor[thing]{}
	for name, c := range map[string]struct {
		scope watch.Key
		after watch.Revision
	}{"behind": {things, 0}, "up to it": {things, 3}, "elsewhere": {elsewhere, 0}, "other": {others, 0},
		"everything, behind":   {everything, 2},
		"everything, up to it": {everything, 3}} {
		cursors[name] = cursorAt(t, log, c.scope, c.after)
	}
	log.CompactResource(watch.Key{Resource: "things"}, 3)
	for name, want := range map[string][]watch.Revision{"up to it": nil, "elsewhere": nil, "other": {2, 4},
		"everything, up to it": {4}} {
		assert.Equal(t, want, poll(t, cursors[name]), name)
	}
	_, err := cursors["behind"].Poll(nil)
	assert.True(t, status.IsExpired(err), "%v", err)
	changes, err := cursors["everything, behind"].Poll(nil)
	require.NoError(t, err)
	assert.Equal(t, []watch.Revision{3, 4}, revisions(changes))
	assert.True(t, changes[0].Lost())
	assert.Equal(t, things, changes[0].Key, "it says only that a change of the resource is lost")
	assert.False(t, changes[1].Lost())
	assert.Equal(t, []watch.Revision{2, 4}, poll(t, cursorAt(t, log, others, 0)))
	changes, err = log.Since(others, 0)
	require.NoError(t, err)
	assert.Equal(t, []watch.Revision{2, 4}, revisions(changes))
	for _, scope := range []watch.Key{things, elsewhere, key("a", "x"), everything} {
		_, err := log.Cursor(scope, 2)
		assert.True(t, status.IsExpired(err), "%v: %v", scope, err)
		assert.EqualError(t, err, "too old resource version: 2 (3)")
		_, err = log.Since(scope, 2)
		assert.True(t, status.IsExpired(err), "%v: %v", scope, err)
		assert.Equal(t, watch.Revision(3), log.Floor(scope))
	}
	assert.Equal(t, watch.Revision(0), log.Floor(others))
	assert.Equal(t, watch.Revision(0), log.Compacted())
	assert.Equal(t, watch.Revision(2), log.GroupEnd(1), "the rest of a group is only a part of it")

	log.CompactResource(watch.Key{Resource: "things"}, 1)
	assert.Equal(t, watch.Revision(3), log.Floor(things), "compaction never goes back")
	log.CompactResource(watch.Key{Resource: "others"}, 99)
	assert.Equal(t, watch.Revision(4), log.Floor(others), "compaction does not run ahead of the log")
	assert.Equal(t, watch.Revision(3), log.Floor(things))
	require.NoError(t, log.Append(group(5, key("a", "x"))))
	log.Compact(5)
	for _, scope := range []watch.Key{things, others, everything} {
		assert.Equal(t, watch.Revision(5), log.Floor(scope))
	}
}

// A cursor on all resources learns of each removal that it has yet to read, because a later list does not show what is
// gone.
func TestCompactResourceKeepsRemovals(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	changes := group(1, key("a", "x"), key("a", "x"))
	changes[1].Previous, changes[1].Current = changes[0].Current, nil
	gone := changes[1].Previous
	require.NoError(t, log.Append(changes))
	cursor := cursorAt(t, log, watch.Key{}, 0)
	for range 2 {
		log.CompactResource(watch.Key{Resource: "things"}, log.Revision())
		require.NoError(t, log.Append(group(log.Revision()+1, key("a", "y"))))
	}
	got, err := cursor.Poll(nil)
	require.NoError(t, err)
	require.Equal(t, []watch.Revision{1, 2, 3, 4}, revisions(got))
	assert.True(t, got[0].Lost())
	assert.Equal(t, key("a", "x"), got[1].Key)
	assert.Same(t, gone, got[1].Previous)
	assert.True(t, got[2].Lost())
	assert.False(t, got[3].Lost())
}

func TestCompactResourceDropsWholeGroups(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	things := watch.Key{Resource: "things"}
	require.NoError(t, log.Append(group(1, key("a", "x"))))
	require.NoError(t, log.Append(group(2, key("a", "x"), key("a", "y"), key("b", "z"))))
	behind := cursorAt(t, log, things, 1)
	log.CompactResource(watch.Key{Resource: "things"}, 3)
	assert.Equal(t, watch.Revision(1), log.Floor(things))
	assert.Equal(t, []watch.Revision{2, 3, 4}, poll(t, behind))
	log.CompactResource(watch.Key{Resource: "things"}, 4)
	assert.Equal(t, watch.Revision(4), log.Floor(things))
}

func TestCompactResourceLetsGoOfStates(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{
		MaxBytes: func() int64 { return 10_000 },
		Size:     func(*watch.Change[thing]) int64 { return 2_000 },
	})
	changes := group(1, key("a", "x"))
	state := weak.Make(changes[0].Current)
	require.NoError(t, log.Append(changes))
	changes = nil
	require.NoError(t, log.Append(group(2, key("a", "x"), key("a", "y"))))
	watching := cursorAt(t, log, watch.Key{Resource: "things"}, 3)
	runtime.GC()
	require.NotNil(t, state.Value())
	log.CompactResource(watch.Key{Resource: "things"}, 3)
	runtime.GC()
	assert.Nil(t, state.Value())
	other := watch.Key{Resource: "others", Name: "o"}
	require.NoError(t, log.Append(group(4, other, other, other, other)))
	assert.Equal(t, watch.Revision(0), log.Floor(other), "the compaction has made room for other resources")
	assert.Empty(t, poll(t, watching))
	require.NoError(t, log.Append(group(8, other)))
	assert.Equal(t, watch.Revision(7), log.Floor(other))
}

func TestSince(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	require.NoError(t, log.Append(group(1, key("a", "x"), key("b", "y"))))
	require.NoError(t, log.Append(group(3, key("a", "z"), watch.Key{Resource: "others", Name: "x"})))
	log.Compact(2)
	for name, c := range map[string]struct {
		scope watch.Key
		after watch.Revision
		want  []watch.Revision
	}{
		"resource":  {watch.Key{Resource: "things"}, 2, []watch.Revision{3}},
		"other":     {watch.Key{Resource: "others"}, 2, []watch.Revision{4}},
		"namespace": {watch.Key{Resource: "things", Namespace: "b"}, 2, nil},
		"latest":    {watch.Key{Resource: "things"}, 4, nil},
		"future":    {watch.Key{Resource: "things"}, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := log.Since(c.scope, c.after)
			require.NoError(t, err)
			assert.Equal(t, c.want, revisions(changes))
		})
	}
	_, err := log.Since(watch.Key{Resource: "things"}, 1)
	require.True(t, status.IsExpired(err), "%v", err)
	assert.EqualError(t, err, "too old resource version: 1 (2)")
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{})
		defer log.Close()
		require.NoError(t, log.Wait(t.Context(), 0))

		done := make(chan error, 1)
		go func() { done <- log.Wait(context.Background(), 3) }()
		for r := range watch.Revision(3) {
			synctest.Wait()
			assert.Empty(t, done, "the log has not reached revision %d", r+1)
			require.NoError(t, log.Append(group(r+1, key("a", "x"))))
		}
		require.NoError(t, <-done)

		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		require.ErrorIs(t, log.Wait(ctx, 4), context.DeadlineExceeded)

		go func() { done <- log.Wait(context.Background(), 4) }()
		synctest.Wait()
		log.Close()
		require.ErrorIs(t, <-done, watch.ErrClosed)
		require.ErrorIs(t, log.Wait(context.Background(), 4), watch.ErrClosed)
	})
}

func TestClosedLogAnswersErrClosed(t *testing.T) {
	log := watch.NewLog(watch.LogOptions[thing]{})
	log.Close()
	log.Close()
	require.ErrorIs(t, log.Append(group(1, key("a", "x"))), watch.ErrClosed)
	_, err := log.Cursor(key("a", "x"), 0)
	require.ErrorIs(t, err, watch.ErrClosed)
	_, err = log.Since(key("a", "x"), 0)
	require.ErrorIs(t, err, watch.ErrClosed)
	var s *status.Error
	require.ErrorAs(t, err, &s, "the error can be sent to a client as a Status")
}

func TestSelect(t *testing.T) {
	in, out := &thing{"in"}, &thing{"out"}
	match := func(t *thing) bool { return t.text == "in" }
	for name, c := range map[string]struct {
		previous, current *thing
		match             func(*thing) bool
		want              apimeta.EventType
		shown             *thing
	}{
		"created":               {nil, out, nil, apimeta.EventAdded, out},
		"changed":               {in, out, nil, apimeta.EventModified, out},
		"deleted":               {in, nil, nil, apimeta.EventDeleted, in},
		"created matching":      {nil, in, match, apimeta.EventAdded, in},
		"created not matching":  {nil, out, match, "", nil},
		"comes to match":        {out, in, match, apimeta.EventAdded, in},
		"keeps matching":        {in, in, match, apimeta.EventModified, in},
		"ceases to match":       {in, out, match, apimeta.EventDeleted, in},
		"never matched":         {out, out, match, "", nil},
		"deleted matching":      {in, nil, match, apimeta.EventDeleted, in},
		"deleted not matching":  {out, nil, match, "", nil},
		"nothing became of it":  {nil, nil, nil, "", nil},
		"nothing, with a match": {nil, nil, match, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			change := watch.Change[thing]{Previous: c.previous, Current: c.current}
			kind, shown := change.Select(c.match)
			assert.Equal(t, c.want, kind)
			assert.Same(t, c.shown, shown)
		})
	}
}

func TestKeyContains(t *testing.T) {
	object := key("a", "x")
	for name, c := range map[string]struct {
		scope watch.Key
		want  bool
	}{
		"resource":        {watch.Key{Resource: "things"}, true},
		"namespace":       {watch.Key{Resource: "things", Namespace: "a"}, true},
		"object":          {object, true},
		"other resource":  {watch.Key{Resource: "thing"}, false},
		"other namespace": {watch.Key{Resource: "things", Namespace: "aa"}, false},
		"other name":      {key("a", "xx"), false},
		"cluster-scoped":  {watch.Key{Resource: "things", Name: "x"}, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, c.scope.Contains(object)) })
	}
}
