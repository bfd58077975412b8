package storagetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var watchRules = []rule{
	{"SelectorBorder", "To a selector an object appears, changes and disappears; DELETED shows the last state that matched, under the revision of the change.", func(s *subject) {
		key := widget("a", "x")
		start := s.store.Revision()
		cursor := s.watch(key, start)
		red := func(r *storage.Record) bool { return r.Fields[0] == "red" }
		made := []*storage.Record{s.put(key, "green", 1), s.put(key, "red", 2), s.put(key, "red", 3), s.put(key, "green", 4),
			s.put(key, "red", 5), s.remove(key)}
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		var got []string
		for _, c := range changes {
			kind, shown := c.Select(red)
			if kind == "" {
				continue
			}
			json := TextAt(shown, c.Revision)
			require.Contains(s, string(json), fmt.Sprintf(`"resourceVersion":"%d"`, c.Revision))
			got = append(got, fmt.Sprintf("%d %s %s", position(made, c.Revision), kind,
				json[bytes.Index(json, []byte(`"n":`)):]))
		}
		require.Equal(s, []string{`1 ADDED "n":2}}`, `2 MODIFIED "n":3}}`, `3 DELETED "n":3}}`, `4 ADDED "n":5}}`,
			`5 DELETED "n":5}}`}, got)
	}},
	{"ListThenWatch", "List at R, then watch from R, replays to exactly the state of a later list, with any selector and any number of writers.", func(s *subject) {
		s.replay(false)
	}},
	{"ListThenWatchAcrossCompaction", "Across a compaction a watcher either goes on without loss or gets 410.",
		func(s *subject) {
			s.replay(true)
		}},
	{"WatchEverything", "A watch of the zero scope shows the changes of all resources in the order of their revisions.",
		func(s *subject) {
			start := s.store.Revision()
			cursor := s.watch(watch.Key{}, start)
			node, late := storage.Key{Resource: nodes, Name: "x"}, storage.Key{Resource: "late", Name: "x"}
			made := []*storage.Record{s.put(widget("a", "x"), "red", 1), s.put(node, "red", 1)}
			group, err := s.store.UpdateAll(s.ctx,
				[]storage.Key{node, widget("b", "x"), {Resource: longer, Namespace: "a", Name: "x"}},
				func([]*storage.Record) ([][]byte, error) {
					return [][]byte{nil, object(widget("b", "x"), "red", 2), object(widget("a", "x"), "red", 2)}, nil
				})
			require.NoError(s, err)
			require.NoError(s, s.store.Register(s.ctx, storage.Resource{Name: late.Resource, Extract: storage.ExtractMetadata}))
			made = append(append(made, group...), s.put(late, "red", 1), s.remove(widget("a", "x")))
			want := []string{"0 a/x", "1 /x", "2 /x", "3 b/x", "4 a/x", "5 /x", "6 a/x"}
			for _, c := range []watch.Cursor[storage.Record]{cursor, s.watch(watch.Key{}, start)} {
				changes, err := c.Poll(nil)
				require.NoError(s, err)
				var got []string
				for _, change := range changes {
					got = append(got, fmt.Sprintf("%d %s/%s", position(made, change.Revision), change.Key.Namespace, change.Key.Name))
				}
				require.Equal(s, want, got)
				require.Equal(s, s.store.Revision(), c.Position())
			}
			require.NoError(s, s.store.Compact(s.ctx, made[1].Revision))
			_, err = s.store.Watch(s.ctx, watch.Key{}, made[0].Revision)
			require.True(s, status.IsExpired(err), "%v", err)
			for _, scope := range []watch.Key{{Namespace: "a"}, {Name: "x"}} {
				_, err := s.store.Watch(s.ctx, scope, made[1].Revision)
				require.ErrorIs(s, err, storage.ErrResource, "%v", scope)
			}
		}},
	{"WatchFromTheFuture", "A watch from a revision that is not reached waits for it, and shows what comes after it.",
		func(s *subject) {
			key := widget("a", "x")
			next := s.store.Revision() + 1
			seen := make(chan watch.Revision, 2)
			var watching sync.WaitGroup
			for _, terms := range [][]watch.Term{nil, {red()}} {
				watching.Go(func() {
					cursor, err := s.store.Watch(s.ctx, watch.Key{Resource: widgets}, next, terms...)
					if !assert.NoError(s, err) {
						return
					}
					defer cursor.Close()
					changes, err := cursor.Next(s.ctx, nil)
					if assert.NoError(s, err) && assert.NotEmpty(s, changes) {
						seen <- changes[0].Revision
					}
				})
			}
			first, second := s.put(key, "red", 1).Revision, s.put(key, "red", 2).Revision
			watching.Wait()
			close(seen)
			if first <= next {
				first = second
			}
			for revision := range seen {
				require.Equal(s, first, revision)
			}
		}},
}

// selection is what one client watches.
type selection struct {
	scope watch.Key
	terms []watch.Term
	match func(*storage.Record) bool
}

func selections() []selection {
	odd := watch.Term{Index: odds, Value: "true"}
	isRed := func(r *storage.Record) bool { return has(r, red()) }
	isOdd := func(r *storage.Record) bool { return has(r, odd) }
	both := func(r *storage.Record) bool { return isRed(r) && isOdd(r) }
	var all []selection
	for _, scope := range []watch.Key{{Resource: widgets}, {Resource: widgets, Namespace: "a"},
		{Resource: widgets, Namespace: "aa"}, widget("a", "0"), {Resource: nodes}} {
		all = append(all, selection{scope, nil, nil}, selection{scope, nil, isRed}, selection{scope, nil, isOdd},
			selection{scope, []watch.Term{red()}, isRed}, selection{scope, []watch.Term{odd}, isOdd},
			selection{scope, []watch.Term{odd, red()}, both})
	}
	return all
}

// replay lets writers change objects at random while clients list, watch, stop, resume, and list again when a watch
// expires.
func (s *subject) replay(compact bool) {
	const writers, writes = 4, 250
	seed := uint64(time.Now().UnixNano())
	s.Logf("seed %d", seed)
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		random := rand.New(rand.NewPCG(seed, uint64(w)))
		writing.Go(func() {
			for range writes {
				s.randomWrite(random)
				if compact && random.IntN(20) == 0 {
					assert.NoError(s, s.store.Compact(s.ctx,
						s.store.Revision()-watch.Revision(min(random.IntN(10), int(s.store.Revision())))))
				}
			}
		})
	}
	for i, selection := range selections() {
		random := rand.New(rand.NewPCG(seed, uint64(1000+i)))
		reading.Go(func() {
			client := &client{selection: selection, store: s.store}
			for client.follow(s, random, done) {
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
}

// randomWrite creates, changes or deletes one or two of a few objects.
func (s *subject) randomWrite(random *rand.Rand) {
	keys := []storage.Key{widget([]string{"a", "aa", "b"}[random.IntN(3)], fmt.Sprint(random.IntN(4)))}
	if random.IntN(4) == 0 {
		keys = append(keys, storage.Key{Resource: nodes, Name: fmt.Sprint(random.IntN(3))})
	}
	_, err := s.store.UpdateAll(s.ctx, keys, func([]*storage.Record) ([][]byte, error) {
		next := make([][]byte, len(keys))
		for i := range next {
			if random.IntN(4) > 0 {
				next[i] = object(keys[i], []string{"red", "green"}[random.IntN(2)], random.IntN(10))
			}
		}
		return next, nil
	})
	assert.NoError(s, err)
}

// client keeps what it has seen, as an informer does.
type client struct {
	selection
	store    storage.Store
	state    map[storage.Key]string
	position watch.Revision // zero means list first
}

// follow lists if necessary and watches for a while, or until the end once the writers are done. It reports whether to
// go on.
func (c *client) follow(s *subject, random *rand.Rand, done <-chan struct{}) bool {
	if c.position == 0 {
		page, err := c.store.List(s.ctx, storage.Query{Within: c.scope, Terms: c.terms, Match: c.match}, nil)
		if !assert.NoError(s, err) {
			return false
		}
		c.state, c.position = shown(page), page.Revision
	}
	cursor, err := c.store.Watch(s.ctx, c.scope, c.position, c.terms...)
	if status.IsExpired(err) {
		c.position = 0
		return true
	}
	if !assert.NoError(s, err) {
		return false
	}
	defer cursor.Close()
	var changes []*watch.Change[storage.Record]
	for range 1 + random.IntN(20) {
		finished := false
		select {
		case <-cursor.Ready():
		case <-done:
			finished = true
		case <-s.ctx.Done():
			assert.Fail(s, "the watch did not end in time")
			return false
		}
		changes, err = cursor.Poll(changes[:0])
		if status.IsExpired(err) {
			c.position = 0
			return true
		}
		if !assert.NoError(s, err) {
			return false
		}
		for i, change := range changes {
			if i > 0 && random.IntN(50) == 0 {
				return true // the client stops in the middle, and resumes after the last event it saw
			}
			if !c.see(s, change) {
				return false
			}
		}
		c.position = cursor.Position()
		if finished && len(changes) == 0 {
			page, err := c.store.List(s.ctx, storage.Query{Within: c.scope, Terms: c.terms, Match: c.match}, nil)
			return assert.NoError(s, err) && assert.Equal(s, page.Revision, c.position) &&
				assert.Equal(s, shown(page), c.state, "%+v", c.scope) && false
		}
	}
	return true
}

// see applies one change and checks that it comes in order and fits the changes before it.
func (c *client) see(s *subject, change *watch.Change[storage.Record]) bool {
	ok := assert.Greater(s, change.Revision, c.position, "in order, and once")
	c.position = change.Revision
	kind, record := change.Select(c.match)
	_, known := c.state[change.Key]
	switch kind {
	case apimeta.EventAdded:
		ok = ok && assert.False(s, known, "ADDED twice: %v", change.Key)
		c.state[change.Key] = string(Text(record))
	case apimeta.EventModified:
		ok = ok && assert.True(s, known, "MODIFIED before ADDED: %v", change.Key)
		c.state[change.Key] = string(Text(record))
	case apimeta.EventDeleted:
		ok = ok && assert.True(s, known, "DELETED before ADDED: %v", change.Key) &&
			assert.Equal(s, c.state[change.Key], string(Text(record)),
				"DELETED shows the last state that the client saw")
		delete(c.state, change.Key)
	}
	return ok
}

// shown returns the records of a list as a client keeps them.
func shown(page storage.Listing) map[storage.Key]string {
	state := map[storage.Key]string{}
	for _, r := range page.Records {
		state[r.Key] = string(Text(r))
	}
	return state
}
