package watch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

func cursorAt(t *testing.T, log *watch.Log[thing], scope watch.Key, after watch.Revision) watch.Cursor[thing] {
	c, err := log.Cursor(scope, after)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func poll(t *testing.T, c watch.Cursor[thing]) []watch.Revision {
	changes, err := c.Poll(nil)
	require.NoError(t, err)
	return revisions(changes)
}

func TestCursorSeesItsKeyOnly(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	node := watch.Key{Resource: "nodes", Name: "x"}
	scopes := []watch.Key{
		{Resource: "things"}, {Resource: "things", Namespace: "a"}, {Resource: "things", Namespace: "aa"},
		key("a", "x"), key("aa", "x"), {Resource: "nodes"}, node, {},
	}
	early := make([]watch.Cursor[thing], len(scopes))
	for i, s := range scopes {
		early[i] = cursorAt(t, log, s, 0)
	}
	require.NoError(t, log.Append(group(1, key("a", "x"), key("a", "xx"), key("aa", "x"), node)))
	want := [][]watch.Revision{{1, 2, 3}, {1, 2}, {3}, {1}, {3}, {4}, {4}, {1, 2, 3, 4}}
	for i, s := range scopes {
		assert.Equal(t, want[i], poll(t, early[i]), "%v, before the changes", s)
		assert.Equal(t, want[i], poll(t, cursorAt(t, log, s, 0)), "%v, after the changes", s)
		assert.Equal(t, watch.Revision(4), early[i].Position())
	}
}

func TestCursorFromAnOlderRevisionThanItsTopic(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	for r := range watch.Revision(10) {
		require.NoError(t, log.Append(group(r+1, key("a", "x"))))
	}
	young := cursorAt(t, log, key("a", "x"), 8)
	old := cursorAt(t, log, key("a", "x"), 5)
	assert.Equal(t, []watch.Revision{6, 7, 8, 9, 10}, poll(t, old))
	assert.Equal(t, []watch.Revision{9, 10}, poll(t, young))
}

func TestGroupIsNeverSplit(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	var keys []watch.Key
	for i := range 2*watch.PollLimit + 10 {
		keys = append(keys, key("a", fmt.Sprint(i)))
	}
	require.NoError(t, log.Append(group(1, keys[:watch.PollLimit-1]...)))
	require.NoError(t, log.Append(group(watch.PollLimit, keys...)))
	require.NoError(t, log.Append(group(watch.PollLimit+watch.Revision(len(keys)), key("a", "x"))))
	c := cursorAt(t, log, watch.Key{Resource: "things"}, 0)
	assert.Len(t, poll(t, c), watch.PollLimit-1+len(keys))
	assert.Equal(t, watch.PollLimit+watch.Revision(len(keys))-1, c.Position())
	assert.Len(t, poll(t, c), 1)
	assert.Equal(t, log.Revision(), c.Position())
}

// A Poll is bounded by bytes too, because its reader may keep the result alive for as long as it likes.
func TestPollIsBoundedByBytes(t *testing.T) {
	const quarter = watch.PollBytes / 4
	log := newLog(t, watch.LogOptions[thing]{StateSize: func(t *thing) int64 {
		if t == nil {
			return 0
		}
		return int64(len(t.text))
	}})
	state := func(size int) *thing { return &thing{strings.Repeat("x", size)} }
	c := cursorAt(t, log, watch.Key{Resource: "things"}, 0)
	at := watch.Revision(0)
	add := func(states ...*thing) { // pairs of a previous and a current one
		var changes []watch.Change[thing]
		for i := 0; i < len(states); i += 2 {
			at++
			changes = append(changes, watch.Change[thing]{Key: key("a", "x"), Revision: at, Previous: states[i],
				Current: states[i+1]})
		}
		require.NoError(t, log.Append(changes))
	}
	for range 6 {
		add(nil, state(quarter))
	}
	assert.Equal(t, []watch.Revision{1, 2, 3, 4}, poll(t, c))
	assert.Equal(t, watch.Revision(4), c.Position())
	assert.Len(t, c.Ready(), 1, "more changes remain")
	assert.Equal(t, []watch.Revision{5, 6}, poll(t, c))

	add(state(quarter), state(quarter))
	add(state(2*quarter), nil)
	add(nil, nil)
	assert.Equal(t, []watch.Revision{7, 8}, poll(t, c), "both states of a change count")
	assert.Equal(t, []watch.Revision{9}, poll(t, c))

	add(nil, state(40*quarter))
	add(nil, state(40*quarter), nil, state(40*quarter))
	assert.Equal(t, []watch.Revision{10}, poll(t, c), "a change larger than the bound is returned alone")
	assert.Equal(t, []watch.Revision{11, 12}, poll(t, c), "a group is not split")
}

func TestErrTellsWhatPollWould(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	c := cursorAt(t, log, key("a", "x"), 0)
	for r := range watch.Revision(3) {
		require.NoError(t, log.Append(group(r+1, key("a", "x"))))
	}
	require.NoError(t, c.Err())
	assert.Equal(t, watch.Revision(0), c.Position(), "the position does not move")
	log.Compact(2)
	require.True(t, status.IsExpired(c.Err()), "%v", c.Err())
	_, err := c.Poll(nil)
	require.EqualError(t, c.Err(), err.Error())
	c.Close()
	require.ErrorIs(t, c.Err(), watch.ErrClosed)
}

func TestResumeInsideAGroupGetsTheRest(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	require.NoError(t, log.Append(group(1, key("a", "x"), key("a", "y"), key("b", "z"))))
	c := cursorAt(t, log, watch.Key{Resource: "things"}, 1)
	assert.Equal(t, []watch.Revision{2, 3}, poll(t, c))
	c = cursorAt(t, log, watch.Key{Resource: "things", Namespace: "a"}, 1)
	assert.Equal(t, []watch.Revision{2}, poll(t, c))
	assert.Equal(t, watch.Revision(3), c.Position(), "not inside the group")
}

func TestCursorThatFellBehindExpires(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	busy := cursorAt(t, log, key("a", "busy"), 0)
	quiet := cursorAt(t, log, key("a", "quiet"), 0)
	for r := range watch.Revision(5) {
		require.NoError(t, log.Append(group(r+1, key("a", "busy"))))
	}
	log.Compact(3)
	_, err := log.Cursor(key("a", "busy"), 2)
	require.EqualError(t, err, "too old resource version: 2 (3)")
	require.True(t, status.IsExpired(err))

	<-busy.Ready()
	_, err = busy.Poll(nil)
	require.True(t, status.IsExpired(err), "the cursor lost changes: %v", err)
	assert.Empty(t, poll(t, quiet), "the cursor lost nothing")
	assert.Equal(t, watch.Revision(5), quiet.Position())
	assert.Equal(t, []watch.Revision{4, 5}, poll(t, cursorAt(t, log, key("a", "busy"), 3)))
}

func TestCursorInTheFutureWaitsSilently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{})
		defer log.Close()
		c := cursorAt(t, log, key("a", "x"), 2)
		got := make(chan []watch.Revision, 1)
		go func() {
			changes, err := c.Next(context.Background(), nil)
			assert.NoError(t, err)
			got <- revisions(changes)
		}()
		for r := range watch.Revision(2) {
			synctest.Wait()
			require.NoError(t, log.Append(group(r+1, key("a", "x"))))
		}
		synctest.Wait()
		assert.Empty(t, got)
		require.NoError(t, log.Append(group(3, key("a", "x"))))
		assert.Equal(t, []watch.Revision{3}, <-got)
	})
}

func TestCursorsReadyOnOneChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t, watch.LogOptions[thing]{})
		ready := make(chan struct{}, 1)
		a, b := cursorAt(t, log, watch.Key{Resource: "things", Namespace: "a"}, 0),
			cursorAt(t, log, watch.Key{Resource: "things", Namespace: "b"}, 0)
		a.ReadyOn(ready)
		b.ReadyOn(ready)
		for i, c := range []watch.Cursor[thing]{a, b} {
			a.Ready()
			b.Ready()
			synctest.Wait()
			assert.Empty(t, ready)
			require.NoError(t, log.Append(group(watch.Revision(i+1), key([]string{"a", "b"}[i], "x"))))
			synctest.Wait()
			assert.Len(t, ready, 1)
			<-ready
			assert.Equal(t, []watch.Revision{watch.Revision(i + 1)}, poll(t, c))
		}
	})
}

func TestReadyReceivesForItsKeyOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{})
		c := cursorAt(t, log, watch.Key{Resource: "things", Namespace: "a"}, 0)
		ready := c.Ready()
		require.NoError(t, log.Append(group(1, key("b", "x"))))
		synctest.Wait()
		assert.Empty(t, ready)
		require.NoError(t, log.Append(group(2, key("a", "x"))))
		synctest.Wait()
		assert.Len(t, ready, 1)
		assert.Len(t, c.Ready(), 1, "asking again changes nothing")
		assert.Equal(t, []watch.Revision{2}, poll(t, c))
		<-ready
		assert.Empty(t, c.Ready())
		log.Close()
		assert.Len(t, c.Ready(), 1, "closing wakes")
		_, err := c.Poll(nil)
		require.ErrorIs(t, err, watch.ErrClosed)
	})
}

// A synctest bubble fails if a goroutine is left when the test ends.
func TestNothingIsLeftAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{})
		var readers sync.WaitGroup
		for i := range 200 {
			c, err := log.Cursor(key("a", fmt.Sprint(i%10)), 0)
			require.NoError(t, err)
			readers.Go(func() {
				for err == nil {
					_, err = c.Next(context.Background(), nil)
				}
				assert.ErrorIs(t, err, watch.ErrClosed)
				c.Close()
			})
		}
		synctest.Wait()
		for r := range watch.Revision(20) {
			require.NoError(t, log.Append(group(r+1, key("a", fmt.Sprint(r%10)))))
		}
		log.Close()
		readers.Wait()
	})
}

func TestClosedCursor(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	c := cursorAt(t, log, key("a", "x"), 0)
	other := cursorAt(t, log, key("a", "x"), 0)
	ready := c.Ready()
	c.Close()
	c.Close()
	<-ready
	_, err := c.Poll(nil)
	require.ErrorIs(t, err, watch.ErrClosed)
	<-c.Ready()
	require.NoError(t, log.Append(group(1, key("a", "x"))))
	<-other.Ready()
	assert.Equal(t, []watch.Revision{1}, poll(t, other))
}

func TestNextEndsWithItsContext(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := cursorAt(t, log, key("a", "x"), 0).Next(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// The test compares random appends, compactions and cursors with a plain slice of changes.
func TestCursorsAgainstAModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	log := newLog(t, watch.LogOptions[thing]{})
	var all []watch.Key // all[i] changed at revision i+1
	namespaces, names := []string{"a", "aa", "b"}, []string{"x", "y"}
	randomKey := func() watch.Key { return key(namespaces[random.IntN(3)], names[random.IntN(2)]) }
	type reader struct {
		cursor watch.Cursor[thing]
		scope  watch.Key
		after  watch.Revision
	}
	var readers []*reader
	for range 20_000 {
		switch n := random.IntN(100); {
		case n < 40:
			var keys []watch.Key
			for range 1 + random.IntN(4) {
				keys = append(keys, randomKey())
			}
			require.NoError(t, log.Append(group(watch.Revision(len(all)+1), keys...)))
			all = append(all, keys...)
		case n < 42:
			log.Compact(log.Compacted() + watch.Revision(random.IntN(20)))
		case n < 55:
			scope := randomKey()
			if random.IntN(2) == 0 {
				scope.Name = ""
			}
			if scope.Name == "" && random.IntN(2) == 0 {
				scope.Namespace = ""
			}
			after := watch.Revision(random.IntN(len(all) + 3))
			cursor, err := log.Cursor(scope, after)
			if after < log.Compacted() {
				require.True(t, status.IsExpired(err), "after %d: %v", after, err)
				continue
			}
			require.NoError(t, err)
			readers = append(readers, &reader{cursor, scope, after})
		case len(readers) > 0:
			i := random.IntN(len(readers))
			r := readers[i]
			if n < 60 {
				r.cursor.Close()
				readers = append(readers[:i], readers[i+1:]...)
				continue
			}
			var want []watch.Revision
			for p := r.after; p < watch.Revision(len(all)); p++ {
				if r.scope.Contains(all[p]) {
					want = append(want, p+1)
				}
			}
			changes, err := r.cursor.Poll(nil)
			if len(want) > 0 && want[0] <= log.Compacted() {
				require.True(t, status.IsExpired(err), "at %d of %v, compacted %d: %v", r.after, r.scope, log.Compacted(), err)
				r.cursor.Close()
				readers = append(readers[:i], readers[i+1:]...)
				continue
			}
			require.NoError(t, err)
			if len(want) > watch.PollLimit {
				require.GreaterOrEqual(t, len(changes), watch.PollLimit)
				want = want[:len(changes)]
			}
			require.Equal(t, want, revisions(changes))
			r.after = r.cursor.Position()
		}
	}
}

// Readers come and go while others write: each sees every change of its scope once and in order.
func TestConcurrentReaders(t *testing.T) {
	const writes = 3000
	log := newLog(t, watch.LogOptions[thing]{})
	var all sync.WaitGroup
	for i := range 40 {
		scope := watch.Key{Resource: "things", Namespace: fmt.Sprint(i % 4)}
		if i%4 == 0 {
			scope.Namespace = ""
		}
		all.Go(func() {
			position := watch.Revision(0)
			for position < writes {
				c, err := log.Cursor(scope, position)
				if !assert.NoError(t, err) {
					return
				}
				for range 1 + i%7 {
					changes, err := c.Next(t.Context(), nil)
					if !assert.NoError(t, err) {
						return
					}
					for _, change := range changes {
						position++
						for !scope.Contains(key(fmt.Sprint(position%4), "x")) {
							position++
						}
						if !assert.Equal(t, position, change.Revision) {
							return
						}
					}
					position = c.Position()
					if position >= writes {
						break
					}
				}
				c.Close()
			}
		})
	}
	for r := range watch.Revision(writes) {
		require.NoError(t, log.Append(group(r+1, key(fmt.Sprint((r+1)%4), "x"))))
	}
	for r := range watch.Revision(4) { // drops the last changes of a namespace
		require.NoError(t, log.Append(group(writes+r+1, key(fmt.Sprint((r+1)%4), "x"))))
	}
	all.Wait()
}

// Without resources, too, the zero scope covers everything, and each change comes once.
func TestKeysWithoutAResource(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	early := cursorAt(t, log, watch.Key{}, 0)
	require.NoError(t, log.Append(group(1, watch.Key{Name: "x"}, watch.Key{Name: "y"})))
	assert.Equal(t, []watch.Revision{1, 2}, poll(t, early))
	assert.Equal(t, []watch.Revision{1, 2}, poll(t, cursorAt(t, log, watch.Key{}, 0)))
}
